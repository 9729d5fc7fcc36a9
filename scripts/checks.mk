# The checks beyond `make test`; included by the Makefile.

.PHONY: check-isa isa-run check-pages check-serve replay fuzz fuzz-run coverage coverage-run check-valgrind valgrind-run check-slow

# Hardening of what is shipped: position independent, read-only relocations, stack protector,
# checked string functions (they need an optimised build), no executable stack.
ifeq ($(shell uname -s),Linux)
# The objects are -fPIC already. A static build sets HARDEN_LINK= and links as it needs.
HARDEN_LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack
endif
HARDEN := -fstack-protector-strong \
          $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)

# Fuzz targets: tests/fuzz/fuzz_NAME.c over tests/fuzz/corpus/NAME.
FLAGS_fuzz    := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
                 -fno-sanitize-recover=all
FUZZ_SECONDS  ?= 30
FUZZ_NAMES    := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_OBJ      := $(OUT)/fuzz/fuzz.o $(filter-out $(OUT)/cli/main.o,$(CLI_OBJ)) $(OUT)/libheed.a
FUZZ_LINK      = $(CC) $(BASE) $(VARIANT_FLAGS) $(LDFLAGS)

$(OUT)/fuzz/%.o: tests/fuzz/%.c
	@mkdir -p $(@D)
	@echo 'CC  $(V) $<'
	@$(COMPILE) -Itests -c $< -o $@
$(OUT)/fuzz/replay_%: $(OUT)/fuzz/fuzz_%.o $(OUT)/fuzz/replay.o $(FUZZ_OBJ)
	@echo 'LD  $@'
	@$(FUZZ_LINK) $^ $(PKG_LIBS) -lm -o $@
$(OUT)/fuzz/run_%: $(OUT)/fuzz/fuzz_%.o $(FUZZ_OBJ)
	@echo 'LD  $@'
	@$(FUZZ_LINK) -fsanitize=fuzzer $^ $(PKG_LIBS) -lm -o $@

# Part of `make test`: every input of the corpora, crashers included, under the sanitizers.
replay: $(FUZZ_NAMES:%=$(OUT)/fuzz/replay_%)
	@for name in $(FUZZ_NAMES); do $(OUT)/fuzz/replay_$$name tests/fuzz/corpus/$$name/* || exit 1; done

fuzz: ## libFuzzer (clang) over each target for FUZZ_SECONDS (30); FUZZ=name picks one
	@$(MAKE) --no-print-directory V=fuzz CC=clang fuzz-run
fuzz-run: $(or $(FUZZ:%=$(OUT)/fuzz/run_%),$(FUZZ_NAMES:%=$(OUT)/fuzz/run_%))
	@scripts/fuzz.sh $(OUT)/fuzz $(FUZZ_SECONDS) $(or $(FUZZ),$(FUZZ_NAMES))

coverage: ## lines and branches that the tests reach, by file
	@$(MAKE) --no-print-directory V=cover coverage-run
coverage-run: $(OUT)/heed $(TESTS) $(FUZZ_NAMES:%=$(OUT)/fuzz/replay_%)
	@scripts/coverage.sh $(OUT) $(TESTS)

# valgrind knows no AVX-512.
FLAGS_valgrind := -O1 -g
check-valgrind: ## unit tests under valgrind: uninitialised reads, leaks
	@$(MAKE) --no-print-directory V=valgrind valgrind-run
valgrind-run: $(if $(ONLY),$(OUT)/tests/test_$(ONLY),$(TESTS))
	@scripts/valgrind.sh $^

check-isa: ## the optimised unit tests and the command line with every instruction set
	@$(MAKE) --no-print-directory V=release isa-run
isa-run: $(OUT)/heed $(TESTS)
	@scripts/isa.sh $(OUT)/heed $(TESTS)

check-pages: all ## the pages in headless Chromium, when there is one
	@python3 tests/pages.py

check-serve: all ## the server under 64 clients for a minute and among bad neighbours; MODEL=... LINES=... or a small model
	@python3 tests/soak_serve.py $(if $(MODEL),--model $(MODEL) --lines $(LINES))

# SOAK_MINUTES=120 is what a release should stand.
SOAK_MINUTES ?= 20
check-slow: ## kills, stops, refusals of every call, every bit, hostile lines, SOAK_MINUTES of soak, fuzzing
	@$(MAKE) --no-print-directory V=release all build/release/tests/test_io build/release/tests/test_damage
	@$(MAKE) --no-print-directory V=asan build/asan/tests/test_faults
	HEED_SWEEP=all CK_TIMEOUT_MULTIPLIER=10 build/asan/tests/test_faults
	HEED_SWEEP=all CK_TIMEOUT_MULTIPLIER=10 build/release/tests/test_damage
	HEED_KILLS=1000 build/release/tests/test_io
	HEED_SWEEP=all python3 -m unittest discover -s tests -p test_refusals.py
	HEED_STOPS=50 python3 -m unittest discover -s tests -p test_stopping.py
	HEED_LINES=100000 python3 -m unittest discover -s tests -p test_hostile_bytes.py
	SOAK_MINUTES=$(SOAK_MINUTES) scripts/soak.py
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=600
	@$(MAKE) --no-print-directory check-serve static
	build/heed-static serve --help >/dev/null
