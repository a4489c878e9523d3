/* refused_test.c: a process in which one system call is refused, as containers and sandboxes do, or that has no descriptors, no files to
 * write, no terminal: the library does without, or says in a word what it cannot do. It never hangs, and no task is lost. Documentation/Systems.md has the calls. */
#include "child.h"
#include "inject.h"
#include "latch.h"
#include "refuse.h"

#include "sq_barrier.h"
#include "sq_error.h"
#include "sq_inspect.h"
#include "sq_loop.h"
#include "sq_pool.h"
#include "sq_timer.h"
#include "sq_trace.h"

#include <sys/stat.h>
#include <sys/syscall.h>

/* In place of a call's number. */
enum { NO_DESCRIPTOR = -1, READ_ONLY = -2, NO_STREAMS = -3 };

/* EXECUTES: the process can still execute itself, so that the library begins under the filter. */
static const struct {
    const char *name;
    long number;
    bool executes;
} calls[] = {
    { "eventfd2", SYS_eventfd2, true },
    { "process_vm_readv", SYS_process_vm_readv, true },
    { "sched_getaffinity", SYS_sched_getaffinity, true },
    { "sched_setaffinity", SYS_sched_setaffinity, true },
    { "sched_setattr", SYS_sched_setattr, true },
    { "sched_getattr", SYS_sched_getattr, true },
    { "sched_getscheduler", SYS_sched_getscheduler, true },
    { "setpriority", SYS_setpriority, true },
    { "getpriority", SYS_getpriority, true },
    { "prctl", SYS_prctl, true },
    { "madvise", SYS_madvise, true },
    { "sched_yield", SYS_sched_yield, true },
    { "gettid", SYS_gettid, true },
    { "flock", SYS_flock, true },
    { "fcntl", SYS_fcntl, true },
    { "readlinkat", SYS_readlinkat, false }, /* command_for asks for its own name */
    { "openat", SYS_openat, false }, /* no /proc, among others */
    { "no descriptor", NO_DESCRIPTOR, false },
    { "files are read-only", READ_ONLY, true },
    { "no terminal, no standard streams", NO_STREAMS, true },
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static int kept_file; /* opened before the refusal */
static bool has_descriptors = true, is_read_only = false;

/* What was written to that file, from its beginning. */
static const char *written(void) {
    static char text[32768];
    ssize_t length = pread(kept_file, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

static void bump(void *latch) { latch_bump(latch); }

static void wait_inside(void *queue) {
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), EDEADLK);
    CHECK(strstr(sq_deadlock_report(), "\"com.example.refused\"") != NULL);
}

/* Serial, concurrent, on a pool, timer: nothing of it may fail. */
static void use_queues(sq_pool_t *pool) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    sq_queue_t *queues[3] = { sq_queue_create("com.example.refused", &options) };
    options.pool = pool;
    queues[1] = sq_queue_create("com.example.refused", &options);
    options.width = 4;
    queues[2] = sq_queue_create("com.example.refused", &options);
    for (int i = 0; i < 3; i += 1) {
        latch_t fired = LATCH_INIT;
        REQUIRE(queues[i] != NULL);
        for (int task = 0; task < 100; task += 1) {
            CHECK_EQUAL(sq_async(queues[i], do_nothing, NULL), 0);
        }
        CHECK_EQUAL(i == 2 ? sq_sync_barrier(queues[i], wait_inside, queues[i]) : sq_sync(queues[i], wait_inside, queues[i]), 0);
        CHECK_EQUAL(sq_async_after(queues[i], 1000000, bump, &fired), 0);
        latch_wait(&fired, 1);
        CHECK_EQUAL(sq_shutdown(queues[i], SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_queue_release(queues[i]);
    }
}

/* A loop: there, and then it works, or an error. */
static void use_loop(void) {
    errno = 0;
    sq_pool_t *loop = sq_pool_create_loop("loop");
    if (loop == NULL) {
        CHECK(errno != 0);
        CHECK(!has_descriptors); /* a pipe serves as well as an eventfd */
        return;
    }
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = loop;
    sq_queue_t *queue = sq_queue_create("com.example.loop", &options);
    size_t ran = 0;
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_pool_run_some(loop, 1, SQ_NOW), 1);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
    sq_pool_run_some(loop, 10, SQ_NOW);
    sq_pool_release(loop);
}

static void use_the_rest(const sq_pool_t *pool) {
    sq_pool_granted_t granted = SQ_POOL_GRANTED_INIT;
    CHECK_EQUAL(sq_pool_granted(pool, &granted), 0);
    sq_queue_t *queue = sq_queue_create("com.example.shown", NULL);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_dump(kept_file), 0);
    CHECK(strstr(written(), "com.example.shown") != NULL);
    CHECK_EQUAL(sq_resume(queue), 0);
    int error = sq_trace_start("/tmp/sq-refused-%p");
    CHECK(!is_read_only || error == EROFS);
    if (error == 0) {
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_trace_stop(), 0);
        char path[64];
        snprintf(path, sizeof path, "/tmp/sq-refused-%d", (int)getpid());
        CHECK_EQUAL(unlink(path), 0);
    }
    sq_queue_release(queue);
}

