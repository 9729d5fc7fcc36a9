# heed: `make` builds build/heed and build/libheed.a; `make help` lists the targets.
# Honoured: CC CFLAGS LDFLAGS PREFIX DESTDIR WERROR=1

CC      ?= cc
CFLAGS  ?= -O2 -g
PREFIX  ?= /usr/local
VERSION := 0.1.0
V       ?= release

# OpenBLAS does the large products of training's way back where our own kernels are not built: with
# HEED_ISA=plain, elsewhere than on x86-64, and in the double build. Else `heed bench` measures
# beside it, and nothing more.
PKG_CONFIG ?= pkg-config
LIBRARIES  := openblas libutf8proc jansson zlib libmicrohttpd
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBRARIES) 2>/dev/null)
PKG_LIBS   := $(shell $(PKG_CONFIG) --libs $(LIBRARIES) 2>/dev/null)
CHECK_CFLAGS = $(shell $(PKG_CONFIG) --cflags check 2>/dev/null)
CHECK_LIBS   = $(shell $(PKG_CONFIG) --libs check 2>/dev/null)

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla -Wundef -Wwrite-strings $(if $(WERROR),-Werror)
BASE     := -std=c11 -D_POSIX_C_SOURCE=200809L -DHEED_VERSION='"$(VERSION)"' -Isrc -fPIC -pthread

# One variant per folder below build/.
FLAGS_release  = $(CFLAGS) $(HARDEN)
FLAGS_double   = $(CFLAGS) $(HARDEN) -DREAL_IS_DOUBLE
FLAGS_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan    := -O1 -g -fsanitize=thread
FLAGS_cover   := -O0 -g --coverage
VARIANT_FLAGS  = $(FLAGS_$(V))

OUT      := build/$(V)
SOURCES  := $(sort $(wildcard src/*/*.c))
LIB_SRC  := $(filter-out src/cli/%,$(SOURCES))
CLI_SRC  := $(filter src/cli/%,$(SOURCES))
LIB_OBJ  := $(LIB_SRC:src/%.c=$(OUT)/%.o)
CLI_OBJ  := $(CLI_SRC:src/%.c=$(OUT)/%.o)
SUPPORT  := $(patsubst tests/support/%.c,$(OUT)/support/%.o,$(sort $(wildcard tests/support/*.c)))
TESTS    := $(patsubst tests/%.c,$(OUT)/tests/%,$(sort $(wildcard tests/test_*.c)))
COMPILE   = $(CC) $(BASE) $(WARNINGS) $(PKG_CFLAGS) $(VARIANT_FLAGS) -MMD -MP

.DEFAULT_GOAL := all
# Fuzzing, coverage, valgrind, hardening.
include scripts/checks.mk
# Flags of single files: kernels are worth -O3, and each instruction set has its own file.
include $(wildcard src/math/flags.mk)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all program test test-variant test-oracle lint format format-check check-tsan bench demo \
        deps clean help

all: deps ## the optimised program build/heed and library build/libheed.a (default)
	@$(MAKE) --no-print-directory V=release program

program: build/heed build/libheed.a

# The plain names are the release build; other variants live in their folder.
build/heed: build/release/heed
	@cp $< $@
build/libheed.a: build/release/libheed.a
	@cp $< $@

$(OUT)/%.o: src/%.c
	@mkdir -p $(@D)
	@echo 'CC  $(V) $<'
	@$(COMPILE) $(FLAGS_$(*F)) -c $< -o $@
$(OUT)/support/%.o: tests/support/%.c
	@mkdir -p $(@D)
	@echo 'CC  $(V) $<'
	@$(COMPILE) $(CHECK_CFLAGS) -Itests -c $< -o $@
$(OUT)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	@echo 'CC  $(V) $<'
	@$(COMPILE) $(CHECK_CFLAGS) -Itests -c $< -o $@
$(OUT)/libheed.a: $(LIB_OBJ)
	@rm -f $@ && $(AR) rcs $@ $^
$(OUT)/heed: $(CLI_OBJ) $(OUT)/libheed.a
	@echo 'LD  $@'
	@$(CC) $(BASE) $(VARIANT_FLAGS) $(HARDEN_LINK) $(LDFLAGS) $^ $(PKG_LIBS) -lm -o $@
$(OUT)/tests/test_%: $(OUT)/tests/test_%.o $(SUPPORT) $(OUT)/libheed.a
	@echo 'LD  $@'
	@$(CC) $(BASE) $(VARIANT_FLAGS) $(LDFLAGS) $^ $(CHECK_LIBS) $(PKG_LIBS) -lm -o $@

deps:
	@scripts/install-deps.sh --if-missing

test: ## what a commit must pass: unit tests (sanitizers, double, optimised) and the command line
	@scripts/install-deps.sh --if-missing --tests
	@$(MAKE) --no-print-directory V=asan test-variant replay
	@$(MAKE) --no-print-directory V=double test-variant
	@$(MAKE) --no-print-directory V=release test-variant
	@python3 tests/run_cases.py build/asan/heed build/release/heed
	@python3 tests/run_python.py

# Unit tests of one variant: make V=asan test-variant [ONLY=gru]
test-variant: $(OUT)/heed $(if $(ONLY),$(OUT)/tests/test_$(ONLY),$(TESTS))
	@tests/run_units.sh $(V) $(if $(ONLY),$(OUT)/tests/test_$(ONLY),$(TESTS))

lint: ## layers, headers, banned functions, cppcheck
	@scripts/lint_layers.sh
	@scripts/lint_headers.sh
	@scripts/lint_banned.sh
	@scripts/lint_static.sh

format: ## lay the sources out with clang-format
	clang-format -i $$(git ls-files 'src/*.[ch]' 'src/*.inc' 'tests/*.[ch]')
format-check: ## fail when `make format` would change something
	clang-format --dry-run -Werror $$(git ls-files 'src/*.[ch]' 'src/*.inc' 'tests/*.[ch]')

# Two files of pairs for the comparison with PyTorch, which takes place when it is installed.
RIVAL ?= corpora/en-fr/train.en corpora/en-fr/train.fr

bench: all ## how fast training and translating are on this machine
	@env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE build/heed bench
	@if /usr/bin/python3 -c 'import torch' 2>/dev/null; then \
	    echo && echo 'Beside PyTorch, in turns' && scripts/rival.py $(RIVAL); fi

demo: all ## train on corpora/en-zh, translate, and draw the attention
	@scripts/demo.sh

test-oracle: ## hold every oracle file of ORACLE=DIR against the double and the float build
	@test -n "$(ORACLE)" || { echo "make test-oracle ORACLE=DIR: the folder is needed" >&2; exit 2; }
	@HEED_ORACLE="$(abspath $(ORACLE))" $(MAKE) --no-print-directory V=double ONLY=oracle test-variant
	@HEED_ORACLE="$(abspath $(ORACLE))" $(MAKE) --no-print-directory V=release ONLY=oracle test-variant

check-tsan: ## training, translating, serving and the unit tests under the thread sanitizer
	@$(MAKE) --no-print-directory V=tsan build/tsan/heed
	@scripts/tsan.sh build/tsan/heed
	@$(MAKE) --no-print-directory V=tsan test-variant

-include scripts/install.mk src/serve/page.mk

clean: ## remove what was built
	rm -rf build

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(filter-out %.d,$(MAKEFILE_LIST)) | sed 's/:.*## /\t/' | expand -t 16

-include $(wildcard $(OUT)/fuzz/*.d)
-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(SUPPORT:.o=.d) $(TESTS:=.d)
