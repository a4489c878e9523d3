/* dump_signal_test.c: SQ_DUMP in the environment of a program of its own, and dumps while locks are held. */
#include "caller.h"
#include "child.h"
#include "dump.h"
#include "pools.h"





/* Two threads that wait for each other's condition: no thread can call sq_dump any more, so only a signal can cause a dump. */
static void sleep_forever(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, 1);
}

static int be_stuck(void) {
    static hold_t hold = HOLD_INIT;
    sq_queue_t *queue = make_queue_of("stuck", 0);
    caller_t waiter;
    CHECK_EQUAL(sq_async(queue, sleep_forever, &hold), 0);
    latch_wait(&hold.entered, 1);
    caller_start(&waiter, BY_SYNC, queue, SQ_FOREVER, do_nothing, NULL);
    wait_until_asleep(&waiter.thread_id);
    (void)!write(STDOUT_FILENO, "ready\n", 6);
    latch_wait(&hold.leave, 1);
    return 0;
}

static void ignore(int number) { (void)number; }

/* Reads what the library writes to stderr until it has the message. */
static int handle_the_signal(void) {
    char text[1000] = "";
    int ends[2];
    REQUIRE(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    signal(SIGUSR1, ignore);
    size_t used = 0;
    for (ssize_t got = 1; got > 0 && strchr(text, '\n') == NULL; used += got > 0 ? (size_t)got : 0) {
        got = read(ends[0], text + used, sizeof text - 1 - used);
    }
    return strstr(text, "SQ_DUMP=USR1: the program has installed a handler of its own for this signal. Name another one") != NULL ? 7 : 1;
}

int child_main(int count, char **words) {
    if (strcmp(words[0], "handles") == 0) {
        return handle_the_signal();
    }
    if (strcmp(words[0], "stuck") == 0) {
        return be_stuck();
    }
    if (strcmp(words[0], "blocks") == 0) { /* no thread of the program takes the signal */
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
        return be_stuck();
    }
    (void)count;
    return sq_version() != 0 ? 7 : 0; /* it continues */
}

/* Runs this program as PROGRAM --child WORD with SQ_DUMP; sends `number` when it is ready, until stderr has `end`; returns its text. */
static void dump_by_signal(const char *word, const char *variable, int number, char *text, size_t size) {
    int out[2], err[2];
    command_t command;
    char *const *words = command_for(&command, (const char *const[]){ "/proc/self/exe", "--child", word, NULL });
    REQUIRE(pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        setenv("SQ_DUMP", variable, 1);
        execvp(words[0], words);
        _exit(99);
    }
    close(out[1]);
    close(err[1]);
    char ready[64];
    REQUIRE(read(out[0], ready, sizeof ready) > 0);
    for (int i = 0; i < 50; i += 1) { /* while the handler runs, and while a dump is written */
        CHECK_EQUAL(kill(child, number), 0);
    }
    size_t used = 0;
    ssize_t part;
    text[0] = '\0';
    while (strstr(text, "END OF THE DUMP") == NULL && used < size - 1 && (part = read(err[0], text + used, size - 1 - used)) > 0) {
        used += (size_t)part;
        text[used] = '\0';
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(out[0]);
    close(err[0]);
}

/* To see it fail: do not unblock the signal in await_signals (the second one). */
TEST(a_signal_shows_what_stuck_threads_wait_for) {
    static char text[65536];
    const char *const words[] = { "stuck", "blocks" };
    /* ThreadSanitizer does not deliver a signal to a thread of the library that sleeps in read, while all others block it. */
    for (size_t i = 0; i < (UNDER_TSAN ? 1 : 2); i += 1) {
        dump_by_signal(words[i], "USR1", SIGUSR1, text, sizeof text);
        CHECK_LINE(text, "has waited", "its turn in queue \"stuck\"", "runs it");
        CHECK_LINE(text, "runs sleep_forever", "in queue \"stuck\"", "for at least");
    }
    dump_by_signal("stuck", "SIGRTMIN+3", SIGRTMIN + 3, text, sizeof text);
    CHECK_LINE(text, "its turn in queue \"stuck\"", NULL, NULL);
}

/* To see it fail: leave the message out. */
TEST(an_unknown_signal_is_reported_and_the_program_continues) {
    const char *const unknown[] = { "KILL", "SEGV", "USR3", "RTMIN+99", "10" };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i += 1) {
        setenv("SQ_DUMP", unknown[i], 1);
        const char *const words[] = { "continue", NULL };
        CHECK_EQUAL(run_child(words), 7);
    }
    unsetenv("SQ_DUMP");
}

/* An ignored signal is inherited by the program that is executed. To see it fail: do not ask for the present handler. */
TEST(a_signal_that_the_program_ignores_is_not_taken) {
    signal(SIGUSR2, SIG_IGN);
    setenv("SQ_DUMP", "USR2", 1);
    const char *const words[] = { "continue", NULL };
    CHECK_EQUAL(run_child(words), 7);
    unsetenv("SQ_DUMP");
    signal(SIGUSR2, SIG_DFL);
}

/* The library has taken the signal before main begins. To see it fail (it hangs): do not call check_handler. */
TEST(a_signal_that_the_program_handles_later_is_reported) {
    setenv("SQ_DUMP", "USR1", 1);
    const char *const words[] = { "handles", NULL };
    CHECK_EQUAL(run_child(words), 7);
    unsetenv("SQ_DUMP");
}

/* A thread that holds all locks of the library: those that a fork takes. It stops within the fork, before the process is copied. */
static latch_t forking = LATCH_INIT, leave_fork = LATCH_INIT;
static __thread bool stops_in_fork;

static void stop_in_fork(void) {
    if (stops_in_fork) {
        latch_bump(&forking);
        latch_wait(&leave_fork, 1);
    }
}

static void *fork_and_stop(void *unused) {
    stops_in_fork = true;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return unused;
}

/* The handlers of a fork run in the reverse order of their registration: this one, registered before the library's handler, runs last. */
__attribute__((constructor(101))) static void register_first(void) { pthread_atfork(stop_in_fork, NULL, NULL); }

/* To see it fail: take the lock in sq__self_visit with sq__mutex_lock. */
TEST(a_dump_ends_while_another_thread_holds_every_lock_of_the_library) {
    sq_queue_t *queue = make_queue_of("held", 0), *paused = make_queue_of("paused", 0);
    sq_pool_t *pool = make_pool(1);
    hold_t hold = HOLD_INIT;
    if (UNDER_TSAN) { /* it forks while other threads run */
        sq_queue_release(queue);
        sq_queue_release(paused);
        sq_pool_release(pool);
        note("left out under ThreadSanitizer");
        return;
    }
    CHECK_EQUAL(sq_suspend(paused), 0);
    CHECK_EQUAL(sq_async(queue, sleep_forever, &hold), 0);
    latch_wait(&hold.entered, 1);
    caller_t waiter;
    caller_start(&waiter, BY_SYNC, queue, SQ_FOREVER, do_nothing, NULL);
    dump_until("has waited", "its turn in queue \"held\"", NULL);
    pthread_t forker = spawn(fork_and_stop, NULL);
    latch_wait(&forking, 1);
    const char *text = dump_now();
    CHECK_LINE(text, "has waited", "its turn in queue \"held\"", "runs it");
    CHECK_LINE(text, "runs sleep_forever", "in queue \"held\"", NULL);
    CHECK_LINE(text, "that list was read without its lock", NULL, NULL);
    CHECK_LINE(text, "some suspended queues were left out", NULL, NULL);
    CHECK_LINE(text, "some timers were left out", NULL, NULL);
    CHECK_LINE(text, "the pools, and the queues that wait for one, were left out", NULL, NULL);
    CHECK_LINE(text, "left out: another thread held its lock at each try", NULL, NULL);
    latch_bump(&leave_fork);
    join(forker);
    text = dump_now();
    CHECK(!has_line(text, "left out", NULL, NULL));
    CHECK_LINE(text, "queue \"paused\": suspended 1 time", NULL, NULL);
    latch_bump(&hold.leave);
    CHECK_EQUAL(caller_end(&waiter), 0);
    CHECK_EQUAL(sq_resume(paused), 0);
    drain(queue);
    sq_queue_release(queue);
    sq_queue_release(paused);
    sq_pool_release(pool);
}

/* Dumps next to threads that come and go, queues that are made, suspended and freed, and pools. For the sanitizers. */
static atomic_bool is_over;
static void *come_and_go(void *unused) {
    for (int i = 0; !is_over && i < 100000; i += 1) {
        sq_queue_t *queue = make_queue_of("short-lived", 0);
        CHECK_EQUAL(sq_suspend(queue), 0);
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_resume(queue), 0);
        caller_t caller;
        caller_start(&caller, BY_SYNC, queue, SQ_FOREVER, do_nothing, NULL);
        CHECK_EQUAL(caller_end(&caller), 0);
        sq_queue_release(queue);
        sq_pool_t *pool = make_pool(1);
        sq_queue_t *pooled = queue_on(pool, "pooled", 0);
        CHECK_EQUAL(sq_async(pooled, do_nothing, NULL), 0);
        sq_pool_release(pool);
        sq_queue_release(pooled);
    }
    return unused;
}

