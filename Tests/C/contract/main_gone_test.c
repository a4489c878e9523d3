/* main_gone_test.c: the program's first thread has ended by pthread_exit. The process's number, and its folder "self" in /proc, then stand for
 * a thread that has neither memory nor files. */
#include "caller.h"
#include "child.h"
#include "dump.h"

#include "sq_trace.h"

#define TRACE "/tmp/sq-main-gone-test"

void stand_here(void *context);
void stand_here(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, 1);
}

static int look_at_dump(void) {
    static hold_t hold = HOLD_INIT;
    sq_queue_t *queue = make_queue_of("journal", 0);
    caller_t waiter;
    CHECK_EQUAL(sq_async(queue, stand_here, &hold), 0);
    latch_wait(&hold.entered, 1);
    caller_start(&waiter, BY_SYNC, queue, SQ_FOREVER, do_nothing, NULL);
    wait_until_asleep(&waiter.thread_id);
    const char *text = dump_now();
    return CHECK(has_line(text, "has waited", "its turn in queue \"journal\"", "runs it"))
            && CHECK(has_line(text, "runs stand_here", "in queue \"journal\"", NULL)) ? 0 : 1;
}

/* The trace names the file of the code that submitted the task. */
static int look_at_trace(void) {
    static char text[1 << 16], program[4096];
    CHECK_EQUAL(sq_trace_start(TRACE), 0);
    sq_queue_t *queue = make_queue_of("traced", 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    drain(queue);
    CHECK_EQUAL(sq_trace_stop(), 0);
    ssize_t named = readlink("/proc/thread-self/exe", program, sizeof program - 1);
    int file = open(TRACE, O_RDONLY | O_CLOEXEC);
    ssize_t length = read(file, text, sizeof text);
    unlink(TRACE);
    return CHECK(named > 0 && length > 0 && memmem(text, (size_t)length, program, (size_t)named) != NULL) ? 0 : 1;
}

static void *go_on(void *look) {
    while (thread_state(getpid()) != 'Z') {
        sched_yield();
    }
    _exit(strcmp(look, "dump") == 0 ? look_at_dump() : look_at_trace());
}

int child_main(int count, char **words) {
    (void)count;
    pthread_t other;
    REQUIRE(pthread_create(&other, NULL, go_on, strdup(words[0])) == 0);
    pthread_exit(NULL);
}

TEST(a_dump_is_complete_after_main_has_ended) {
    CHECK_EQUAL(run_child((const char *const[]){ "dump", NULL }), 0);
}

TEST(a_trace_names_the_program_after_main_has_ended) {
    CHECK_EQUAL(run_child((const char *const[]){ "trace", NULL }), 0);
}
