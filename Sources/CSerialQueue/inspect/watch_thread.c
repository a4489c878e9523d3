#include "inspect/watch_thread.h"

#include "gate/gate_inline.h"
#include "include/sq_private.h"
#include "inspect/stall_json.h"
#include "kernel/kernel.h"
#include "observe/observe_inline.h"
#include "platform/probe.h"
#include "platform/clock.h"
#include "platform/container.h"
#include "platform/list.h"
#include "platform/mutex.h"
#include "platform/text.h"
#include "platform/thread.h"
#include "platform/unwind.h"
#include "thread/process.h"
#include "thread/token.h"
#include "trace/trace.h"
#include "wait/wait.h"

#include <errno.h>
#include <string.h>

enum { LABEL_SIZE = 128 };

static const uint64_t shortest_rest = 1000000; /* nanoseconds */

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__watched_t *records;   /* W */
static sq__token_t *token;  /* W  the thread's; NULL: no thread runs */
static sq__wait_id_t wait_id;     /* W  of the wait in which the thread sleeps now */
static sq__thread_start_t thread_start; /* W */
static uint64_t rounds;                 /* W */
static uint64_t next_round;             /* W  when the thread looks around next */
static uint64_t last_round;             /* W  when the last round began, */
static uint64_t round_gap;              /* W  and the shortest time between that and the next one */

/* The watcher that this thread called last. A fork on this thread can only happen in that call, or in its discard function. */
static SQ__THREAD_LOCAL sq__watcher_t *called;

void sq__watch_lock(void) { sq__mutex_lock(&lock); }

void sq__watch_unlock(void) { sq__mutex_unlock(&lock); }

/* In the child of a fork the parent's queues are no longer watched, and only a call that forked returns. */
static void forget_watched(void) {
    for (sq__watched_t *watched = records; watched != NULL; watched = watched->next) {
        watched->link = NULL;
        watched->watcher->is_being_called = watched->watcher == called;
    }
    records = NULL;
    token = NULL;
}

SQ__AROUND_FORK(SQ__RANK_WATCH, .lock = &lock, .in_child = forget_watched)

static uint64_t rest_of(const sq__watcher_t *watcher) {
    return watcher->threshold / 4 > shortest_rest ? watcher->threshold / 4 : shortest_rest;
}

static uint64_t gap_of(const sq__watcher_t *watcher) { return rest_of(watcher) / SQ__ROUND_PART; }

/* When the next round is, if a record is due at that time. */
static uint64_t round_for(uint64_t due) { return due > last_round + round_gap ? due : last_round + round_gap; }

/* W. A record is due at that time: wakes the thread, if there is one and it would sleep for longer. */
static void ask_for_round(uint64_t due) {
    uint64_t next = round_for(due);
    if (token != NULL && next < next_round) {
        next_round = next;
        sq__token_grant(token, wait_id);
    }
}

/* Checking one queue */

typedef struct stall {
    sq_stall_t shown;
    char label[LABEL_SIZE];
    char waits_for[2 * LABEL_SIZE]; /* has room for a function with a long name, and where it is in its file */
    const void *maker; /* where that was made, if it has no label; or NULL */
} stall_t;

/* W. What runs, and since when; `began` 0: no task runs, or another one has just begun. */
static sq__running_t runs_since(sq__watched_t *watched) {
    if (sq__is_concurrent(watched->queue)) {
        return sq__reader_oldest(watched->queue);
    }
    sq__running_t running = { .began = sq__load_acquire(&watched->note.began) }; /* [note] acquire: what follows */
    running.function = sq__load_acquire(&watched->note.function);   /* [note] acquire: `began` below is at least as new */
    running.thread_id = sq__load_acquire(&watched->note.thread_id); /* [note] acquire: `began` below */
    running.site = sq__load_acquire(&watched->note.site);           /* [note] acquire: `began` below */
    if (sq__load_relaxed(&watched->note.began) != running.began) {
        running.began = 0;
    }
    return running;
}

