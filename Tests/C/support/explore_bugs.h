/* explore_bugs.h: programs with one planted bug each, written as users write them, and what they should have been. */
#ifndef EXPLORE_BUGS_H
#define EXPLORE_BUGS_H

#include "explore.h"

#include "sq_current.h"
#include "sq_item.h"
#include "sq_semaphore.h"

/* What most programs need. */
typedef struct world {
    sq_pool_t *pool;
    sq_queue_t *store, *a, *b;
    sq_semaphore_t *semaphore;
    sq_item_t *item;
    int value, copy[2], count, calls;
    bool flag, is_over;
} world_t;

static bool is_right;  /* the program that runs is without its bug */
static world_t world;  /* of this run */

static void begin(sq_pool_t *pool) {
    world = (world_t){ .pool = pool, .store = queue_on(pool, "store", 0), .a = queue_on(pool, "a", 0), .b = queue_on(pool, "b", 0),
                       .semaphore = sq_semaphore_create("news", 0) };
    REQUIRE(world.semaphore != NULL);
}

static void end(void) {
    sq_queue_release(world.store);
    sq_queue_release(world.a);
    sq_queue_release(world.b);
    sq_semaphore_release(world.semaphore);
}

static void submit(sq_queue_t *queue, sq_function_t function, intptr_t number) {
    WHATEVER(sq_async(queue, function, (void *)number));
}

static void run(sq_queue_t *queue, sq_function_t function, intptr_t number) { WHATEVER(sq_sync(queue, function, (void *)number)); }

/* Lost update: a value is read in one hop and written in another. */

static sq_queue_t *queue_of(intptr_t number) { return number == 0 ? world.a : world.b; }

static void write_value(void *number) { world.value = world.copy[(intptr_t)number] + 1; }
static void compute(void *number) { submit(world.store, write_value, (intptr_t)number); }

static void read_value(void *number) {
    world.copy[(intptr_t)number] = world.value;
    if (is_right) {
        write_value(number);
    } else {
        submit(queue_of((intptr_t)number), compute, (intptr_t)number);
    }
}

static void ask_store(void *number) { submit(world.store, read_value, (intptr_t)number); }
static void ask_late(void *number) { submit(world.b, ask_store, (intptr_t)number); }
static void ask_later(void *number) { submit(world.a, ask_late, (intptr_t)number); }

static void lose_update(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    submit(world.store, read_value, 0);
    submit(world.b, ask_later, 1);
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(world.value == 2);
    end();
}

/* Check then act: the last seat is free when it is looked at. */

static void look(void *number) { world.copy[(intptr_t)number] = world.count < 1; }
static void take(void *number) {
    (void)number;
    world.count += 1;
}

static void look_and_take(void *number) {
    (void)number;
    world.count += world.count < 1;
}

static void book(void *context) {
    intptr_t number = (intptr_t)context;
    if (is_right) {
        run(world.store, look_and_take, number);
        return;
    }
    run(world.store, look, number);
    if (world.copy[number]) {
        run(world.store, take, number);
    }
}

static void book_twice(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    submit(world.a, book, 0);
    submit(world.b, book, 1);
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(world.count == 1);
    end();
}

/* Double completion: the result is not there yet when it is looked for, and so it is set twice. */

static void look_for_result(void *number) { world.copy[(intptr_t)number] = world.count; }

static void set_result(void *number) {
    (void)number;
    if (!is_right || world.count == 0) {
        world.count += 1;
    }
}

static void complete_if_needed(void *number) {
    run(world.store, look_for_result, (intptr_t)number);
    if (world.copy[(intptr_t)number] == 0) {
        submit(world.store, set_result, (intptr_t)number);
    }
}

static void complete_twice(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    submit(world.a, complete_if_needed, 0);
    submit(world.b, complete_if_needed, 1);
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(world.count == 1);
    end();
}

/* A cache is filled twice: both requests find nothing, and load. */

static void keep_loaded(void *number) {
    (void)number;
    world.value = 7;
}

static void load(void *number) {
    world.calls += 1;
    submit(world.store, keep_loaded, (intptr_t)number);
}

static void look_up(void *number) {
    if (world.value == 0 && !(is_right && world.flag)) {
        world.flag = true; /* it is being loaded */
        submit(world.a, load, (intptr_t)number);
    }
}

static void request(void *number) { submit(world.store, look_up, (intptr_t)number); }

static void request_late(void *number) { submit(world.a, request, (intptr_t)number); }

static void fill_cache(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    request((void *)0);
    submit(world.b, request_late, 1);
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(world.calls == 1);
    end();
}

/* Cancel against start: the work is not delivered if it was cancelled before it began, but if it was cancelled meanwhile. */

static void deliver(void *number) {
    (void)number;
    if (!is_right || !world.flag) {
        SQ_EXPLORE_CHECK(!world.flag); /* nothing comes after a cancel */
        world.calls += 1;
    }
}

static void do_work(void *number) {
    if (!world.flag) {
        submit(world.store, deliver, (intptr_t)number);
    }
}

static void cancel_work(void *number) {
    (void)number;
    world.flag = true;
}

static void close_window(void *number) { submit(world.store, cancel_work, (intptr_t)number); }

static void cancel_and_start(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    submit(world.a, do_work, 0);
    submit(world.b, close_window, 0);
    sq_pool_run(pool);
    end();
}

/* Shutdown against submit: a line of the log is lost, because the program ignores the error. */

static void write_line(void *number) {
    (void)number;
    world.count += 1;
}

static void log_line(void *number) {
    if (sq_async(world.store, write_line, number) != 0 && is_right) {
        write_line(number);
    }
}

static void stop_log(void *number) {
    (void)number;
    WHATEVER(sq_shutdown(world.store, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
}

static void shut_down_and_submit(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    submit(world.a, log_line, 0);
    submit(world.b, stop_log, 0);
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(world.count == 1);
    end();
}

/* Assumed order: b uses what a makes, because it was submitted first. */

static void use(void *number) {
    (void)number;
    SQ_EXPLORE_CHECK(world.value == 7);
}

static void make(void *number) {
    world.value = 7;
    if (is_right) {
        submit(world.b, use, (intptr_t)number);
    }
}

static void assume_order(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    submit(world.a, make, 0);
    if (!is_right) {
        submit(world.b, use, 0);
    }
    sq_pool_run(pool);
    end();
}

/* Unsubscribe during notify: the subscriber is called after it has unsubscribed. */

static void be_notified(void *number) {
    (void)number;
    if (!is_right || !world.is_over) {
        SQ_EXPLORE_CHECK(!world.is_over);
        world.calls += 1;
    }
}

static void notify(void *number) {
    if (!world.flag) {
        submit(world.b, be_notified, (intptr_t)number);
    }
}

static void drop_subscriber(void *number) {
    (void)number;
    world.flag = true;
}

static void unsubscribe(void *number) {
    run(world.store, drop_subscriber, (intptr_t)number);
    world.is_over = true; /* it is freed now */
}

static void close_view(void *number) { submit(world.a, unsubscribe, (intptr_t)number); }

static void unsubscribe_and_notify(sq_pool_t *pool, void *context) {
    (void)context;
    begin(pool);
    submit(world.store, notify, 0);
    submit(world.b, close_view, 0);
    sq_pool_run(pool);
    end();
}

#endif
