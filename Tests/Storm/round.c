/* round.c: one round, from the first queue to the last book. */
#include "storm.h"

#include "harness.h"

static void begin(chance_t *chance) {
    is_over = false;
    book_begin();
    queues_begin(chance);
    groups_begin();
    semaphores_begin(chance);
    timers_begin(chance);
}

/* Suspensions that last end by the helper, so only then can the queues end. */
static void end_queues(chance_t *chance) {
    wait_until_zero("what was left to the helper has not ended", &left_to_helper);
    watchdog_watch("the shutdown of all queues");
    timers_cancel(chance);
    queues_shut_down(chance);
    watchdog_watch("the last waits for the groups");
    groups_check_zero();
    timers_end();
    release_end();
}

void round_run(chance_t *chance) {
    watchdog_watch("the actors of the storm");
    begin(chance);
    observers_begin();
    forks_begin();
    drivers_run(chance);
    watchdog_watch("the children");
    forks_end();
    is_over = true;
    end_queues(chance);
    wait_until_zero("what was left to the helper at the end has not ended", &left_to_helper);
    watchdog_watch("the end of the drivers");
    drivers_end();
    semaphores_release_waits();
    wait_until_zero("a notification or an await has not ended", &open_notes);
    book_end();
    semaphores_check();
    queues_end();
    groups_end();
    semaphores_end();
    watchdog_watch("the end of dumps and traces");
    observers_end();
    watchdog_watch(NULL);
}
