/* memory_test.c: what a queue keeps when it is idle again. In a fresh process, where no token is left from another thread. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include <malloc.h>
#include <unistd.h>

static void has_run(void *ran) { latch_bump(ran); }

static sq_queue_t *make_used_queue(void) {
    latch_t ran = LATCH_INIT;
    sq_queue_t *queue = sq_queue_create("com.example.used", NULL);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_async(queue, has_run, &ran), 0);
    latch_wait(&ran, 1);
    return queue;
}

/* As malloc accounts for it, its headers included; without what the C library itself allocates for a thread. */
static void measure_used(void) {
    enum { QUEUES = 10 };
    sq_queue_t *queues[QUEUES];
    long before = live_bytes();
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i] = make_used_queue();
    }
    long bytes = (live_bytes() - before) / QUEUES;
    note("%ld bytes", bytes);
    const long larger_mutex = sizeof(pthread_mutex_t) > 40 ? 128 : 0; /* arm64: 48 bytes, so a token needs four cache lines */
    CHECK_AT_MOST(bytes, 512 + larger_mutex);
    for (int i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
    }
}

static long resident_bytes(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2);
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
static long heap_bytes(void) {
    struct mallinfo2 all = mallinfo2();
    return (long)(all.uordblks + all.hblkhd);
}
#else
static long heap_bytes(void) { return 0; } /* the C library does not say */
#endif

/* All that the process needs for a thousand queues that have run a task, and then been idle until their threads had ended. */
static void measure_idle(void) {
    enum { QUEUES = 1000, MOST_THREADS = 20 };
    static sq_queue_t *queues[QUEUES];
    for (int i = 0; i < 20; i += 1) { /* what all queues share */
        sq_queue_release(make_used_queue());
    }
    let_threads_end(1);
    long resident = resident_bytes(), heap = heap_bytes();
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i] = make_used_queue();
    }
    let_threads_end(MOST_THREADS);
    CHECK_AT_MOST(threads_alive(), MOST_THREADS);
    heap = (heap_bytes() - heap) / QUEUES;
    resident = (resident_bytes() - resident) / QUEUES;
    note("%ld bytes of heap, %ld resident", heap, resident);
    CHECK_AT_MOST(heap, 300);
    CHECK_AT_MOST(resident, 1024);
    for (int i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
    }
}

int child_main(int count, char **words) {
    (void)count;
    (strcmp(words[0], "used") == 0 ? measure_used : measure_idle)();
    return 0;
}

TEST(a_queue_with_its_own_thread_that_was_used_keeps_at_most_512_bytes) {
    const char *const words[] = { "used", NULL };
    CHECK(SANITIZED || run_child(words) == 0);
}

TEST(a_queue_that_was_used_and_then_idles_for_a_second_keeps_at_most_300_bytes_and_1_KiB_of_resident_memory) {
    const char *const words[] = { "idle", NULL };
    CHECK(SANITIZED || run_child(words) == 0);
}
