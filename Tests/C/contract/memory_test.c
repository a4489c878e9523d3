/* memory_test.c: what a queue keeps when it is idle again. In a fresh process, where no token is left from another thread. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

static void has_run(void *ran) { latch_bump(ran); }

/* As malloc accounts for it, its headers included; without what the C library itself allocates for a thread. */
int child_main(int count, char **words) {
    (void)count;
    (void)words;
    enum { QUEUES = 10 };
    sq_queue_t *queues[QUEUES];
    long before = live_bytes();
    for (int i = 0; i < QUEUES; i += 1) {
        latch_t ran = LATCH_INIT;
        queues[i] = sq_queue_create("com.example.used", NULL);
        CHECK_EQUAL(sq_async(queues[i], has_run, &ran), 0);
        latch_wait(&ran, 1);
    }
    long bytes = (live_bytes() - before) / QUEUES;
    note("%ld bytes", bytes);
    const long larger_mutex = sizeof(pthread_mutex_t) > 40 ? 16 : 0; /* arm64: 48 bytes, with malloc's rounding */
    CHECK_AT_MOST(bytes, 512 + larger_mutex);
    for (int i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
    }
    return 0;
}

TEST(a_queue_with_its_own_thread_that_was_used_keeps_at_most_512_bytes) {
    const char *const words[] = { "used", NULL };
    CHECK(SANITIZED || run_child(words) == 0);
}
