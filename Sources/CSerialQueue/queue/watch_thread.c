#include "queue/watch_thread.h"

#include "platform/clock.h"
#include "platform/mutex.h"
#include "platform/thread.h"
#include "platform/unwind.h"
#include "queue/deadlock.h"
#include "queue/stats.h"
#include "queue/watch.h"
#include "thread/token.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_SIZE = 128 };

static const uint64_t shortest_rest = 1000000; /* nanoseconds */

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__note_t *notes;   /* W */
static sq__token_t *token;  /* W  of the thread; NULL: none runs */
static sq__turn_t turn;     /* W  of its present rest */
static sq__thread_start_t thread_start; /* W  of the thread */
static uint64_t rounds;                 /* W */

/* The one that this thread called last. It forks nowhere but in that call, or in what lets go of it after the call. */
static SQ__THREAD_LOCAL sq__watcher_t *called;

void sq__watch_thread_lock(void) { sq__mutex_lock(&lock); }
void sq__watch_thread_unlock(void) { sq__mutex_unlock(&lock); }

void sq__watch_lock(void) { sq__mutex_lock(&lock); }

void sq__watch_unlock(bool in_child) {
    if (in_child) { /* nobody looks at the parent's queues any more, or comes back from a call but the thread that forked in it */
        for (sq__note_t *note = notes; note != NULL; note = note->next) {
            note->link = NULL;
            note->watcher->is_being_called = note->watcher == called;
        }
        notes = NULL;
        token = NULL;
    }
    sq__mutex_unlock(&lock);
}

static uint64_t rest_of(const sq__watcher_t *watcher) {
    return watcher->threshold / 4 > shortest_rest ? watcher->threshold / 4 : shortest_rest;
}

/* Looks */

typedef struct stall {
    sq_stall_t told;
    char label[LABEL_SIZE];
    char waits_for[LABEL_SIZE];
} stall_t;

static bool runs_too_long(sq__note_t *note, uint64_t now, stall_t *stall) {
    uint64_t began = sq__load_acquire(&note->began); /* [note] acquire: the two below */
    sq_function_t function = sq__load_acquire(&note->function); /* [note] acquire: `began` below is at least as new */
    uint64_t thread_id = sq__load_acquire(&note->thread_id); /* [note] acquire: the same */
    if (began == 0 || now - began < note->watcher->threshold || now < began || sq__load_relaxed(&note->began) != began) {
        return false;
    }
    stall->told = (sq_stall_t){
        .kind = SQ_STALL_RUNNING, .nanoseconds = now - began, .function = function, .thread_id = thread_id
    };
    bool is_new = note->told_running != began;
    note->told_running = began;
    note->told_waiting = true; /* what waits behind it is the same incident */
    return is_new;
}

static bool waits_too_long(sq__note_t *note, uint64_t now, stall_t *stall) {
    uint64_t waiting;
    uint64_t passed = sq__stats_passed(note->queue, &waiting);
    bool stalled = waiting > 0 && note->looks == SQ__LOOKS && passed < note->taken[SQ__LOOKS - 1];
    if (!stalled) {
        note->told_waiting = false;
    } else if (!note->told_waiting) {
        stall->told = (sq_stall_t){ .kind = SQ_STALL_WAITING, .nanoseconds = SQ__LOOKS * rest_of(note->watcher) };
        note->told_waiting = true;
    } else {
        stalled = false;
    }
    memmove(&note->taken[1], &note->taken[0], sizeof note->taken - sizeof note->taken[0]);
    note->taken[0] = passed + waiting;
    note->looks += note->looks < SQ__LOOKS;
    note->last_look = now;
    return stalled;
}

