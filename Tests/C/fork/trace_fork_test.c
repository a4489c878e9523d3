/* trace_fork_test.c: traces around a fork. ThreadSanitizer cannot follow a process with threads through a fork. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* dl_iterate_phdr */
#endif
#include "child.h"
#include "trace.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>

typedef int (*visit_t)(struct dl_phdr_info *object, size_t size, void *context);
int __real_dl_iterate_phdr(visit_t visit, void *context);
int __wrap_dl_iterate_phdr(visit_t visit, void *context);

/* A call of dl_iterate_phdr that stands inside until a fork is over, or waits for it. */
static struct {
    atomic_bool is_armed;
    latch_t entered, forking;
    atomic_bool has_forked;
    int forker;
} visitor = { .entered = LATCH_INIT, .forking = LATCH_INIT };

static int stand_inside(struct dl_phdr_info *object, size_t size, void *context) {
    (void)object, (void)size, (void)context;
    latch_bump(&visitor.entered);
    latch_wait(&visitor.forking, 1);
    for (int asleep = 0; !visitor.has_forked && asleep < 3; sched_yield()) {
        asleep = thread_state(visitor.forker) == 'S' ? asleep + 1 : 0;
    }
    return 1;
}

int __wrap_dl_iterate_phdr(visit_t visit, void *context) {
    if (atomic_exchange(&visitor.is_armed, false)) {
        (void)__real_dl_iterate_phdr(stand_inside, NULL);
    }
    return __real_dl_iterate_phdr(visit, context);
}

static void before_fork(void) { latch_bump(&visitor.forking); }
static void after_fork(void) { visitor.has_forked = true; }

static int stop_here(struct dl_phdr_info *object, size_t size, void *context) {
    (void)object, (void)size, (void)context;
    return 1;
}

/* The child would wait forever for the lock that dl_iterate_phdr takes (glibc 2.36). */
TEST(a_fork_finds_no_thread_of_the_library_in_the_dynamic_linker) {
    if (fork_left_out()) {
        return;
    }
    enum { LIMIT = 30 }; /* seconds */
    int status;
    visitor.forker = (int)gettid();
    CHECK_EQUAL(pthread_atfork(before_fork, after_fork, NULL), 0);
    CHECK_EQUAL(sq_trace_start(new_path("")), 0);
    visitor.is_armed = true;
    use_queues("com.example.forked");
    latch_wait(&visitor.entered, 1);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(LIMIT);
        _exit(__real_dl_iterate_phdr(stop_here, NULL) == 1 ? 0 : 1);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(sq_trace_stop(), 0);
    unlink(path);
}

static int record_with_signal(void *unused) {
    (void)unused;
    struct sigaction present;
    raise(SIGUSR2); /* the parent's handler, which does nothing here */
    int wrong = !CHECK_EQUAL(sq_trace_start(new_path(",last=60s,signal=USR2")), 0);
    use_queues("com.example.child");
    raise(SIGUSR2);
    wait_for_file(path, "com.example.child");
    wrong += !CHECK_EQUAL(sq_trace_stop(), 0);
    wrong += !CHECK(sigaction(SIGUSR2, NULL, &present) == 0 && present.sa_handler == SIG_DFL);
    unlink(path);
    strcat(path, ".1");
    unlink(path);
    return wrong;
}

TEST(the_child_of_a_fork_may_record_with_the_signal_of_its_parent) {
    if (fork_left_out()) {
        return;
    }
    int kept = silence_begin();
    CHECK_EQUAL(sq_trace_start(new_path(",last=60s,signal=USR2")), 0);
    CHECK_EQUAL(in_fork(record_with_signal, NULL), 0);
    new_path("");
    CHECK_EQUAL(sq_trace_stop(), 0);
    silence_end(kept);
    unlink(path);
}

static int record_many_files(void) {
    enum { FILES = 40 };
    char label[32], file[80];
    int wrong = !CHECK_EQUAL(sq_trace_start(new_path(",last=60s,buffer=4K")), 0);
    for (unsigned i = 0; i < FILES; i += 1) {
        snprintf(label, sizeof label, "com.example.%u", i);
        snprintf(file, sizeof file, i == 0 ? "%s" : "%s.%u", path, i);
        use_queues(label);
        sq_trace_write();
        wait_for_file(file, label);
        unlink(file);
    }
    wrong += !CHECK_EQUAL(sq_trace_stop(), 0);
    snprintf(file, sizeof file, "%s.%u", path, FILES);
    unlink(file);
    return wrong;
}

/* The parent's reader must not take what the child asks for. */
TEST(a_parent_and_its_child_may_both_have_a_flight_recorder) {
    if (fork_left_out()) {
        return;
    }
    int ends[2], status, kept = silence_begin();
    char byte = 0;
    CHECK_EQUAL(sq_trace_start(new_path(",last=60s")), 0);
    CHECK_EQUAL(sq_trace_stop(), 0);
    unlink(path);
    REQUIRE(pipe(ends) == 0);
    let_others_sleep();
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        watchdog_watch("the child of a fork");
        REQUIRE(read(ends[0], &byte, 1) == 1);
        _exit(record_many_files());
    }
    CHECK_EQUAL(sq_trace_start(new_path(",last=60s")), 0);
    REQUIRE(write(ends[1], &byte, 1) == 1);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(sq_trace_stop(), 0);
    silence_end(kept);
    unlink(path);
    close(ends[0]);
    close(ends[1]);
}
