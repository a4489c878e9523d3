/* signal_test.c: signals during waits. Their handlers return, without SA_RESTART: a wait in the system is interrupted, and
 * must continue. */
#include "caller.h"

#include <sched.h>
#include <signal.h>

static atomic_size_t signals_taken;
static void take_signal(int number) {
    (void)number;
    signals_taken += 1;
}

/* Each signal is taken in the wait: the next one is sent when the thread sleeps again. */
static void pester(caller_t *caller) {
    for (int i = 0; i < 100; i += 1) {
        size_t taken = signals_taken;
        wait_until_asleep(&caller->thread_id);
        pthread_kill(caller->thread, SIGUSR1);
        while (signals_taken == taken) {
            sched_yield();
        }
    }
}

TEST(every_call_that_waits_continues_to_wait_through_signals) {
    struct sigaction action = { .sa_handler = take_signal }, before;
    sigaction(SIGUSR1, &action, &before);
    for (way_t way = BY_SYNC; way < WAYS; way += 1) {
        sq_queue_t *queue = make_queue_of(way_names[way], 1);
        size_t ran = 0;
        hold_t hold;
        caller_t caller;
        hold_async(&hold, queue);
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0); /* full */
        signals_taken = 0;
        caller_start(&caller, way, queue, FAR, add_one, &ran);
        pester(&caller);
        CHECK_EQUAL(ran, 0);
        hold_end(&hold);
        CHECK_EQUAL(caller_end(&caller), 0);
        CHECK_EQUAL(signals_taken, 100);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        CHECK_EQUAL(ran, way != BY_SHUTDOWN);
        sq_queue_release(queue);
    }
    sigaction(SIGUSR1, &before, NULL);
}

/* A stream of signals does not put off a deadline either. */
typedef struct pest {
    pthread_t thread;
    atomic_bool over;
} pest_t;

static void *send_signals(void *argument) {
    pest_t *pest = argument;
    while (!pest->over) {
        pthread_kill(pest->thread, SIGUSR1);
        sched_yield();
    }
    return NULL;
}

TEST(a_deadline_comes_through_a_stream_of_signals) {
    struct sigaction action = { .sa_handler = take_signal }, before;
    sigaction(SIGUSR1, &action, &before);
    sq_queue_t *queue = make_queue_of("deadline", 1);
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    pest_t pest = { pthread_self(), false };
    pthread_t sender = spawn(send_signals, &pest);
    for (way_t way = BY_SYNC_UNTIL; way < WAYS; way += 1) {
        CHECK_EQUAL(wait_by(way, queue, sq_deadline(20000000), must_not_run, NULL), ETIMEDOUT);
    }
    pest.over = true;
    join(sender);
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
    sigaction(SIGUSR1, &before, NULL);
}
