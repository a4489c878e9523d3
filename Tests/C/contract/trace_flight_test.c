/* trace_flight_test.c: when a flight recorder writes, and what; and what it does if it cannot. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* memfd_create */
#endif
#include "fork.h"
#include "trace.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

static const char *nth_file(unsigned number) {
    static char name[80];
    snprintf(name, sizeof name, number == 0 ? "%s" : "%s.%u", path, number);
    return name;
}

static void remove_files(void) {
    for (unsigned i = 0; unlink(nth_file(i)) == 0; i += 1) {
    }
}

TEST(a_flight_recorder_writes_when_it_is_asked_to_and_at_its_end) {
    char later[80];
    int kept = silence_begin();
    CHECK_EQUAL(sq_trace_start(new_path(",last=60s,signal=SIGUSR2")), 0);
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
    remove_files();
}

/* Two threads deadlock: one of them gets EDEADLK. */
static void deadlock(sq_queue_t *first, sq_queue_t *second) {
    latch_t holding = LATCH_INIT;
    cross_t crosses[2] = { { first, second, &holding, -1 }, { second, first, &holding, -1 } };
    pthread_t threads[2];
    for (int i = 0; i < 2; i += 1) {
        threads[i] = spawn(hold_and_cross, &crosses[i]);
    }
    for (int i = 0; i < 2; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL((crosses[0].error == EDEADLK) + (crosses[1].error == EDEADLK), 1);
}

TEST(a_flight_recorder_writes_at_a_deadlock) {
    int kept = silence_begin();
    sq_queue_t *first = make_queue_of("com.example.left", 0), *second = make_queue_of("com.example.right", 0);
    CHECK_EQUAL(sq_trace_start(new_path(",last=60s")), 0);
    deadlock(first, second);
    wait_for_file(path, "deadlock");
    CHECK(has(path, "wait for com.example.left") || has(path, "wait for com.example.right"));
    CHECK_EQUAL(sq_trace_stop(), 0);
    silence_end(kept);
    sq_queue_release(first);
    sq_queue_release(second);
    remove_files();
}

static void *ask_for_files(void *is_over) {
    while (!*(atomic_bool *)is_over) {
        sq_trace_write();
    }
    return NULL;
}

/* For ThreadSanitizer. */
TEST(a_file_may_be_asked_for_while_traces_begin_and_end) {
    enum { TRACES = 200, THREADS = 3 };
    int kept = silence_begin();
    pthread_t threads[THREADS];
    atomic_bool is_over = false;
    for (int i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(ask_for_files, &is_over);
    }
    for (int i = 0; i < TRACES; i += 1) {
        CHECK_EQUAL(sq_trace_start(new_path(i % 2 == 0 ? ",last=60s,buffer=4K" : ",buffer=4K")), 0);
        CHECK_EQUAL(sq_trace_stop(), 0);
    }
    is_over = true;
    for (int i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    silence_end(kept);
    remove_files();
}

static void end_thread(void *context) {
    (void)context;
    pthread_exit(NULL);
}

int child_main(int count, char **words) {
    (void)count;
    if (strcmp(words[0], "traced") == 0) {
        use_queues("com.example.child");
        return 0;
    }
    sq_queue_t *queue = make_queue_of("com.example.fatal", 0);
    WHATEVER(sq_run_and_wait(queue, SQ_FOREVER, end_thread, NULL));
    return 0; /* not reached */
}

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

/* Stderr goes into a file in memory, which it returns, until messages_end. */
static int messages_begin(int *kept) {
    int messages = memfd_create("messages", MFD_CLOEXEC);
    REQUIRE(messages >= 0);
    *kept = dup(STDERR_FILENO);
    dup2(messages, STDERR_FILENO);
    return messages;
}

static void messages_end(int messages, int kept, char *text, size_t size) {
    silence_end(kept);
    ssize_t length = pread(messages, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    close(messages);
}

/* Waits until the messages have this text. */
static void wait_for_message(int messages, const char *wanted) {
    char text[8000] = "";
    while (strstr(text, wanted) == NULL) {
        ssize_t length = pread(messages, text, sizeof text - 1, 0);
        text[length > 0 ? length : 0] = '\0';
        sched_yield();
    }
}

TEST(a_flight_recorder_writes_ten_files_for_deadlocks_then_says_so_and_still_writes_what_is_asked_for) {
    enum { AUTOMATIC = 10, ASKED_FOR = 3 };
    char text[8000];
    int kept, messages = messages_begin(&kept);
    sq_queue_t *first = make_queue_of("com.example.left", 0), *second = make_queue_of("com.example.right", 0);
    CHECK_EQUAL(sq_trace_start(new_path(",last=60s")), 0);
    for (unsigned i = 0; i < AUTOMATIC; i += 1) {
        deadlock(first, second);
        wait_for_file(nth_file(i), "deadlock");
    }
    deadlock(first, second);
    wait_for_message(messages, "no file is written for this deadlock or stall and for later ones, because earlier ones have written 10");
    CHECK_EQUAL(size_of(nth_file(AUTOMATIC)), -1);
    for (unsigned i = AUTOMATIC; i < AUTOMATIC + ASKED_FOR; i += 1) {
        sq_trace_write();
        wait_for_file(nth_file(i), "deadlock");
    }
    deadlock(first, second);
    CHECK_EQUAL(sq_trace_stop(), 0);
    messages_end(messages, kept, text, sizeof text);
    char *said = strstr(text, "no file is written");
    CHECK(said != NULL && strstr(said + 1, "no file is written") == NULL); /* once */
    CHECK(has(nth_file(AUTOMATIC + ASKED_FOR), "deadlock")); /* the one of the end */
    CHECK_EQUAL(size_of(nth_file(AUTOMATIC + ASKED_FOR + 1)), -1);
    sq_queue_release(first);
    sq_queue_release(second);
    remove_files();
}

TEST(a_flight_recorder_on_a_full_disk_says_so_and_the_program_continues) {
    char text[1000];
    int kept, messages = messages_begin(&kept);
    CHECK_EQUAL(sq_trace_start("/dev/full,last=60s"), 0);
    use_queues("com.example.full");
    CHECK_EQUAL(sq_trace_stop(), ENOSPC);
    messages_end(messages, kept, text, sizeof text);
    CHECK(strstr(text, "the trace /dev/full cannot be written: No space left on device") != NULL);
    CHECK(strstr(text, "The program continues without it") != NULL);
    CHECK(strstr(text, "are in /dev/full") == NULL);
    use_queues("com.example.after");
}

TEST(a_signal_that_SQ_DUMP_uses_is_named_and_the_recording_continues_without_it) {
    char options[128];
    snprintf(options, sizeof options, "%s", new_path(",last=60s,signal=USR2"));
    setenv("SQ_DUMP", "USR2", 1);
    setenv("SQ_TRACE", options, 1);
    ending_t ending = run_captured("traced", NULL);
    unsetenv("SQ_DUMP");
    CHECK(strstr(ending.text, "SQ_DUMP uses this signal already. Name another one. The recording continues without it.") != NULL);
    CHECK_EQUAL(ending.status, 0);
    CHECK(has(path, "com.example.child"));
    unlink(path);
    signal(SIGUSR2, SIG_IGN); /* inherited */
    ending = run_captured("traced", NULL);
    signal(SIGUSR2, SIG_DFL);
    unsetenv("SQ_TRACE");
    CHECK(strstr(ending.text, "the program handles this signal itself. Name another one. The recording continues without it.") != NULL);
    CHECK(has(path, "com.example.child"));
    unlink(path);
}

TEST(an_option_without_a_value_says_which_values_it_takes) {
    static const char *const empty[][2] = { { "F,last=", "last= takes a time such as 10s or 500ms" },
                                            { "F,buffer=", "buffer= takes a size" }, { "F,last=1s,signal=", "signal= takes USR1" } };
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i += 1) {
        char text[1000];
        int kept, messages = messages_begin(&kept);
        int error = sq_trace_start(empty[i][0]);
        messages_end(messages, kept, text, sizeof text);
        CHECK_EQUAL(error, EINVAL);
        CHECK(strstr(text, empty[i][1]) != NULL);
    }
}

TEST(a_flight_recorder_whose_next_file_cannot_be_created_says_so_and_the_program_continues) {
    char text[1000], later[80];
    int kept, messages = messages_begin(&kept);
    CHECK_EQUAL(sq_trace_start(new_path(",last=60s")), 0);
    snprintf(later, sizeof later, "%s.1", path);
    CHECK_EQUAL(mkdir(later, 0700), 0); /* in the way of the second file */
    use_queues("com.example.first");
    sq_trace_write();
    wait_for_file(path, "com.example.first");
    use_queues("com.example.second");
    int error = sq_trace_stop();
    messages_end(messages, kept, text, sizeof text);
    CHECK_EQUAL(error, EISDIR);
    CHECK(strstr(text, "cannot be written: Is a directory") != NULL);
    CHECK(has(path, "com.example.first")); /* the first file is complete */
    use_queues("com.example.after");
    rmdir(later);
    unlink(path);
}
