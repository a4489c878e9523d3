/* trace_host_test.c: a trace and the program that it is in: descriptors that the program closes, its folder, other processes, cancellation. */
#include "child.h"
#include "trace.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

#define OWN "the program's own"

/* The program closes all descriptors that it does not know, and opens a file of its own for each. */
enum { FIRST = 3, MOST = 64 };

static char own_path[64];

static void close_all_and_open_own(int own[]) {
    snprintf(own_path, sizeof own_path, "/tmp/sq-own-test-%d", (int)getpid());
    bool was_open[MOST] = { false };
    for (int file = FIRST; file < MOST; file += 1) {
        was_open[file] = fcntl(file, F_GETFD) >= 0;
    }
    for (int file = FIRST; file < MOST; file += 1) {
        if (was_open[file]) {
            syscall(SYS_close, file); /* by its number: ThreadSanitizer would report that the descriptor is in use, which is the point */
        }
    }
    for (int file = FIRST; file < MOST; file += 1) {
        own[file] = open(own_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    }
    REQUIRE(pwrite(own[FIRST], OWN, sizeof OWN - 1, 0) == sizeof OWN - 1);
}

/* They are open, and nobody has written into them. */
static void check_own(const int own[]) {
    for (int file = FIRST; file < MOST; file += 1) {
        CHECK_EQUAL(close(own[file]), 0);
    }
    CHECK_EQUAL(size_of(own_path), sizeof OWN - 1);
    CHECK(has(own_path, OWN));
    unlink(own_path);
}

/* In a process of its own, whose other descriptors nobody misses. */
static int lose_descriptors(const char *options, bool loses_file) {
    int own[MOST], wrong = 0;
    wrong += !CHECK_EQUAL(sq_trace_start(new_path(options)), 0);
    use_queues("com.example.before");
    if (options[0] == '\0') {
        wait_for_file(path, "com.example.before");
    }
    if (loses_file) {
        unlink(path);
    }
    close_all_and_open_own(own);
    use_queues("com.example.after");
    int error = sq_trace_stop();
    check_own(own);
    wrong += !CHECK_EQUAL(error, loses_file ? ENOENT : 0);
    wrong += !CHECK(loses_file ? size_of(path) < 0 : has(path, "com.example.before") && has(path, "com.example.after"));
    unlink(path);
    return wrong;
}

TEST(a_trace_continues_in_its_file_when_the_program_closes_its_descriptor) {
    CHECK_EQUAL(run_child((const char *const[]){ "lose", "", NULL }), 0);
}

TEST(a_flight_recorder_finds_its_file_when_the_program_closes_its_descriptor) {
    ending_t ending = run_captured("lose", ",last=60s");
    CHECK_EQUAL(ending.status, 0);
}

TEST(a_trace_whose_file_is_gone_ends_with_a_message_and_not_in_a_file_of_the_program) {
    ending_t ending = run_captured("lose file", "");
    CHECK_EQUAL(ending.status, 0);
    CHECK(strstr(ending.text, "ends here: the program has closed its descriptor") != NULL);
    CHECK(strstr(ending.text, "/tmp/sq-trace-test-") != NULL);
}

static int change_folder(void) {
    char folder[] = "/tmp/sq-folder-XXXXXX", whole[128];
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0);
    CHECK_EQUAL(sq_trace_start("t.trace,last=60s"), 0);
    REQUIRE(chdir("/") == 0);
    int kept = silence_begin();
    for (int i = 0; i < 2; i += 1) {
        snprintf(whole, sizeof whole, i == 0 ? "%s/t.trace" : "%s/t.trace.%d", folder, i);
        use_queues("com.example.moved");
        sq_trace_write();
        wait_for_file(whole, "com.example.moved");
        unlink(whole);
    }
    CHECK_EQUAL(sq_trace_stop(), 0);
    silence_end(kept);
    snprintf(whole, sizeof whole, "%s/t.trace.2", folder);
    CHECK(size_of(whole) > 0);
    CHECK(size_of("/t.trace.2") < 0);
    unlink(whole);
    rmdir(folder);
    return 0;
}

TEST(a_relative_path_is_one_in_the_folder_of_the_beginning) {
    CHECK_EQUAL(run_child((const char *const[]){ "folder", "", NULL }), 0);
}

