# make/check.mk: the test programs and all checks. Every check ends in one line `N passed, N failed` (scripts/check).

TESTS := $(sort $(wildcard Tests/C/*/*_test.c))
# Programs that this system or flavour leaves out as a whole (Tests/C/left-out has the reasons).
LEFT_OUT_SYSTEM := $(or $(PLATFORM),$(if $(filter %-gcc,$(COMPILER)),$(firstword $(subst -, ,$(COMPILER)))))
LEFT_OUT := $(shell awk '($$1 == "$(LEFT_OUT_SYSTEM)" || $$1 == "$(FLAVOUR)") && $$3 == "*" { print $$2 }' Tests/C/left-out)
TESTS := $(filter-out $(foreach name,$(LEFT_OUT),%/$(name).c),$(TESTS))
# Programs and objects lie in one folder: their names do not depend on the room.
TEST_PROGRAMS := $(patsubst %.c,$(OUT)/tests/%,$(notdir $(TESTS)))
HARNESS_OBJECTS := $(addprefix $(OUT)/tests/,harness.o watchdog.o inject.o latch.o)

# Tests/C/support/inject.c stands behind these functions.
comma := ,
WRAPPED := malloc calloc realloc aligned_alloc posix_memalign free pthread_create pthread_cond_wait pthread_cond_timedwait \
    sq__blocks_take sq__blocks_give sq__pages sq__pages_grow
WRAP := $(addprefix -Wl$(comma)--wrap=,$(WRAPPED))
# gnu11 and _GNU_SOURCE for the tests alone: they ask the system things that the core does not.
COMPILE_TEST := $(patsubst -std=%,-std=gnu11,$(COMPILE)) -D_GNU_SOURCE -Werror -ITests/C/support -I$(TESTING)/include
# musl-gcc has no headers of the kernel.
ifeq ($(COMPILER),musl-gcc)
COMPILE_TEST += -idirafter $(OUT)/kernel
$(OUT)/flags: | $(OUT)/kernel
$(OUT)/kernel:
	@mkdir -p $@ && ln -sf /usr/include/linux /usr/include/asm-generic /usr/include/$(shell uname -m)-linux-gnu/asm $@/
endif
# What is in Tests/C/contract sees the public headers and no others.
COMPILE_CONTRACT := $(filter-out -I$(CORE),$(COMPILE_TEST))

test-programs: $(TEST_PROGRAMS)

$(OUT)/tests/%.o: Tests/C/contract/%.c $(OUT)/flags make/check.mk
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE_CONTRACT) -c $< -o $@

$(OUT)/tests/%.o: Tests/C/internal/%.c $(OUT)/flags make/check.mk
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE_TEST) -c $< -o $@

$(OUT)/tests/%.o: Tests/C/fork/%.c $(OUT)/flags make/check.mk
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE_TEST) -c $< -o $@

$(OUT)/tests/%.o: Tests/C/support/%.c $(OUT)/flags make/check.mk
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE_TEST) -c $< -o $@

# These explore schedules, and are linked with the testing library, too.
$(filter $(OUT)/tests/explore_%,$(TEST_PROGRAMS)): $(TESTING_STATIC)

# -rdynamic: the watchdog's call stacks have names. The core comes last: what is before it needs it.
$(OUT)/tests/%_test: $(OUT)/tests/%_test.o $(HARNESS_OBJECTS) $(STATIC_LIBRARY)
	$(call show,LINK,$@)$(LINK) -rdynamic $(WRAP) $(filter-out $(STATIC_LIBRARY),$^) $(STATIC_LIBRARY) -o $@

.PRECIOUS: $(OUT)/tests/%.o
-include $(TEST_PROGRAMS:=.d) $(HARNESS_OBJECTS:.o=.d)

check_parts = @CC='$(CC)' SWIFT='$(SWIFT)' MAKE='$(MAKE)' scripts/check $(1)
C_TOOLS := cc ar libc
SWIFT_TOOLS := swift
# Of `make check`, besides Swift, whose folder has a clang; README lists their packages (scripts/check-own).
CHECK_TOOLS := make $(C_TOOLS) g++ nm python3 gdb abidiff mandoc lowdown git

# Lists that run side by side share no build folder (build/gcc-release in the first, .build and .build-release in the second), and each part takes
# the builds of those before it. The third list is for whichever of the two has ended.
check: ## what to run before each commit: ten minutes. Says when a part begins, and what those that run do
	$(call need,$(CHECK_TOOLS) clang $(SWIFT_TOOLS))
	$(call check_parts,layers system c documents abi manual trace debugger dumps top find probes host soak storm + \
	    swift must-not-compile cells mains + \
	    headers package names dispatch-rows tags recipes words comments mutants own)

check-packages: ## prints the Debian packages that `make check` needs
	@scripts/need packages $(CHECK_TOOLS)

check-long: ## what else must hold before a change lands, but the sanitizers: explored schedules, clang, optimised Swift, examples, installing, other systems, fuzzing
	$(call need,$(C_TOOLS) tsan gcc g++ clang nm pkg-config cmake git python3 $(SWIFT_TOOLS))
	$(call check_parts,dispatch-c model + swift-release examples install release + c-clang$(comma)probes-clang amalgamation cxx cmake packaging platforms cross fuzz)

check-c: ## the C tests
	$(call need,$(C_TOOLS))
	$(call check_parts,c)

check-posix: ## the C tests with the part of the core that other systems use, on Linux (PLATFORM=posix)
	$(call need,$(C_TOOLS))
	$(call check_parts,c-posix)

check-musl: ## the C tests with musl-gcc (Debian: musl-tools), which links musl
	$(call need,libc musl-gcc)
	$(call check_parts,c-musl)

check-arm64 check-riscv64 check-s390x: check-%: ## the C tests for that processor, with its cross compiler and qemu-user
	$(call check_parts,c-$(subst arm64,aarch64,$*))

check-pages: ## the C tests for arm64 with pages of 16 and of 64 KiB, and with tags in the addresses of the heap (qemu-user)
	$(call check_parts,pages)

check-static: ## static programs with glibc and with musl: names in dumps, signals, traces, the end of the process
	$(call need,$(C_TOOLS) musl-gcc)
	$(call check_parts,static)

check-static-swift: ## a Swift program with the runtime linked statically, and one without any shared library
	$(call need,$(SWIFT_TOOLS))
	$(call check_parts,static-swift)

check-compilers: ## the core with each installed gcc and clang, C11 to C23, -O0 to -O3, link-time optimisation; the headers in C++11 to C++23
	$(call check_parts,compilers)

check-cross: ## the core compiles, and links, for macOS and FreeBSD (pip installs ziglang); a part of `make check-long`, too
	$(call check_parts,cross)

check-system: ## nothing outside platform/ asks which system it is; Swift's private ABI is used in one folder alone
	$(call check_parts,system)

check-dispatch-c: ## one C program with libdispatch's calls, compiled with libdispatch and with us, in 4,000 cells; each function has its row
	$(call need,$(C_TOOLS) gcc clang $(SWIFT_TOOLS) python3)
	$(call check_parts,dispatch-c dispatch-rows)

check-cells: ## one program with Dispatch's names, compiled with Dispatch and with us, in 1,600 cells, in six kinds of programs
	$(call need,$(SWIFT_TOOLS) python3)
	@SWIFT='$(SWIFT)' scripts/swift-build -j 2 --target SerialQueueDispatch
	$(call check_parts,cells)

check-mains: ## the main queue, real signals and the moved example in each kind of main function, in Swift 5 and Swift 6 mode
	$(call need,$(SWIFT_TOOLS) python3)
	@for module in SerialQueueDispatchTesting SerialQueueTesting; do SWIFT='$(SWIFT)' scripts/swift-build -j 2 --target $$module || exit 1; done
	$(call check_parts,mains)

check-headers: ## each public header alone, in C11, C17, C23, C++17 (those of C++ to C++23); the core without a warning; gcc and clang
	$(call need,gcc g++ clang libc)
	$(call check_parts,headers comments)

check-install: ## C programs that use the installed library through pkg-config and CMake; CMakeLists.txt
	$(call need,$(C_TOOLS) tsan nm pkg-config cmake git python3)
	$(call check_parts,install cmake)

check-cxx: ## serial_queue.hpp: its tests with g++ and clang++, C++17 to 23, the examples of C++, and what a call costs next to C's
	$(call need,gcc g++ clang libc)
	$(call check_parts,cxx)

check-packaging: ## meson.build, the port for vcpkg and the recipe for Conan, as far as they can be tried without network
	$(call need,gcc g++ nm pkg-config cmake python3)
	$(call check_parts,packaging)

check-amalgamation: ## the two files of make amalgamation compile alone, and pass the contract's tests (a minute)
	$(call need,gcc g++ clang nm libc python3)
	$(call check_parts,amalgamation)

check-host: ## programs with a life of their own that use the library: daemons, set-user-ID programs, limits, children, ...
	$(call need,$(C_TOOLS) python3)
	$(call check_parts,host)

check-probes: ## the USDT probes: where Documentation/Probes.md says, one nop each, and a debugger reads their arguments
	$(call need,$(C_TOOLS) nm gdb python3)
	$(call check_parts,probes)

check-swift: ## swift test, in debug and release builds; programs that must not compile
	$(call need,$(SWIFT_TOOLS) python3)
	$(call check_parts,swift must-not-compile cells mains platforms swift-release)

check-portable: ## swift test with the portable form of the Swift layer, which relies on no private ABI (Documentation/SwiftABI.md)
	$(call need,$(SWIFT_TOOLS) python3)
	$(call check_parts,swift-portable)

check-examples: ## every example does its job, in C and in Swift, and both say the same
	$(call need,$(C_TOOLS) $(SWIFT_TOOLS))
	$(call check_parts,examples)

model: ## the schedule explorer on the core; QUICK=1: its short set, which `make check-long` runs
	$(call need,gcc libc tsan)
	Tests/Explore/run

model-whole: ## searches of the explorer that end, without a bound on preemptions: which scenarios are complete (an hour); QUICK=1: those that are, again
	$(call need,gcc libc tsan)
	Tests/Explore/whole

bench: ## the benchmarks, in three conditions (25 minutes); Benchmarks/README.md has its options
	Benchmarks/run.sh

bench-peers: ## against what one would use instead: Rust's channels, tokio, Go, Java, oneTBB, Asio, libuv (20 minutes); QUICK=1
	Benchmarks/run.sh peers

bench-swift bench-growth bench-readme: bench-%: ## the same for Swift closures; how cost grows; rewrites the figures in README.md
	Benchmarks/run.sh $*

check-tsan: ## the C and Swift tests under ThreadSanitizer
	$(call need,gcc libc tsan $(SWIFT_TOOLS))
	$(call check_parts,c-tsan probes-tsan storm-tsan dispatch-c-tsan cxx-tsan + swift-tsan cells-tsan + examples-tsan)

check-asan: ## the C and Swift tests under AddressSanitizer, UBSan and LeakSanitizer; ALSO=PART as soon as a processor is free
	$(call need,gcc libc asan $(SWIFT_TOOLS))
	$(call check_parts,c-asan probes-asan examples-asan storm-asan dispatch-c-asan cxx-asan + swift-asan $(if $(ALSO),+ $(ALSO)))

.PHONY: check-packaging check-cxx check-amalgamation check-packages check-long check-pages check-static check-static-swift check-compilers check-posix check-musl check-arm64 check-riscv64 check-s390x check-cross check-system test-programs check check-c check-dispatch-c check-cells check-mains check-probes check-host check-headers check-install check-swift check-examples check-tsan check-asan model model-whole bench bench-swift bench-growth bench-peers bench-readme
