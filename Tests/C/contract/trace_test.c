/* trace_test.c: beginning and ending a trace, and what becomes of it when the system refuses something. What a file says is checked by
 * scripts/check-trace, with a reader that is not ours. */
#include "apply.h"
#include "fork.h"
#include "pools.h"
#include "trace.h"

#include <signal.h>

TEST(a_trace_has_the_labels_of_all_queues_that_did_something) {
    CHECK_EQUAL(sq_trace_stop(), EINVAL);
    CHECK_EQUAL(sq_trace_start(new_path("")), 0);
    CHECK_EQUAL(sq_trace_start(new_path("")), EALREADY);
    use_queues("com.example.first");
    use_queues("com.example.second");
    CHECK_EQUAL(sq_trace_stop(), 0);
    CHECK_EQUAL(sq_trace_stop(), EINVAL);
    CHECK(has(path, "com.example.first"));
    CHECK(has(path, "com.example.second"));
    unlink(path);
}

TEST(a_queue_from_before_the_trace_is_traced_from_its_next_async_or_contended_sync) {
    sq_queue_t *by_async = make_queue_of("com.example.async", 0), *by_sync = make_queue_of("com.example.sync", 0);
    sq_queue_t *untouched = make_queue_of("com.example.untouched", 0);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = make_pool(1);
    options.width = 2;
    sq_queue_t *by_barrier = sq_queue_create("com.example.barrier", &options);
    hold_t hold = HOLD_INIT, reader = HOLD_INIT;
    CHECK_EQUAL(sq_sync(by_sync, do_nothing, NULL), 0);
    hold_sync(&hold, by_sync);
    hold_sync(&reader, by_barrier);
    CHECK_EQUAL(sq_trace_start(new_path("")), 0);
    CHECK_EQUAL(sq_async(by_async, do_nothing, NULL), 0);
    time_out_in_a_wait(by_sync, sq_sync_until);
    time_out_in_a_wait(by_barrier, sq_sync_barrier_until);
    hold_end(&hold);
    hold_end(&reader);
    drain(by_async);
    CHECK_EQUAL(sq_trace_stop(), 0);
    CHECK(has(path, "com.example.async"));
    CHECK(has(path, "com.example.sync"));
    CHECK(has(path, "com.example.barrier"));
    CHECK(!has(path, "com.example.untouched"));
    sq_queue_release(by_async);
    sq_queue_release(by_sync);
    sq_queue_release(by_barrier);
    sq_pool_release(options.pool);
    sq_queue_release(untouched);
    unlink(path);
}

TEST(a_trace_has_the_share_of_each_thread_in_an_apply) {
    static const char ran[] = "\x52\x03ran"; /* the name of an annotation: at the end of a share */
    sq_pool_t *pool = sq_pool_create("test pool", NULL);
    REQUIRE(pool != NULL);
    for (size_t threads = 1; threads <= 2; threads += 1) {
        meeting_t meeting = { .expected = threads };
        CHECK_EQUAL(sq_trace_start(new_path("")), 0);
        CHECK_EQUAL(sq_apply(pool, threads, meet, &meeting), 0);
        CHECK_EQUAL(sq_trace_stop(), 0);
        CHECK_EQUAL(times_in(path, ran), threads);
    }
    sq_pool_release(pool);
    unlink(path);
}

TEST(options_that_are_not_valid_are_refused_and_nothing_is_traced) {
    static const char *const wrong[] = { "", ",last=10s", "F,last=10", "F,last=0s", "F,last=", "F,lust=10s", "F,buffer=1", "F,buffer=2000M",
                                         "F,last=1s,signal=KILL",
                                         "F,last=1s,signal=RTMIN+ 5", "F,last=1s,signal=RTMIN+-5", "F,last=1s,signal=RTMIN+123",
                                         "F,last=1s,signal=RTMIN+", "F,last=1s,signal=RTMIN+5 ", "F,signal=USR2", "F,", "F,last=99999999999s" };
    int kept = silence_begin();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i += 1) {
        CHECK_EQUAL(sq_trace_start(wrong[i]), EINVAL);
        CHECK_EQUAL(sq_trace_stop(), EINVAL);
    }
    silence_end(kept);
    CHECK_EQUAL(size_of("F"), -1);
}

