/* explore_bugs_of_waits.h: more such programs: with timers, semaphores and items. */
#ifndef EXPLORE_BUGS_OF_WAITS_H
#define EXPLORE_BUGS_OF_WAITS_H

#include "explore_bugs.h"

#include "sq_timer.h"

/* Timeout against answer: the request is completed twice. */

static void complete(void *number) {
    (void)number;
    world.calls += !(is_right && world.is_over);
    world.is_over = true;
}

static void time_out(void *number) {
    if (!world.is_over) {
        submit(world.store, complete, (intptr_t)number);
    }
}

static void answer(void *number) { submit(world.store, complete, (intptr_t)number); }

static void time_out_and_answer(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    CHECK_EQUAL(sq_async_after(world.a, 2000, answer, NULL), 0);
    CHECK_EQUAL(sq_async_after(world.b, 2000, time_out, NULL), 0);
    sq_pool_advance(pool, 500);
    sq_pool_advance(pool, 5000);
    SQ_EXPLORE_CHECK(world.calls == 1);
    end();
}

/* A leaked waiter: the event happens after the waiter has looked for it, and before the waiter is registered. */

static void look_for_news(void *number) {
    (void)number;
    if (is_right) {
        world.flag = world.value == 0;
    }
}

static void note_waiter(void *number) {
    (void)number;
    world.flag = true;
}

static void wait_for_news(void *number) {
    (void)number;
    if (is_right) {
        run(world.store, look_for_news, 0);
        if (world.flag) {
            WHATEVER(sq_semaphore_wait(world.semaphore, SQ_FOREVER));
        }
        return;
    }
    if (world.value == 0) {
        run(world.store, note_waiter, 0);
        WHATEVER(sq_semaphore_wait(world.semaphore, SQ_FOREVER));
    }
}

static void publish(void *number) {
    (void)number;
    world.value = 7;
    if (world.flag) {
        CHECK_EQUAL(sq_semaphore_signal(world.semaphore), 0);
    }
}

static void publish_news(void *number) { run(world.store, publish, (intptr_t)number); }

static void leak_waiter(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    submit(world.a, wait_for_news, 0);
    submit(world.b, publish_news, 0);
    sq_pool_run(pool);
    end();
}

/* Stale read: what is behind a permit is read before the permit is taken. */

static void add_with_permit(void *number) {
    int copy = world.value;
    (void)number;
    WHATEVER(sq_semaphore_wait(world.semaphore, SQ_FOREVER));
    world.value = (is_right ? world.value : copy) + 1;
    CHECK_EQUAL(sq_semaphore_signal(world.semaphore), 0);
}

static void read_before_permit(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    CHECK_EQUAL(sq_semaphore_signal(world.semaphore), 0);
    submit(world.a, add_with_permit, 0);
    submit(world.b, add_with_permit, 1);
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(world.value == 2);
    end();
}

/* Cancel against run: the item runs between the look and the cancel, whose result is ignored. */

static void print_page(void *context) {
    (void)context;
    world.calls += 1;
}

static void stop_printing(void *number) {
    (void)number;
    if (world.calls == 0) {
        int error = sq_item_cancel(world.item);
        world.flag = !is_right || error == 0; /* the user learns that nothing was printed */
    }
}

static void print_and_cancel(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    world.item = sq_item_create("page", &(sq_task_t){ print_page, NULL, NULL });
    REQUIRE(world.item != NULL);
    CHECK_EQUAL(sq_item_submit(world.item, world.a), 0);
    submit(world.b, stop_printing, 0);
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(!world.flag || world.calls == 0);
    sq_item_release(world.item);
    end();
}

/* All of them */

#endif