/* True: there is something to tell. With the lock. */
static bool look(sq__note_t *note, uint64_t now, stall_t *stall) {
    bool stalled = runs_too_long(note, now, stall);
    if (!stalled) {
        stalled = waits_too_long(note, now, stall);
    }
    if (stalled) {
        snprintf(stall->label, sizeof stall->label, "%s", note->queue->label);
        sq__deadlock_waits_for(stall->told.thread_id, stall->waits_for, sizeof stall->waits_for);
        stall->told.label = stall->label;
        stall->told.waits_for = stall->waits_for;
        stall->told.depth = sq__stats_depth(note->queue);
        stall->told.suspended = sq__load_relaxed(&note->queue->state) & SQ__SUSPENDED;
    }
    return stalled;
}

/* The user's code, without the lock. The queue may be freed meanwhile, and the note with it. */
static void tell(sq__watcher_t *watcher, const sq_stall_t *told) {
    SQ__NOBODY_UNWINDS_THROUGH;
    watcher->is_being_called = true;
    called = watcher;
    sq__mutex_unlock(&lock);
    watcher->given.stalled(watcher->given.context, told);
    sq__mutex_lock(&lock);
    watcher->is_being_called = false;
    if (watcher->is_dropped) {
        sq__mutex_unlock(&lock);
        watcher->let_go(watcher);
        sq__mutex_lock(&lock);
    }
}

/* One round: looks at all that are due, at each once, so that a watcher with much to report does not keep the thread from the
 * others. Returns when the next one is due. With the lock, by the thread that has this token. */
static uint64_t look_around(const sq__token_t *mine) {
    uint64_t next = SQ__NEVER;
    rounds += 1;
    sq__note_t *note = notes;
    while (note != NULL) {
        uint64_t now = sq__clock_now();
        uint64_t due = note->last_look + rest_of(note->watcher);
        stall_t stall = { .waits_for = "" };
        if (now >= due && note->round != rounds) {
            sq__watcher_t *watcher = note->watcher;
            note->round = rounds;
            if (look(note, now, &stall)) {
                tell(watcher, &stall.told);
                if (token != mine) {
                    return SQ__NEVER; /* it has forked, and this is the child, where the list is another thread's */
                }
                next = SQ__NEVER;
                note = notes; /* the list may have changed */
                continue;
            }
            due = now + rest_of(note->watcher);
        }
        next = due < next ? due : next;
        note = note->next;
    }
    return next;
}

static void watch(void *unused) {
    (void)unused;
    sq__mutex_lock(&lock);
    sq__token_t *mine = token;
    for (;;) {
        uint64_t next = look_around(mine);
        if (notes == NULL) {
            break; /* the last one may have gone during a call, when this thread had no rest that could be ended */
        }
        if (token != mine) {
            break; /* a call has forked, and this is the child, where others are watched by another thread */
        }
        sq__turn_t rest = turn = sq__token_prepare(mine);
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

/* List */

int sq__watch_thread_add(sq__note_t *note, const sq__watcher_t *watcher) {
    if (token == NULL) {
        token = sq__token_acquire();
        if (token == NULL) {
            return ENOMEM;
        }
        int error = sq__thread_start(&thread_start, watch, NULL, "sq-watch", 0);
        if (error) {
            sq__token_recycle(token);
            token = NULL;
            return error;
        }
    } else {
        sq__token_grant(token, turn); /* its rest may be too long for the new one */
    }
    note->told_running = 0; /* a new watcher is told of what the old one was told */
    note->looks = 0;
    note->last_look = sq__clock_now() - rest_of(watcher); /* the first look is due now */
    if (note->link == NULL) {
        note->next = notes;
        note->link = &notes;
        if (note->next != NULL) {
            note->next->link = &note->next;
        }
        notes = note;
    }
    return 0;
}

void sq__watch_thread_remove(sq__note_t *note) {
    if (note->link != NULL) {
        *note->link = note->next;
        if (note->next != NULL) {
            note->next->link = note->link;
        }
        note->link = NULL;
    }
    if (notes == NULL && token != NULL) {
        sq__token_grant(token, turn); /* nothing left to look at */
    }
}
