#include "pool/loop.h"

#include "include/sq_loop.h"
#include "include/sq_private.h"
#include "platform/event.h"
#include "platform/thread.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "thread/self.h"
#include "thread/spin.h"

#include <errno.h>

/* Longer than in other pools: at the beginning of each batch the runner samples the state word, and takes its cache line from the
 * submitters. If other entries wait, a batch ends after a millisecond, as everywhere. */
enum { LONG_BATCH = 8 * SQ__BATCH };

bool sq__pool_is_loop(const sq__pool_t *pool) { return pool->is_loop; }

bool sq__pool_seems_to_lack_owner(sq__pool_t *pool) {
    sq__mutex_lock(&pool->parts->lock);
    bool lacks_owner = sq__pool_lacks_owner(pool);
    sq__mutex_unlock(&pool->parts->lock);
    return lacks_owner;
}

bool sq__pool_is_loop_of(const sq__pool_t *pool, const sq__owner_t *owner) {
    /* Relaxed: it is equal to one's own record if one's own thread has written it, or another before it published the pool. */
    return owner != NULL && sq__load_relaxed(&pool->owner) == owner; /* which only a loop has */
}

bool sq__pool_is_own_loop(const sq__pool_t *pool) { return sq__pool_is_loop_of(pool, sq__self()->owner); }

int sq_pool_fd(sq_pool_t *pool) {
    if (!pool->is_loop || sq__pool_is_stale(pool)) {
        errno = pool->is_loop ? ESTALE : EINVAL;
        return -1;
    }
    return pool->event.reads;
}

sq__owner_t *sq__loop_owner(void) {
    sq__owner_t *self = sq__self_owner();
    if (self != NULL) {
        sq__owner_retain(self);
    }
    return self;
}

int sq__pool_own_as(sq_pool_t *pool, sq__owner_t *owner) {
    sq__mutex_lock(&pool->parts->lock);
    sq__owner_t *before = sq__load_relaxed(&pool->owner);
    bool is_free = sq__pool_lacks_owner(pool);
    if (is_free) {
        sq__owner_retain(owner);
        sq__store_relaxed(&pool->owner, owner);
    }
    sq__mutex_unlock(&pool->parts->lock);
    if (!is_free) {
        return EPERM;
    }
    sq__owner_release(before);
    return 0;
}

int sq_pool_own(sq_pool_t *pool) {
    if (!pool->is_loop || sq__pool_is_stale(pool)) {
        return pool->is_loop ? ESTALE : EINVAL;
    }
    if (sq__pool_is_own_loop(pool)) {
        return 0;
    }
    sq__owner_t *self = sq__self_owner();
    return self == NULL ? ENOMEM : sq__pool_own_as(pool, self);
}

/* By the owner, outside of a run: the next thread that runs the loop owns it. */
static void disown(sq__pool_t *pool) {
    sq__mutex_lock(&pool->parts->lock);
    sq__store_relaxed(&pool->owner, NULL);
    sq__mutex_unlock(&pool->parts->lock);
    sq__owner_release(sq__self()->owner); /* the loop's reference; the thread has another */
}

static sq__ready_t *take(sq__pool_t *pool, sq__band_t *band) {
    sq__mutex_lock(&pool->parts->lock);
    sq__ready_t *entry = sq__part_take_first(pool->parts, band);
    sq__mutex_unlock(&pool->parts->lock);
    return entry;
}

/* Runs at most `most` tasks of the entry. False: one has forked, and this is the child. */
static bool call(sq__pool_t *pool, sq__band_t band, sq__ready_t *entry, size_t most, size_t *ran) {
    bool has_more = pool->call(entry, most < LONG_BATCH ? most : LONG_BATCH, ran) == SQ__READY_MORE;
    if (sq__pool_is_stale(pool)) {
        return false;
    }
    if (has_more) {
        sq__pool_post(pool, band, entry);
    }
    return true;
}

/* True: nothing is ready. Then the descriptor is not readable, or a thread that posted earlier is just writing it. With `stoppable` a
 * stop counts as something ready. */
static bool rest(sq__pool_t *pool, bool stoppable) {
    sq__mutex_lock(&pool->parts->lock);
    bool is_empty = !sq__part_has_ready(pool->parts) && !(stoppable && pool->stops);
    if (is_empty && pool->is_rung && sq__event_clear(pool->event)) {
        pool->is_rung = false;
    }
    sq__mutex_unlock(&pool->parts->lock);
    return is_empty;
}