TEST(a_file_that_cannot_be_created_is_an_error_and_nothing_is_traced) {
    CHECK_EQUAL(sq_trace_start("/nonexistent/folder/trace"), ENOENT);
    CHECK_EQUAL(sq_trace_start("/tmp"), EISDIR);
    CHECK_EQUAL(sq_trace_stop(), EINVAL);
}

TEST(a_full_disk_ends_the_trace_with_a_message_and_not_the_program) {
    int kept = silence_begin();
    CHECK_EQUAL(sq_trace_start("/dev/full"), 0);
    use_queues("com.example.full");
    CHECK_EQUAL(sq_trace_stop(), ENOSPC);
    silence_end(kept);
    use_queues("com.example.after"); /* the program continues */
}

TEST(a_path_with_percent_p_has_the_number_of_the_process) {
    char expected[64];
    snprintf(expected, sizeof expected, "/tmp/sq-trace-%d-end", (int)getpid());
    CHECK_EQUAL(sq_trace_start("/tmp/sq-trace-%p-end"), 0);
    CHECK_EQUAL(sq_trace_stop(), 0);
    CHECK(size_of(expected) > 0);
    unlink(expected);
}

static void *sync_once(void *queue) {
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    return NULL;
}

/* The file has content from before, perhaps the recording of a crash. A start that fails must not change it. */
#define PRECIOUS "precious"

static void put_precious(void) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(file >= 0 && write(file, PRECIOUS, sizeof PRECIOUS - 1) == sizeof PRECIOUS - 1);
    close(file);
}

/* Each allocation of a start, and of what is traced after it, fails once: the start is an error, or events are missing. */
TEST(without_memory_a_trace_does_not_begin_or_lacks_events) {
    bool had_failure = true;
    int kept = silence_begin();
    CHECK_EQUAL(sq_trace_start(new_path("")), 0);
    CHECK_EQUAL(sq_trace_stop(), 0);
    put_precious();
    for (uint64_t nth = 1; had_failure; nth += 1) {
        fail_nth(FAIL_ALLOCATION, nth, false);
        int error = sq_trace_start(new_path(""));
        had_failure = fail_nothing() > 0;
        CHECK_EQUAL(error, had_failure ? ENOMEM : 0);
        CHECK_EQUAL(sq_trace_stop(), had_failure ? EINVAL : 0);
        CHECK_EQUAL(has(path, PRECIOUS), had_failure);
    }
    put_precious();
    fail_nth(FAIL_THREAD, 1, false);
    CHECK_EQUAL(sq_trace_start(new_path("")), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    CHECK_EQUAL(size_of(path), sizeof PRECIOUS - 1);
    CHECK(has(path, PRECIOUS));
    CHECK_EQUAL(sq_trace_start(new_path("")), 0);
    sq_queue_t *queue = make_queue_of("com.example.poor", 0);
    join(spawn(sync_once, queue)); /* the queue has a number now, and this thread no buffer */
    fail_nth(FAIL_ALLOCATION, 1, true);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    CHECK(fail_nothing() > 0);
    CHECK_EQUAL(sq_trace_stop(), 0);
    CHECK(has(path, "dropped"));
    silence_end(kept);
    sq_queue_release(queue);
    unlink(path);
}

typedef struct load {
    sq_queue_t *queues[3];
    atomic_bool over;
} load_t;

static void *make_load(void *argument) {
    load_t *load = argument;
    random_stream_t random = random_start(66);
    while (!load->over) {
        sq_queue_t *queue = load->queues[random_below(&random, 3)];
        switch (random_below(&random, 4)) {
        case 0: CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0); break;
        case 1: CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, do_nothing, NULL), 0); break;
        case 2: WHATEVER(sq_sync_until(queue, sq_deadline(1000), do_nothing, NULL)); break;
        default: CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0); break;
        }
        if (random_below(&random, 100) == 0) {
            sq_queue_t *brief = make_queue_of("brief", 0);
            CHECK_EQUAL(sq_sync(brief, do_nothing, NULL), 0);
            sq_queue_release(brief);
        }
    }
    return NULL;
}

