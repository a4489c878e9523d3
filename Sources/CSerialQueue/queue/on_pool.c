#include "alarm/alarm_manual.h"
#include "include/sq_loop.h"
#include "include/sq_pool.h"
#include "platform/processors.h"
#include "state/handle.h"
#include "state/queue_lock.h"
#include "platform/clock.h"
#include "platform/mutex.h"
#include "platform/thread.h"
#include "queue/queue_runner.h"
#include "queue/targeted.h"
#include "thread/process.h"

#include <errno.h>

static sq_pool_t *create_planned(const char *label, sq__pool_plan_t plan) {
    sq__pool_t *pool;
    plan.call = sq__run_queue;
    plan.label = label != NULL ? label : "";
    int error = sq__pool_create(&pool, &plan);
    if (error) {
        errno = error;
        return NULL;
    }
    return pool;
}

/* 0 seats: a manual pool. */
static sq_pool_t *create(const char *label, size_t seats, size_t most, const sq_pool_options_t *options) {
    return create_planned(label, (sq__pool_plan_t){ .seats = seats, .most = most, .stack_size = options->stack_size,
                                                    .service = options->service });
}

static sq_pool_t *create_growing(const char *label, const sq_pool_options_t *options) {
    unsigned processors = sq__processor_count();
    return create(label, processors, processors > SQ__MOST_MEMBERS ? processors : SQ__MOST_MEMBERS, options);
}

static bool is_class(sq_service_t service) { return (unsigned)service <= SQ_SERVICE_BACKGROUND; }

sq_pool_t *sq_pool_create(const char *label, const sq_pool_options_t *options) {
    const sq_pool_options_t defaults = SQ_POOL_OPTIONS_INIT;
    if (options == NULL) {
        options = &defaults;
    }
    if (options->size != sizeof *options || options->threads > UINT32_MAX / 2 || !is_class(options->service)
        || (options->stack_size != 0 && !sq__thread_stack_size_is_valid(options->stack_size))) {
        errno = EINVAL;
        return NULL;
    }
    return options->threads > 0 ? create(label, options->threads, options->threads, options)
                                : create_growing(label, options);
}

sq_pool_t *sq_pool_create_manual(const char *label) {
    return create(label, 0, 0, &(sq_pool_options_t)SQ_POOL_OPTIONS_INIT);
}

sq_pool_t *sq_pool_create_loop(const char *label) { return create_planned(label, (sq__pool_plan_t){ .is_loop = true }); }

/* The shared pools */

enum { CLASSES = SQ_SERVICE_BACKGROUND + 1 };

static const char *const names[CLASSES] = {
    [SQ_SERVICE_DEFAULT] = "sq-pool", [SQ_SERVICE_INTERACTIVE] = "sq-interactive", [SQ_SERVICE_UTILITY] = "sq-utility",
    [SQ_SERVICE_BACKGROUND] = "sq-background"
};

static sq__mutex_t shared_lock = SQ__MUTEX_INIT;
static SQ__ATOMIC(sq_pool_t *) shared[CLASSES]; /* written under the lock; NULL: not made yet in this process */
static sq_pool_t *shared_of_parent[CLASSES];    /* so that a leak checker finds them */

sq_pool_t *sq_pool_shared_of(sq_service_t service) {
    if (!is_class(service)) {
        errno = EINVAL;
        return NULL;
    }
    sq_pool_t *pool = sq__load_acquire(&shared[service]); /* [common] acquire: the pool's fields */
    if (pool != NULL) {
        return pool;
    }
    sq__mutex_lock(&shared_lock);
    pool = sq__load_relaxed(&shared[service]);
    if (pool == NULL) {
        sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
        options.service = service;
        pool = create_growing(names[service], &options);
        sq__store_release(&shared[service], pool); /* [common] release: its fields */
    }
    sq__mutex_unlock(&shared_lock);
    return pool;
}

sq_pool_t *sq_pool_shared(void) { return sq_pool_shared_of(SQ_SERVICE_DEFAULT); }

static void forget_shared(void) {
    for (unsigned i = 0; i < CLASSES; i += 1) {
        sq_pool_t *pool = sq__load_relaxed(&shared[i]);
        if (pool != NULL) {
            shared_of_parent[i] = pool;
            sq__store_relaxed(&shared[i], NULL); /* the child has one thread */
        }
    }
}

SQ__AROUND_FORK(SQ__RANK_SHARED_POOL, .lock = &shared_lock, .in_child = forget_shared)

/* References */

sq_pool_t *sq_pool_retain(sq_pool_t *pool) { return sq__pool_retain(pool); }

void sq_pool_release(sq_pool_t *pool) {
    if (pool != NULL) {
        sq__pool_release(pool);
    }
}

/* Manual pools */

size_t sq_pool_advance(sq_pool_t *pool, uint64_t nanoseconds) {
    sq__alarms_t *clock = sq__pool_clock(pool);
    if (clock == NULL || sq__pool_is_stale(pool)) {
        return 0;
    }
    sq__pool_retain(pool); /* a task may release the caller's reference */
    uint64_t until = sq__time_after(sq__alarms_now(clock), nanoseconds);
    sq__explorer_t *explorer = sq__pool_explorer(pool);
    if (explorer != NULL) {
        size_t explored = explorer->run(explorer, until);
        sq__pool_release(pool);
        return explored;
    }
    size_t ran = sq__pool_run(pool);
    while (!sq__pool_is_stale(pool) && sq__alarms_advance(clock, until)) {
        ran += sq__pool_run(pool);
    }
    sq__pool_release(pool);
    return ran;
}

bool sq__pool_step(sq_pool_t *pool, bool moves_clock) {
    sq__alarms_t *clock = sq__pool_clock(pool);
    if (sq__pool_run_batch(pool)) {
        return true;
    }
    uint64_t now = sq__alarms_now(clock), due = sq__alarms_next(clock);
    return due != SQ__NEVER && (moves_clock || due <= now) && sq__alarms_advance(clock, due);
}

/* With what is due now. */
size_t sq_pool_run(sq_pool_t *pool) { return sq_pool_advance(pool, 0); }

/* The targets may still be moved, and released: the locks keep them. */
static __attribute__((noinline)) sq__pool_t *pool_of_movable(const sq_queue_t *queue) {
    sq__lock_all();
    for (const sq_queue_t *target; (target = sq__targeted_at(queue)) != NULL;) {
        queue = target;
    }
    sq__pool_t *pool = sq__runner_pool(sq__load_relaxed(&queue->runner));
    sq__unlock_all();
    return pool;
}

sq_pool_t *sq_queue_manual_pool(const sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    sq__pool_t *pool = sq__runner_pool(sq__load_relaxed(&queue->runner));
    uint32_t control = pool == NULL ? sq__load_acquire(&queue->control) : 0; /* [fixed] acquire: the targets, if they are fixed */
    if (__builtin_expect(control & SQ__ON_TARGET, 0)) {
        const sq_queue_t *root = sq__queue_root(queue);
        pool = control & SQ__MOVABLE ? pool_of_movable(queue) : sq__runner_pool(sq__load_relaxed(&root->runner));
    }
    return pool != NULL && sq__pool_clock(pool) != NULL ? pool : NULL;
}
