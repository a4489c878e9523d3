#include "harness.h"

#include "inject.h"
#include "thread/cache.h"
#include "latch.h"
#include "threads.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The list and the figures at rest belong to the main thread; checks come from any. */
static struct test *first_test;
static struct test **last_test = &first_test;
static uint64_t seed;
static long threads_at_start;
static size_t kept_waiters;
static atomic_int failed_checks;

/* Waiting for threads to end: a bound for a hang, far above what a loaded machine needs. */
enum { REST_SECONDS = 30 };

void test_register(struct test *test) {
    *last_test = test;
    last_test = &test->next;
}

/* The first failures say most; a loop that fails a million times must not bury them. */
static bool failed(void) {
    return atomic_fetch_add(&failed_checks, 1) < 20;
}

bool check_true(bool holds, const char *what, const char *file, int line) {
    if (!holds && failed()) {
        printf("    %s:%d: check failed: %s\n", file, line, what);
    }
    return holds;
}

bool check_equal(intmax_t actual, intmax_t expected, const char *what, const char *file, int line) {
    if (actual != expected && failed()) {
        printf("    %s:%d: check failed: %s (%jd, expected %jd)\n", file, line, what, actual, expected);
    }
    return actual == expected;
}

bool check_at_most(intmax_t actual, intmax_t limit, const char *what, const char *file, int line) {
    if (actual > limit && failed()) {
        printf("    %s:%d: check failed: %s (%jd, at most %jd)\n", file, line, what, actual, limit);
    }
    return actual <= limit;
}

bool check_string(const char *actual, const char *expected, const char *what, const char *file, int line) {
    bool same = actual && strcmp(actual, expected) == 0;
    if (!same && failed()) {
        printf("    %s:%d: %s is \"%s\", not \"%s\"\n", file, line, what, actual ? actual : "(NULL)", expected);
    }
    return same;
}

void require_true(bool holds, const char *what, const char *file, int line) {
    if (!holds) {
        printf("    %s:%d: the test cannot continue: %s is false\n", file, line, what);
        fflush(stdout);
        _exit(1);
    }
}

void note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("    ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
}

size_t scaled(size_t count) { return SANITIZED ? count / 10 : count; }

