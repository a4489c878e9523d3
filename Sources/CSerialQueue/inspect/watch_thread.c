#include "inspect/watch_thread.h"

#include "observe/reader.h"
#include "platform/probe.h"
#include "kernel/depth.h"
#include "platform/clock.h"
#include "platform/mutex.h"
#include "platform/thread.h"
#include "platform/unwind.h"
#include "thread/process.h"
#include "trace/session.h"
#include "thread/token.h"
#include "wait/deadlock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_SIZE = 128 };

static const uint64_t shortest_rest = 1000000; /* nanoseconds */

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__cold_t *records;   /* W */
static sq__token_t *token;  /* W  the thread's; NULL: no thread runs */
static sq__wait_id_t wait_id;     /* W  of the wait in which the thread sleeps now */
static sq__thread_start_t thread_start; /* W */
static uint64_t rounds;                 /* W */

/* The watcher that this thread called last. A fork on this thread can only happen in that call, or in its discard function. */
static SQ__THREAD_LOCAL sq__watcher_t *called;

void sq__watch_lock(void) { sq__mutex_lock(&lock); }

void sq__watch_unlock(bool in_child) {
    if (in_child) { /* the parent's queues are no longer watched, and only a call that forked returns */
        for (sq__cold_t *cold = records; cold != NULL; cold = cold->next) {
            cold->link = NULL;
            cold->watcher->is_being_called = cold->watcher == called;
        }
        if (records != NULL) {
            sq__sites_want(false);
        }
        records = NULL;
        token = NULL;
    }
    sq__mutex_unlock(&lock);
}

static __attribute__((constructor)) void around_fork(void) {
    sq__process_around_fork(SQ__RANK_WATCH, sq__watch_lock, sq__watch_unlock);
}

static uint64_t rest_of(const sq__watcher_t *watcher) {
    return watcher->threshold / 4 > shortest_rest ? watcher->threshold / 4 : shortest_rest;
}

/* Checking one queue */

typedef struct stall {
    sq_stall_t shown;
    char label[LABEL_SIZE];
    char waits_for[LABEL_SIZE];
} stall_t;

/* What runs, and since when; `began` 0: no task runs. */
static sq__running_t runs_since(sq__cold_t *cold) {
    if (sq__is_concurrent(cold->queue)) {
        return sq__reader_oldest(cold->queue);
    }
    sq__running_t running = { .began = sq__load_acquire(&cold->began) }; /* [note] acquire: what follows */
    running.function = sq__load_acquire(&cold->function);   /* [note] acquire: `began` below is at least as new */
    running.thread_id = sq__load_acquire(&cold->thread_id); /* [note] acquire: the same */
    running.site = sq__load_acquire(&cold->site);           /* [note] acquire: the same */
    if (sq__load_relaxed(&cold->began) != running.began) {
        running.began = 0;
    }
    return running;
}

static void show_site(sq_stall_t *stall, sq__site_t site) {
    const void *address = (const void *)sq__site_address(site);
    stall->line = sq__site_line(site);
    stall->file = stall->line != 0 ? address : NULL;
    stall->caller = stall->line == 0 ? address : NULL;
}

static bool runs_too_long(sq__cold_t *cold, uint64_t now, stall_t *stall) {
    const sq__running_t running = runs_since(cold);
    if (running.began == 0 || now - running.began < cold->watcher->threshold || now < running.began) {
        return false;
    }
    stall->shown = (sq_stall_t){
        .kind = SQ_STALL_RUNNING, .nanoseconds = now - running.began, .function = running.function, .thread_id = running.thread_id
    };
    show_site(&stall->shown, running.site);
    bool is_new = cold->reported_running != running.began;
    cold->reported_running = running.began;
    cold->reported_waiting = true; /* tasks that wait behind it are part of the same stall */
    return is_new;
}

static bool waits_too_long(sq__cold_t *cold, uint64_t now, stall_t *stall) {
    uint64_t waiting;
    uint64_t consumed = sq__depth_consumed(cold->queue, &waiting);
    bool stalled = waiting > 0 && cold->looks == SQ__LOOKS && consumed < cold->taken[SQ__LOOKS - 1];
    if (!stalled) {
        cold->reported_waiting = false;
    } else if (!cold->reported_waiting) {
        stall->shown = (sq_stall_t){ .kind = SQ_STALL_WAITING, .nanoseconds = SQ__LOOKS * rest_of(cold->watcher) };
        cold->reported_waiting = true;
    } else {
        stalled = false;
    }
    memmove(&cold->taken[1], &cold->taken[0], sizeof cold->taken - sizeof cold->taken[0]);
    cold->taken[0] = consumed + waiting;
    cold->looks += cold->looks < SQ__LOOKS;
    cold->last_look = now;
    return stalled;
}

/* With the lock held. True: there is a stall to report. */
static bool look(sq__cold_t *cold, uint64_t now, stall_t *stall) {
    bool stalled = runs_too_long(cold, now, stall);
    if (!stalled) {
        stalled = waits_too_long(cold, now, stall);
    }
    if (stalled) {
        snprintf(stall->label, sizeof stall->label, "%s", cold->queue->label);
        sq__deadlock_waits_for(stall->shown.thread_id, stall->waits_for, sizeof stall->waits_for);
        stall->shown.label = stall->label;
        stall->shown.waits_for = stall->waits_for;
        stall->shown.depth = sq__depth(cold->queue);
        stall->shown.suspended = sq__load_relaxed(&cold->queue->state) & SQ__SUSPENDED;
    }
    return stalled;
}

