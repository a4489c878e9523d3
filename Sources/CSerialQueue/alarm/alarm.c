#include "alarm/alarm.h"

#include "alarm/alarm_set.h"
#include "platform/clock.h"
#include "platform/container.h"
#include "platform/fatal.h"
#include "platform/thread.h"
#include "thread/process.h"
#include "thread/token.h"

#include <errno.h>

/* How long the thread stays after the last lease, in nanoseconds. */
static const uint64_t linger = 100000000;

static sq__thread_start_t shared_start; /* under the shared set's lock; for its thread, of which there is at most one */
static sq__alarms_t shared = { .lock = SQ__MUTEX_INIT };

/* The set. All with the lock held. */

static uint64_t next_wake(const sq__alarms_t *alarms) {
    uint64_t exact = sq__alarms_key(&alarms->exact), latest = sq__alarms_key(&alarms->latest);
    return exact < latest ? exact : latest;
}

/* The alarm is in no heap, and has its order. A manual set ignores the leeway, and so does one without memory. */
static void put(sq__alarms_t *alarms, sq__alarm_t *alarm, uint64_t due, uint64_t leeway) {
    if (leeway > 0 && !alarms->is_manual && sq__heap_reserve(&alarms->loose, alarms->loose.count + 1)
        && sq__heap_reserve(&alarms->latest, alarms->latest.count + 1)) {
        sq__heap_put(&alarms->loose, &alarm->due, due);
        sq__heap_put(&alarms->latest, &alarm->latest, sq__time_after(due, leeway));
        return;
    }
    if (!sq__heap_reserve(&alarms->exact, alarms->exact.count + 1)) {
        sq__fatal("an alarm is set without a lease: this is a bug in the library, please report it.");
    }
    sq__heap_put(&alarms->exact, &alarm->due, due);
}

/* Releases the lock. If the set's thread would sleep beyond `time`, wakes it. */
static void unlock_and_wake(sq__alarms_t *alarms, uint64_t time) {
    sq__token_t *woken = NULL;
    sq__wait_id_t wait_id = alarms->wait_id;
    if (time < alarms->wakes_at) {
        woken = alarms->token;
        alarms->wakes_at = 0;
    }
    sq__mutex_unlock(&alarms->lock);
    if (woken != NULL) {
        sq__token_grant(woken, wait_id); /* one that comes late has no effect: that wait is over */
    }
}

/* The thread of the process's set */

/* By the set's thread, with the lock, which is released meanwhile. Returns at `time`, or when unlock_and_wake wakes it. */
static void sleep_until(sq__alarms_t *alarms, uint64_t time) {
    sq__wait_id_t wait_id = alarms->wait_id = sq__token_prepare(alarms->token);
    sq__token_t *token = alarms->token;
    alarms->wakes_at = time;
    alarms->lingers = alarms->leases == 0;
    sq__mutex_unlock(&alarms->lock);
    sq__token_sleep(token, wait_id, time);
    sq__mutex_lock(&alarms->lock);
    alarms->wakes_at = 0;
}

/* The thread's body; its token is in the set. Ends a while after the last lease, and gives the token back; at once in the child of a fork. */
static void call_when_due(void *argument) {
    sq__alarms_t *alarms = argument;
    uint64_t leaves_at = SQ__NEVER;
    sq__thread_wake_in_time(); /* alarms that may be late have a leeway */
    sq__mutex_lock(&alarms->lock);
    for (;;) {
        uint64_t now = sq__clock_now();
        sq__alarm_t *alarm = sq__alarms_take_due(alarms, now, &(uint64_t){ 0 });
        if (alarm != NULL) {
            if (!sq__alarms_run(alarms, alarm)) {
                return;
            }
        } else if (alarms->leases > 0) {
            leaves_at = SQ__NEVER;
            sleep_until(alarms, next_wake(alarms));
        } else if (leaves_at == SQ__NEVER) {
            leaves_at = sq__time_after(now, linger);
        } else if (now < leaves_at) {
            sleep_until(alarms, leaves_at);
        } else {
            break;
        }
    }
    sq__alarms_empty(alarms);
    sq__token_recycle(alarms->token);
    alarms->token = NULL;
    sq__mutex_unlock(&alarms->lock);
}

/* With the lock held; the set has no thread. Returns 0, and alarms->token is the thread's; or ENOMEM, and the token is NULL. */
static int start_thread(sq__alarms_t *alarms) {
    sq__token_t *token = sq__token_acquire();
    if (token == NULL) {
        return ENOMEM;
    }
    alarms->token = token;
    int error = sq__thread_start(&shared_start, call_when_due, alarms, &(sq__thread_kind_t){ .name = "sq-alarm" });
    if (error) {
        sq__token_recycle(token);
        alarms->token = NULL;
    }
    return error;
}

/* With the lock held. Returns 0 or ENOMEM. */
static int add_lease(sq__alarms_t *alarms) {
    bool is_there = sq__heap_reserve(&alarms->exact, alarms->leases + 1);
    alarms->leases += is_there;
    return is_there ? 0 : ENOMEM;
}

int sq__alarms_shared(sq__alarms_t **alarms) {
    int error = 0;
    sq__mutex_lock(&shared.lock);
    if (shared.token == NULL) {
        error = start_thread(&shared);
    }
    error = error ? error : add_lease(&shared);
    *alarms = &shared;
    sq__mutex_unlock(&shared.lock);
    return error;
}

