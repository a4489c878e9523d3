/* watch_look_test.c: what the watching thread makes of what it sees, look by look, at times that the test chooses. The thread's
 * source is a part of this program, and no thread runs: its functions are called by hand. What users see of it: watch_test.c. */
#include "inspect/watch_thread.c"

#include "caller.h"
#include "inject.h"
#include "sq_pool.h"

enum { THRESHOLD = 40000000, REST = THRESHOLD / 4 };

typedef struct view {
    sq_queue_options_t options;
    sq_queue_t *queue; /* on a manual pool: nothing moves by itself */
    sq__watcher_t watcher;
    sq__watched_t watched; /* not the queue's own */
    uint64_t now;
} view_t;

static void view_begin(view_t *view) {
    *view = (view_t){ .options = SQ_QUEUE_OPTIONS_INIT, .watcher = { .threshold = THRESHOLD }, .now = (uint64_t)1000 * THRESHOLD };
    view->options.pool = sq_pool_create_manual("still");
    REQUIRE(view->options.pool != NULL);
    view->queue = sq_queue_create("viewed", &view->options);
    REQUIRE(view->queue != NULL);
    view->watched.queue = view->queue;
    view->watched.watcher = &view->watcher;
}

static void view_end(view_t *view) {
    sq_pool_run(view->options.pool);
    sq_queue_release(view->queue);
    sq_pool_release(view->options.pool);
}

/* The next look: 0, or the kind of stall that is reported. */
static int next_look(view_t *view) {
    stall_t stall = { .waits_for = "" };
    view->now += REST;
    return look(&view->watched, view->now, &stall) ? (int)stall.shown.kind + 1 : 0;
}

enum { RUNNING = SQ_STALL_RUNNING + 1, WAITING = SQ_STALL_WAITING + 1 };

static void submit(view_t *view) { CHECK_EQUAL(sq_async(view->queue, do_nothing, NULL), 0); }

TEST(what_waits_for_a_threshold_is_reported_once) {
    view_t view;
    view_begin(&view);
    submit(&view);
    for (int looks = 0; looks < SQ__LOOKS; looks += 1) {
        CHECK_EQUAL(next_look(&view), 0); /* nothing is known yet of what waited before */
    }
    CHECK_EQUAL(next_look(&view), WAITING);
    submit(&view);
    for (int looks = 0; looks < 3 * SQ__LOOKS; looks += 1) {
        CHECK_EQUAL(next_look(&view), 0);
    }
    view_end(&view);
}

TEST(what_waits_later_is_reported_too_however_long_the_queue_was_watched_before) {
    view_t view;
    view_begin(&view);
    for (int incident = 0; incident < 3; incident += 1) {
        for (int looks = 0; looks < 3 * SQ__LOOKS; looks += 1) {
            CHECK_EQUAL(next_look(&view), 0);
        }
        submit(&view);
        for (int looks = 0; looks < SQ__LOOKS; looks += 1) {
            CHECK_EQUAL(next_look(&view), 0);
        }
        CHECK_EQUAL(next_look(&view), WAITING);
        CHECK_EQUAL(sq_pool_run(view.options.pool), 1);
    }
    view_end(&view);
}

TEST(a_backlog_that_moves_does_not_wait_however_long_it_is) {
    view_t view;
    view_begin(&view);
    for (int i = 0; i < 2; i += 1) {
        submit(&view);
    }
    for (int looks = 0; looks < 5 * SQ__LOOKS; looks += 1) {
        CHECK_EQUAL(next_look(&view), 0);
        sq__count(&view.queue->ran, 1); /* as if one had run, and another one come */
    }
    view_end(&view);
}

static void look_often(void *context) {
    for (int looks = 0; looks < SQ__LOOKS; looks += 1) {
        CHECK_EQUAL(next_look(context), 0);
    }
}

/* The withdrawn wait still has its slot in the ring. */
TEST(a_withdrawn_wait_is_not_reported_as_waiting) {
    view_t view;
    view_begin(&view);
    CHECK_EQUAL(sq_suspend(view.queue), 0);
    for (uint64_t patience = 1000000; view.watched.looks == 0; patience *= 2) { /* a caller that is late when it begins does not wait */
        do_before_next_wait(look_often, &view);
        CHECK_EQUAL(sq_sync_until(view.queue, sq_deadline(patience), must_not_run, NULL), ETIMEDOUT);
    }
    do_before_next_wait(NULL, NULL);
    for (int looks = 0; looks < SQ__LOOKS; looks += 1) {
        CHECK_EQUAL(next_look(&view), 0);
    }
    CHECK_EQUAL(sq_resume(view.queue), 0);
    view_end(&view);
}

