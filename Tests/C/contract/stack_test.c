/* stack_test.c: a stack_size is what a task has, in a program with more thread-local variables than that: glibc takes them from the stack. */
#include "caller.h"
#include "pools.h"

#include <errno.h>
#include <stdlib.h>

enum { STACK = SANITIZED ? 1 << 20 : 64 << 10, USED = STACK - (16 << 10), THREAD_LOCALS = 2 << 20 };

static __thread volatile char many[THREAD_LOCALS];

static void use_stack(void *ran) {
    volatile char bytes[SANITIZED ? 1024 : USED];
    for (size_t i = 0; i < sizeof bytes; i += 1024) {
        bytes[i] = 1;
    }
    many[THREAD_LOCALS - 1] = 1;
    *(size_t *)ran += 1;
}

static void check_queue(sq_queue_options_t options) {
    sq_queue_t *queue = sq_queue_create("stack", &options);
    REQUIRE(queue != NULL);
    size_t ran = 0;
    CHECK_EQUAL(sq_async(queue, use_stack, &ran), 0);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, use_stack, &ran), 0);
    CHECK_EQUAL(sq_async_after(queue, 0, use_stack, &ran), 0);
    drain(queue);
    sq_queue_release(queue);
    CHECK(ran >= 2);
}

TEST(a_small_stack_holds_what_was_asked_for_beside_many_thread_locals) {
    sq_queue_options_t of_queue = SQ_QUEUE_OPTIONS_INIT;
    of_queue.stack_size = STACK;
    check_queue(of_queue);
    sq_pool_options_t of_pool = SQ_POOL_OPTIONS_INIT;
    of_pool.stack_size = STACK;
    of_pool.threads = 2;
    sq_pool_t *pool = sq_pool_create("stacks", &of_pool);
    REQUIRE(pool != NULL);
    of_queue = (sq_queue_options_t)SQ_QUEUE_OPTIONS_INIT;
    of_queue.pool = pool;
    check_queue(of_queue);
    sq_pool_release(pool);
}
