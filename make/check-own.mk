# make/check-own.mk: what single test programs need besides their source, and the long runs.

# Tests/C/contract/foreign_test.c runs it: tasks that throw. Without a C++ compiler it is left out, and the test says so.
# A cross compiler needs its own: aarch64-linux-gnu-gcc's is aarch64-linux-gnu-g++. musl-gcc has none.
CROSS := $(filter-out $(COMPILER),$(COMPILER:%-gcc=%-))
CXX_COMPILER := $(if $(CROSS),$(shell command -v $(CROSS)g++ 2>/dev/null),$(shell command -v $(CXX) 2>/dev/null || command -v g++ 2>/dev/null))
ifneq ($(CXX_COMPILER),)
$(OUT)/tests/foreign_test: | $(OUT)/tests/foreign_throw
test-programs: $(OUT)/tests/foreign_throw
endif

$(OUT)/tests/foreign_throw: Tests/C/contract/foreign_throw.cpp $(STATIC_LIBRARY) $(OUT)/flags
	@mkdir -p $(@D)
	$(CXX_COMPILER) -std=c++17 -pthread $(WARNINGS) -Werror $(FLAVOUR_FLAGS) -I$(CORE)/include $< $(STATIC_LIBRARY) -o $@

check-deadlock: ## five minutes (DEADLOCK_SECONDS) each of nested syncs, and of all waits on concurrent queues, in one order: no false alarm
	@$(MAKE) --no-print-directory FLAVOUR=release $(OUT)/tests/false_alarm_test $(OUT)/tests/false_alarm_concurrent_test
	DEADLOCK_SECONDS=$${DEADLOCK_SECONDS:-300} $(OUT)/tests/false_alarm_test never_deadlock
	DEADLOCK_SECONDS=$${DEADLOCK_SECONDS:-300} $(OUT)/tests/false_alarm_concurrent_test never_deadlock

.PHONY: check-deadlock

explore-swift: ## the twelve programs of Tests/SerialQueueTestingTests without their bugs, under 100,000 schedules each
	EXPLORE_SCHEDULES=$${EXPLORE_SCHEDULES:-100000} env -u CC $(SWIFT) test -j 2 --filter ProgramTests

.PHONY: explore-swift

# System calls that these programs make fail (Tests/C/support/wrapped.h), besides those of Tests/C/support/inject.c.
PLATFORM_WRAPPED := pthread_attr_init pthread_getattr_np pthread_getname_np pthread_condattr_init pthread_condattr_setclock \
    pthread_cond_init pthread_mutexattr_init pthread_mutex_init vsnprintf
$(OUT)/tests/platform_test: WRAP += $(addprefix -Wl$(comma)--wrap=,$(PLATFORM_WRAPPED))
$(OUT)/tests/platform_system_test: WRAP += $(addprefix -Wl$(comma)--wrap=,sched_getaffinity sysconf read)
$(OUT)/tests/kept_file_test: WRAP += $(addprefix -Wl$(comma)--wrap=,fstat flock ftruncate write)
$(OUT)/tests/lock_order_test: WRAP += -Wl,--wrap=pthread_mutex_lock,--wrap=clock_gettime
$(OUT)/tests/spin_test: WRAP += -Wl,--wrap=clock_gettime,--wrap=sched_yield
$(OUT)/tests/dump_busy_test: WRAP += -Wl,--wrap=nanosleep
$(OUT)/tests/ready_visit_test: WRAP += -Wl,--wrap=pthread_mutex_trylock
$(OUT)/tests/trace_fork_test: WRAP += -Wl,--wrap=dl_iterate_phdr

check-explore: ## the planted bugs of explore_bugs_test without their bugs: SCHEDULES=100000 of each at random and by priority
	$(call need,$(C_TOOLS))
	@$(MAKE) --no-print-directory FLAVOUR=release build/$(COMPILER)-release/tests/explore_bugs_test
	SQ_SCHEDULES=$(or $(SCHEDULES),100000) build/$(COMPILER)-release/tests/explore_bugs_test

.PHONY: check-explore