/* The variable of the parent, whose path has no %p. */
TEST(two_processes_with_one_path_have_a_file_each) {
    for (int is_flight = 0; is_flight < 2; is_flight += 1) {
        char later[80];
        int kept = silence_begin();
        const char *options = new_path(is_flight ? ",last=60s" : "");
        setenv("SQ_TRACE", options, 1);
        CHECK_EQUAL(sq_trace_start(options), 0);
        use_queues("com.example.parent");
        if (is_flight) {
            sq_trace_write();
        }
        wait_for_file(path, "com.example.parent");
        ending_t ending = run_captured("traced", "");
        unsetenv("SQ_TRACE");
        use_queues("com.example.later");
        CHECK_EQUAL(sq_trace_stop(), 0);
        silence_end(kept);
        CHECK_EQUAL(ending.status, 0);
        const char *said = strstr(ending.text, ".pid");
        REQUIRE(said != NULL);
        snprintf(later, sizeof later, "%s.pid%d", path, atoi(said + strlen(".pid")));
        CHECK(has(later, "com.example.child"));
        CHECK(!has(path, "com.example.child"));
        unlink(later);
        snprintf(later, sizeof later, is_flight ? "%s.1" : "%s", path);
        CHECK(has(later, "com.example.later"));
        unlink(later);
        unlink(path);
    }
}

TEST(a_path_is_free_again_when_its_trace_has_ended) {
    for (int i = 0; i < 2; i += 1) {
        CHECK_EQUAL(sq_trace_start(new_path("")), 0);
        use_queues("com.example.again");
        CHECK_EQUAL(sq_trace_stop(), 0);
        CHECK(has(path, "com.example.again"));
    }
    unlink(path);
}

static void make_fifo(void) {
    new_path("");
    unlink(path);
    REQUIRE(mkfifo(path, 0600) == 0);
}

TEST(a_pipe_that_nobody_reads_is_ENXIO) {
    make_fifo();
    CHECK_EQUAL(sq_trace_start(path), ENXIO);
    CHECK_EQUAL(sq_trace_stop(), EINVAL);
    unlink(path);
}

static atomic_int stopped = -1;

static void *stop_trace(void *argument) {
    stopped = sq_trace_stop();
    return argument;
}

static int fork_while_stopping(void) {
    enum { FULL = 4096 };
    make_fifo();
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), status, wrong = 0;
    REQUIRE(reader >= 0 && fcntl(reader, F_SETPIPE_SZ, FULL) >= FULL);
    wrong += !CHECK_EQUAL(sq_trace_start(path), 0);
    for (int i = 0; i < 20; i += 1) {
        use_queues("com.example.more"); /* than the pipe takes */
    }
    pthread_t thread = spawn(stop_trace, NULL);
    let_all_sleep(); /* the reader waits for the pipe, and the stop for the reader */
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(60);
        _exit(sq_trace_stop() == EINVAL ? 0 : 1);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    wrong += !CHECK_EQUAL(status, 0);
    wrong += !CHECK_EQUAL(stopped, -1); /* it still waits */
    char bytes[FULL];
    REQUIRE(fcntl(reader, F_SETFL, 0) == 0);
    while (read(reader, bytes, sizeof bytes) > 0) {
    }
    join(thread);
    wrong += !CHECK_EQUAL(stopped, 0);
    close(reader);
    unlink(path);
    return wrong;
}

/* A stop takes as long as its file does. */
TEST(a_fork_does_not_wait_for_the_end_of_a_trace) {
    if (fork_left_out()) {
        return;
    }
    CHECK_EQUAL(run_child((const char *const[]){ "stopping", "", NULL }), 0);
}

/* The process has a descriptor that writes into the file with this path. */
static bool writes_into(const char *file) {
    struct stat wanted, found;
    bool writes = false;
    REQUIRE(stat(file, &wanted) == 0);
    for (int number = FIRST; number < MOST; number += 1) {
        writes |= fstat(number, &found) == 0 && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev
                  && (fcntl(number, F_GETFL) & O_ACCMODE) == O_WRONLY;
    }
    return writes;
}

