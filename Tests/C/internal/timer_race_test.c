/* timer_race_test.c: timers and delayed tasks on the system's clock, between threads. The tests check that they come,
 * and not early; how late they come is not checked. */
#include "timed.h"

#include "alarm/heap.h"
#include "state/state.h"
#include "timer/timer_alarm.h"
#include "timer/timer_fire.h"
#include "thread/process.h"

static uint64_t now(void) { return sq_deadline(0); }

typedef struct visit {
    latch_t came;
    uint64_t due, came_at;
    journal_t *journal;
    int number;
} visit_t;

static void visit(void *context) {
    visit_t *one = context;
    one->came_at = now();
    write_entry(&(entry_t){ one->journal, one->number });
    latch_bump(&one->came);
}

TEST(delayed_tasks_come_in_order_and_not_early) {
    sq_queue_t *queue = make_queue_of("delayed", 0);
    static const uint64_t delays[] = { 40 * MS, 3 * MS, 15 * MS, 0, 3 * MS };
    journal_t journal = { 0 };
    visit_t visits[5];
    hold_t hold;
    hold_async(&hold, queue);
    for (int i = 0; i < 5; i += 1) {
        visits[i] = (visit_t){ LATCH_INIT, now() + delays[i], 0, &journal, i };
        CHECK_EQUAL(sq_async_after(queue, delays[i], visit, &visits[i]), 0);
    }
    wait_for_depth(queue, 5);
    hold_end(&hold);
    for (int i = 0; i < 5; i += 1) {
        latch_wait(&visits[i].came, 1);
        CHECK(visits[i].came_at >= visits[i].due);
    }
    /* Between the others the start of the one may come after the other is due; these two have the same delay. */
    int places[5];
    for (int i = 0; i < 5; i += 1) {
        places[journal.entries[i]] = i;
    }
    CHECK(places[1] < places[4]);
    sq_queue_release(queue);
}

TEST(a_timer_fires_again_and_again_on_its_queues_thread) {
    sq_queue_t *queue = make_queue_of("periodic", 0);
    latch_t fired = LATCH_INIT;
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ bump, &fired, NULL });
    CHECK_EQUAL(sq_timer_start(timer, 0, MS, MS / 2), 0);
    latch_wait(&fired, 20);
    CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), 0);
    size_t so_far = fired.value;
    latch_t later = LATCH_INIT;
    sq_timer_t *another = sq_timer_create(queue, &(sq_task_t){ bump, &later, NULL });
    CHECK_EQUAL(sq_timer_start(another, 0, MS, 0), 0);
    latch_wait(&later, 5); /* so long would be enough for another firing of the first one */
    CHECK_EQUAL(fired.value, so_far);
    sq_timer_release(another);
    sq_timer_release(timer);
    sq_queue_release(queue);
}

/* Its next beat is always past already: it must not keep the clock from all others. */
TEST(a_timer_of_a_nanosecond_leaves_time_for_others) {
    sq_queue_t *queue = make_queue_of("hurried", 0), *other = make_queue_of("other", 0);
    latch_t fired = LATCH_INIT, ran = LATCH_INIT;
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ bump, &fired, NULL });
    CHECK_EQUAL(sq_timer_start(timer, 0, 1, 0), 0);
    latch_wait(&fired, 10);
    CHECK_EQUAL(sq_async_after(other, 500 * MS, bump, &ran), 0); /* one at a time, it would take minutes to get there */
    latch_wait(&ran, 1);
    sq_timer_release(timer);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
    sq_queue_release(other);
}

/* Another queue's timer shows that time passes. */
TEST(what_falls_due_while_a_firing_runs_is_left_out) {
    sq_queue_t *queue = make_queue_of("slow", 0), *other = make_queue_of("clock", 0);
    guest_t guest = GUEST_INIT;
    latch_t ticks = LATCH_INIT;
    start_guest(&guest, queue, stay, MS);
    latch_wait(&guest.entered, 1);
    sq_timer_t *clock = sq_timer_create(other, &(sq_task_t){ bump, &ticks, NULL });
    CHECK_EQUAL(sq_timer_start(clock, 0, MS, 0), 0);
    latch_wait(&ticks, 10);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    latch_bump(&guest.leave);
    latch_wait(&guest.entered, 2); /* it continues */
    latch_bump(&guest.leave);
    sq_timer_release(clock);
    sq_timer_release(guest.timer);
    latch_bump(&guest.leave);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(guest.discarded, 1);
    sq_queue_release(other);
    sq_queue_release(queue);
}

