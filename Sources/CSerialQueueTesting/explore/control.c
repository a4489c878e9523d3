#include "explore/control.h"

#include "alarm/alarm.h"
#include "explore/names.h"
#include "explore/ways.h"
#include "platform/container.h"
#include "platform/fatal.h"
#include "platform/memory.h"

#include <stdio.h>
#include <string.h>

static bool help(void *argument);

/* The end of a run that is stuck */

/* From now on all waits are refused, so that the threads end. */
static void lose(sq__run_t *run) {
    run->test.explored.is_lost = true;
    for (sq__thread_t *helper = run->helpers; helper != NULL; helper = helper->next) {
        helper->explored.is_lost = true;
    }
}

bool sq__control_refuse_all(sq__run_t *run) {
    bool refused = false;
    for (const sq__thread_t *thread = run->waiting; thread != NULL; thread = thread->next_waiting) {
        if (thread->wait != NULL) {
            refused |= sq__token_refuse(thread->wait->token, thread->wait->wait_id);
        }
    }
    return refused;
}

void sq__control_get_unstuck(sq__run_t *run) {
    char text[1024];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", "waits forever: ");
    const char *between = "";
    for (const sq__thread_t *thread = run->waiting; thread != NULL && used < sizeof text; thread = thread->next_waiting) {
        char *name = sq__name_thread(thread), *wait = sq__name_wait(thread);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s waits for %s", between, name != NULL ? name : "?",
                                 wait != NULL ? wait : "?");
        between = "; ";
        sq__memory_free(name);
        sq__memory_free(wait);
    }
    sq__run_fail(run, text);
    lose(run);
    if (!sq__control_refuse_all(run)) {
        sq__fatal("%s. The waits cannot be refused, so the test cannot be ended.", text);
    }
}

/* Control */

void sq__control_prepare(sq__thread_t *thread) { thread->wait_id = sq__token_prepare(thread->token); }

void sq__control_sleep(sq__thread_t *thread) {
    sq__outcome_t outcome = sq__token_spin(thread->token, thread->wait_id, SQ__SPIN_WAITER, SQ__WAITER_SPINS);
    if (outcome == SQ__OPEN) {
        outcome = sq__token_yield(thread->token, thread->wait_id, SQ__NEVER);
    }
    if (outcome == SQ__OPEN) {
        sq__token_sleep(thread->token, thread->wait_id, SQ__NEVER);
    }
}

static void give_control(sq__thread_t *thread) { sq__token_grant(thread->token, thread->wait_id); }

/* Adds a helper to the run's, which is posted when it is to get control. NULL: no memory, or no thread. */
static sq__thread_t *make_helper(sq__run_t *run) {
    sq__thread_t *helper = sq__memory(sizeof *helper);
    if (helper == NULL) {
        return NULL;
    }
    *helper = (sq__thread_t){ .explored = { .calls = run->test.explored.calls, .is_lost = run->test.explored.is_lost }, .run = run,
                              .frame = { .begins = true } };
    helper->token = sq__token_acquire();
    if (helper->token == NULL || sq__worker_start(&helper->worker, help, helper, &(sq__thread_kind_t){ .name = SQ__EXPLORE_THREAD }) != 0) {
        if (helper->token != NULL) {
            sq__token_recycle(helper->token);
        }
        sq__memory_free(helper);
        return NULL;
    }
    helper->next = run->helpers;
    run->helpers = helper;
    return helper;
}

bool sq__control_has_helper(sq__run_t *run) {
    if (run->helpers == NULL) {
        run->idle = make_helper(run);
    }
    return run->helpers != NULL;
}

void sq__control_pass(sq__run_t *run, const sq__way_t *way) {
    if (way != NULL && (way->kind == SQ__WAY_THREAD || way->kind == SQ__WAY_EXPIRY)) {
        give_control((sq__thread_t *)(uintptr_t)way->what); /* it withdraws its wait, and sees whether it has expired */
        return;
    }
    run->has_command = way != NULL;
    if (way != NULL) {
        run->command = *way;
    }
    const sq__pump_t *pump = sq__ways_sleeping_pump(run);
    if (pump != NULL && (way == NULL || !pump->uses_helpers)) {
        give_control(pump->thread);
        return;
    }
    sq__thread_t *helper = run->idle != NULL ? run->idle : make_helper(run);
    if (helper == NULL) {
        sq__fatal("sq_explore: no memory, or no thread could be started, for a task while another one waits");
    }
    if (helper == run->idle) {
        run->idle = helper->next_idle;
    }
    sq__worker_post(helper->worker);
}

