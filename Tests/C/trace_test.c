/* trace_test.c: beginning and ending a trace, and what becomes of it when the system refuses something. What a file says is checked by
 * scripts/check-trace, with a reader that is not ours. */
#include "caller.h"
#include "fork.h"
#include "threads.h"
#include "trace/buffer.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static const char *new_path(const char *options) {
    static char text[128];
    snprintf(path, sizeof path, "/tmp/sq-trace-test-%d", (int)getpid());
    snprintf(text, sizeof text, "%s%s", path, options);
    return text;
}

static off_t size_of(const char *file) {
    struct stat found;
    return stat(file, &found) == 0 ? found.st_size : -1;
}

/* True if the file has these bytes. */
static bool has(const char *file, const char *bytes) {
    size_t length = strlen(bytes), size = (size_t)size_of(file);
    char *content = malloc(size + 1);
    int opened = open(file, O_RDONLY);
    bool found = false;
    REQUIRE(opened >= 0 && content != NULL && read(opened, content, size) == (ssize_t)size);
    for (size_t at = 0; !found && at + length <= size; at += 1) {
        found = memcmp(content + at, bytes, length) == 0;
    }
    close(opened);
    free(content);
    return found;
}

/* Stderr goes to a file meanwhile: the messages are expected. */
static int silence_begin(void) {
    int kept = dup(STDERR_FILENO);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
    return kept;
}

static void silence_end(int kept) {
    dup2(kept, STDERR_FILENO);
    close(kept);
}

static void use_queues(const char *label) {
    sq_queue_t *queue = make_queue_of(label, 0);
    for (size_t i = 0; i < 100; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    }
    drain(queue);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
}

static const sq__entry_t some = { .time = 1, .what = 2, .where = 3, .which = 4 };

static sq__buffer_t *make_buffer(uint64_t room, bool overwrites) {
    sq__buffer_t *buffer = aligned_alloc(SQ__LINE, sizeof *buffer);
    REQUIRE(buffer != NULL);
    memset(buffer, 0, sizeof *buffer);
    buffer->room = room;
    buffer->overwrites = overwrites;
    buffer->words = calloc(room * SQ__ENTRY_WORDS, sizeof(uint64_t));
    REQUIRE(buffer->words != NULL);
    return buffer;
}

static void free_buffer(sq__buffer_t *buffer) {
    free(buffer->words);
    free(buffer);
}

/* To see it fail: <= in has_room. */
TEST(a_full_buffer_drops_events_and_counts_them) {
    uint64_t first;
    sq__buffer_t *buffer = make_buffer(4, false);
    for (int i = 0; i < 4; i += 1) {
        CHECK(sq__buffer_record(buffer, &some, 0));
    }
    CHECK(!sq__buffer_record(buffer, &some, 0));
    CHECK_EQUAL(buffer->dropped, 1);
    CHECK_EQUAL(sq__buffer_recorded(buffer, &first), 4);
    CHECK_EQUAL(first, 0);
    sq__buffer_copied(buffer, 2);
    CHECK(!sq__buffer_record(buffer, &some, 2)); /* room for two, and two must remain */
    CHECK(sq__buffer_record(buffer, &some, 1));
    CHECK(sq__buffer_record(buffer, &some, 0));
    CHECK(!sq__buffer_record(buffer, &some, 0));
    CHECK_EQUAL(buffer->dropped, 3);
    free_buffer(buffer);
}

TEST(a_flight_recorder_keeps_the_newest_events) {
    uint64_t first;
    sq__entry_t event;
    sq__buffer_t *buffer = make_buffer(4, true);
    for (uint64_t i = 0; i < 11; i += 1) {
        CHECK(sq__buffer_record(buffer, &(sq__entry_t){ .time = i, .what = i, .where = i, .which = i }, 0));
    }
    CHECK_EQUAL(sq__buffer_recorded(buffer, &first), 11);
    CHECK_EQUAL(first, 7);
    CHECK(!sq__buffer_copy(buffer, 6, &event));
    for (uint64_t i = 7; i < 11; i += 1) {
        CHECK(sq__buffer_copy(buffer, i, &event));
        CHECK_EQUAL(event.time, i);
        CHECK_EQUAL(event.which, i);
    }
    CHECK_EQUAL(buffer->dropped, 0);
    free_buffer(buffer);
}

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

