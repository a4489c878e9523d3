#include "runner/loop.h"

#include "include/sq_loop.h"
#include "include/sq_private.h"
#include "runner/ready.h"
#include "runner/runner_inline.h"
#include "thread/self.h"
#include "thread/spin.h"

#include <errno.h>

/* Longer than elsewhere: at the beginning of each batch the runner samples the state word, and takes its cache line from the
 * submitters. If other entries wait, a batch ends after a millisecond, as everywhere. */
enum { LONG_BATCH = 8 * SQ__BATCH };

static const sq__runner_kind_t kind;

static loop_t *loop_at(sq__runner_t runner) { return sq__runner_object(runner); }

static void retain(loop_t *loop) { sq__hosted_retain(sq__runner(loop, SQ__LEVEL_NORMAL)); }

/* Releases a reference. The last one closes the descriptor, and frees the loop; not in the child of a fork. */
static void release(sq__runner_t runner) {
    loop_t *loop = loop_at(runner);
    if (sq__hosted_is_last_release(&loop->hosted)) {
        sq__event_close(loop->event);
        sq__owner_release(sq__load_relaxed(&loop->owner));
        sq__hosted_free(&loop->hosted);
    }
}

static void drop(loop_t *loop) { release(sq__runner(loop, SQ__LEVEL_NORMAL)); }

/* *loop, if the handle is that of a loop, and this is the process that made it. Returns 0, EINVAL or ESTALE. */
static int find(sq_pool_t *handle, loop_t **loop) {
    *loop = (loop_t *)handle;
    if ((*loop)->hosted.listed.runner.kind != &kind) {
        return EINVAL;
    }
    return sq__hosted_is_stale(&(*loop)->hosted) ? ESTALE : 0;
}

/* L. No thread runs it, because none has yet, or its owner has ended. */
static bool lacks_owner_locked(const loop_t *loop) {
    const sq__owner_t *owner = sq__load_relaxed(&loop->owner);
    return owner == NULL || sq__owner_has_ended(owner);
}

static bool lacks_owner(sq__runner_t runner, bool is_locked) {
    loop_t *loop = loop_at(runner);
    if (is_locked) {
        return lacks_owner_locked(loop);
    }
    sq__mutex_lock(&loop->hosted.lock);
    bool lacks = lacks_owner_locked(loop);
    sq__mutex_unlock(&loop->hosted.lock);
    return lacks;
}

static uint64_t last_owner(sq__runner_t runner) { return loop_at(runner)->last_owner; }

static bool owned_by(sq__runner_t runner, const sq__owner_t *owner) {
    /* Relaxed: it is equal to one's own record if one's own thread has written it, or another before it published the loop. */
    const loop_t *loop = loop_at(runner);
    return owner != NULL && sq__load_relaxed(&loop->owner) == owner;
}

static bool is_own(const loop_t *loop) { return owned_by(sq__runner(loop, SQ__LEVEL_NORMAL), sq__self()->owner); }

/* L, which it releases: makes the descriptor readable, if it is not. The loop may be freed on return. */
static void ring_and_unlock(loop_t *loop) {
    bool rings = !loop->is_rung;
    if (rings) {
        loop->is_rung = true;
        retain(loop); /* once the lock is released, the owner may run what is ready, and free the loop */
    }
    sq__mutex_unlock(&loop->hosted.lock);
    if (rings) {
        sq__event_set(loop->event); /* after the unlock, so that the owner does not wake into a held lock */
        drop(loop);
    }
}

static void post(sq__runner_t runner, sq__ready_t *entry) {
    loop_t *loop = loop_at(runner);
    sq__mutex_lock(&loop->hosted.lock);
    sq__hosted_put(&loop->hosted, sq__runner_level(runner), entry, true);
    sq__owner_t *owner = sq__load_relaxed(&loop->owner);
    if (owner != NULL) {
        sq__owner_wake(owner);
    }
    ring_and_unlock(loop);
}

static sq__demand_t demand(sq__runner_t runner) {
    const loop_t *loop = loop_at(runner);
    return sq__load_relaxed(&loop->hosted.waiting) != 0 ? SQ__DEMAND_SHARED : SQ__DEMAND_NONE;
}

static bool serves(sq__runner_t runner, bool is_turn) {
    (void)is_turn;
    return owned_by(runner, sq__self()->owner);
}

/* Earlier wakes are forgotten: the look that follows sees what caused them. */
static bool listen(sq__runner_t runner, sq__caller_run_t *caller_run, bool listens) {
    if (listens) {
        sq__token_forget_wake(caller_run->token);
    }
    sq__owner_await(sq__self()->owner, listens ? caller_run->token : NULL);
    return listens && sq__hosted_run(runner, caller_run, false);
}