int sq__alarms_lease(sq__alarms_t *alarms) {
    sq__mutex_lock(&alarms->lock);
    int error = add_lease(alarms);
    sq__mutex_unlock(&alarms->lock);
    return error;
}

/* With the lock, which it releases. */
static void release_and_unlock(sq__alarms_t *alarms) {
    alarms->leases -= 1;
    sq__heap_trim(&alarms->exact, alarms->leases + 1);
    bool ends = alarms->leases == 0 && !alarms->is_manual && !alarms->lingers;
    unlock_and_wake(alarms, ends ? sq__time_after(sq__clock_now(), linger) : SQ__NEVER);
}

void sq__alarms_release(sq__alarms_t *alarms) {
    sq__mutex_lock(&alarms->lock);
    release_and_unlock(alarms);
}

/* Any set */

uint64_t sq__alarms_now(sq__alarms_t *alarms) {
    if (!alarms->is_manual) {
        return sq__clock_now();
    }
    sq__mutex_lock(&alarms->lock);
    uint64_t now = alarms->now;
    sq__mutex_unlock(&alarms->lock);
    return now;
}

/* The alarm is not set; the set's lock is not held. `again`: it keeps its order. */
static void set(sq__alarms_t *alarms, sq__alarm_t *alarm, uint64_t due, uint64_t leeway, bool again) {
    sq__mutex_lock(&alarms->lock);
    if (!again) {
        alarm->due.order = alarms->order++;
    }
    put(alarms, alarm, due, leeway);
    unlock_and_wake(alarms, sq__time_after(due, leeway));
}

void sq__alarm_set(sq__alarms_t *alarms, sq__alarm_t *alarm, uint64_t due, uint64_t leeway) {
    set(alarms, alarm, due, leeway, false);
}

void sq__alarm_set_again(sq__alarms_t *alarms, sq__alarm_t *alarm, uint64_t due, uint64_t leeway) {
    set(alarms, alarm, due, leeway, true);
}

static bool cancel(sq__alarms_t *alarms, sq__alarm_t *alarm, bool releases) {
    sq__mutex_lock(&alarms->lock);
    bool was_set = sq__heap_is_in(&alarm->due);
    if (was_set) {
        sq__alarms_take(alarms, alarm);
    }
    if (was_set && releases) {
        release_and_unlock(alarms);
    } else {
        sq__mutex_unlock(&alarms->lock);
    }
    return was_set;
}

bool sq__alarm_cancel(sq__alarms_t *alarms, sq__alarm_t *alarm) { return cancel(alarms, alarm, false); }

bool sq__alarm_cancel_and_release(sq__alarms_t *alarms, sq__alarm_t *alarm) { return cancel(alarms, alarm, true); }

/* For dumps */

/* An entry of a heap that may come next. */
typedef struct candidate {
    const sq__heap_t *heap;
    size_t index;
} candidate_t;

/* Of each entry that was taken, the four below it. */
typedef struct front {
    candidate_t of[2 + 3 * SQ__ALARMS_VISITED];
    unsigned count;
} front_t;

static const sq__heap_entry_t *entry(const candidate_t *candidate) { return sq__heap_at(candidate->heap, candidate->index); }

static void push(front_t *front, const sq__heap_t *heap, size_t index) {
    if (index < heap->count) {
        front->of[front->count++] = (candidate_t){ heap, index };
    }
}

/* With the lock. Takes the entry that comes first, and puts those below it into the front. NULL: none is left. */
static const sq__heap_entry_t *pop(front_t *front) {
    unsigned first = 0;
    if (front->count == 0) {
        return NULL;
    }
    for (unsigned i = 1; i < front->count; i += 1) {
        first = sq__heap_before(entry(&front->of[i]), entry(&front->of[first])) ? i : first;
    }
    const candidate_t taken = front->of[first];
    front->of[first] = front->of[--front->count];
    for (size_t child = 1; child <= 4; child += 1) {
        push(front, taken.heap, 4 * taken.index + child);
    }
    return entry(&taken);
}

bool sq__alarms_visit(sq__alarms_t *alarms, const sq__alarms_visitor_t *visitor) {
    alarms = alarms != NULL ? alarms : &shared;
    front_t front = { .count = 0 };
    if (!sq__mutex_lock_patiently(&alarms->lock, visitor->patience)) {
        return false;
    }
    uint64_t now = alarms->is_manual ? alarms->now : sq__clock_now();
    push(&front, &alarms->exact, 0);
    push(&front, &alarms->loose, 0);
    const sq__heap_entry_t *next;
    for (unsigned i = 0; i < visitor->most && (next = pop(&front)) != NULL; i += 1) {
        visitor->visit(visitor->context, SQ__CONTAINER(next->node, sq__alarm_t, due), next->key, now);
    }
    sq__mutex_unlock(&alarms->lock);
    return true;
}

/* Fork */

/* With the lock, in the child of a fork: the process's set is empty there, has no thread, and has no leases. */
static void forget_alarms(void) {
    sq__alarms_empty(&shared);
    shared.token = NULL; /* its thread exists only in the parent */
    shared.leases = 0;
    shared.wakes_at = 0;
}

SQ__AROUND_FORK(SQ__RANK_ALARMS, .lock = &shared.lock, .in_child = forget_alarms)