/* To see it fail: in sq__runner_find, do not call sq__traced_begin. */
TEST(a_queue_from_before_the_trace_is_traced_from_its_next_async_or_contended_sync) {
    sq_queue_t *by_async = make_queue_of("com.example.async", 0), *by_sync = make_queue_of("com.example.sync", 0);
    sq_queue_t *untouched = make_queue_of("com.example.untouched", 0);
    hold_t hold = HOLD_INIT;
    CHECK_EQUAL(sq_sync(by_sync, do_nothing, NULL), 0);
    hold_sync(&hold, by_sync);
    CHECK_EQUAL(sq_trace_start(new_path("")), 0);
    CHECK_EQUAL(sq_async(by_async, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_sync_until(by_sync, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    hold_end(&hold);
    drain(by_async);
    CHECK_EQUAL(sq_trace_stop(), 0);
    CHECK(has(path, "com.example.async"));
    CHECK(has(path, "com.example.sync"));
    CHECK(!has(path, "com.example.untouched"));
    sq_queue_release(by_async);
    sq_queue_release(by_sync);
    sq_queue_release(untouched);
    unlink(path);
}

TEST(options_that_are_not_valid_are_refused_and_nothing_is_traced) {
    static const char *const wrong[] = { "", ",last=10s", "F,last=10", "F,last=0s", "F,last=", "F,lust=10s", "F,buffer=1", "F,buffer=2000M",
                                         "F,last=1s,signal=KILL", "F,signal=USR2", "F,", "F,last=99999999999s" };
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

/* Row 65. To see it fail: ignore the result of sq__perfetto_flush. */
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

/* Each allocation of a start, and of what is traced after it, fails once: the start is an error, or events are missing. */
TEST(without_memory_a_trace_does_not_begin_or_lacks_events) {
    bool had_failure = true;
    int kept = silence_begin();
    CHECK_EQUAL(sq_trace_start(new_path("")), 0);
    CHECK_EQUAL(sq_trace_stop(), 0);
    for (uint64_t nth = 1; had_failure; nth += 1) {
        fail_nth(FAIL_ALLOCATION, nth, false);
        int error = sq_trace_start(new_path(""));
        had_failure = fail_nothing() > 0;
        CHECK_EQUAL(error, had_failure ? ENOMEM : 0);
        CHECK_EQUAL(sq_trace_stop(), had_failure ? EINVAL : 0);
    }
    fail_nth(FAIL_THREAD, 1, false);
    CHECK_EQUAL(sq_trace_start(new_path("")), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
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

/* Row 66. Threads come and go meanwhile. To see it fail under ThreadSanitizer or AddressSanitizer: free recorders in sq__recorders_forget
 * that their threads have not left. */
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

/* To see it fail: in sq__recorders_unlock leave the session as it is. */
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

/* Until the reader has written a file with this label. */
static void wait_for_file(const char *file, const char *label) {
    while (size_of(file) <= 0 || !has(file, label)) {
        sched_yield();
    }
}

/* To see it fail (it hangs): in request_write do not ring the bell. */
TEST(a_flight_recorder_writes_when_it_is_asked_to_and_at_its_end) {
    char later[80];
    int kept = silence_begin();
    CHECK_EQUAL(sq_trace_start(new_path(",last=60s,signal=USR2")), 0);
    snprintf(later, sizeof later, "%s.1", path);
    use_queues("com.example.first");
    CHECK_EQUAL(size_of(path), 0); /* nothing has happened yet */
    raise(SIGUSR2);
    wait_for_file(path, "com.example.first");
    use_queues("com.example.second");
    sq_trace_write();
    wait_for_file(later, "com.example.second");
    CHECK(has(later, "com.example.first")); /* the newest events, those of the file before among them */
    unlink(later);
    CHECK_EQUAL(sq_trace_stop(), 0);
    snprintf(later, sizeof later, "%s.2", path);
    CHECK(has(later, "com.example.second"));
    unlink(later);
    unlink(path);
    silence_end(kept);
}

static void *sync_and_wait(void *queue) {
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    return NULL;
}

/* To see it fail: do not call put_open. */
TEST(a_flight_recorder_shows_what_began_before_its_time_and_still_lasts) {
    int kept = silence_begin();
    hold_t hold = HOLD_INIT;
    CHECK_EQUAL(sq_trace_start(new_path(",last=1ms")), 0);
    sq_queue_t *queue = make_queue_of("com.example.lasting", 0);
    hold_async(&hold, queue);
    pthread_t waiter = spawn(sync_and_wait, queue);
    wait_for_depth(queue, 1);
    for (sq_time_t later = sq_deadline(5000000); sq_deadline(0) < later;) { /* the wait began longer ago than a millisecond */
        sched_yield();
    }
    sq_trace_write();
    wait_for_file(path, "wait for com.example.lasting");
    hold_end(&hold);
    join(waiter);
    CHECK_EQUAL(sq_trace_stop(), 0);
    silence_end(kept);
    sq_queue_release(queue);
    char later[80];
    snprintf(later, sizeof later, "%s.1", path);
    unlink(later);
    unlink(path);
}

/* To see it fail (it hangs): no sq__trace_happened in break_cycle. */
TEST(a_flight_recorder_writes_at_a_deadlock) {
    int kept = silence_begin();
    latch_t holding = LATCH_INIT;
    sq_queue_t *first = make_queue_of("com.example.left", 0), *second = make_queue_of("com.example.right", 0);
    CHECK_EQUAL(sq_trace_start(new_path(",last=60s")), 0);
    cross_t crosses[2] = { { first, second, &holding, -1 }, { second, first, &holding, -1 } };
    pthread_t threads[2];
    for (int i = 0; i < 2; i += 1) {
        threads[i] = spawn(hold_and_cross, &crosses[i]);
    }
    for (int i = 0; i < 2; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL((crosses[0].error == EDEADLK) + (crosses[1].error == EDEADLK), 1);
    wait_for_file(path, "deadlock");
    CHECK(has(path, "wait for com.example.left") || has(path, "wait for com.example.right"));
    CHECK_EQUAL(sq_trace_stop(), 0);
    silence_end(kept);
    sq_queue_release(first);
    sq_queue_release(second);
    char later[80];
    snprintf(later, sizeof later, "%s.1", path);
    unlink(later);
    unlink(path);
}

TEST(a_signal_that_the_program_handles_is_refused) {
    struct sigaction ignored = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGUSR2, &ignored, &before);
    CHECK_EQUAL(sq_trace_start(new_path(",last=1s,signal=USR2")), EBUSY);
    CHECK_EQUAL(sq_trace_stop(), EINVAL);
    sigaction(SIGUSR2, &before, NULL);
    unlink(path);
}

static void end_thread(void *context) {
    (void)context;
    pthread_exit(NULL);
}

int child_main(int count, char **words) {
    (void)count;
    if (strcmp(words[0], "fatal") == 0) {
        sq_queue_t *queue = make_queue_of("com.example.fatal", 0);
        WHATEVER(sq_run_and_wait(queue, SQ_FOREVER, end_thread, NULL));
        return 0; /* not reached */
    }
    use_queues("com.example.environment"); /* and the end of the process writes the file */
    return 0;
}

/* To see it fail: no sq__fatal_first in begin. */
TEST(a_flight_recorder_writes_before_the_process_ends_with_a_message) {
    int kept = silence_begin();
    new_path("");
    setenv("SQ_TRACE", new_path(",last=60s"), 1);
    CHECK_EQUAL(run_child((const char *const[]){ "fatal", NULL }), -1);
    unsetenv("SQ_TRACE");
    silence_end(kept);
    CHECK(has(path, "com.example.fatal"));
    unlink(path);
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