/* W. True: a task has run for the threshold, and this was not reported yet. Then *stall has what is known of the task, and it counts as reported. */
static bool runs_too_long(sq__watched_t *watched, uint64_t now, stall_t *stall) {
    const sq__running_t running = runs_since(watched);
    if (running.began == 0 || now - running.began < watched->watcher->threshold || now < running.began) {
        return false;
    }
    stall->shown = (sq_stall_t){
        .kind = SQ_STALL_RUNNING, .nanoseconds = now - running.began, .function = running.function, .thread_id = running.thread_id,
        .caller = running.site
    };
    bool is_new = watched->reported_running != running.began;
    watched->reported_running = running.began;
    watched->reported_waiting = true; /* tasks that wait behind it are part of the same stall */
    return is_new;
}

/* W. True: a task has waited for the threshold, and this was not reported yet. Then *stall has that. Notes how many slots are taken now. */
static bool waits_too_long(sq__watched_t *watched, uint64_t now, stall_t *stall) {
    uint64_t waiting;
    uint32_t consumed = sq__depth_consumed(watched->queue, &waiting);
    bool stalled = waiting > 0 && watched->looks == SQ__LOOKS && (int32_t)(consumed - watched->taken[SQ__LOOKS - 1]) < 0;
    if (!stalled) {
        watched->reported_waiting = false;
    } else if (!watched->reported_waiting) {
        stall->shown = (sq_stall_t){ .kind = SQ_STALL_WAITING, .nanoseconds = SQ__LOOKS * rest_of(watched->watcher) };
        watched->reported_waiting = true;
    } else {
        stalled = false;
    }
    memmove(&watched->taken[1], &watched->taken[0], sizeof watched->taken - sizeof watched->taken[0]);
    watched->taken[0] = consumed + (uint32_t)waiting;
    watched->looks += watched->looks < SQ__LOOKS;
    watched->last_look = now;
    return stalled;
}

/* W. True: there is a stall to report, and *stall is filled; it counts as reported. */
static bool look(sq__watched_t *watched, uint64_t now, stall_t *stall) {
    bool stalled = runs_too_long(watched, now, stall);
    if (!stalled) {
        stalled = waits_too_long(watched, now, stall);
    }
    if (stalled) {
        sq__text_copy(stall->label, sizeof stall->label, watched->queue->label);
        stall->maker = sq__deadlock_waits_for(stall->shown.thread_id, stall->waits_for, sizeof stall->waits_for);
        stall->shown.label = stall->label;
        stall->shown.number = (uintptr_t)watched->queue;
        stall->shown.waits_for = stall->waits_for;
        stall->shown.depth = sq__depth(watched->queue);
        stall->shown.suspended = sq__load_relaxed(&watched->queue->state) & SQ__SUSPENDED;
        sq__runner_t runner = sq__load_acquire(&watched->queue->runner); /* [fixed] acquire: a record */
        stall->shown.unowned = SQ__RUNNER_HAS(runner, lacks_owner) != NULL && sq__runner_kind(runner)->lacks_owner(runner, false);
    }
    return stalled;
}

/* W, but calls the program's function without the lock. The queue and its record may be freed during the call. Discards the watcher if it was
 * replaced meanwhile. */