TEST(dumps_meet_the_end_of_threads_queues_and_pools) {
    is_over = false;
    pthread_t others[2] = { spawn(come_and_go, NULL), spawn(come_and_go, NULL) };
    size_t count = scaled(2000);
    for (size_t i = 0; i < count; i += 1) {
        const char *text = dump_now();
        CHECK(strstr(text, "END OF THE DUMP") != NULL);
    }
    is_over = true;
    join(others[0]);
    join(others[1]);
}

/* Each has a task that waits. The time is noted, not checked. */
TEST(a_dump_lists_a_hundred_thousand_active_queues) {
    size_t count = scaled(100000);
    sq_pool_t *pool = make_pool(1);
    sq_queue_t **queues = calloc(count, sizeof *queues);
    sq_queue_t *first = queue_on(pool, "first", 0);
    hold_t hold = HOLD_INIT;
    CHECK_EQUAL(sq_async(first, sleep_forever, &hold), 0);
    latch_wait(&hold.entered, 1);
    for (size_t i = 0; i < count; i += 1) {
        queues[i] = queue_on(pool, "one of many", 0);
        if (i % 2 == 0) {
            CHECK_EQUAL(sq_suspend(queues[i]), 0);
        }
        CHECK_EQUAL(sq_async(queues[i], do_nothing, NULL), 0);
    }
    char expected[64];
    snprintf(expected, sizeof expected, "QUEUES, THE DEEPEST FIRST: %zu\n", count + 1);
    const char *text = dump_now();
    CHECK(strstr(text, expected) != NULL);
    snprintf(expected, sizeof expected, "SUSPENDED QUEUES: %zu\n", (count + 1) / 2);
    CHECK(strstr(text, expected) != NULL);
    const char *end = strstr(text, "END OF THE DUMP");
    REQUIRE(end != NULL);
    note("%zu active queues: %.*s", count, (int)strcspn(end, "\n"), end);
    for (size_t i = 0; i < count; i += 2) {
        CHECK_EQUAL(sq_resume(queues[i]), 0);
    }
    latch_bump(&hold.leave);
    for (size_t i = 0; i < count; i += 1) {
        drain(queues[i]);
        sq_queue_release(queues[i]);
    }
    sq_queue_release(first);
    sq_pool_release(pool);
    free(queues);
}