/* A start from inside is not left out, however soon it falls due. */
static void start_from_inside(void *context) {
    guest_t *guest = context;
    guest->firings += 1;
    if (guest->firings < 50) {
        CHECK_EQUAL(sq_timer_start(guest->timer, 0, 0, 0), 0);
        wait_for_depth(guest->other, 1); /* until it waits, behind this */
    }
    latch_bump(&guest->entered);
}

TEST(a_start_in_the_own_task_that_falls_due_at_once_is_not_lost) {
    guest_t guest = GUEST_INIT;
    sq_queue_t *queue = guest.other = make_queue_of("own", 0);
    guest.timer = sq_timer_create(queue, &(sq_task_t){ start_from_inside, &guest, NULL });
    CHECK_EQUAL(sq_timer_start(guest.timer, 0, 0, 0), 0);
    latch_wait(&guest.entered, 50);
    sq_timer_release(guest.timer);
    sq_queue_release(queue);
}

/* What sq_timer_cancel does, at a moment at which the alarm's call is on its way, and waits for the queue's lock. */
static void cancel_a_call_on_its_way(sq_timer_t *timer) {
    bool is_set = true;
    sq__lock(timer->queue);
    timer->due = 1;
    sq__timer_change_alarm(timer, SQ__TIMER_START);
    while (is_set) { /* until the alarms' thread has taken it */
        sched_yield();
        sq__mutex_lock(sq__fork_locks[SQ__RANK_ALARMS].lock);
        is_set = sq__heap_is_in(&timer->alarm.due);
        sq__mutex_unlock(sq__fork_locks[SQ__RANK_ALARMS].lock);
    }
    sq__timer_disarm(timer);
    sq__unlock(timer->queue);
}

TEST(a_cancel_while_the_alarm_is_on_its_way_does_not_cost_the_next_start_its_firing) {
    sq_queue_t *queue = make_queue_of("on its way", 0);
    guest_t guest = GUEST_INIT;
    latch_bump(&guest.leave);
    guest.timer = sq_timer_create(queue, &(sq_task_t){ stay, &guest, guest_gone });
    REQUIRE(guest.timer != NULL);
    cancel_a_call_on_its_way(guest.timer);
    CHECK_EQUAL(guest.firings, 0);
    CHECK_EQUAL(sq_timer_start(guest.timer, 0, 0, 0), 0);
    latch_wait(&guest.entered, 1);
    sq_timer_release(guest.timer);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(guest.firings, 1);
    CHECK_EQUAL(guest.discarded, 1);
    sq_queue_release(queue);
}

/* An alarm with a leeway has a latest time. */
TEST(a_periodic_timer_keeps_its_leeway_after_the_first_firing) {
    sq_queue_t *queue = make_queue_of("leeway", 0);
    latch_t fired = LATCH_INIT;
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ bump, &fired, NULL });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 0, HOURS(1), HOURS(1)), 0);
    latch_wait(&fired, 1);
    sq__mutex_lock(sq__fork_locks[SQ__RANK_ALARMS].lock);
    CHECK(sq__heap_is_in(&timer->alarm.latest));
    sq__mutex_unlock(sq__fork_locks[SQ__RANK_ALARMS].lock);
    sq_timer_release(timer);
    sq_queue_release(queue);
}

/* Races. Each timer is discarded once, after its last firing; nothing fires after a cancel-and-wait. */
enum { PLAYERS = 3 };

typedef struct toy {
    atomic_size_t firings, discards;
    atomic_bool is_quiet, is_inside;
} toy_t;

typedef struct player {
    sq_queue_t *queue;
    size_t stream, rounds, discards;
} player_t;

static void play(void *context) {
    toy_t *toy = context;
    CHECK(!atomic_exchange(&toy->is_inside, true));
    CHECK(!toy->is_quiet);
    CHECK_EQUAL(toy->discards, 0);
    toy->firings += 1;
    toy->is_inside = false;
}

static void toy_gone(void *context) {
    toy_t *toy = context;
    CHECK(!toy->is_inside);
    toy->discards += 1;
}

