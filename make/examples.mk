# make/examples.mk: the example programs. Each Examples/c/NAME.c is one program, and so is each folder Examples/c/NAME; they
# are linked to the archive. The Swift ones are products of Package.swift.

EXAMPLES := $(sort $(wildcard Examples/c/*.c Examples/c/*/*.c))
EXAMPLE_NAMES := $(sort $(basename $(notdir $(wildcard Examples/c/*.c))) $(notdir $(patsubst %/,%,$(dir $(wildcard Examples/c/*/*.c)))))
EXAMPLE_PROGRAMS := $(EXAMPLE_NAMES:%=$(OUT)/examples/%.program)
# An example sees what a user sees: the public headers, and its own folder.
COMPILE_EXAMPLE = $(filter-out -I$(CORE),$(COMPILE)) -Werror -I$(dir $<)

$(OUT)/examples/%.o: Examples/c/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(COMPILE_EXAMPLE) -c $< -o $@

percent := %
.SECONDEXPANSION:
$(EXAMPLE_PROGRAMS): $(OUT)/examples/%.program: \
    $$(patsubst Examples/c/$$(percent).c,$(OUT)/examples/$$(percent).o,$$(wildcard Examples/c/$$*.c Examples/c/$$*/*.c)) \
    $(STATIC_LIBRARY)
	$(LINK) $^ -o $@

-include $(EXAMPLES:Examples/c/%.c=$(OUT)/examples/%.d)

example-programs: $(EXAMPLE_PROGRAMS)

# Without CC: SwiftPM would take it for its own compiler, and needs clang.
SWIFT_RELEASE := env -u CC $(SWIFT) build -c release -j 2

examples: ## build every example: build/examples/*, and the Swift ones by SwiftPM
	$(call need,$(C_TOOLS) $(SWIFT_TOOLS))
	@$(MAKE) --no-print-directory FLAVOUR=release example-programs
	@mkdir -p build/examples
	@for name in $(EXAMPLE_NAMES); do cp -p build/$(COMPILER)-release/examples/$$name.program build/examples/$$name; done
	$(SWIFT_RELEASE) --product wordcount
	$(SWIFT_RELEASE) --product order
	$(SWIFT_RELEASE) --product hangs
	$(SWIFT_RELEASE) --product chatrooms
	$(SWIFT_RELEASE) --product distributed
	$(SWIFT_RELEASE) --product ordered

demo: examples ## the word counter in Swift, then in C, then the order of sync and async
	@printf '\n== wordcount (Swift)\n'
	@"$$($(SWIFT_RELEASE) --show-bin-path)/wordcount"
	@printf '\n== wordcount (C)\n'
	@build/examples/wordcount
	@printf '\n== order (C; `swift run order` is its twin)\n'
	@build/examples/order

.PHONY: example-programs examples demo
