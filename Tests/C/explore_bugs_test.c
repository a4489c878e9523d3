/* explore_bugs_test.c: programs with one planted bug each, written as users write them, and what they should have been.
 *
 * Each bug is found in a median of at most 100 random schedules, and shrunk to at most one and a half times the smallest number of
 * unusual decisions, which depth first finds. The right programs pass: SQ_SCHEDULES of them, 2,000 by default. */
#include "explore.h"

#include "sq_current.h"
#include "sq_semaphore.h"
#include "sq_timer.h"

/* What most programs need. */
typedef struct world {
    sq_pool_t *pool;
    sq_queue_t *store, *a, *b;
    sq_semaphore_t *semaphore;
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

/* Shutdown against submit: a line of the log is lost, for nobody looks at the error. */

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

/* A leaked waiter: the news comes between the look and the note that somebody waits. */

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

/* All of them */

static const struct bug {
    const char *name;
    program_t program;
} bugs[] = {
    { "lost_update", lose_update }, { "check_then_act", book_twice }, { "cache_filled_twice", fill_cache },
    { "cancel_against_start", cancel_and_start }, { "shutdown_against_submit", shut_down_and_submit },
    { "assumed_order", assume_order }, { "timeout_against_answer", time_out_and_answer }, { "leaked_waiter", leak_waiter },
    { "unsubscribe_during_notify", unsubscribe_and_notify },
};
enum { BUGS = sizeof bugs / sizeof bugs[0], SEEDS = 31 };

static int compare(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* The median of the schedules that it takes to find the bug; *matter: the most unusual decisions that were left. */
static uint64_t median_of(const struct bug *bug, sq_explore_strategy_t strategy, size_t *matter) {
    uint64_t taken[SEEDS];
    *matter = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed += 1) {
        sq_explore_options_t options = options_of(strategy, 10000);
        options.seed = 1 + 1000003 * seed;
        sq_explored_t explored = explore(bug->name, bug->program, NULL, options);
        CHECK(explored.has_failed && explored.is_repeatable);
        taken[seed] = explored.schedules;
        *matter = explored.choices_that_matter > *matter ? explored.choices_that_matter : *matter;
        sq_explored_clear(&explored);
    }
    qsort(taken, SEEDS, sizeof taken[0], compare);
    return taken[SEEDS / 2];
}

/* A failure that needs several decisions */

static int order[12], orders;
static void note_number(void *number) { order[orders++] = (int)(intptr_t)number; }

/* Fails if the tasks begin with c, b, c, a, each of which is unusual. */
static void need_four_decisions(sq_pool_t *pool, void *context) {
    sq_queue_t *queues[3];
    (void)context;
    begin(pool);
    queues[0] = world.a, queues[1] = world.b, queues[2] = world.store;
    orders = 0;
    for (int i = 0; i < 12; i += 1) {
        submit(queues[i % 3], note_number, i % 3);
    }
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(!(order[0] == 2 && order[1] == 1 && order[2] == 2 && order[3] == 0));
    end();
}

/* To see it fail: in see_repeat begin DRAW in place of SHRINK. */
TEST(a_failure_is_shrunk_to_the_decisions_that_it_needs) {
    for (uint64_t seed = 1; seed <= 5; seed += 1) {
        sq_explore_options_t options = options_of(SQ_EXPLORE_RANDOM, 100000);
        options.seed = seed;
        sq_explored_t explored = explore("four", need_four_decisions, NULL, options);
        check_failed(&explored, "order[0] == 2");
        CHECK_EQUAL(explored.choices_that_matter, 4);
        sq_explored_clear(&explored);
    }
}

/* To see it fail: in choose.c always answer 0. */
TEST(each_planted_bug_is_found_in_a_median_of_100_schedules_and_shrunk_to_what_matters) {
    is_right = false;
    for (size_t i = 0; i < BUGS; i += 1) {
        size_t matter, matter_by_priority;
        sq_explored_t smallest = explore(bugs[i].name, bugs[i].program, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 1000000));
        CHECK(smallest.has_failed && smallest.choices_that_matter > 0); /* the usual schedule does not show it */
        uint64_t random = median_of(&bugs[i], SQ_EXPLORE_RANDOM, &matter);
        uint64_t priority = median_of(&bugs[i], SQ_EXPLORE_PCT, &matter_by_priority);
        note("%-26s random %2llu, PCT %2llu, depth first %2llu schedules; %zu decisions matter, at least %zu", bugs[i].name,
             (unsigned long long)random, (unsigned long long)priority, (unsigned long long)smallest.schedules, matter,
             smallest.choices_that_matter);
        CHECK_AT_MOST(random, 100);
        CHECK_AT_MOST(priority, 100);
        CHECK_AT_MOST(2 * matter, 3 * smallest.choices_that_matter);
        CHECK_AT_MOST(2 * matter_by_priority, 3 * smallest.choices_that_matter);
        sq_explored_clear(&smallest);
    }
}

TEST(without_its_bug_each_program_passes) {
    const char *text = getenv("SQ_SCHEDULES");
    uint64_t schedules = text != NULL ? strtoull(text, NULL, 10) : 2000;
    is_right = true;
    for (size_t i = 0; i < BUGS; i += 1) {
        check_passed(explore(bugs[i].name, bugs[i].program, NULL, options_of(SQ_EXPLORE_RANDOM, schedules)), false);
        check_passed(explore(bugs[i].name, bugs[i].program, NULL, options_of(SQ_EXPLORE_PCT, schedules)), false);
        check_passed(explore(bugs[i].name, bugs[i].program, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 1000000)), true);
    }
}