static void *play_about(void *argument) {
    player_t *player = argument;
    random_stream_t random = random_start(player->stream);
    for (size_t round = 0; round < player->rounds; round += 1) {
        toy_t *toy = calloc(1, sizeof *toy);
        sq_timer_t *timer = sq_timer_create(player->queue, &(sq_task_t){ play, toy, toy_gone });
        REQUIRE(timer != NULL);
        for (size_t step = random_below(&random, 6); step > 0; step -= 1) {
            CHECK_EQUAL(sq_timer_start(timer, random_below(&random, 30) * US, random_below(&random, 3) * 10 * US,
                                       random_below(&random, 2) * 5 * US), 0);
            for (uint64_t pause = random_below(&random, 40) * random_below(&random, 40); pause > 0; pause -= 1) {
                atomic_signal_fence(memory_order_seq_cst);
            }
            if (random_below(&random, 2)) {
                CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), 0);
                toy->is_quiet = true;
                sched_yield();
                toy->is_quiet = false;
            } else if (random_below(&random, 2)) {
                CHECK_EQUAL(sq_timer_cancel(timer), 0);
            }
        }
        sq_timer_release(timer);
        while (toy->discards == 0) {
            sched_yield();
        }
        CHECK_EQUAL(toy->discards, 1);
        CHECK_EQUAL(sq_sync(player->queue, do_nothing, NULL), 0); /* so that it has left the toy */
        free(toy);
    }
    return NULL;
}

TEST(start_cancel_and_release_race_with_firings_and_each_timer_ends_once) {
    sq_queue_t *queue = make_queue_of("toys", 0);
    player_t players[PLAYERS];
    pthread_t threads[PLAYERS];
    for (size_t i = 0; i < PLAYERS; i += 1) {
        players[i] = (player_t){ queue, 20 + i, scaled(5000), 0 };
        threads[i] = spawn(play_about, &players[i]);
    }
    for (size_t i = 0; i < PLAYERS; i += 1) {
        join(threads[i]);
    }
    sq_queue_stats_t stats = stats_now(queue);
    CHECK_EQUAL(stats.discarded, 0); /* each timer was released */
    CHECK_EQUAL(stats.depth, 0);
    note("%llu firings, %llu withdrawn", (unsigned long long)stats.ran, (unsigned long long)stats.withdrawn);
    sq_queue_release(queue);
}

/* Each task that was accepted has one outcome, and all of them before the shutdown returns. */
typedef struct late {
    atomic_size_t ran, discarded;
} late_t;

static void late_ran(void *context) { ((late_t *)context)->ran += 1; }
static void late_discarded(void *context) { ((late_t *)context)->discarded += 1; }

typedef struct submitter {
    sq_queue_t *queue;
    late_t *late;
    size_t stream, accepted;
    latch_t *begun;
} submitter_t;

static void *submit_late(void *argument) {
    submitter_t *submitter = argument;
    random_stream_t random = random_start(submitter->stream);
    sq_timer_t *timer = sq_timer_create(submitter->queue, &(sq_task_t){ do_nothing, NULL, NULL });
    for (int error = 0; error == 0;) {
        uint64_t delay = random_below(&random, 4) ? random_below(&random, 50) * US : HOURS(1);
        error = sq_async_task_after(submitter->queue, delay, &(sq_task_t){ late_ran, submitter->late, late_discarded });
        CHECK(error == 0 || error == ESHUTDOWN);
        submitter->accepted += error == 0;
        int second = timer != NULL ? sq_timer_start(timer, random_below(&random, 50) * US, 5 * US, 0) : ESHUTDOWN;
        CHECK(second == 0 || second == ESHUTDOWN);
        latch_bump(submitter->begun);
    }
    sq_timer_release(timer);
    return NULL;
}

TEST(a_shutdown_races_with_what_falls_due_and_all_has_one_outcome_before_it_returns) {
    for (size_t round = 0; round < scaled(300); round += 1) {
        sq_queue_t *queue = make_queue_of("late", 0);
        late_t late = { 0, 0 };
        latch_t begun = LATCH_INIT;
        submitter_t submitters[2];
        pthread_t threads[2];
        for (size_t i = 0; i < 2; i += 1) {
            submitters[i] = (submitter_t){ queue, &late, 100 + 2 * round + i, 0, &begun };
            threads[i] = spawn(submit_late, &submitters[i]);
        }
        latch_wait(&begun, round % 40);
        CHECK_EQUAL(sq_shutdown(queue, round % 2 ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
        size_t outcomes = late.ran + late.discarded;
        join(threads[0]);
        join(threads[1]);
        CHECK_EQUAL(outcomes, submitters[0].accepted + submitters[1].accepted);
        CHECK_EQUAL(late.ran + late.discarded, outcomes);
        sq_queue_release(queue);
    }
}
