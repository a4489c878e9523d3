# make/install.mk: install, uninstall, what pkg-config and CMake need.

PREFIX ?= /usr/local
DESTDIR ?=
INCLUDEDIR ?= $(PREFIX)/include/serialqueue
LIBDIR ?= $(PREFIX)/lib
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
CMAKEDIR ?= $(LIBDIR)/cmake/SerialQueue
BINDIR ?= $(PREFIX)/bin
# In a folder of its own, which its pkg-config file names: no program finds dispatch/dispatch.h by accident.
DISPATCHDIR ?= $(PREFIX)/include/serialqueue-dispatch
TOOLDIR ?= $(PREFIX)/share/serialqueue/sqtrace

# The private ones are for the Swift layer.
HEADERS := $(sort $(filter-out %_private.h,$(wildcard $(CORE)/include/*.h $(CORE)/include/*.hpp $(TESTING)/include/*.h)))
CMAKE_FILES := $(wildcard make/cmake/*.cmake)
MANDIR ?= $(PREFIX)/share/man
DEBUGGERDIR ?= $(PREFIX)/share/serialqueue/debugger
LIBEXECDIR ?= $(PREFIX)/libexec/serialqueue
TOOL_FILES := $(wildcard Tools/sqtrace/*.py Tools/sqtrace/*.html Tools/sqtrace/*.js)
INSTALLED := $(addprefix $(INCLUDEDIR)/,$(notdir $(HEADERS))) \
    $(foreach library,$(LIBRARIES),$(addprefix $(LIBDIR)/$(library),.a .so .so.$(SOVERSION) .so.$(VERSION)) $(PKGCONFIGDIR)/$(library:lib%=%).pc) \
    $(addprefix $(DISPATCHDIR)/dispatch/,$(notdir $(DISPATCH_HEADERS))) \
    $(addprefix $(CMAKEDIR)/,$(notdir $(CMAKE_FILES))) \
    $(foreach name,serialqueue-tsan serialqueue-testing-tsan,$(LIBDIR)/lib$(name).a $(PKGCONFIGDIR)/$(name).pc) \
    $(BINDIR)/sq-trace $(LIBEXECDIR)/sq-trace-read $(addprefix $(TOOLDIR)/,$(notdir $(TOOL_FILES))) $(DEBUGGERDIR)/serialqueue.py

# A folder as CMake's files see it: what is installed can be moved as a whole.
from_cmake = $(shell realpath -ms --relative-to='$(CMAKEDIR)' '$(1)')

# $(call fill,FOLDER,FILE...): the files of CMake and of pkg-config, with the words between @ signs replaced. CMakeLists.txt fills in the same ones.
# The headers lie in a folder of their own, which the pkg-config file names: they are as flat as in the source tree, and a program says
# #include <serial_queue.h> in both. That of libdispatch's calls names the core, which a program does not call: so the linker and the loader find it
# in the same folder. The libraries with ThreadSanitizer are archives: the sanitizer cannot see how a library orders accesses that was compiled
# without it, and a program that has it links its own copy.
fill = @for file in $(2); do sed 's|@VERSION@|$(VERSION)|; s|@SOVERSION@|$(SOVERSION)|; s|@PREFIX@|$(PREFIX)|; $(3)' $$file > '$(DESTDIR)$(1)/'$${file\#\#*/} || exit 1; done
fill_pkgconfig = $(call fill,$(PKGCONFIGDIR),$(1:%=make/pkgconfig/%.pc),s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@DISPATCHDIR@|$(DISPATCHDIR)|)
fill_cmake = $(call fill,$(CMAKEDIR),$(CMAKE_FILES),s|@LIBDIR@|$(call from_cmake,$(LIBDIR))|; s|@INCLUDEDIR@|$(call from_cmake,$(INCLUDEDIR))|; s|@DISPATCHDIR@|$(call from_cmake,$(DISPATCHDIR))|)

# The part of sq-trace that decodes. In the sources sq-trace has it built when it is run, perhaps several at a time.
READER_SOURCES := $(wildcard Tools/sqtrace/read/*.c)
build/sq-trace-read: $(READER_SOURCES) $(wildcard Tools/sqtrace/read/*.h)
	@mkdir -p build
	$(call show,LINK,$@)$(CC) -std=c11 -D_DEFAULT_SOURCE $(WARNINGS) $(FLAVOUR_FLAGS_release) $(CPPFLAGS) $(CFLAGS) $(READER_SOURCES) $(LDFLAGS) -o $@.$$$$ && mv $@.$$$$ $@

install: lib build/sq-trace-read ## install into $(DESTDIR)$(PREFIX); PREFIX=/usr/local by default
	@install -d '$(DESTDIR)$(INCLUDEDIR)' '$(DESTDIR)$(LIBDIR)' '$(DESTDIR)$(PKGCONFIGDIR)' '$(DESTDIR)$(CMAKEDIR)' \
	    '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBEXECDIR)' '$(DESTDIR)$(TOOLDIR)' '$(DESTDIR)$(DEBUGGERDIR)'
	@install -m 644 Tools/debugger/serialqueue.py '$(DESTDIR)$(DEBUGGERDIR)'
	@install -m 755 Tools/sq-trace '$(DESTDIR)$(BINDIR)'
	@install -m 755 build/sq-trace-read '$(DESTDIR)$(LIBEXECDIR)'
	@install -m 644 $(TOOL_FILES) '$(DESTDIR)$(TOOLDIR)'
	@install -m 644 $(HEADERS) '$(DESTDIR)$(INCLUDEDIR)'
	@for library in $(LIBRARIES); do \
	    install -m 644 build/$$library.a build/$$library.so.$(VERSION) '$(DESTDIR)$(LIBDIR)' && \
	    ln -sf $$library.so.$(VERSION) '$(DESTDIR)$(LIBDIR)'/$$library.so.$(SOVERSION) && \
	    ln -sf $$library.so.$(SOVERSION) '$(DESTDIR)$(LIBDIR)'/$$library.so || exit 1; done
	@install -d '$(DESTDIR)$(DISPATCHDIR)/dispatch'
	@install -m 644 $(DISPATCH_HEADERS) '$(DESTDIR)$(DISPATCHDIR)/dispatch'
	$(call fill_pkgconfig,$(LIBRARIES:lib%=%))
	$(call fill_cmake)
	@if command -v python3 > /dev/null; then $(MAKE) --no-print-directory man && \
	    for section in 1 3 7; do install -d '$(DESTDIR)$(MANDIR)'/man$$section && cp -P build/man/man$$section/* '$(DESTDIR)$(MANDIR)'/man$$section/ || exit 1; done; \
	else echo 'left out: the manual pages, which python3 makes'; fi
	@echo "installed into $(DESTDIR)$(PREFIX)$(if $(DESTDIR),, (run ldconfig if programs do not find the library))"

install-tsan: ## the same for programs built with -fsanitize=thread: pkg-config serialqueue-tsan, and serialqueue-testing-tsan
	$(call need,cc ar libc tsan)
	@$(MAKE) --no-print-directory FLAVOUR=tsan build/$(COMPILER)-tsan/libserialqueue.a build/$(COMPILER)-tsan/libserialqueue-testing.a
	@install -d '$(DESTDIR)$(INCLUDEDIR)' '$(DESTDIR)$(LIBDIR)' '$(DESTDIR)$(PKGCONFIGDIR)'
	@install -m 644 $(HEADERS) '$(DESTDIR)$(INCLUDEDIR)'
	@install -m 644 build/$(COMPILER)-tsan/libserialqueue.a '$(DESTDIR)$(LIBDIR)/libserialqueue-tsan.a'
	@install -m 644 build/$(COMPILER)-tsan/libserialqueue-testing.a '$(DESTDIR)$(LIBDIR)/libserialqueue-testing-tsan.a'
	$(call fill_pkgconfig,serialqueue-tsan serialqueue-testing-tsan)

# The folders that are ours alone, inner ones first; bin, lib, share/man and their like belong to all packages.
OWN_FOLDERS := $(DISPATCHDIR)/dispatch $(DISPATCHDIR) $(INCLUDEDIR) $(CMAKEDIR) $(TOOLDIR) $(DEBUGGERDIR) $(PREFIX)/share/serialqueue $(LIBEXECDIR)
# Section 3 has a page for each public header, and one for each function.
uninstall: ## remove what install has installed
	@rm -f $(foreach file,$(INSTALLED),'$(DESTDIR)$(file)') '$(DESTDIR)$(MANDIR)'/man1/sq-trace.1 '$(DESTDIR)$(MANDIR)'/man7/serialqueue.7
	@for page in $(basename $(notdir $(HEADERS))) $$(scripts/version-script names) $$(scripts/version-script names testing); do rm -f '$(DESTDIR)$(MANDIR)'/man3/$$page.3; done
	@rm -rf '$(DESTDIR)$(TOOLDIR)/__pycache__' '$(DESTDIR)$(DEBUGGERDIR)/__pycache__' # Python's and lldb's
	@for folder in $(foreach folder,$(OWN_FOLDERS),'$(DESTDIR)$(folder)'); do \
	    ! [ -d "$$folder" ] || rmdir --ignore-fail-on-non-empty "$$folder" || exit 1; done

.PHONY: install install-tsan uninstall
