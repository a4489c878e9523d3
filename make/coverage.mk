# make/coverage.mk: the lines and branches of the C core that run in its tests. Tests/Coverage/run sets the flavours' flags.

ifneq ($(filter coverage%,$(FLAVOUR)),)
# The core alone is counted: a test's own fork, compiled to be counted, would forget what the child's handlers did.
$(OUT)/static/%.o $(OUT)/testing/static/%.o: COMPILE += --coverage -fprofile-update=atomic
$(OUT)/tests/foreign_throw: FLAVOUR_FLAGS += $(LDFLAGS)
endif

coverage: ## which lines and branches of the C core run in its tests, and which do not (14 minutes)
	$(call need,gcc libc python3)
	Tests/Coverage/run

.PHONY: coverage