static void call_watcher(sq__watcher_t *watcher, stall_t *found) {
    SQ__NOBODY_UNWINDS_THROUGH;
    const sq_stall_t *stall = &found->shown;
    SQ__PROBE4(stall, stall->label, 0, stall->kind, stall->nanoseconds);
    watcher->is_being_called = true;
    called = watcher;
    sq__mutex_unlock(&lock);
    if (found->maker != NULL) {
        sq__text_copy(found->waits_for, sizeof found->waits_for, "made by ");
        sq__site_text(found->maker, found->waits_for + strlen(found->waits_for), sizeof found->waits_for - strlen(found->waits_for));
    }
    sq__stall_json(stall);
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

/* W. True: the queue is idle, and the thread need not check it until sq__watch_wake. Marks the record, then checks again by a swap of the state word.
 * A thread that takes the queue after that swap sees the mark. If a thread took it before, either the swap fails, or that thread has already given
 * the queue back, and may have overwritten the mark. */
static bool may_rest(sq__watched_t *watched) {
    uint64_t began = 0;
    sq__state_t state = sq__load_relaxed(&watched->queue->state);
    if (!sq__state_is_free(state) && !(state & SQ__ENDED)) {
        return false;
    }
    (void)sq__cas_relaxed(&watched->note.began, &began, SQ__WATCH_RESTS);
    /* [rest] release: the mark; acquire: the last holder's write over it. */
    return sq__cas_acq_rel(&watched->queue->state, &state, state) && sq__load_relaxed(&watched->note.began) == SQ__WATCH_RESTS;
}

/* One round: checks each queue that is due, once, so that a watcher with much to report does not delay the others. Sets next_round. Called with the
 * lock held, by the thread that has this token. */
static void look_around(const sq__token_t *mine) {
    uint64_t next = SQ__NEVER, gap = SQ__NEVER;
    rounds += 1;
    last_round = sq__clock_now();
    sq__watched_t *watched = records;
    while (watched != NULL) {
        uint64_t now = sq__clock_now();
        uint64_t due = watched->last_look + rest_of(watched->watcher);
        stall_t stall = { .waits_for = "" };
        if (now >= due && watched->round != rounds && !watched->rests) {
            sq__watcher_t *watcher = watched->watcher;
            watched->round = rounds;
            if (look(watched, now, &stall)) {
                call_watcher(watcher, &stall);
                if (token != mine) {
                    return; /* the call has forked; in the child the list belongs to another thread */
                }
                next = SQ__NEVER;
                watched = records; /* the list may have changed */
                continue;
            }
            due = now + rest_of(watched->watcher);
            watched->rests = may_rest(watched);
        }
        next = due < next && !watched->rests ? due : next;
        gap = gap_of(watched->watcher) < gap ? gap_of(watched->watcher) : gap;
        watched = watched->next;
    }
    round_gap = records != NULL ? gap : 0;
    next_round = round_for(next);
}

/* The thread's function: looks and sleeps until the list is empty, and then returns the token. Takes the lock, except while it sleeps. */
static void watch(void *unused) {
    (void)unused;
    sq__mutex_lock(&lock);
    sq__token_t *mine = token;
    for (;;) {
        if (sq__clock_now() >= next_round) {
            look_around(mine);
        }
        /* The last queue may have been removed during a call, when this thread was not asleep; or a call has forked, and in the child another
         * thread watches. */
        if (records == NULL || token != mine) {
            break;
        }
        sq__wait_id_t rest = wait_id = sq__token_prepare(mine);
        uint64_t until = next_round;
        sq__mutex_unlock(&lock);
        sq__token_sleep(mine, rest, until);
        sq__mutex_lock(&lock);
    }
    if (token == mine) {
        sq__token_recycle(mine);
        token = NULL;
    }
    sq__mutex_unlock(&lock);
}

void sq__watch_wake(sq__watch_note_t *note) {
    sq__watched_t *watched = SQ__CONTAINER(note, sq__watched_t, note);
    sq__store_relaxed(&watched->note.began, 0);
    sq__mutex_lock(&lock);
    if (watched->rests) {
        watched->rests = false;
        watched->last_look = sq__clock_now(); /* so a queue with many short tasks wakes the thread once per look, not once per task */
        if (watched->watcher != NULL) { /* it is still watched */
            ask_for_round(watched->last_look + rest_of(watched->watcher));
        }
    }
    sq__mutex_unlock(&lock);
}

/* List */

int sq__watch_thread_add(sq__watched_t *watched, const sq__watcher_t *watcher) {
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
        next_round = 0;
    }
    uint64_t began = SQ__WATCH_RESTS; /* set for the previous watcher */
    (void)sq__cas_relaxed(&watched->note.began, &began, 0);
    watched->rests = false;
    watched->reported_running = 0; /* a new watcher also gets the stalls that the old one got */
    watched->looks = 0;
    watched->last_look = sq__clock_now() - rest_of(watcher); /* the first check is due now */
    round_gap = records == NULL || gap_of(watcher) < round_gap ? gap_of(watcher) : round_gap;
    if (watched->link == NULL) {
        SQ__LIST_PUT(records, watched);
    }
    ask_for_round(sq__clock_now()); /* it may sleep too long for the new watcher */
    return 0;
}

void sq__watch_thread_remove(sq__watched_t *watched) {
    if (watched->link != NULL) {
        SQ__LIST_REMOVE(watched);
    }
    if (records == NULL && token != NULL) {
        sq__token_grant(token, wait_id); /* no queue is left, so the thread ends */
    }
}
