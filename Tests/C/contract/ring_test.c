/* ring_test.c: the memory and the order of a backlog, however long it is. */
#include "harness.h"
#include "heap.h"
#include "inject.h"
#include "latch.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* Of the whole process. mallinfo2 and the resident set measure different things, so the test checks both. */
static long resident_bytes(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long total = 0, resident = 0;
    REQUIRE(file != NULL);
    int fields = fscanf(file, "%ld %ld", &total, &resident);
    fclose(file);
    REQUIRE(fields == 2);
    return resident * sysconf(_SC_PAGESIZE);
}

static long allocated_bytes(void) { return (long)heap_bytes(); }

/* So that what a thread keeps from its first wait and its first task is not counted below. */
static void warm_up(sq_queue_t *queue) {
    size_t ran = 0;
    hold_t hold;
    hold_async(&hold, queue);
    for (size_t i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    }
    hold_end(&hold);
    drain(queue);
    sq_queue_t *other = sq_queue_create("other", NULL);
    REQUIRE(other != NULL);
    CHECK_EQUAL(sq_shutdown(other, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0); /* takes a token, whether it has to wait or not */
    sq_queue_release(other);
}

/* In a process of its own: the resident set is that of the process. Blocks that were allocated above the backlog stay, as in a program. */
int child_main(int count, char **words) {
    (void)count, (void)words;
    const size_t tasks = SANITIZED ? 500000 : 5000000;
    sq_queue_t *queue = sq_queue_create("backlog", NULL);
    REQUIRE(queue != NULL);
    size_t ran = 0;
    hold_t hold;
    warm_up(queue);
    hold_async(&hold, queue);
    long counted = live_bytes(), allocated = allocated_bytes(), resident = resident_bytes();
    for (size_t i = 0; i < tasks; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    }
    void *above = malloc(1000);
    REQUIRE(above != NULL);
    long counted_more = live_bytes() - counted, allocated_more = allocated_bytes() - allocated;
    long resident_more = resident_bytes() - resident;
    CHECK_EQUAL(sq_queue_depth(queue), tasks);
    CHECK_AT_MOST(counted_more, 48 * (long)tasks);
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(ran, tasks);
    long counted_after = live_bytes() - counted, allocated_after = allocated_bytes() - allocated;
    long resident_after = resident_bytes() - resident; /* without malloc_trim, which users do not call */
    for (int looks = 0; looks < 1000 && resident_after > 4 << 20 && !SANITIZED; looks += 1) { /* the thread returns the rest when it sleeps */
        usleep(10000);
        resident_after = resident_bytes() - resident;
    }
    note("%zu tasks: %.2f bytes each (counted), %.2f (mallinfo2), %.2f (resident); after the drain %ld, %ld, %ld more",
         tasks, (double)counted_more / (double)tasks, (double)allocated_more / (double)tasks,
         (double)resident_more / (double)tasks, counted_after, allocated_after, resident_after);
    free(above);
    CHECK_AT_MOST(counted_after, 4096);
    if (SANITIZED) {
        note("mallinfo2 and resident set not checked under a sanitizer: they are its own");
    } else {
        CHECK_AT_MOST(allocated_more, 48 * (long)tasks);
        CHECK_AT_MOST(resident_more, 48 * (long)tasks);
        CHECK_AT_MOST(allocated_after, 16 << 10);
        CHECK_AT_MOST(resident_after, 4 << 20);
    }
    sq_queue_release(queue);
    return 0;
}

TEST(a_backlog_costs_at_most_48_bytes_a_task_and_the_memory_comes_back) {
    CHECK_EQUAL(run_child((const char *const[]){ "backlog", NULL }), 0);
}

/* How often memory is asked for while `rounds` times `batch` tasks are submitted and then run. */
static uint64_t allocations_of(sq_queue_t *queue, size_t rounds, size_t batch) {
    size_t ran = 0;
    uint64_t before = allocations();
    for (size_t round = 0; round < rounds; round += 1) {
        for (size_t i = 0; i < batch; i += 1) {
            CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        }
        drain(queue);
    }
    CHECK_EQUAL(ran, rounds * batch);
    return allocations() - before;
}

TEST(steady_work_allocates_nothing) {
    if (SANITIZED) {
        note("not checked under a sanitizer: each segment may come from malloc");
        return;
    }
    sq_queue_t *queue = sq_queue_create("steady", NULL);
    REQUIRE(queue != NULL);
    allocations_of(queue, 100, 50);
    CHECK_EQUAL(allocations_of(queue, scaled(100000), 1), 0);
    CHECK_EQUAL(allocations_of(queue, 20000, 5), 0);
    CHECK_EQUAL(allocations_of(queue, 2000, 50), 0);
    sq_queue_release(queue);
}

typedef struct stream {
    sq_queue_t *queue;
    size_t left;
    latch_t done;
} stream_t;

static void bump(void *latch) { latch_bump(latch); }

static void submit_next(void *context) {
    stream_t *stream = context;
    if (stream->left == 0) {
        latch_bump(&stream->done);
        return;
    }
    stream->left -= 1;
    CHECK_EQUAL(sq_async(stream->queue, submit_next, stream), 0);
}

/* The queue is never free here, so the ring goes round through its segments instead of beginning anew. */
TEST(a_stream_that_never_ends_allocates_nothing) {
    enum { ABREAST = 40 };
    sq_queue_t *queue = sq_queue_create("stream", NULL);
    REQUIRE(queue != NULL);
    stream_t stream = { queue, 0, LATCH_INIT };
    uint64_t allocated = 0;
    for (size_t part = 0; part < 2; part += 1) { /* the first part warms up */
        hold_t hold;
        hold_async(&hold, queue);
        stream.left = scaled(1000000);
        for (size_t i = 0; i < ABREAST; i += 1) {
            CHECK_EQUAL(sq_async(queue, submit_next, &stream), 0);
        }
        allocated = allocations();
        hold_end(&hold);
        latch_wait(&stream.done, ABREAST * (part + 1));
        allocated = allocations() - allocated;
    }
    CHECK_AT_MOST(SANITIZED ? 0 : allocated, 0); /* segments come from the store, in most flavours */
    sq_queue_release(queue);
}

TEST(a_queue_that_never_had_to_queue_holds_no_ring) {
    sq_queue_t *queue = sq_queue_create("no ring", NULL);
    REQUIRE(queue != NULL);
    drain(queue);
    uint64_t before = allocations();
    for (size_t i = 0; i < 100000; i += 1) {
        drain(queue);
    }
    CHECK_EQUAL(allocations(), before);
    long bytes = live_bytes();
    sq_queue_release(queue);
    CHECK_AT_MOST(bytes - live_bytes(), 256 + 16); /* the queue itself */
}

TEST(an_idle_queue_keeps_no_segment) {
    sq_queue_t *queue = sq_queue_create("idle", NULL);
    REQUIRE(queue != NULL);
    long before = live_bytes();
    for (size_t backlog = 1; backlog < 5000; backlog = backlog * 3 + 1) {
        size_t ran = 0;
        hold_t hold;
        hold_sync(&hold, queue);
        for (size_t i = 0; i < backlog; i += 1) {
            CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        }
        hold_end(&hold);
        drain(queue);
        CHECK_EQUAL(ran, backlog);
        while (live_bytes() - before > 2 << 10) { /* the worker stays; the watchdog ends an endless wait */
            sched_yield();
        }
    }
    sq_queue_release(queue);
}

/* A task that allocates nothing: its thread then has no cache of freed blocks either, which would take more than the rest. */
TEST(a_queue_whose_thread_has_run_a_task_keeps_at_most_640_bytes_beside_its_token) {
    enum { QUEUES = 40 };
    sq_queue_t *queues[QUEUES + 1];
    latch_t ran = LATCH_INIT;
    long before = 0;
    for (size_t i = 0; i <= QUEUES; i += 1) { /* the first one pays for what all share */
        queues[i] = sq_queue_create("com.example.store", NULL);
        REQUIRE(queues[i] != NULL);
        CHECK_EQUAL(sq_async(queues[i], bump, &ran), 0);
        latch_wait(&ran, i + 1);
        before = i == 0 ? allocated_bytes() : before;
    }
    long each = (allocated_bytes() - before) / QUEUES;
    if (SANITIZED) {
        note("not checked under a sanitizer: mallinfo2 is its own");
    } else {
        note("%ld bytes each, with what the C library takes for a thread", each);
        CHECK_AT_MOST(each, 640);
    }
    for (size_t i = 0; i <= QUEUES; i += 1) {
        sq_queue_release(queues[i]);
    }
}

/* Every size of backlog around the segment's: the head meets the end of a segment, the tail its beginning, at once. */
TEST(a_backlog_of_any_size_keeps_its_order) {
    sq_queue_t *queue = sq_queue_create("sizes", NULL);
    REQUIRE(queue != NULL);
    for (size_t backlog = 0; backlog < 600; backlog += 1) {
        size_t ran = 0;
        hold_t hold;
        if (backlog % 2) {
            hold_async(&hold, queue);
        } else {
            hold_sync(&hold, queue);
        }
        for (size_t i = 0; i < backlog; i += 1) {
            CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        }
        CHECK_EQUAL(sq_queue_depth(queue), backlog);
        hold_end(&hold);
        drain(queue);
        CHECK_EQUAL(ran, backlog);
    }
    sq_queue_release(queue);
}

/* A tree of tasks: each submits three more, breadth first, while the ring grows under the running task. */
typedef struct tree {
    sq_queue_t *queue;
    size_t planted, visited, disorders;
    size_t last_level;
} tree_t;

typedef struct node {
    tree_t *tree;
    size_t number;
} node_t;

static void visit(void *context) {
    node_t *node = context;
    tree_t *tree = node->tree;
    tree->disorders += node->number != tree->visited;
    tree->visited += 1;
    for (size_t i = 0; i < 3 && node->number < tree->last_level; i += 1) {
        node_t *child = malloc(sizeof *child);
        REQUIRE(child != NULL);
        *child = (node_t){ tree, tree->planted };
        tree->planted += 1;
        CHECK_EQUAL(sq_async(tree->queue, visit, child), 0);
    }
    free(node);
}

TEST(tasks_that_submit_tasks_keep_the_order_while_the_ring_grows) {
    sq_queue_t *queue = sq_queue_create("tree", NULL);
    REQUIRE(queue != NULL);
    tree_t tree = { queue, 1, 0, 0, scaled(200000) };
    node_t *root = malloc(sizeof *root);
    REQUIRE(root != NULL);
    *root = (node_t){ &tree, 0 };
    CHECK_EQUAL(sq_async(queue, visit, root), 0);
    bool done = false;
    while (!done) {
        drain(queue);
        sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
        sq_queue_stats(queue, &stats);
        done = stats.depth == 0;
    }
    drain(queue);
    CHECK_EQUAL(tree.visited, 1 + 3 * tree.last_level);
    CHECK_EQUAL(tree.visited, tree.planted);
    CHECK_EQUAL(tree.disorders, 0);
    sq_queue_release(queue);
}
