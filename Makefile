# Makefile: all commands of this repository. `make` alone lists them.
#
# make/build.mk    compilers, flavours, the library
# make/dispatch.mk libdispatch's calls for C programs, a library of its own
# make/install.mk  install, uninstall, the pkg-config file; make/release.mk: tarball, manual pages, Debian packages
# make/check.mk    the test programs and all checks; make/check-own.mk: what single ones need, and long runs
# make/coverage.mk the C core's lines and branches; make/soak.mk, make/storm.mk: everything at once
# make/mutants.mk the core broken on purpose; make/scaling.mk: the core on 64 simulated processors
# make/examples.mk demo and examples; make/docs.mk: the documentation of the Swift layer
#
# Each compiler and flavour (release, debug, tsan, asan) builds in a folder of its own, build/COMPILER-FLAVOUR, so that
# objects never mix. build/libserialqueue.* are copies of the release library that was built last.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

help: ## this list
	@printf 'make TARGET [CC=gcc|clang] [SWIFT=swift]\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@printf '\nSQ_SEED=N repeats a run of the C tests; SQ_TEST=WORD picks tests by a part of their name; V=1 shows the commands.\n'

include make/build.mk
include make/dispatch.mk
include make/testing.mk
include make/install.mk
include make/check.mk
include make/release.mk
include make/check-own.mk
include make/coverage.mk
include make/soak.mk
include make/storm.mk
include make/mutants.mk
include make/scaling.mk
include make/proof.mk
include make/examples.mk
include make/docs.mk

clean: ## remove everything that was built
	rm -rf build .build .build-release .build-tsan .build-asan .build-consumer .build-imagepipeline Examples/ImagePipeline/.build Benchmarks/build Benchmarks/Swift/.build

.PHONY: help clean
