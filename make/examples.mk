# make/examples.mk: the example programs. Each Examples/c/NAME.c is one program, and so is each folder Examples/c/NAME; they
# are linked to the archive, and those that explore schedules to the testing library, too. The Swift ones are products of Package.swift.

EXAMPLES := $(sort $(wildcard Examples/c/*.c Examples/c/*/*.c))
EXAMPLE_NAMES := $(sort $(basename $(notdir $(wildcard Examples/c/*.c))) $(notdir $(patsubst %/,%,$(dir $(wildcard Examples/c/*/*.c)))))
EXAMPLE_PROGRAMS := $(EXAMPLE_NAMES:%=$(OUT)/examples/%.program)
# An example sees what a user sees: the public headers, and its own folder.
COMPILE_EXAMPLE = $(filter-out -I$(CORE),$(COMPILE)) -I$(TESTING)/include -Werror -I$(dir $<)
EXAMPLES_THAT_EXPLORE := bank order

$(OUT)/examples/%.o: Examples/c/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE_EXAMPLE) -c $< -o $@

percent := %
.SECONDEXPANSION:
$(EXAMPLE_PROGRAMS): $(OUT)/examples/%.program: \
    $$(patsubst Examples/c/$$(percent).c,$(OUT)/examples/$$(percent).o,$$(wildcard Examples/c/$$*.c Examples/c/$$*/*.c)) \
    $$(if $$(filter $$*,$(EXAMPLES_THAT_EXPLORE)),$(TESTING_STATIC)) $(STATIC_LIBRARY)
	$(call show,LINK,$@)$(LINK) $^ -o $@

# Event loops: epoll and the server need the system alone, the others a library each, and are left out without it.
LOOP_LIBRARY_glib := glib-2.0
LOOP_LIBRARY_uv := libuv
LOOP_PACKAGE_glib := libglib2.0-dev
LOOP_PACKAGE_uv := libuv1-dev
LOOP_OPTIONAL := $(foreach host,glib uv,$(if $(shell pkg-config --exists $(LOOP_LIBRARY_$(host)) 2>/dev/null && echo yes),$(host)))
LOOP_PROGRAMS := $(patsubst %,$(OUT)/examples/loop-%.program,epoll server $(LOOP_OPTIONAL))

$(OUT)/examples/loop-%.program: Examples/loops/%.c Examples/loops/jobs.c Examples/loops/jobs.h $(STATIC_LIBRARY)
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE_EXAMPLE) $(if $(LOOP_LIBRARY_$*),$$(pkg-config --cflags $(LOOP_LIBRARY_$*))) $< \
	    $(if $(filter server,$*),,Examples/loops/jobs.c) $(STATIC_LIBRARY) \
	    $(if $(LOOP_LIBRARY_$*),$$(pkg-config --libs $(LOOP_LIBRARY_$*))) $(LDFLAGS) -o $@

name-left-out-loops:
	@$(foreach host,$(filter-out $(LOOP_OPTIONAL),glib uv),echo 'left out: Examples/loops/$(host).c (no $(LOOP_LIBRARY_$(host)): Debian package $(LOOP_PACKAGE_$(host)))';)

-include $(EXAMPLES:Examples/c/%.c=$(OUT)/examples/%.d)

example-programs: $(EXAMPLE_PROGRAMS) $(LOOP_PROGRAMS) name-left-out-loops

# Says so while another command of SwiftPM uses the build folder.
SWIFT_RELEASE := SWIFT='$(SWIFT)' scripts/swift-build -c release -j 2

C_EXAMPLES = @$(MAKE) --no-print-directory FLAVOUR=release example-programs && mkdir -p build/examples && \
    for name in $(EXAMPLE_NAMES); do cp -p build/$(COMPILER)-release/examples/$$name.program build/examples/$$name; done && \
    for host in epoll server $(LOOP_OPTIONAL); do cp -p build/$(COMPILER)-release/examples/loop-$$host.program build/examples/loop-$$host; done

examples: ## build every example: build/examples/*, and the Swift ones by SwiftPM
	$(call need,$(C_TOOLS) $(SWIFT_TOOLS))
	$(C_EXAMPLES)
	@for name in wordcount order hangs slow inversion chatrooms distributed ordered fanin transfers cache breakfast moved; do $(SWIFT_RELEASE) --product $$name || exit; done

# The same program with Dispatch: without the file that moves it. Its planted deadlock hangs there, and is named with us.
moved: ## build Examples/Moved with Dispatch and with us, run both, and the deadlock of ours
	$(call need,$(SWIFT_TOOLS))
	@mkdir -p build/examples
	@$(SWIFT)c -O -swift-version 6 Examples/Moved/Shop.swift Examples/Moved/main.swift -module-name moved -o build/examples/moved-dispatch
	@$(SWIFT_RELEASE) --product moved
	@SWIFT='$(SWIFT)' Examples/Moved/run build/examples/moved-dispatch "$$($(SWIFT_RELEASE) --show-bin-path)/moved"

# One thread counts a few hundred KiB, the licences, faster than a second thread starts. 100 MB show what two are worth.
DEMO_TEXT := build/demo/licences.txt

$(DEMO_TEXT):
	@mkdir -p $(@D)
	@cat $$(find /usr/share/common-licenses Documentation -type f) > $@.part
	@while [ $$(stat -c %s $@.part) -lt 100000000 ]; do cat $@.part $@.part > $@.twice && mv $@.twice $@.part; done
	@mv $@.part $@

demo: $(DEMO_TEXT) ## build and run the examples that show most: under half a minute after the build
	$(call need,$(C_TOOLS) $(SWIFT_TOOLS) python3)
	$(C_EXAMPLES)
	@for name in wordcount hangs; do $(SWIFT_RELEASE) --product $$name || exit; done
	@make/demo "$$($(SWIFT_RELEASE) --show-bin-path)" build/examples $(DEMO_TEXT)

.PHONY: name-left-out-loops example-programs examples demo moved
