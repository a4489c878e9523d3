/* harness.h: what every C test is written with.
 *
 * DESIGN. One file of tests is one program; TEST(name) puts a function on its list, in the order of the file. Each test
 * runs on a thread of its own, so that whatever the library keeps per thread has to be gone when the test is. After
 * each test the process must be back where it was: no thread more, no block of memory more (inject.h counts both). A
 * watchdog ends a test that hangs and prints where each thread stands. See Tests/C/run for how the programs are run. */
#ifndef HARNESS_H
#define HARNESS_H

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Sanitizers have no room for the memory figures (shadow, quarantine) and are 5 to 20 times slower. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Defines a test and puts it on the list. The name states the property that holds if it passes. */
#define TEST(name)                                                                                  \
    static void name(void);                                                                         \
    static struct test name##_entry = { #name, name, NULL };                                        \
    __attribute__((constructor)) static void name##_register(void) { test_register(&name##_entry); } \
    static void name(void)

/* For a call whose result may be anything, although it is marked SQ_USE_RESULT. */
#define WHATEVER(call) do { if (call) { } } while (0)

/* A failed check prints file, line, expression and values; the test continues. Any thread. */
#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(actual, expected) \
    check_equal((intmax_t)(actual), (intmax_t)(expected), #actual " == " #expected, __FILE__, __LINE__)
#define CHECK_AT_MOST(actual, limit) \
    check_at_most((intmax_t)(actual), (intmax_t)(limit), #actual " <= " #limit, __FILE__, __LINE__)
#define CHECK_STRING(actual, expected) check_string((actual), (expected), #actual, __FILE__, __LINE__)
/* The same, where nothing after it would make sense: ends the program. */
#define REQUIRE(condition) require_true((condition), #condition, __FILE__, __LINE__)

struct test {
    const char *name;
    void (*body)(void);
    struct test *next;
};

void test_register(struct test *test);
bool check_true(bool holds, const char *what, const char *file, int line);
bool check_equal(intmax_t actual, intmax_t expected, const char *what, const char *file, int line);
bool check_at_most(intmax_t actual, intmax_t limit, const char *what, const char *file, int line);
bool check_string(const char *actual, const char *expected, const char *what, const char *file, int line);
void require_true(bool holds, const char *what, const char *file, int line);

/* Says something that is not a failure, e.g. a figure measured or a part left out under a sanitizer. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A tenth of `count` under a sanitizer: for the tests whose size is about memory or time, not about a race. */
size_t scaled(size_t count);

/* Random numbers from the program's seed (SQ_SEED). Each stream is of one thread; `stream` is the thread's number. */
typedef struct random_stream {
    uint64_t state;
} random_stream_t;
random_stream_t random_start(uint64_t stream);
uint64_t random_below(random_stream_t *random, uint64_t limit);

/* Threads of the test itself: neither counted nor made to fail by inject.h. `join` waits for the end. */
pthread_t spawn(void *(*body)(void *), void *argument);
void join(pthread_t thread);

/* How many threads the process has more than before the first test. */
long threads_alive(void);

/* Waits until no more than `at_most` are left: for loops that make threads faster than a busy machine ends them. */
void let_threads_end(long at_most);

/* rest_now returns a mark: how many threads and blocks of memory the process has. CHECK_AT_REST waits until there are no more than at
 * `mark`, and fails if that never happens, or if there are fewer. The harness does this around each test. The
 * library keeps the tokens that threads have waited on, for the next threads that wait. So that this neither looks like a leak nor
 * hides one, both calls first take as many tokens as KEPT_WAITERS threads use that wait at one time (or three more than there are processors, if that is more). No
 * test has more. */
typedef struct rest {
    long threads, blocks;
} rest_t;
enum { KEPT_WAITERS = 68 }; /* a pool's 65, the one for alarms, and two */
rest_t rest_now(void);
bool check_at_rest(rest_t mark, const char *file, int line);
#define CHECK_AT_REST(mark) check_at_rest((mark), __FILE__, __LINE__)

/* For tests that need the library as it is in a fresh process: runs this program again as PROGRAM --child WORD..., which
 * calls `child_main` with the words, on the main thread, as the first use of the library. Returns what that returned, or -1 if
 * the child ended in any other way; a failed check in the child makes it 1. The child has a watchdog of its own. */
int run_child(const char *const words[]);

/* What to execute, and its arguments, for a program of these arguments: SQ_RUNNER's words before them (an emulator, for another
 * processor's programs), and "/proc/self/exe" under its own name, because there it is the emulator. For execvp and posix_spawnp. */
typedef struct command {
    const char *words[24];
    char text[8192];
} command_t;
char *const *command_for(command_t *command, const char *const arguments[]);

int child_main(int count, char **words);

/* watchdog.c: ends the program, with the place of every thread, if `test` runs for longer than SQ_TEST_TIMEOUT seconds
 * (never fewer than 60). NULL: nothing is running. */
void watchdog_start(void);
void watchdog_watch(const char *test);
/* The test's time starts again: for a step that has a limit of its own. */
void watchdog_begin_anew(void);

#endif