/* Threads begin and end during a trace. */
TEST(traces_begin_and_end_while_queues_are_busy) {
    enum { THREADS = 3 };
    load_t load = { .over = false };
    for (size_t i = 0; i < 3; i += 1) {
        load.queues[i] = make_queue_of("busy", 0);
    }
    for (size_t round = 0; round < 4; round += 1) {
        pthread_t threads[THREADS];
        load.over = false;
        for (size_t i = 0; i < THREADS; i += 1) {
            threads[i] = spawn(make_load, &load);
        }
        int kept = silence_begin(); /* how many events were dropped */
        for (size_t i = 0; i < scaled(30) + 2; i += 1) {
            CHECK_EQUAL(sq_trace_start(new_path(i % 3 == 0 ? ",last=1s,buffer=4K" : i % 3 == 1 ? ",buffer=4K" : "")), 0);
            use_queues("com.example.load");
            CHECK_EQUAL(sq_trace_stop(), 0);
        }
        silence_end(kept);
        load.over = true;
        for (size_t i = 0; i < THREADS; i += 1) {
            join(threads[i]);
        }
    }
    for (size_t i = 0; i < 3; i += 1) {
        drain(load.queues[i]);
        sq_queue_release(load.queues[i]);
    }
    CHECK(size_of(path) > 0);
    unlink(path);
}

static int use_in_child(void *unused) {
    (void)unused;
    int wrong = !CHECK_EQUAL(sq_trace_stop(), EINVAL);
    use_queues("com.example.child");
    char other[80];
    snprintf(other, sizeof other, "%s.child", path);
    wrong += !CHECK_EQUAL(sq_trace_start(other), 0);
    use_queues("com.example.again");
    wrong += !CHECK_EQUAL(sq_trace_stop(), 0);
    wrong += !CHECK(has(other, "com.example.again"));
    unlink(other);
    return wrong;
}

TEST(the_child_of_a_fork_is_not_traced_and_may_begin_a_trace_of_its_own) {
    if (fork_left_out()) {
        return;
    }
    CHECK_EQUAL(sq_trace_start(new_path("")), 0);
    use_queues("com.example.before");
    CHECK_EQUAL(in_fork(use_in_child, NULL), 0);
    use_queues("com.example.after");
    CHECK_EQUAL(sq_trace_stop(), 0);
    CHECK(has(path, "com.example.before"));
    CHECK(has(path, "com.example.after"));
    CHECK(!has(path, "com.example.child"));
    unlink(path);
}

TEST(a_signal_that_the_program_handles_is_refused_and_the_file_unchanged) {
    struct sigaction ignored = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGUSR2, &ignored, &before);
    const char *options = new_path(",last=1s,signal=USR2");
    CHECK_EQUAL(sq_trace_start(options), EBUSY);
    CHECK_EQUAL(size_of(path), -1); /* and none is created */
    put_precious();
    CHECK_EQUAL(sq_trace_start(options), EBUSY);
    CHECK_EQUAL(sq_trace_stop(), EINVAL);
    CHECK_EQUAL(size_of(path), sizeof PRECIOUS - 1);
    CHECK(has(path, PRECIOUS));
    sigaction(SIGUSR2, &before, NULL);
    unlink(path);
}

int child_main(int count, char **words) {
    (void)count, (void)words;
    use_queues("com.example.environment"); /* and the end of the process writes the file */
    return 0;
}

TEST(a_process_that_has_SQ_TRACE_in_its_environment_is_traced_to_its_end) {
    new_path("");
    setenv("SQ_TRACE", path, 1);
    CHECK_EQUAL(run_child((const char *const[]){ "traced", NULL }), 0);
    unsetenv("SQ_TRACE");
    CHECK(has(path, "com.example.environment"));
    unlink(path);
    int kept = silence_begin();
    setenv("SQ_TRACE", "/nonexistent/folder/trace", 1);
    CHECK_EQUAL(run_child((const char *const[]){ "untraced", NULL }), 0); /* a message, and the program continues */
    setenv("SQ_TRACE", path, 1);
    setenv("SQ_TRACE", "/tmp/x,unknown", 1);
    CHECK_EQUAL(run_child((const char *const[]){ "untraced", NULL }), 0);
    unsetenv("SQ_TRACE");
    silence_end(kept);
}