static const sq__runner_kind_t kind = {
    .is_threadless = true, .post = post, .demand = demand, .owned_by = owned_by, .lacks_owner = lacks_owner, .last_owner = last_owner, .serves = serves,
    .run = sq__hosted_run, .listen = listen, .retain = sq__hosted_retain, .release = release, .visit = sq__hosted_visit
};

int sq__loop_create(sq_pool_t **handle, const char *label, sq__ready_function_t call) {
    loop_t *loop = sq__hosted_create(sizeof *loop, &kind, label, call);
    int error = loop != NULL ? sq__event_open(&loop->event) : ENOMEM;
    if (error) {
        if (loop != NULL) {
            sq__hosted_free(&loop->hosted);
        }
        return error;
    }
    sq__pools_add(&loop->hosted.listed);
    *handle = (sq_pool_t *)loop;
    return 0;
}

/* The public calls */

int sq_pool_fd(sq_pool_t *pool) {
    loop_t *loop;
    int error = find(pool, &loop);
    if (error) {
        errno = error;
        return -1;
    }
    return loop->event.reads;
}

sq__owner_t *sq__loop_owner(void) {
    sq__owner_t *self = sq__self_owner();
    if (self != NULL) {
        sq__owner_retain(self);
    }
    return self;
}

/* Takes the lock. Returns 0: the loop has a reference to this owner, and none to the one before. EPERM: the loop has an owner, even if it is this
 * one. */
static int own_as(loop_t *loop, sq__owner_t *owner) {
    sq__mutex_lock(&loop->hosted.lock);
    sq__owner_t *before = sq__load_relaxed(&loop->owner);
    bool is_free = lacks_owner_locked(loop);
    if (is_free) {
        sq__owner_retain(owner);
        sq__store_relaxed(&loop->owner, owner);
        loop->last_owner = sq__load_relaxed(&owner->thread_id);
    }
    sq__mutex_unlock(&loop->hosted.lock);
    if (!is_free) {
        return EPERM;
    }
    sq__owner_release(before);
    return 0;
}

int sq__pool_own_as(sq_pool_t *pool, sq__owner_t *owner) {
    loop_t *loop;
    return find(pool, &loop) != 0 ? EPERM : own_as(loop, owner);
}

/* *loop is the loop, and the calling thread owns it from now on. Returns 0, EINVAL, ESTALE, ENOMEM, or EPERM: another thread owns it. */
static int own(sq_pool_t *pool, loop_t **loop) {
    int error = find(pool, loop);
    if (error || is_own(*loop)) {
        return error;
    }
    sq__owner_t *self = sq__self_owner();
    return self == NULL ? ENOMEM : own_as(*loop, self);
}

int sq_pool_own(sq_pool_t *pool) {
    loop_t *loop;
    return own(pool, &loop);
}

/* By the owner, outside of a run: the next thread that runs the loop owns it. */
static void disown(loop_t *loop) {
    sq__mutex_lock(&loop->hosted.lock);
    sq__store_relaxed(&loop->owner, NULL);
    sq__mutex_unlock(&loop->hosted.lock);
    sq__owner_release(sq__self()->owner); /* the loop's reference; the thread has another */
}

/* Runs at most `most` tasks of the entry. False: one has forked, and this is the child. */
static bool call(loop_t *loop, sq__level_t level, sq__ready_t *entry, size_t most, size_t *ran) {
    return sq__hosted_call(&loop->hosted, level, entry, most < LONG_BATCH ? most : LONG_BATCH, ran);
}

/* By the owner; takes the lock. True: nothing is ready. Then the descriptor is not readable, or a thread that posted earlier is just writing it. With
 * `stoppable` a stop counts as something ready. */
static bool rest(loop_t *loop, bool stoppable) {
    sq__mutex_lock(&loop->hosted.lock);
    bool is_empty = sq__ready_is_empty(&loop->hosted.ready) && !(stoppable && loop->stops);
    if (is_empty && loop->is_rung && sq__event_clear(loop->event)) {
        loop->is_rung = false;
    }
    sq__mutex_unlock(&loop->hosted.lock);
    return is_empty;
}

/* By the owner. Waits for an entry until the deadline. Returns false if it has passed. True: perhaps an entry is ready, or, with `stoppable`, a stop
 * came. */