/* Calls the program's function, without the lock. The queue and its record may be freed during the call. */
static void call_watcher(sq__watcher_t *watcher, const sq_stall_t *stall) {
    SQ__NOBODY_UNWINDS_THROUGH;
    SQ__PROBE4(stall, stall->label, 0, stall->kind, stall->nanoseconds);
    watcher->is_being_called = true;
    called = watcher;
    sq__mutex_unlock(&lock);
    sq__trace_happened(stall->kind == SQ_STALL_RUNNING ? "stall: a task runs too long" : "stall: a task waits too long");
    watcher->given.stalled(watcher->given.context, stall);
    sq__mutex_lock(&lock);
    watcher->is_being_called = false;
    if (watcher->is_dropped) {
        sq__mutex_unlock(&lock);
        watcher->discard(watcher);
        sq__mutex_lock(&lock);
    }
}

/* True: the queue is idle, and the thread need not check it until sq__watch_wake. Marks the record, then checks again by a swap of
 * the state word. A thread that takes the queue after that swap sees the mark. If a thread took it before, either the swap fails,
 * or that thread has already given the queue back, and may have overwritten the mark. */
static bool may_rest(sq__cold_t *cold) {
    uint64_t began = 0;
    sq__state_t state = sq__load_relaxed(&cold->queue->state);
    if (!sq__state_is_free(state) && !(state & SQ__ENDED)) {
        return false;
    }
    (void)sq__cas_relaxed(&cold->began, &began, SQ__WATCH_RESTS);
    /* [rest] release: the mark; acquire: the last holder's write over it. */
    return sq__cas_acq_rel(&cold->queue->state, &state, state) && sq__load_relaxed(&cold->began) == SQ__WATCH_RESTS;
}

/* One round: checks each queue that is due, once, so that a watcher with much to report does not delay the others. Returns the
 * time at which the next one is due. Called with the lock held, by the thread that has this token. */
static uint64_t look_around(const sq__token_t *mine) {
    uint64_t next = SQ__NEVER;
    rounds += 1;
    sq__cold_t *cold = records;
    while (cold != NULL) {
        uint64_t now = sq__clock_now();
        uint64_t due = cold->last_look + rest_of(cold->watcher);
        stall_t stall = { .waits_for = "" };
        if (now >= due && cold->round != rounds && !cold->rests) {
            sq__watcher_t *watcher = cold->watcher;
            cold->round = rounds;
            if (look(cold, now, &stall)) {
                call_watcher(watcher, &stall.shown);
                if (token != mine) {
                    return SQ__NEVER; /* the call has forked; in the child the list belongs to another thread */
                }
                next = SQ__NEVER;
                cold = records; /* the list may have changed */
                continue;
            }
            due = now + rest_of(cold->watcher);
            cold->rests = may_rest(cold);
        }
        next = due < next && !cold->rests ? due : next;
        cold = cold->next;
    }
    return next;
}

static void watch(void *unused) {
    (void)unused;
    sq__mutex_lock(&lock);
    sq__token_t *mine = token;
    for (;;) {
        uint64_t next = look_around(mine);
        if (records == NULL) {
            break; /* the last queue may have been removed during a call, when this thread was not asleep */
        }
        if (token != mine) {
            break; /* a call has forked; in the child another thread watches */
        }
        sq__wait_id_t rest = wait_id = sq__token_prepare(mine);
        sq__mutex_unlock(&lock);
        sq__token_sleep(mine, rest, next);
        sq__mutex_lock(&lock);
    }
    if (token == mine) {
        sq__token_recycle(mine);
        token = NULL;
    }
    sq__mutex_unlock(&lock);
}

void sq__watch_wake(sq__cold_t *cold) {
    sq__store_relaxed(&cold->began, 0);
    sq__mutex_lock(&lock);
    if (cold->rests) {
        cold->rests = false;
        cold->last_look = sq__clock_now(); /* so a queue with many short tasks wakes the thread once per look, not once per task */
        if (token != NULL) {
            sq__token_grant(token, wait_id);
        }
    }
    sq__mutex_unlock(&lock);
}

/* List */

int sq__watch_thread_add(sq__cold_t *cold, const sq__watcher_t *watcher) {
    if (token == NULL) {
        token = sq__token_acquire();
        if (token == NULL) {
            return ENOMEM;
        }
        int error = sq__thread_start(&thread_start, watch, NULL, &(sq__thread_kind_t){ .name = "sq-watch" });
        if (error) {
            sq__token_recycle(token);
            token = NULL;
            return error;
        }
    } else {
        sq__token_grant(token, wait_id); /* it may sleep too long for the new watcher */
    }
    uint64_t began = SQ__WATCH_RESTS; /* set for the previous watcher */
    (void)sq__cas_relaxed(&cold->began, &began, 0);
    cold->rests = false;
    cold->reported_running = 0; /* a new watcher also gets the stalls that the old one got */
    cold->looks = 0;
    cold->last_look = sq__clock_now() - rest_of(watcher); /* the first check is due now */
    if (cold->link == NULL) {
        if (records == NULL) {
            sq__sites_want(true);
        }
        cold->next = records;
        cold->link = &records;
        if (cold->next != NULL) {
            cold->next->link = &cold->next;
        }
        records = cold;
    }
    return 0;
}

void sq__watch_thread_remove(sq__cold_t *cold) {
    if (cold->link != NULL) {
        *cold->link = cold->next;
        if (cold->next != NULL) {
            cold->next->link = cold->link;
        }
        cold->link = NULL;
        if (records == NULL) {
            sq__sites_want(false);
        }
    }
    if (records == NULL && token != NULL) {
        sq__token_grant(token, wait_id); /* no queue is left, so the thread ends */
    }
}
