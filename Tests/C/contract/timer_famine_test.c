/* timer_famine_test.c: timers while memory or threads are missing, and in the child of a fork. */
#include "child.h"
#include "inject.h"
#include "timed.h"

/* Famine: the Nth allocation or thread of a scene fails, each N in a fresh process. What fails has done nothing, and works later. */

static int scene(failure_t what, uint64_t nth, bool forever) {
    long threads = threads_alive();
    sq_queue_t *queue = make_queue_of("famine", 0);
    guest_t guest = GUEST_INIT;
    latch_t ran = LATCH_INIT, discarded = LATCH_INIT;
    const sq_task_t delayed = { bump, &ran, must_not_run }, far = { must_not_run, &discarded, bump };
    fail_nth(what, nth, forever);
    int error = sq_async_task_after(queue, MS, &delayed);
    int error_far = sq_async_task_after(queue, HOURS(1), &far);
    guest.timer = sq_timer_create(queue, &(sq_task_t){ stay, &guest, guest_gone });
    int error_timer = guest.timer == NULL ? errno : 0;
    uint64_t failures = fail_nothing();
    CHECK(error == 0 || error == ENOMEM);
    CHECK(error_far == 0 || error_far == ENOMEM);
    CHECK_EQUAL(error_timer, guest.timer == NULL ? ENOMEM : 0);
    CHECK(failures > 0 || (error == 0 && error_far == 0 && error_timer == 0));
    if (error) {
        CHECK_EQUAL(sq_async_task_after(queue, MS, &delayed), 0);
    }
    if (guest.timer == NULL) {
        guest.timer = sq_timer_create(queue, &(sq_task_t){ stay, &guest, guest_gone });
    }
    latch_wait(&ran, 1);
    CHECK_EQUAL(sq_timer_start(guest.timer, 0, 0, 0), 0);
    latch_wait(&guest.entered, 1);
    fail_nth(what, nth, forever);
    int error_wait = sq_timer_cancel_and_wait(guest.timer, SQ_NOW);
    failures += fail_nothing();
    CHECK(error_wait == ETIMEDOUT || error_wait == ENOMEM);
    latch_bump(&guest.leave);
    CHECK_EQUAL(sq_timer_cancel_and_wait(guest.timer, FAR), 0);
    sq_timer_release(guest.timer);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, FAR), 0);
    CHECK_EQUAL(discarded.value, error_far == 0);
    CHECK_EQUAL(guest.discarded, 1);
    CHECK_EQUAL(ran.value, 1);
    sq_queue_release(queue);
    let_threads_end(threads);
    CHECK_EQUAL(threads_alive(), threads); /* no lease on the alarms was forgotten */
    return failures > 0 ? 0 : 2;
}

int child_main(int count, char **words) {
    REQUIRE(count == 3);
    return scene(words[0][0] == 't' ? FAIL_THREAD : FAIL_ALLOCATION, strtoull(words[1], NULL, 10), words[2][0] == 'f');
}

static void check_famine(const char *what) {
    int most = 0;
    for (int forever = 0; forever < 2; forever += 1) {
        int status = 0;
        for (int nth = 1; status == 0; nth += 1) {
            char number[12];
            snprintf(number, sizeof number, "%d", nth);
            status = run_child((const char *const[]){ what, number, forever ? "forever" : "once", NULL });
            most = nth - 1 > most ? nth - 1 : most;
        }
        CHECK_EQUAL(status, 2);
    }
    note("%d places", most);
}

TEST(each_allocation_of_the_timers_calls_can_fail) { check_famine("memory"); }
TEST(each_thread_creation_of_the_timers_calls_can_fail) { check_famine("threads"); }

/* Fork */

/* A check that fails in the child is reported by its exit status. */
static int use_in_child(void *context) {
    guest_t *parents = context;
    latch_t ran = LATCH_INIT;
    bool works = CHECK_EQUAL(sq_timer_start(parents->timer, 0, 0, 0), ESTALE);
    works &= CHECK_EQUAL(sq_timer_cancel(parents->timer), 0);
    works &= CHECK_EQUAL(sq_timer_cancel_and_wait(parents->timer, SQ_FOREVER), 0);
    works &= CHECK_EQUAL(sq_async_after(parents->other, 0, must_not_run, NULL), ESTALE);
    sq_timer_t *none = sq_timer_create(parents->other, &(sq_task_t){ must_not_run, NULL, NULL });
    works &= CHECK(none == NULL && errno == ESTALE);
    sq_timer_release(parents->timer);
    works &= CHECK_EQUAL(sq_sync(parents->other, do_nothing, NULL), parents->error); /* a free queue is free still */
    sq_queue_t *queue = make_queue_of("child's", 0);
    works &= CHECK_EQUAL(sq_async_after(queue, MS, bump, &ran), 0);
    latch_wait(&ran, 1);
    works &= CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
    return works && CHECK_EQUAL(parents->discarded, 0) ? 0 : 1;
}

TEST(in_the_child_of_a_fork_old_timers_are_still_and_new_ones_work) {
    if (UNDER_TSAN) {
        note("left out: ThreadSanitizer does not support threads after a fork");
        return;
    }
    sq_queue_t *queue = make_queue_of("parent's", 0);
    guest_t guest = GUEST_INIT;
    guest.other = queue;
    guest.timer = sq_timer_create(queue, &(sq_task_t){ stay, &guest, guest_gone });
    CHECK_EQUAL(sq_timer_start(guest.timer, HOURS(1), HOURS(1), HOURS(1)), 0);
    CHECK_EQUAL(in_fork(use_in_child, &guest), 0);
    CHECK_EQUAL(sq_timer_start(guest.timer, 0, 0, 0), 0); /* here nothing has changed */
    latch_wait(&guest.entered, 1);
    guest.error = ESTALE;
    CHECK_EQUAL(in_fork(use_in_child, &guest), 0); /* while a firing runs */
    latch_bump(&guest.leave);
    sq_timer_release(guest.timer);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(guest.discarded, 1);
    sq_queue_release(queue);
}
