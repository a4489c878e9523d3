# make/build.mk: compilers, flavours, the library.

# Stands once, in the header.
VERSION := $(shell awk '$$2 ~ /^SQ_VERSION_(MAJOR|MINOR|PATCH)$$/ { v = v dot $$3; dot = "." } END { print v }' Sources/CSerialQueue/include/sq_version.h)
SOVERSION := 0
FLAVOUR ?= release

# make's own default is `cc`, which a machine with only clang does not have.
ifeq ($(origin CC),default)
CC := $(firstword $(foreach name,gcc clang cc,$(if $(shell command -v $(name)),$(name))) gcc)
endif
AR ?= ar
SWIFT ?= swift

COMPILER := $(notdir $(firstword $(CC)))
OUT := build/$(COMPILER)-$(FLAVOUR)$(PLATFORM:%=-%)
CORE := Sources/CSerialQueue

WARNINGS := -Wall -Wextra -Wpedantic
# No object contains the folder in which it was built: the same sources make the same library anywhere.
FLAVOUR_FLAGS_release := -O2 -g -ffile-prefix-map="$(CURDIR)"=.
FLAVOUR_FLAGS_debug := -O1 -g -DSQ_DEBUG=1
FLAVOUR_FLAGS_tsan := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
FLAVOUR_FLAGS_asan := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
FLAVOUR_FLAGS := $(FLAVOUR_FLAGS_$(FLAVOUR))
# What the core uses of the system: of Linux, or with PLATFORM=posix what all supported systems have (Sources/CSerialQueue/platform/system.h).
# PLATFORM=amalgamation: the archive is made of build/amalgamation/serial_queue.c alone.
ifeq ($(PLATFORM),posix)
override CPPFLAGS += -DSQ_PLATFORM_POSIX
else ifneq ($(filter-out amalgamation,$(PLATFORM)),)
$(error PLATFORM is posix, amalgamation or not set, not '$(PLATFORM)')
endif
ifeq ($(FLAVOUR_FLAGS),)
$(error FLAVOUR is release, debug, tsan or asan, not '$(FLAVOUR)')
endif

# CFLAGS, CPPFLAGS and LDFLAGS, of the environment or of make's command line, follow ours in every flavour: where two disagree, theirs count.
# Nothing but the language: the sources request the feature macros that they need, so that they also compile in other builds.
# Unwind tables: a task that pthread_exit leaves is found by them (platform/unwind.h). gcc for riscv64 writes none unless it is asked.
COMPILE := $(CC) -std=c11 -pthread -fasynchronous-unwind-tables $(WARNINGS) $(FLAVOUR_FLAGS) $(CPPFLAGS) $(CFLAGS) -I$(CORE) -I$(CORE)/include -MMD -MP
# What no task and no wait passes is compiled for size, in release builds whose CFLAGS choose nothing else.
COLD := inspect/% trace/perfetto% trace/proto trace/options trace/request trace/session% platform/linux/% platform/file platform/kept_file platform/fatal \
    platform/message platform/text platform/peek platform/program platform/signal% platform/json wait/deadlock_report wait/deadlock_text wait/deadlock_json kernel/unwind_guard
FOR_SIZE_release := $(if $(filter -O%,$(CFLAGS)),,-Os)
FOR_SIZE = $(if $(filter $(COLD),$*),$(FOR_SIZE_$(FLAVOUR)))
# What programs are linked with, apart from the library itself.
LINK := $(CC) -pthread $(FLAVOUR_FLAGS) $(CFLAGS) $(LDFLAGS)

SOURCES := $(sort $(wildcard $(CORE)/*/*.c $(CORE)/platform/*/*.c))
STATIC_OBJECTS := $(SOURCES:$(CORE)/%.c=$(OUT)/static/%.o)
SHARED_OBJECTS := $(SOURCES:$(CORE)/%.c=$(OUT)/shared/%.o)
STATIC_LIBRARY := $(OUT)/libserialqueue.a
SHARED_LIBRARY := $(OUT)/libserialqueue.so.$(VERSION)

# $(call show,WHAT,FILE)COMMAND: prints one short line instead of the command; V=1 prints the command.
show = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)' && )

# $(call need,TOOL...): a recipe line that names every tool that is missing, and its Debian package, and fails.
need = @CC='$(CC)' SWIFT='$(SWIFT)' scripts/need $(1)

