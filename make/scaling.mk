# make/scaling.mk: what the core costs on more processors than there are here (Tests/Scaling).

scaling: lib ## cache lines and costs of each operation on up to 64 simulated processors, next to what it costs here: five minutes
	$(call need,gcc libc)
	Tests/Scaling/run

.PHONY: scaling
