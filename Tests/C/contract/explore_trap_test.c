/* explore_trap_test.c: a schedule that ends the process leaves its tape. */
#include "explore.h"

#include "child.h"

#include <sys/mman.h>

static sq_queue_t *queues[2];
static int came; /* how many tasks have come */

static void end_by_trap(void) { __builtin_trap(); }
static void end_by_abort(void) { abort(); }
static void end_by_kill(void) { raise(SIGFPE); }

static void end_by_pointer(void) {
    volatile int *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *nowhere = 1;
}

static const struct way {
    const char *word, *signal;
    void (*end)(void);
    int number[2]; /* a trap is another signal on another machine */
} ways[] = {
    { "trap", "SIG", end_by_trap, { SIGILL, SIGTRAP } },
    { "abort", "SIGABRT", end_by_abort, { SIGABRT, SIGABRT } },
    { "pointer", "SIGSEGV", end_by_pointer, { SIGSEGV, SIGSEGV } },
    { "kill", "SIGFPE", end_by_kill, { SIGFPE, SIGFPE } },
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static void end_if_first(void *context) {
    if (came == 0) {
        ((const struct way *)context)->end();
    }
}

static void come(void *context) {
    (void)context;
    came += 1;
}

/* Ends the process if the second queue's task comes first, in one of 30 schedules that have such a task. */
static void end_sometimes(sq_pool_t *pool, void *context) {
    came = 0;
    queues[0] = queue_on(pool, "first", 0);
    queues[1] = queue_on(pool, "second", 0);
    CHECK_EQUAL(sq_async(queues[0], come, NULL), 0);
    if (sq_pool_choose(pool, 30) == 13) {
        CHECK_EQUAL(sq_async(queues[1], end_if_first, context), 0);
    }
    sq_pool_run(pool);
    sq_queue_release(queues[0]);
    sq_queue_release(queues[1]);
}

static void say(int number) {
    (void)number;
    (void)!write(STDERR_FILENO, "own handler\n", 12);
    _exit(7);
}

static int explore_to_the_end(const struct way *way) {
    sq_explore_options_t options = options_of(SQ_EXPLORE_RANDOM, 100000);
    options.name = "ends";
    return sq_explore(&options, end_sometimes, (void *)(uintptr_t)way, NULL);
}

int child_main(int count, char **words) {
    no_core_file();
    for (size_t i = 0; i < WAYS; i += 1) {
        if (strcmp(words[0], ways[i].word) != 0) {
            continue;
        }
        if (count > 1 && strcmp(words[1], "handled") == 0) {
            signal(ways[i].number[0], say);
        } else if (UNDER_ASAN || UNDER_TSAN) {
            signal(ways[i].number[0], SIG_DFL); /* the sanitizer's handler would end the process otherwise */
        }
        if (count > 1 && strcmp(words[1], "handled") != 0) {
            setenv("SQ_TAPE", words[1], true);
        }
        return explore_to_the_end(&ways[i]);
    }
    return 1;
}

/* The tape that it has written; "": none. */
static const char *tape_of(const ending_t *ending, char *tape, size_t size) {
    const char *begins = strstr(ending->text, "SQ_TAPE='"), *ends = begins != NULL ? strchr(begins + 9, '\'') : NULL;
    tape[0] = '\0';
    if (CHECK(ends != NULL)) {
        snprintf(tape, size, "%.*s", (int)(ends - begins - 9), begins + 9);
    } else {
        note("%s", ending->text);
    }
    return tape;
}

static void check_ended_by(const ending_t *ending, const struct way *way) {
    char words[64];
    snprintf(words, sizeof words, "sq_explore: ends ends the process by %s", way->signal);
    bool holds = CHECK(WIFSIGNALED(ending->status)
                       && (WTERMSIG(ending->status) == way->number[0] || WTERMSIG(ending->status) == way->number[1]));
    holds &= CHECK(strstr(ending->text, words) != NULL);
    if (!holds) {
        note("it ended with status %#x and wrote: %s", (unsigned)ending->status, ending->text);
    }
}

TEST(a_schedule_that_ends_the_process_leaves_a_tape_that_ends_it_again) {
    for (size_t i = 0; i < WAYS; i += 1) {
        char tape[256], again[256];
        ending_t found = run_captured(ways[i].word, NULL);
        check_ended_by(&found, &ways[i]);
        tape_of(&found, tape, sizeof tape);
        ending_t replayed = run_captured(ways[i].word, tape);
        check_ended_by(&replayed, &ways[i]);
        CHECK_STRING(tape_of(&replayed, again, sizeof again), tape);
    }
}

TEST(the_handler_of_the_program_is_called_after_the_tape_is_written) {
    ending_t ending = run_captured("abort", "handled");
    CHECK(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 7);
    const char *tape = strstr(ending.text, "SQ_TAPE='");
    CHECK(tape != NULL && strstr(tape, "own handler") != NULL);
}

static void (*handler_of(int number))(int) {
    struct sigaction present;
    REQUIRE(sigaction(number, NULL, &present) == 0);
    return present.sa_handler;
}

static void (*before)(int);

static void look_at_handler(sq_pool_t *pool, void *context) {
    (void)pool, (void)context;
    CHECK(handler_of(SIGBUS) != before);
}

static void replace_handler(sq_pool_t *pool, void *context) {
    (void)pool, (void)context;
    signal(SIGBUS, say);
}

TEST(after_an_exploration_the_handlers_are_those_of_the_program) {
    before = handler_of(SIGBUS);
    check_passed(explore("looks", look_at_handler, NULL, options_of(SQ_EXPLORE_RANDOM, 3)), false);
    CHECK(handler_of(SIGBUS) == before);
    check_passed(explore("replaces", replace_handler, NULL, options_of(SQ_EXPLORE_RANDOM, 3)), false);
    CHECK(handler_of(SIGBUS) == say);
    signal(SIGBUS, before);
}
