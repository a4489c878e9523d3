# make/mutants.mk: the core with one thing wrong in it, again and again. Tests/Mutants/run tells how.

mutants: ## each order, wake-up, check and count of the core broken, one at a time; MUTANTS=words picks some; JOBS= (2)
	$(call need,gcc libc tsan python3)
	Tests/Mutants/run $(MUTANTS)

.PHONY: mutants
