/* apart_test.c: objects that are made one after the other, and that different threads use, share no cache line that a call writes. */
#include "harness.h"

#include "gate/gate_inline.h"
#include "platform/memory.h"
#include "serial_queue.h"
#include "state/state_inline.h"

enum { MADE = 100 };

static uintptr_t line(const volatile void *word) { return (uintptr_t)word / SQ__LINE; }

TEST(queues_side_by_side_share_no_line_that_a_call_writes) {
    sq_pool_t *pool = sq_pool_create_manual("pool");
    REQUIRE(pool != NULL);
    for (size_t width = 1; width <= 4; width += 3) {
        sq_queue_t *queues[MADE];
        for (size_t i = 0; i < MADE; i += 1) {
            sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
            options.width = width;
            options.pool = pool;
            queues[i] = sq_queue_create(i % 2 ? "a" : "a label", &options);
            REQUIRE(queues[i] != NULL);
        }
        size_t shared = 0;
        for (size_t i = 0; i < MADE; i += 1) {
            for (size_t k = 0; k < MADE; k += 1) {
                const void *first = width > 1 ? (const void *)&sq__concurrent_of(queues[k])->gate : (const void *)&queues[k]->position;
                shared += i != k && (line(&queues[i]->state) == line(first) || line(&queues[i]->state) == line(&queues[k]->ran));
            }
        }
        CHECK_EQUAL(shared, 0);
        for (size_t i = 0; i < MADE; i += 1) {
            sq_queue_release(queues[i]);
        }
    }
    sq_pool_release(pool);
}

/* A semaphore's count is its first word. */
TEST(semaphores_side_by_side_share_no_line_that_a_call_writes) {
    sq_semaphore_t *semaphores[MADE];
    for (size_t i = 0; i < MADE; i += 1) {
        REQUIRE((semaphores[i] = sq_semaphore_create("a", 1)) != NULL);
    }
    size_t shared = 0;
    for (size_t i = 0; i < MADE; i += 1) {
        for (size_t k = 0; k < MADE; k += 1) {
            shared += i != k && line(semaphores[i]) == line(semaphores[k]);
        }
    }
    CHECK_EQUAL(shared, 0);
    for (size_t i = 0; i < MADE; i += 1) {
        sq_semaphore_release(semaphores[i]);
    }
}