static int fork_while_writing(void) {
    enum { FULL = 4096 };
    char later[80], bytes[FULL];
    int kept = silence_begin(), wrong = !CHECK_EQUAL(sq_trace_start(new_path(",last=60s")), 0), status;
    snprintf(later, sizeof later, "%s.1", path);
    unlink(later);
    REQUIRE(mkfifo(later, 0600) == 0);
    int reader = open(later, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(reader >= 0 && fcntl(reader, F_SETPIPE_SZ, FULL) >= FULL && fcntl(reader, F_SETFL, 0) == 0);
    for (int i = 0; i < 20; i += 1) {
        use_queues("com.example.more"); /* than the pipe takes */
    }
    sq_trace_write();
    wait_for_file(path, "the end of the trace");
    sq_trace_write();
    REQUIRE(poll(&(struct pollfd){ .fd = reader, .events = POLLIN }, 1, -1) == 1); /* it is being written, until it is read */
    wrong += !CHECK(writes_into(path) && writes_into(later));
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        _exit(writes_into(path) || writes_into(later));
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    wrong += !CHECK_EQUAL(status, 0);
    while (read(reader, bytes, sizeof bytes) > 0) {
    }
    wrong += !CHECK_EQUAL(sq_trace_stop(), 0);
    silence_end(kept);
    close(reader);
    unlink(later);
    snprintf(later, sizeof later, "%s.2", path);
    unlink(later);
    unlink(path);
    return wrong;
}

/* A copy would keep the path locked, and the reader of a pipe waiting, as long as the child lives. */
TEST(the_child_of_a_fork_has_no_descriptor_of_a_file_that_is_being_written) {
    if (!fork_left_out()) {
        CHECK_EQUAL(run_child((const char *const[]){ "writing", "", NULL }), 0);
    }
}

static atomic_int cancelled_calls;

static void *trace_cancelled(void *argument) {
    REQUIRE(pthread_cancel(pthread_self()) == 0); /* it is pending: the first place where it can act ends the thread */
    CHECK_EQUAL(sq_trace_start(path), 0);
    CHECK_EQUAL(sq_trace_stop(), 0);
    cancelled_calls += 2;
    pthread_testcancel();
    cancelled_calls += 1;
    return argument;
}

TEST(a_cancellation_acts_after_the_beginning_and_the_end_of_a_trace) {
    void *result;
    new_path("");
    pthread_t thread = spawn(trace_cancelled, NULL);
    REQUIRE(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK_EQUAL(cancelled_calls, 2);
    CHECK_EQUAL(sq_trace_start(path), 0);
    CHECK_EQUAL(sq_trace_stop(), 0);
    unlink(path);
}

/* As a program in a sandbox or under ulimit -f. */
static int reach_limit(const char *options) {
    struct rlimit limit = { 4096, 4096 };
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    int wrong = !CHECK_EQUAL(sq_trace_start(new_path(options)), 0);
    use_queues("com.example.large");
    wrong += !CHECK_EQUAL(sq_trace_stop(), EFBIG);
    wrong += !CHECK_EQUAL(size_of(path), 4096);
    unlink(path);
    return wrong;
}

TEST(a_limit_of_the_file_size_ends_the_trace_with_a_message_and_not_the_program) {
    for (int is_flight = 0; is_flight < 2; is_flight += 1) {
        ending_t ending = run_captured("limit", is_flight ? ",last=60s" : "");
        CHECK_EQUAL(ending.status, 0);
        CHECK(strstr(ending.text, "cannot be written: File too large") != NULL);
    }
}

/* The main thread of the process has ended by pthread_exit. */
static char place[260]; /* how places in the program begin */

static void *trace_without_main(void *unused) {
    (void)unused;
    while (thread_state(getpid()) != 'Z') {
        sched_yield();
    }
    bool ok = CHECK_EQUAL(sq_trace_start(new_path("")), 0);
    use_queues("com.example.without.main");
    ok = CHECK_EQUAL(sq_trace_stop(), 0) && ok;
    ok = CHECK(has(path, place)) && ok;
    unlink(path);
    exit(ok ? 0 : 1);
}

static int leave_main(void) {
    pthread_t other;
    REQUIRE(readlink("/proc/self/exe", place, sizeof place - 4) > 0);
    strcat(place, "+0x");
    REQUIRE(pthread_create(&other, NULL, trace_without_main, NULL) == 0);
    pthread_exit(NULL);
}

TEST(a_trace_names_places_in_the_code_when_the_main_thread_has_ended) {
    CHECK_EQUAL(run_child((const char *const[]){ "main", "", NULL }), 0);
}

int child_main(int count, char **words) {
    REQUIRE(count == 2);
    if (strcmp(words[0], "traced") == 0) {
        use_queues("com.example.child");
        return 0;
    }
    return strcmp(words[0], "lose") == 0        ? lose_descriptors(words[1], false)
           : strcmp(words[0], "lose file") == 0 ? lose_descriptors(words[1], true)
           : strcmp(words[0], "folder") == 0    ? change_folder()
           : strcmp(words[0], "limit") == 0     ? reach_limit(words[1])
           : strcmp(words[0], "main") == 0      ? leave_main()
           : strcmp(words[0], "writing") == 0   ? fork_while_writing()
                                                : fork_while_stopping();
}
