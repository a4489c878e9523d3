/* mutex.c: glibc's mutex and condition. The compiler reports the accesses of this file, too, so they cost what they cost in the C library. */
#include "platform/mutex.h"

#include "platform/thread.h"
#include "scaling.h"

#include <stdatomic.h>

enum { MOST_SPINS = 100, MOST_BACKOFF = 16 };

int sq__mutex_init(sq__mutex_t *mutex) { return *mutex = (sq__mutex_t){ .spins_at_all = 1 }, 0; }
void sq__mutex_destroy(sq__mutex_t *mutex) { (void)mutex; }

static bool try(sq__mutex_t *mutex) {
    uint32_t free = 0;
    return atomic_compare_exchange_strong_explicit(&mutex->word, &free, 1, memory_order_acquire, memory_order_relaxed);
}

static void sleep_until_locked(sq__mutex_t *mutex) {
    if (atomic_load_explicit(&mutex->word, memory_order_relaxed) == 2) {
        (void)sc_futex_wait(&mutex->word, 2, SQ__NEVER);
    }
    while (atomic_exchange_explicit(&mutex->word, 2, memory_order_acquire) != 0) {
        (void)sc_futex_wait(&mutex->word, 2, SQ__NEVER);
    }
}

/* With growing rests of a random length between two looks. */
static void spin_until_locked(sq__mutex_t *mutex) {
    int most = mutex->spins * 2 + 10, count = 0, backoff = 1;
    int jitter = (int)(sc_random() % MOST_BACKOFF);
    do {
        int rest = backoff + (jitter & (backoff - 1));
        count += rest;
        if (count >= (most < MOST_SPINS ? most : MOST_SPINS)) {
            sleep_until_locked(mutex);
            break;
        }
        for (; rest > 0; rest -= 1) {
            sq__pause();
        }
        backoff = backoff < MOST_BACKOFF ? backoff * 2 : backoff;
    } while (atomic_load_explicit(&mutex->word, memory_order_relaxed) != 0 || !try(mutex));
    mutex->spins = (int16_t)(mutex->spins + (count - mutex->spins) / 8);
}

void sq__mutex_lock(sq__mutex_t *mutex) {
    if (!try(mutex)) {
        if (mutex->spins_at_all) {
            spin_until_locked(mutex);
        } else {
            sleep_until_locked(mutex);
        }
    }
    mutex->owner = (uint32_t)sq__thread_id();
    mutex->users += 1;
}

bool sq__mutex_lock_patiently(sq__mutex_t *mutex, sq__patience_t *patience) { return (void)patience, sq__mutex_lock(mutex), true; }

void sq__mutex_unlock(sq__mutex_t *mutex) {
    mutex->owner = 0;
    mutex->users -= 1;
    if (atomic_exchange_explicit(&mutex->word, 0, memory_order_release) > 1) {
        sc_futex_wake(&mutex->word);
    }
}

int sq__condition_init(sq__condition_t *condition) { return *condition = (sq__condition_t){ 0 }, 0; }

bool sq__condition_wait(sq__condition_t *condition, sq__mutex_t *mutex, uint64_t deadline) {
    uint32_t sequence = atomic_load_explicit(&condition->sequence, memory_order_relaxed);
    atomic_fetch_add_explicit(&condition->waiters, 1, memory_order_relaxed);
    sq__mutex_unlock(mutex);
    bool in_time = sc_futex_wait(&condition->sequence, sequence, deadline);
    atomic_fetch_sub_explicit(&condition->waiters, 1, memory_order_relaxed);
    sq__mutex_lock(mutex);
    return in_time;
}

void sq__condition_signal(sq__condition_t *condition) {
    if (atomic_load_explicit(&condition->waiters, memory_order_relaxed) > 0) {
        atomic_fetch_add_explicit(&condition->sequence, 1, memory_order_relaxed);
        sc_futex_wake(&condition->sequence);
    }
}
