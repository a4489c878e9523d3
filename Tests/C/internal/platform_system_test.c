/* platform_system_test.c: what the system says of its processors and of a thread, and what is done if it says nothing. */
#include "caller.h"
#include "child.h"
#include "platform/processors.h"
#include "platform/thread.h"

#include <limits.h>

enum { AFFINITY, NO_PROCESSOR, SYSCONF, CALLS };
#include "wrapped.h"

WRAP(SYSCONF, long, sysconf, (int name), (name), -1)

int __real_sched_getaffinity(pid_t process, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    if (fails(NO_PROCESSOR)) {
        CPU_ZERO_S(size, set);
        return 0;
    }
    return fails(AFFINITY) ? -1 : __real_sched_getaffinity(process, size, set);
}

/* What the system returns next for a small file, instead of its contents; NULL: its contents. */
static const char *_Atomic canned;

ssize_t __real_read(int file, void *text, size_t size);
ssize_t __wrap_read(int file, void *text, size_t size);
ssize_t __wrap_read(int file, void *text, size_t size) {
    const char *instead = canned;
    if (instead == NULL) {
        return __real_read(file, text, size);
    }
    size_t length = strlen(instead);
    memcpy(text, instead, length < size ? length : size);
    return (ssize_t)(length < size ? length : size);
}

TEST(the_number_of_processors_is_never_0) {
    CHECK(sq__processor_count() > 0);
    canned = ""; /* no group, whose quota would count as well */
    fails_from[NO_PROCESSOR] = 1;
    CHECK_EQUAL(sq__processor_count(), 1);
    fails_from[NO_PROCESSOR] = 0;
    fails_from[AFFINITY] = 1; /* as with more of them than the set has room for */
    CHECK_EQUAL(sq__processor_count(), sysconf(_SC_NPROCESSORS_ONLN));
    fails_from[SYSCONF] = 1;
    CHECK_EQUAL(sq__processor_count(), 1);
    fails_from[SYSCONF] = fails_from[AFFINITY] = 0;
    canned = NULL;
}

TEST(the_known_number_of_processors_is_that_of_the_first_call) {
    unsigned count = sq__processors_known();
    CHECK_EQUAL(count, sq__processor_count());
    canned = "";
    fails_from[NO_PROCESSOR] = 1;
    CHECK_EQUAL(sq__processors_known(), count);
    fails_from[NO_PROCESSOR] = 0;
    canned = NULL;
}

/* Of the groups that a process may be in, only those of the second version limit it here. */
TEST(what_the_system_says_of_groups_is_taken_only_where_it_makes_sense) {
    const char *const texts[] = { "1:cpu:/\n", "1:cpu:/\n0::/none/such\n", "0::nowhere\n", "0::/none/such\n" };
    canned = "";
    unsigned count = sq__processor_count();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i += 1) {
        canned = texts[i];
        CHECK_EQUAL(sq__processor_count(), count);
    }
    canned = NULL;
    char folder[] = "/tmp/sq-group-XXXXXX", file[64];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/cpu.max", folder);
    FILE *quota = fopen(file, "w");
    REQUIRE(quota != NULL);
    fputs("0 100000\n", quota); /* not even a part of one */
    fclose(quota);
    CHECK_EQUAL(sq__processors_within(folder, "/", 8), 1);
    unlink(file);
    rmdir(folder);
}

static int count_without_files(void) {
    unsigned count = sq__processor_count();
    struct rlimit limit;
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, limit.rlim_max }), 0);
    CHECK(sq__processor_count() >= count);
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0); /* LeakSanitizer reads files */
    return 0;
}

static void *report_id(void *argument) {
    *(_Atomic uint64_t *)argument = sq__thread_id();
    sleep(1000); /* cancelled there */
    return NULL;
}

TEST(the_state_of_a_thread_is_what_the_system_says_or_unknown) {
    _Atomic uint64_t sleeper = 0;
    pthread_t thread = spawn(report_id, &sleeper);
    while (sleeper == 0 || sq__thread_state(sleeper) == SQ__THREAD_READY) {
        sched_yield();
    }
    CHECK_EQUAL(sq__thread_state(sleeper), SQ__THREAD_BLOCKED);
    const char *sleeps_in = sq__thread_sleeps_in(sleeper);
    CHECK(sleeps_in != NULL && strcmp(sleeps_in, "a sleep") == 0);
    CHECK(sq__thread_sleeps_in(UINT32_MAX) == NULL);
    pthread_cancel(thread);
    join(thread);
    CHECK_EQUAL(sq__thread_state(sq__thread_id()), SQ__THREAD_READY);
    CHECK_EQUAL(sq__thread_state(UINT32_MAX), SQ__THREAD_UNKNOWN);
    const char *const texts[] = { "", "nothing like it", "1 (name)" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i += 1) {
        canned = texts[i];
        CHECK_EQUAL(sq__thread_state(sq__thread_id()), SQ__THREAD_UNKNOWN);
    }
    canned = NULL;
}

TEST(the_processor_time_of_a_thread_grows_while_it_computes) {
    uint64_t before = sq__thread_processor_time(sq__thread_id()), now = before;
    CHECK(before > 0);
    while (now < before + 1000000) {
        now = sq__thread_processor_time(sq__thread_id());
    }
    CHECK_EQUAL(sq__thread_processor_time(0x0FFFFFFF), 0);
}

int child_main(int count, char **words) {
    (void)count, (void)words;
    return count_without_files();
}

TEST(processors_are_counted_when_no_file_can_be_opened) {
    CHECK_EQUAL(run_child((const char *const[]){ "files", NULL }), 0);
}