static int use(void) {
    sq_pool_t *pool = sq_pool_create("pool", NULL);
    REQUIRE(pool != NULL);
    use_queues(pool);
    use_loop();
    use_the_rest(pool);
    sq_pool_release(pool);
    return 0;
}

/* With SQ_DUMP, whose file is stderr: a dump when the signal comes, or a line that says why there will be none. */
static int use_with_signal(void) {
    kept_file = STDERR_FILENO;
    is_read_only = getenv("SQ_TRACE") != NULL;
    CHECK(!is_read_only || strstr(written(), "SQ_TRACE") != NULL);
    if (strstr(written(), "Continuing without") == NULL) {
        REQUIRE(kill(getpid(), SIGUSR2) == 0);
        while (strstr(written(), "END OF THE DUMP") == NULL) { /* the watchdog bounds it */
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        }
    }
    return use();
}

int child_main(int count, char **words) {
    if (strcmp(words[0], "signal") == 0) {
        return use_with_signal();
    }
    REQUIRE(count == 2);
    const size_t which = strtoul(words[1], NULL, 10);
    char path[] = "/tmp/sq-refused-file-XXXXXX";
    kept_file = mkstemp(path);
    REQUIRE(kept_file >= 0 && unlink(path) == 0);
    switch (calls[which].number) {
    case NO_DESCRIPTOR:
        has_descriptors = false;
        REQUIRE(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ (rlim_t)kept_file + 1, (rlim_t)kept_file + 1 }) == 0);
        break;
    case READ_ONLY:
        is_read_only = true;
        REQUIRE(setenv("SQ_TRACE", "/tmp/sq-refused-%p", 1) == 0);
        refuse_writing();
        break;
    case NO_STREAMS: /* the library's own descriptors become 0, 1 and 2 */
        (void)setsid();
        for (int stream = 0; stream <= STDERR_FILENO; stream += 1) {
            close(stream);
        }
        break;
    default:
        refuse(calls[which].number, EPERM);
    }
    if (strcmp(words[0], "executes") == 0) {
        command_t command;
        REQUIRE(dup2(kept_file, STDERR_FILENO) >= 0 && setenv("SQ_DUMP", "USR2", 1) == 0);
        char *const *arguments = command_for(&command, (const char *const[]){ "/proc/self/exe", "--child", "signal", NULL });
        execvp(arguments[0], arguments);
        return 99;
    }
    return use();
}

static void each_call(const char *way, bool all) {
    for (size_t i = 0; i < CALLS; i += 1) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        if ((all || calls[i].executes) && !CHECK_EQUAL(run_child((const char *const[]){ way, number, NULL }), 0)) {
            note("refused: %s", calls[i].name);
        }
    }
}

TEST(a_program_whose_system_refuses_a_call_is_right_or_says_what_it_cannot_do) { each_call("uses", true); }

TEST(the_same_from_its_beginning_and_with_a_signal_for_dumps) { each_call("executes", false); }
