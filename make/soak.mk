# make/soak.mk: every call at once, from many threads, for as long as one likes (Tests/Soak).

SOAK_OBJECTS := $(patsubst Tests/Soak/%.c,$(OUT)/soak/%.o,$(wildcard Tests/Soak/*.c))

$(OUT)/soak/%.o: Tests/Soak/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE_TEST) -c $< -o $@

# The watchdog of the C tests: it prints where each thread stands.
$(OUT)/soak/soak: $(SOAK_OBJECTS) $(OUT)/tests/watchdog.o $(STATIC_LIBRARY)
	$(call show,LINK,$@)$(LINK) -rdynamic $^ -o $@

-include $(SOAK_OBJECTS:.o=.d)

SOAK_SECONDS = $(or $(SECONDS),60)

soak: ## all calls mixed, SECONDS=60; SEED=N makes the same choices again; soak-one: on one processor; soak-tsan
	$(call need,$(C_TOOLS))
	Tests/Soak/run release $(SOAK_SECONDS)

soak-dumps: ## the same while a thread dumps all the time, until it has done so a million times (DUMPS)
	$(call need,$(C_TOOLS))
	DUMPS=$(or $(DUMPS),1000000) Tests/Soak/run release $(SOAK_SECONDS)

soak-one:
	$(call need,$(C_TOOLS))
	Tests/Soak/run release $(SOAK_SECONDS) taskset -c 0

soak-tsan:
	$(call need,gcc libc tsan)
	CC=gcc Tests/Soak/run tsan $(SOAK_SECONDS)

.PHONY: soak soak-dumps soak-one soak-tsan
