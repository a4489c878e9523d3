# make/mutants.mk: the core with one fault in it, again and again (Tests/Mutants/run).

mutants: ## each call, check, count and memory order of the core broken, one at a time; only what changed since the last run; MUTANTS=words JOBS=3
	$(call need,gcc libc tsan python3)
	Tests/Mutants/run $(MUTANTS)

faults: ## faults outside of what the mutants change (explorer, dumps, traces, Swift): the test that each names must fail with it (an hour); FAULTS=words
	$(call need,gcc libc swift python3)
	Tests/Faults/run $(FAULTS)

mutant-sets: ## memory orders that cover each other, weakened together: a whole search must find each set
	$(call need,gcc libc tsan python3)
	Tests/Mutants/sets.py

.PHONY: mutants faults mutant-sets