LIBRARIES := libserialqueue libserialqueue-dispatch libserialqueue-testing

lib: ## build/libserialqueue.a and build/libserialqueue.so; the same of libserialqueue-dispatch and libserialqueue-testing
	$(call need,cc ar libc)
	@$(MAKE) --no-print-directory FLAVOUR=release library-files dispatch-files testing-files
	@for library in $(LIBRARIES); do \
	    cp -p build/$(COMPILER)-release/$$library.a build/$(COMPILER)-release/$$library.so.$(VERSION) build/ && \
	    ln -sf $$library.so.$(VERSION) build/$$library.so.$(SOVERSION) && ln -sf $$library.so.$(SOVERSION) build/$$library.so || exit 1; done

library-files: $(STATIC_LIBRARY) $(SHARED_LIBRARY)

# Other flags make other objects: the file changes, and with it everything that was built with the old ones.
$(OUT)/flags: FORCE
	@mkdir -p $(OUT)
	@printf '%s\n' '$(COMPILE)' '$(COLD) $(FOR_SIZE_$(FLAVOUR))' '$(LINK)' | cmp -s - $@ || printf '%s\n' '$(COMPILE)' '$(COLD) $(FOR_SIZE_$(FLAVOUR))' '$(LINK)' > $@

# The archive's objects are not position-independent: thread-local storage costs a program that links them one
# instruction. In the shared library nothing but the public names is seen or replaced from outside (the map file).
$(OUT)/static/%.o: $(CORE)/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE) $(FOR_SIZE) -c $< -o $@

$(OUT)/shared/%.o: $(CORE)/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call show,CC -fPIC,$<)$(COMPILE) $(FOR_SIZE) -fPIC -fno-semantic-interposition -c $< -o $@

# Nothing calls dump_signal.c: the library's own start does (SQ_DUMP). So a program that makes a queue gets it with that object.
WITH_QUEUES := $(OUT)/static/queue-and-signal.o
$(WITH_QUEUES): $(OUT)/static/queue/create.o $(OUT)/static/inspect/dump_signal.o
	$(call show,LINK,$@)$(CC) -r -nostdlib $^ -o $@

ARCHIVED := $(filter-out $(OUT)/static/queue/create.o $(OUT)/static/inspect/dump_signal.o,$(STATIC_OBJECTS)) $(WITH_QUEUES)
ifeq ($(PLATFORM),amalgamation)
ARCHIVED := $(OUT)/static/serial_queue.o
endif

AMALGAMATION := build/amalgamation
amalgamation: $(AMALGAMATION)/serial_queue.c ## build/amalgamation/serial_queue.c and serial_queue.h: the core as two files, for a program that compiles it itself

$(AMALGAMATION)/serial_queue.c: scripts/amalgamate LICENSE $(SOURCES) $(wildcard $(CORE)/*/*.h)
	$(call need,python3)
	@mkdir -p $(@D)
	@scripts/amalgamate $(@D)

$(OUT)/static/serial_queue.o: $(AMALGAMATION)/serial_queue.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call show,CC,$<)$(filter-out -I%,$(COMPILE)) -c $< -o $@

# Made anew: `ar` would keep the objects of sources that are gone.
$(STATIC_LIBRARY): $(ARCHIVED)
	@rm -f $@
	$(call show,AR,$@)$(AR) rcsD $@ $^

# What the shared library shows, and since which version: from the headers.
MAP := $(OUT)/libserialqueue.map
$(MAP): scripts/version-script make/abi.xml make/testing-needs $(wildcard $(CORE)/include/*.h)
	@mkdir -p $(@D)
	@scripts/version-script $(VERSION) > $@

# nodelete: dlclose keeps the code, which a thread of the library may still need on its way out, and exit and fork handlers.
$(SHARED_LIBRARY): $(SHARED_OBJECTS) $(MAP)
	$(call show,LINK,$@)$(LINK) -shared -Wl,-soname,libserialqueue.so.$(SOVERSION) -Wl,--version-script=$(MAP) \
	    -Wl,-Bsymbolic-functions -Wl,--no-undefined -Wl,-z,nodelete $(SHARED_OBJECTS) -o $@

version:
	@echo $(VERSION)

FORCE:
.PHONY: lib library-files amalgamation version FORCE

-include $(STATIC_OBJECTS:.o=.d) $(SHARED_OBJECTS:.o=.d)
