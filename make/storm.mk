# make/storm.mk: all kinds of objects at once, under an oracle of its own (Tests/Storm).

STORM_OBJECTS := $(patsubst Tests/Storm/%.c,$(OUT)/storm/%.o,$(wildcard Tests/Storm/*.c))

$(OUT)/storm/%.o: Tests/Storm/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE_TEST) -c $< -o $@

$(OUT)/storm/storm: $(STORM_OBJECTS) $(OUT)/tests/watchdog.o $(STATIC_LIBRARY)
	$(call show,LINK,$@)$(LINK) -rdynamic $^ -o $@

-include $(STORM_OBJECTS:.o=.d)

STORM_LENGTH = $(or $(STORM_SECONDS),60)

storm: ## all kinds of objects mixed, STORM_SECONDS=60; SQ_SEED=N makes the same choices again; storm-one, storm-tsan, storm-asan
	$(call need,$(C_TOOLS))
	Tests/Storm/run release $(STORM_LENGTH)

storm-one:
	$(call need,$(C_TOOLS))
	Tests/Storm/run release $(STORM_LENGTH) taskset -c 0

storm-tsan:
	$(call need,gcc libc tsan)
	CC=gcc Tests/Storm/run tsan $(STORM_LENGTH)

storm-asan:
	$(call need,gcc libc asan)
	CC=gcc Tests/Storm/run asan $(STORM_LENGTH)

.PHONY: storm storm-one storm-tsan storm-asan
