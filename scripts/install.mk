# Installing and packaging; the Makefile includes this. Honoured besides the Makefile's own:
# BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR

BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
MANDIR     ?= $(DATADIR)/man
DOCDIR     ?= $(DATADIR)/doc/heed
INSTALL    ?= install

# The library as others link it has no server, so that it does not ask for libmicrohttpd.
SO_VERSION := 0
API_OBJ     = $(filter-out $(OUT)/serve/%,$(LIB_OBJ))
FOLDER_LIST = $(DOCDIR)/.folders
DOCUMENTS   = $(wildcard README.md README.zh.md CHANGELOG.md LICENSE scripts/example.c)

FLAGS_static = $(CFLAGS) $(HARDEN)

.PHONY: libraries share install uninstall static dist deb

libraries: deps ## build/libheed.so and the archive that install copies
	@$(MAKE) --no-print-directory V=release build/libheed.so build/install/libheed.a

build/libheed.so: $(API_OBJ) scripts/libheed.map
	@echo 'LD  $@'
	@$(CC) $(BASE) $(VARIANT_FLAGS) $(LDFLAGS) -shared -Wl,-soname,libheed.so.$(SO_VERSION) \
	    -Wl,--version-script=scripts/libheed.map -Wl,--no-undefined $(API_OBJ) $(PKG_LIBS_API) -lm -o $@
	@ln -sf libheed.so build/libheed.so.$(SO_VERSION)

PKG_LIBS_API = $(shell $(PKG_CONFIG) --libs $(filter-out libmicrohttpd,$(LIBRARIES)) 2>/dev/null)

# One object whose only global names are those of heed.h: nothing of ours can clash with a program's.
build/install/libheed.a: $(API_OBJ)
	@mkdir -p $(@D)
	@echo 'AR  $@'
	@$(LD) -r $(API_OBJ) -o build/install/heed.o
	@objcopy --wildcard --keep-global-symbol='heed_*' build/install/heed.o
	@rm -f $@ && $(AR) rcs $@ build/install/heed.o

# What the program writes about itself.
share: all
	@mkdir -p build/share
	@build/heed --manual >build/share/heed.1
	@build/heed --completion bash >build/share/heed.bash
	@build/heed --completion zsh >build/share/_heed

install: all libraries share ## install below DESTDIR/PREFIX (default /usr/local)
	scripts/folders.sh make '$(DESTDIR)' $(FOLDER_LIST) $(BINDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR) $(MANDIR)/man1 \
	    $(DOCDIR) $(DATADIR)/bash-completion/completions $(DATADIR)/zsh/site-functions
	$(INSTALL) -m 755 build/heed $(DESTDIR)$(BINDIR)/heed
	$(INSTALL) -m 644 build/install/libheed.a $(DESTDIR)$(LIBDIR)/libheed.a
	$(INSTALL) -m 644 build/libheed.so $(DESTDIR)$(LIBDIR)/libheed.so.$(VERSION)
	ln -sf libheed.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libheed.so.$(SO_VERSION)
	ln -sf libheed.so.$(SO_VERSION) $(DESTDIR)$(LIBDIR)/libheed.so
	$(INSTALL) -m 644 src/heed.h $(DESTDIR)$(INCLUDEDIR)/heed.h
	sed -e 's,@prefix@,$(PREFIX),' -e 's,@libdir@,$(LIBDIR),' -e 's,@includedir@,$(INCLUDEDIR),' \
	    -e 's,@version@,$(VERSION),' scripts/heed.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/heed.pc
	$(INSTALL) -m 644 build/share/heed.1 $(DESTDIR)$(MANDIR)/man1/heed.1
	$(INSTALL) -m 644 build/share/heed.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/heed
	$(INSTALL) -m 644 build/share/_heed $(DESTDIR)$(DATADIR)/zsh/site-functions/_heed
	$(INSTALL) -m 644 $(DOCUMENTS) $(DESTDIR)$(DOCDIR)

uninstall: ## remove what install put there (same DESTDIR and PREFIX)
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/heed $(LIBDIR)/libheed.a $(LIBDIR)/libheed.so.$(VERSION) \
	    $(LIBDIR)/libheed.so.$(SO_VERSION) $(LIBDIR)/libheed.so $(INCLUDEDIR)/heed.h $(LIBDIR)/pkgconfig/heed.pc \
	    $(MANDIR)/man1/heed.1 $(DATADIR)/bash-completion/completions/heed $(DATADIR)/zsh/site-functions/_heed \
	    $(addprefix $(DOCDIR)/,$(notdir $(DOCUMENTS))))
	scripts/folders.sh remove '$(DESTDIR)' $(FOLDER_LIST)

static: deps ## build/heed-static: one file for any Linux of this processor
	@$(MAKE) --no-print-directory V=static build/heed-static
build/heed-static: $(LIB_OBJ) $(CLI_OBJ) $(OUT)/no_tls.o
	@echo 'LD  $@'
	@$(CC) $(BASE) $(VARIANT_FLAGS) $(LDFLAGS) -static $^ $(PKG_LIBS) -lm -o $@
# Stands in for GnuTLS, which libmicrohttpd.a names and heed never calls.
$(OUT)/no_tls.o: scripts/no_tls.c
	@mkdir -p $(@D)
	@echo 'CC  $(V) $<'
	@$(COMPILE) -c $< -o $@

# The tarball holds what is committed, nothing else.
dist: ## build/heed-VERSION.tar.gz of the commit that is checked out
	@mkdir -p build
	@git archive --format=tar --prefix=heed-$(VERSION)/ HEAD | gzip -9n >build/heed-$(VERSION).tar.gz
	@git diff --quiet HEAD || echo 'dist: uncommitted changes are not in the tarball' >&2
	@echo build/heed-$(VERSION).tar.gz

deb: ## Debian packages heed, libheed0 and libheed-dev in build/
	@scripts/make-deb.sh $(VERSION)