void sq__control_pass_to(sq__run_t *run, const sq__pump_t *pump) {
    run->has_command = false;
    give_control(pump->thread);
}

/* Running */

/* The thread in control runs the next step of a ready entry, as a task of this thread's record, which is then as before. */
static void run_entry(sq__thread_t *thread, const sq__way_t *way) {
    sq__run_t *run = thread->run;
    sq__ready_t *entry = (sq__ready_t *)(uintptr_t)way->what;
    const sq__thread_t before = *thread; /* what it was in the task that runs the pool */
    sq_queue_t *queue = SQ__CONTAINER(entry, sq_queue_t, ready);
    size_t ran = 0;
    sq__ways_take(run, entry);
    thread->queue = queue;
    thread->called = sq__next_called(queue);
    thread->name[0] = '\0';
    if (run->record.is_on) {
        const char *name = sq__name_called(run, thread->called);
        snprintf(thread->name, sizeof thread->name, "%s", name);
        thread->column = sq__record_column(&run->record, queue, queue->label);
        thread->event = sq__record_add(&run->record, SQ__EVENT_STARTS, thread->column, "%s", name[0] != '\0' ? name : "runs");
    }
    thread->called = (sq__called_t){ .function = thread->called.function }; /* the rest may be freed while the task runs */
    sq__ready_end_t end = sq__run_hosted(run)->call(entry, 1, &ran);
    if (end == SQ__READY_MORE) {
        sq__ways_put_back(run, entry);
    }
    if (run->record.is_on) {
        const char *text = thread->event < run->record.event_count ? run->record.events[thread->event].text : NULL;
        sq__record_add(&run->record, SQ__EVENT_ENDS, thread->column, "%s", text != NULL ? text : "");
    }
    run->ran += ran;
    thread->queue = before.queue;
    thread->called = before.called;
    thread->event = before.event;
    thread->column = before.column;
    memcpy(thread->name, before.name, sizeof thread->name);
}

void sq__control_act(sq__thread_t *thread, const sq__way_t *way) {
    sq__run_t *run = thread->run;
    if (way->kind == SQ__WAY_ENTRY) {
        run_entry(thread, way);
        return;
    }
    sq__alarm_t *alarm = (sq__alarm_t *)(uintptr_t)way->what;
    if (run->record.is_on) {
        char *name = sq__name_way(run, way);
        sq__record_add(&run->record, SQ__EVENT_HAPPENS, 0, "%s fires", name != NULL ? name : "a timer");
        sq__memory_free(name);
    }
    sq__alarms_call(sq__pool_clock(run->pool), alarm);
}

/* A helper has got control: runs tasks until another thread is to continue, then passes control. Called by its worker, which stays: always true. */
static bool help(void *argument) {
    sq__thread_t *helper = argument;
    sq__run_t *run = helper->run;
    sq__self_t *self = sq__self_listed();
    sq__way_t way = run->command;
    bool has_way = run->has_command;
    run->has_command = false;
    self->explored = &helper->explored;
    self->frame = &helper->frame;
    while (has_way && way.kind != SQ__WAY_THREAD && way.kind != SQ__WAY_EXPIRY) {
        sq__control_act(helper, &way);
        const sq__pump_t *pump = sq__ways_sleeping_pump(run);
        if (pump != NULL && (pump->is_single || !pump->uses_helpers)) {
            has_way = false;
            break;
        }
        while (!(has_way = sq__ways_choose(run, NULL, NULL, &way)) && pump == NULL) {
            sq__control_get_unstuck(run);
        }
    }
    helper->next_idle = run->idle;
    run->idle = helper;
    self->explored = NULL;
    self->frame = NULL;
    sq__control_pass(run, has_way ? &way : NULL);
    return true;
}

/* Waiting for control */

bool sq__control_wait(sq__thread_t *thread) {
    sq__run_t *run = thread->run;
    sq__way_t way;
    bool has_way;
    while (!(has_way = sq__ways_choose(run, NULL, thread, &way)) && sq__ways_sleeping_pump(run) == NULL) {
        sq__control_get_unstuck(run);
    }
    if (has_way && way.what == thread) {
        return false;
    }
    sq__control_prepare(thread);
    sq__control_pass(run, has_way ? &way : NULL);
    sq__control_sleep(thread);
    return true;
}
