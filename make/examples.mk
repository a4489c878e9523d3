# make/examples.mk: the example programs. Each Examples/c/NAME.c is one program, and so is each folder Examples/c/NAME; they
# are linked to the archive, and copied to build/examples/.

EXAMPLES := $(sort $(wildcard Examples/c/*.c Examples/c/*/*.c))
EXAMPLE_NAMES := $(sort $(basename $(notdir $(wildcard Examples/c/*.c))) $(notdir $(patsubst %/,%,$(dir $(wildcard Examples/c/*/*.c)))))
EXAMPLE_PROGRAMS := $(EXAMPLE_NAMES:%=$(OUT)/examples/%.program)
# An example sees what a user sees: the public headers, and its own folder.
COMPILE_EXAMPLE = $(filter-out -I$(CORE),$(COMPILE)) -Werror -I$(dir $<)

$(OUT)/examples/%.o: Examples/c/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(COMPILE_EXAMPLE) -c $< -o $@

.SECONDEXPANSION:
$(EXAMPLE_PROGRAMS): $(OUT)/examples/%.program: \
    $$(patsubst Examples/c/$$(percent).c,$(OUT)/examples/$$(percent).o,$$(wildcard Examples/c/$$*.c Examples/c/$$*/*.c)) \
    $(STATIC_LIBRARY)
	$(LINK) $^ -o $@
	@mkdir -p build/examples
	cp -p $@ build/examples/$*
percent := %

-include $(EXAMPLES:Examples/c/%.c=$(OUT)/examples/%.d)

example-programs: $(EXAMPLE_PROGRAMS)

.PHONY: example-programs