/* splitmix64: small, and every seed is a good one. */
static uint64_t random_next(random_stream_t *random) {
    uint64_t z = (random->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

random_stream_t random_start(uint64_t stream) {
    random_stream_t random = { seed + stream };
    random.state = random_next(&random);
    return random;
}

uint64_t random_below(random_stream_t *random, uint64_t limit) { return random_next(random) % limit; }

pthread_t spawn(void *(*body)(void *), void *argument) {
    pthread_t thread;
    int error = __real_pthread_create(&thread, NULL, body, argument);
    REQUIRE(error == 0);
    return thread;
}

void join(pthread_t thread) {
    int error = pthread_join(thread, NULL);
    REQUIRE(error == 0);
}

long threads_alive(void) { return count_threads() - threads_at_start; }

static void sleep_a_little(void) { nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); }

static time_t seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* A detached thread ends some time after its last visible act, and nothing reports that: so it asks again and again. Threads of the cache that no
 * queue has would wait for half a second. */
static void wait_for_threads(long threads) {
    time_t latest = seconds_now() + REST_SECONDS;
    while (count_threads() > threads && seconds_now() < latest) {
        sq__cache_end_idle();
        sleep_a_little();
    }
}

void let_threads_end(long at_most) { wait_for_threads(threads_at_start + at_most); }

static void wait_for_blocks(long blocks) {
    time_t latest = seconds_now() + REST_SECONDS;
    while (live_blocks() > blocks && seconds_now() < latest) {
        sleep_a_little();
    }
}

static void have_waiters(void) {
    sq__token_t *tokens[KEPT_WAITERS + CPU_SETSIZE];
    for (size_t i = 0; i < kept_waiters; i += 1) {
        tokens[i] = sq__token_acquire();
        REQUIRE(tokens[i] != NULL);
    }
    for (size_t i = 0; i < kept_waiters; i += 1) {
        sq__token_recycle(tokens[i]);
        sq_queue_release(sq_queue_create("freed", NULL)); /* a debug build keeps the memory of the last ones (state/handle.c) */
    }
}

rest_t rest_now(void) {
    have_waiters();
    return (rest_t){ count_threads(), live_blocks() };
}

bool check_at_rest(rest_t mark, const char *file, int line) {
    wait_for_threads(mark.threads);
    have_waiters();
#ifdef SQ_TEST_STATIC /* inject.c also counts what the C library allocates for itself */
    mark.blocks = live_blocks();
#endif
    wait_for_blocks(mark.blocks);
    bool threads = check_equal(count_threads(), mark.threads, "threads now == threads before", file, line);
    bool blocks = check_equal(live_blocks(), mark.blocks, "blocks of memory now == blocks before", file, line);
    return threads && blocks;
}

char *const *command_for(command_t *command, const char *const arguments[]) {
    const size_t most = sizeof command->words / sizeof command->words[0] - 1;
    const char *runner = getenv("SQ_RUNNER");
    size_t count = 0, length = 0;
    if (runner != NULL) {
        length = (size_t)snprintf(command->text, sizeof command->text, "%s", runner) + 1;
        REQUIRE(length < sizeof command->text);
        char *state, *word = strtok_r(command->text, " ", &state);
        for (; word != NULL && count < most; word = strtok_r(NULL, " ", &state)) {
            command->words[count++] = word;
        }
    }
    char *name = command->text + length;
    for (size_t i = 0; arguments[i] != NULL && count < most; i += 1) {
        command->words[count++] = arguments[i];
        if (strcmp(arguments[i], "/proc/self/exe") == 0) {
            ssize_t got = readlink(arguments[i], name, sizeof command->text - length - 1);
            REQUIRE(got > 0);
            name[got] = '\0';
            command->words[count - 1] = name;
        }
    }
    REQUIRE(count < most);
    command->words[count] = NULL;
    return (char *const *)command->words;
}

int run_child(const char *const words[]) {
    const char *arguments[16] = { "/proc/self/exe", "--child" };
    for (size_t i = 0; words[i]; i += 1) {
        REQUIRE(i + 3 < sizeof arguments / sizeof arguments[0]);
        arguments[i + 2] = words[i];
    }
    watchdog_begin_anew();
    pid_t child;
    command_t command;
    char *const *spawned = command_for(&command, arguments);
    int error = posix_spawnp(&child, spawned[0], NULL, NULL, spawned, environ);
    REQUIRE(error == 0);
    int status;
    while (waitpid(child, &status, 0) < 0) {
        REQUIRE(errno == EINTR);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

__attribute__((weak)) int child_main(int count, char **words) {
    (void)count;
    (void)words;
    return 1;
}

static void *run_body(void *argument) {
    struct test *test = argument;
    test->body();
    return NULL;
}

static bool run(struct test *test) {
    atomic_store(&failed_checks, 0);
    watchdog_watch(test->name);
    rest_t mark = rest_now();
    join(spawn(run_body, test));
    fail_nothing();
    CHECK_AT_REST(mark);
    watchdog_watch(NULL);
    int failures = atomic_load(&failed_checks);
    if (failures > 0) {
        printf("FAIL %s (%d checks)\n", test->name, failures);
    } else {
        printf("ok %s\n", test->name);
    }
    return failures == 0;
}

static void *note_id(void *argument) {
    *(pid_t *)argument = gettid();
    return NULL;
}

/* The figure that all others are compared with. A sanitizer starts a thread of its own with the first one of the program; and
 * the system counts a thread for a moment after it was joined. */
static void count_threads_at_start(void) {
    pid_t id = 0;
    join(spawn(note_id, &id));
    while ((int)syscall(SYS_tgkill, getpid(), id, 0) == 0) {
        sleep_a_little();
    }
    threads_at_start = count_threads();
    REQUIRE(threads_at_start > 0);
}

static void choose_kept_waiters(void) {
    cpu_set_t mine;
    size_t processors = sched_getaffinity(0, sizeof mine, &mine) == 0 ? (size_t)CPU_COUNT(&mine) : 0;
    kept_waiters = processors + 3 > KEPT_WAITERS ? processors + 3 : KEPT_WAITERS;
}

/* What the command chooses by a part of its name, without the names in SQ_LEFT_OUT: each has a space before and after it. */
static const char *only, *left_out;

static bool is_wanted(const char *name) {
    char spaced[256];
    snprintf(spaced, sizeof spaced, " %s ", name);
    return strstr(name, only) != NULL && (left_out == NULL || strstr(left_out, spaced) == NULL);
}

/* Tests/C/run counts the plan and the "ok" lines: a test that never came to its line has failed. */
int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *chosen = getenv("SQ_SEED");
    seed = chosen ? strtoull(chosen, NULL, 0) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    setenv("SQ_SEED", text, 1); /* children have the same */
    count_threads_at_start();
    choose_kept_waiters();
    watchdog_start();
    if (argc > 1 && strcmp(argv[1], "--child") == 0) {
        watchdog_watch("a child process");
        int status = child_main(argc - 2, argv + 2);
        return atomic_load(&failed_checks) > 0 ? 1 : status;
    }
    only = argc > 1 ? argv[1] : "";
    left_out = getenv("SQ_LEFT_OUT");
    int planned = 0, failures = 0;
    for (struct test *test = first_test; test; test = test->next) {
        planned += is_wanted(test->name);
    }
    printf("plan %d  SQ_SEED=%" PRIu64 "\n", planned, seed);
    for (struct test *test = first_test; test; test = test->next) {
        if (is_wanted(test->name)) {
            failures += !run(test);
        }
    }
    return failures > 0;
}