/* Waits for an entry until the deadline. Returns false if it has passed. */
static bool await_entry(sq__pool_t *pool, sq_time_t until, bool stoppable) {
    unsigned pauses = sq__spin_begin(SQ__SPIN_WORKER, SQ__WORKER_SPINS);
    if (pauses > 0) {
        for (; pauses > 0 && !sq__pool_is_crowded(pool); pauses -= 1) {
            sq__pause();
        }
        sq__spin_end(SQ__SPIN_WORKER, pauses > 0);
    }
    return !rest(pool, stoppable) || sq__event_wait(pool->event, until);
}

/* Returns 0 or ESTALE. */
static int run_ready(sq__pool_t *pool, size_t most, size_t *ran) {
    sq__ready_t *entry;
    sq__band_t band;
    while (*ran < most && (entry = take(pool, &band)) != NULL) {
        if (!call(pool, band, entry, most - *ran, ran)) {
            return ESTALE;
        }
    }
    return 0;
}

static int run_some(sq__pool_t *pool, size_t most, sq_time_t until, size_t *ran) {
    bool is_in_time = true;
    for (;;) {
        int error = run_ready(pool, most, ran);
        if (error || *ran >= most) {
            (void)(error || rest(pool, false)); /* clears the descriptor if nothing is left: the program need not come back */
            return error;
        }
        if (*ran > 0 || until == SQ_NOW || !is_in_time) {
            if (rest(pool, false)) {
                return *ran > 0 ? 0 : until == SQ_NOW ? EAGAIN : ETIMEDOUT;
            }
        } else {
            is_in_time = await_entry(pool, until, false);
        }
    }
}

size_t sq_pool_run_some(sq_pool_t *pool, size_t most, sq_time_t until) {
    size_t ran = 0;
    int error = most > 0 ? sq_pool_own(pool) : EINVAL;
    if (error == 0) {
        sq__pool_retain(pool); /* a task may release the caller's reference */
        error = run_some(pool, most, until, &ran);
        sq__pool_release(pool);
    }
    if (ran == 0) {
        errno = error;
    }
    return ran;
}

size_t sq__pool_run_as_guest(sq_pool_t *pool, size_t most) {
    bool is_guest = !sq__pool_is_own_loop(pool);
    int error = sq_pool_own(pool);
    if (error) {
        errno = error;
        return 0;
    }
    sq__pool_retain(pool); /* a task may release the caller's reference */
    size_t ran = sq_pool_run_some(pool, most, SQ_NOW);
    error = errno;
    if (is_guest && !sq__pool_is_stale(pool)) {
        disown(pool);
    }
    sq__pool_release(pool);
    errno = error;
    return ran;
}

/* True: sq_pool_stop was called. Else *entry is the next one, or NULL. */
static bool take_or_stop(sq__pool_t *pool, sq__band_t *band, sq__ready_t **entry) {
    sq__mutex_lock(&pool->parts->lock);
    bool stops = pool->stops;
    pool->stops = false;
    *entry = stops ? NULL : sq__part_take_first(pool->parts, band);
    sq__mutex_unlock(&pool->parts->lock);
    return stops;
}

int sq_pool_run_forever(sq_pool_t *pool) {
    sq__ready_t *entry;
    sq__band_t band;
    size_t ran = 0;
    int error = sq_pool_own(pool);
    if (error) {
        return error;
    }
    sq__pool_retain(pool);
    while (!take_or_stop(pool, &band, &entry)) {
        if (entry == NULL) {
            (void)await_entry(pool, SQ_FOREVER, true);
        } else if (!call(pool, band, entry, SIZE_MAX, &ran)) {
            error = ESTALE;
            break;
        }
    }
    if (error == 0) {
        (void)rest(pool, false);
    }
    sq__pool_release(pool);
    return error;
}

int sq_pool_stop(sq_pool_t *pool) {
    if (!pool->is_loop || sq__pool_is_stale(pool)) {
        return pool->is_loop ? ESTALE : EINVAL;
    }
    sq__mutex_lock(&pool->parts->lock);
    pool->stops = true;
    sq__pool_ring_and_unlock(pool);
    return 0;
}