static bool await_entry(loop_t *loop, sq_time_t until, bool stoppable) {
    unsigned pauses = sq__spin_begin(SQ__SPIN_WORKER, SQ__WORKER_SPINS);
    if (pauses > 0) {
        for (; pauses > 0 && sq__load_relaxed(&loop->hosted.waiting) == 0; pauses -= 1) {
            sq__pause();
        }
        sq__spin_end(SQ__SPIN_WORKER, pauses > 0);
    }
    return !rest(loop, stoppable) || sq__event_wait(loop->event, until);
}

/* By the owner. Runs entries until none is ready or `most` tasks have run, which *ran counts. Returns 0, or ESTALE: this is the child of a fork. */
static int run_ready(loop_t *loop, size_t most, size_t *ran) {
    sq__ready_t *entry;
    sq__level_t level;
    while (*ran < most && (entry = sq__hosted_take(&loop->hosted, NULL, &level)) != NULL) {
        if (!call(loop, level, entry, most - *ran, ran)) {
            return ESTALE;
        }
    }
    return 0;
}

/* By the owner, with a reference that no task releases. Returns 0, if *ran tasks have run; EAGAIN or ETIMEDOUT, if none; or ESTALE. */
static int run_some(loop_t *loop, size_t most, sq_time_t until, size_t *ran) {
    bool is_in_time = true;
    for (;;) {
        int error = run_ready(loop, most, ran);
        if (error || *ran >= most) {
            (void)(error || rest(loop, false)); /* clears the descriptor if nothing is left: the program need not come back */
            return error;
        }
        if (*ran > 0 || until == SQ_NOW || !is_in_time) {
            if (rest(loop, false)) {
                return *ran > 0 ? 0 : until == SQ_NOW ? EAGAIN : ETIMEDOUT;
            }
        } else {
            is_in_time = await_entry(loop, until, false);
        }
    }
}

size_t sq_pool_run_some(sq_pool_t *pool, size_t most, sq_time_t until) {
    loop_t *loop;
    size_t ran = 0;
    int error = most > 0 ? own(pool, &loop) : EINVAL;
    if (error == 0) {
        retain(loop); /* a task may release the caller's reference */
        error = run_some(loop, most, until, &ran);
        drop(loop);
    }
    if (ran == 0) {
        errno = error;
    }
    return ran;
}

size_t sq__pool_run_as_guest(sq_pool_t *pool, size_t most) {
    loop_t *loop;
    bool is_guest = find(pool, &loop) == 0 && !is_own(loop);
    int error = own(pool, &loop);
    if (error) {
        errno = error;
        return 0;
    }
    retain(loop); /* a task may release the caller's reference */
    size_t ran = sq_pool_run_some(pool, most, SQ_NOW);
    error = errno;
    if (is_guest && !sq__hosted_is_stale(&loop->hosted)) {
        disown(loop);
    }
    drop(loop);
    errno = error;
    return ran;
}

/* By the owner; takes the lock. True: sq_pool_stop was called; this stop is over. Else *entry was taken, of *level, or is NULL: nothing is ready. */
static bool take_or_stop(loop_t *loop, sq__level_t *level, sq__ready_t **entry) {
    sq__mutex_lock(&loop->hosted.lock);
    bool stops = loop->stops;
    loop->stops = false;
    *entry = stops ? NULL : sq__hosted_take_locked(&loop->hosted, NULL, level);
    sq__mutex_unlock(&loop->hosted.lock);
    return stops;
}

int sq_pool_run_forever(sq_pool_t *pool) {
    loop_t *loop;
    sq__ready_t *entry;
    sq__level_t level;
    size_t ran = 0;
    int error = own(pool, &loop);
    if (error) {
        return error;
    }
    retain(loop);
    while (!take_or_stop(loop, &level, &entry)) {
        if (entry == NULL) {
            (void)await_entry(loop, SQ_FOREVER, true);
        } else if (!call(loop, level, entry, SIZE_MAX, &ran)) {
            error = ESTALE;
            break;
        }
    }
    if (error == 0) {
        (void)rest(loop, false);
    }
    drop(loop);
    return error;
}

int sq_pool_stop(sq_pool_t *pool) {
    loop_t *loop;
    int error = find(pool, &loop);
    if (error == 0) {
        sq__mutex_lock(&loop->hosted.lock);
        loop->stops = true;
        ring_and_unlock(loop);
    }
    return error;
}

const sq__layout_t sq__loop_layout[] = {
    SQ__LAYOUT_FIELD(loop_t, last_owner),
    SQ__LAYOUT_FIELD(loop_t, owner),
    { .name = "" },
};