TEST(what_waits_behind_a_task_that_runs_too_long_is_the_same_incident) {
    view_t view;
    view_begin(&view);
    submit(&view);
    sq__store_relaxed(&view.watched.note.began, view.now);
    for (int looks = 1; looks < SQ__LOOKS; looks += 1) {
        CHECK_EQUAL(next_look(&view), 0);
    }
    CHECK_EQUAL(next_look(&view), RUNNING);
    for (int looks = 0; looks < 3 * SQ__LOOKS; looks += 1) {
        CHECK_EQUAL(next_look(&view), 0);
    }
    view_end(&view);
}

/* The list, and the thread: `token` says that there is one, which rests. */
static void pretend_a_thread(void) {
    token = sq__token_acquire();
    REQUIRE(token != NULL);
    wait_id = sq__token_prepare(token);
}

static void let_the_thread_go(void) {
    sq__token_recycle(token);
    token = NULL;
    records = NULL;
}

/* W. When the round after this one is. */
static uint64_t next_after_round(const sq__token_t *mine) {
    look_around(mine);
    return next_round;
}

TEST(a_busy_queue_that_was_looked_at_is_due_a_rest_later) {
    view_t view;
    view_begin(&view);
    submit(&view);
    pretend_a_thread();
    CHECK_EQUAL(sq__watch_thread_add(&view.watched, &view.watcher), 0);
    for (int round = 0; round < 3; round += 1) {
        view.watched.last_look = sq__clock_now() - REST;
        sq__watch_lock();
        uint64_t began = sq__clock_now(), next = next_after_round(token);
        sq__watch_unlock();
        CHECK(next >= began + REST && next <= sq__clock_now() + REST);
    }
    let_the_thread_go();
    view_end(&view);
}

TEST(an_idle_queue_is_not_due_before_it_is_woken) {
    view_t view;
    view_begin(&view);
    pretend_a_thread();
    CHECK_EQUAL(sq__watch_thread_add(&view.watched, &view.watcher), 0);
    for (int round = 0; round < 3; round += 1) {
        view.watched.last_look = sq__clock_now() - REST;
        wait_id = sq__token_prepare(token);
        sq__watch_lock();
        CHECK(next_after_round(token) == SQ__NEVER);
        CHECK(next_after_round(token) == SQ__NEVER);
        sq__watch_unlock();
        CHECK(sq__token_is_open(token, wait_id));
        uint64_t began = sq__clock_now();
        sq__watch_wake(&view.watched.note);
        CHECK(!sq__token_is_open(token, wait_id));
        sq__watch_lock();
        uint64_t next = next_after_round(token); /* not at once: it would rest again, and be woken by each task */
        sq__watch_unlock();
        CHECK(next >= began + REST && next <= sq__clock_now() + REST);
    }
    let_the_thread_go();
    view_end(&view);
}

/* See it fail: let round_for return `due`. */
TEST(many_queues_that_are_watched_or_get_busy_at_different_times_ask_for_one_round) {
    enum { MANY = 100 };
    static view_t views[MANY];
    pretend_a_thread();
    view_begin(&views[0]);
    CHECK_EQUAL(sq__watch_thread_add(&views[0].watched, &views[0].watcher), 0);
    sq__watch_lock();
    look_around(token);
    CHECK_EQUAL(round_gap, REST / SQ__ROUND_PART);
    uint64_t soonest = last_round + round_gap;
    sq__watch_unlock();
    for (int i = 1; i < MANY; i += 1) {
        view_begin(&views[i]);
        CHECK_EQUAL(sq__watch_thread_add(&views[i].watched, &views[i].watcher), 0);
        CHECK(next_round >= soonest);
        wait_id = i == 1 ? sq__token_prepare(token) : wait_id; /* the first one has woken the thread */
    }
    if (next_round == soonest) { /* else the machine was too busy to add them all within the gap */
        CHECK(sq__token_is_open(token, wait_id));
    }
    sq__watch_lock();
    look_around(token); /* they all rest now */
    sq__watch_unlock();
    for (int i = 0; i < MANY; i += 1) {
        sq__watch_wake(&views[i].watched.note);
        CHECK(next_round >= last_round + round_gap);
    }
    let_the_thread_go();
    for (int i = 0; i < MANY; i += 1) {
        view_end(&views[i]);
    }
}

