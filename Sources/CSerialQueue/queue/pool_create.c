/* pool_create.c: creating pools, and the shared ones. In this room, because each of them calls sq__run_queue. */
#include "include/sq_loop.h"
#include "include/sq_pool.h"
#include "platform/mutex.h"
#include "platform/processors.h"
#include "platform/thread.h"
#include "pool/pool.h"
#include "queue/queue_runner.h"
#include "queue/targeted.h"
#include "runner/runner_inline.h"
#include "state/state_inline.h"
#include "thread/process.h"

#include <errno.h>

static sq_pool_t *made(sq_pool_t *pool, int error) {
    errno = error != 0 ? error : errno;
    return error == 0 ? pool : NULL;
}

static sq_pool_t *create(const char *label, size_t permits, size_t most, const sq_pool_options_t *options) {
    sq__pool_t *pool;
    int error = sq__pool_create(&pool, &(sq__pool_plan_t){ .call = sq__run_queue, .label = label != NULL ? label : "", .permits = permits, .most = most,
                                                           .stack_size = options->stack_size, .service = options->service });
    return made(pool, error);
}

static sq_pool_t *create_growing(const char *label, const sq_pool_options_t *options) {
    unsigned processors = sq__processor_count();
    return create(label, processors, processors > SQ__MOST_WORKERS ? processors : SQ__MOST_WORKERS, options);
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
    sq_pool_t *pool = NULL;
    int error = sq__manual_create(&pool, label != NULL ? label : "", sq__run_queue);
    return made(pool, error);
}

sq_pool_t *sq_pool_create_loop(const char *label) {
    sq_pool_t *pool = NULL;
    int error = sq__loop_create(&pool, label != NULL ? label : "", sq__run_queue);
    return made(pool, error);
}

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

/* In the child of a fork: from now on the shared pools are made anew. */
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

sq_pool_t *sq_pool_retain(sq_pool_t *pool) {
    sq__runner_retain(sq__runner(pool, SQ__LEVEL_NORMAL));
    return pool;
}

void sq_pool_release(sq_pool_t *pool) {
    if (pool != NULL) {
        sq__runner_release(sq__runner(pool, SQ__LEVEL_NORMAL));
    }
}

/* The last target's runner, or 0. Takes all queues' locks, which keep the targets: they may still be moved, and released. */
static __attribute__((noinline)) sq__runner_t runner_of_movable(const sq_queue_t *queue) {
    sq__lock_all();
    for (const sq_queue_t *target; (target = sq__targeted_at(queue)) != NULL;) {
        queue = target;
    }
    sq__runner_t runner = sq__load_relaxed(&queue->runner);
    sq__unlock_all();
    return runner;
}

sq_pool_t *sq_queue_manual_pool(const sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    /* [fixed] acquire: the targets, if they are fixed */
    bool is_movable = sq__load_acquire(&queue->control) & SQ__MOVABLE;
    sq__runner_t runner = is_movable ? runner_of_movable(queue) : sq__queue_root_runner(queue);
    return sq__runner_clock(runner) != NULL ? sq__runner_object(runner) : NULL;
}
