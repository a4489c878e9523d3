/* early_report_test.c: a deadlock that is refused before main, when the library has not yet read SQ_DUMP, and another one of the same thread after that. */
#include "harness.h"

#include "serial_queue.h"

#include <errno.h>
#include <stdlib.h>

static sq_queue_t *queue;
static int error;

static void never(void *context) { (void)context; }
static void wait_for_itself(void *context) {
    (void)context;
    error = sq_sync(queue, never, NULL);
}

/* Of a program that links the archive it runs before those of the library. */
static __attribute__((constructor)) void begin(void) {
    if (getenv("EARLY") != NULL && (queue = sq_queue_create("early", NULL)) != NULL) {
        (void)sq_sync(queue, wait_for_itself, NULL);
    }
}

int child_main(int count, char **words) {
    (void)count;
    (void)words;
    CHECK_EQUAL(error, EDEADLK);
    error = 0;
    CHECK_EQUAL(sq_sync(queue, wait_for_itself, NULL), 0);
    CHECK_EQUAL(error, EDEADLK);
    sq_queue_release(queue);
    return 0;
}

TEST(a_deadlock_before_main_leaves_room_for_the_next_report) {
    setenv("EARLY", "1", 1);
    setenv("SQ_DUMP", "USR1,reports", 1);
    CHECK_EQUAL(run_child((const char *const[]){ "refused", NULL }), 0);
    unsetenv("SQ_DUMP");
    unsetenv("EARLY");
}
