# make/proof.mk: a second opinion: the model for spin, the fuzzer.

spin: ## a model of the hand-off and of shutdown, checked whole by spin; and its seeded bugs
	Tests/Spin/run

fuzz: ## sequences of calls against a reference model, for SECONDS (60), from the committed ones and a SEED
	SECONDS_WANTED=$(or $(SECONDS),60) Tests/Fuzz/run fuzz

fuzz-replay: ## the committed sequences, once
	Tests/Fuzz/run replay

.PHONY: spin fuzz fuzz-replay