/* A holder that was not seen may have written over the mark. */
TEST(a_queue_whose_mark_is_gone_is_looked_at_again) {
    view_t view;
    view_begin(&view);
    sq__store_relaxed(&view.watched.note.began, 1); /* as by a task that began before */
    CHECK(!may_rest(&view.watched));
    CHECK_EQUAL(sq__load_relaxed(&view.watched.note.began), 1);
    sq__store_relaxed(&view.watched.note.began, 0);
    CHECK(may_rest(&view.watched));
    CHECK(sq__load_relaxed(&view.watched.note.began) == SQ__WATCH_RESTS);
    view_end(&view);
}

TEST(a_new_watcher_is_called_for_a_task_that_was_reported_to_the_old_one) {
    view_t view;
    view_begin(&view);
    pretend_a_thread();
    sq__store_relaxed(&view.watched.note.began, view.now - THRESHOLD);
    for (int watcher = 0; watcher < 2; watcher += 1) {
        CHECK_EQUAL(sq__watch_thread_add(&view.watched, &view.watcher), 0);
        CHECK_EQUAL(next_look(&view), RUNNING);
        CHECK_EQUAL(next_look(&view), 0);
    }
    let_the_thread_go();
    view_end(&view);
}

TEST(a_new_watcher_is_called_for_what_it_sees_itself) {
    view_t view;
    view_begin(&view);
    pretend_a_thread();
    submit(&view);
    for (int looks = 0; looks < SQ__LOOKS; looks += 1) {
        CHECK_EQUAL(next_look(&view), 0);
    }
    CHECK_EQUAL(next_look(&view), WAITING);
    CHECK_EQUAL(sq__watch_thread_add(&view.watched, &view.watcher), 0);
    CHECK(view.watched.last_look + REST <= sq__clock_now()); /* the first look is due at once */
    for (int looks = 0; looks < SQ__LOOKS; looks += 1) {
        CHECK_EQUAL(next_look(&view), 0);
    }
    CHECK_EQUAL(next_look(&view), WAITING);
    let_the_thread_go();
    view_end(&view);
}

/* As in the child of a fork, where the call itself has had something watched: by another thread, with another token. */
static sq__token_t *of_the_child;

static void count_call(void *context, const sq_stall_t *stall) {
    (void)stall;
    *(size_t *)context += 1;
}

static void return_in_the_child(void *context, const sq_stall_t *stall) {
    count_call(context, stall);
    token = of_the_child;
}

TEST(a_watcher_that_returns_in_the_child_of_a_fork_reports_no_queue_there) {
    view_t views[2];
    size_t calls[2] = { 0, 0 };
    pretend_a_thread();
    sq__token_t *parents = token;
    of_the_child = sq__token_acquire();
    REQUIRE(of_the_child != NULL);
    for (int i = 1; i >= 0; i -= 1) { /* the last one added is looked at first */
        view_begin(&views[i]);
        views[i].watcher.given = (sq_watcher_t){ i == 0 ? return_in_the_child : count_call, &calls[i], NULL };
        CHECK_EQUAL(sq__watch_thread_add(&views[i].watched, &views[i].watcher), 0);
        sq__store_relaxed(&views[i].watched.note.began, sq__clock_now() - THRESHOLD);
    }
    sq__watch_lock();
    look_around(parents);
    sq__watch_unlock();
    CHECK_EQUAL(calls[0], 1);
    CHECK_EQUAL(calls[1], 0);
    sq__token_recycle(parents);
    let_the_thread_go();
    view_end(&views[0]);
    view_end(&views[1]);
}

TEST(in_the_child_of_a_fork_nothing_is_watched) {
    view_t view;
    view_begin(&view);
    pretend_a_thread();
    sq__token_t *parents = token;
    CHECK_EQUAL(sq__watch_thread_add(&view.watched, &view.watcher), 0);
    sq__watch_lock();
    sq__watch_unlock();
    CHECK(records == &view.watched && token == parents);
    sq__watch_lock();
    forget_watched();
    sq__watch_unlock();
    CHECK(records == NULL && token == NULL);
    sq__watch_thread_remove(&view.watched); /* it is not looked for where it is not */
    token = parents;
    let_the_thread_go();
    view_end(&view);
}
