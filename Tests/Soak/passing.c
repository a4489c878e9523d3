/* passing.c: queues that come and go while others use them: shutdowns of both kinds, last releases, private queues, and
 * threads that end. */
#include "soak.h"

enum { MOST_BOOKS = 100, THREADS = 3 };

static struct slot {
    pthread_mutex_t mutex;
    guard_t *guard;
} slots[PASSING] = {
    { PTHREAD_MUTEX_INITIALIZER, NULL }, { PTHREAD_MUTEX_INITIALIZER, NULL }, { PTHREAD_MUTEX_INITIALIZER, NULL },
    { PTHREAD_MUTEX_INITIALIZER, NULL },
};

static guard_t *make_passing(size_t capacity, sq_pool_t *pool) {
    guard_t *guard = guard_create("passing", capacity, -1, pool);
    guard->may_refuse = true;
    return guard;
}

void passing_begin(void) {
    for (unsigned i = 0; i < PASSING; i += 1) {
        slots[i].guard = make_passing(i % 2 ? 4 : 0, NULL);
    }
}

static void end_it(guard_t *guard, sq_shutdown_mode_t mode, sq_time_t deadline) {
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    int error = sq_shutdown(guard->queue, mode, deadline);
    MUST(error == 0 || (error == ETIMEDOUT && deadline != SQ_FOREVER), "a shutdown returned %d", error);
    if (error == 0) {
        sq_queue_stats(guard->queue, &stats);
        MUST(stats.depth == 0, "depth %llu after a shutdown", (unsigned long long)stats.depth);
        MUST(stats.ran == guard->ran, "after a shutdown the queue says that %llu ran, but %llu did", (unsigned long long)stats.ran,
             (unsigned long long)guard->ran);
        MUST(guard->inside == 0, "a task runs after a shutdown has ended");
    }
}

/* With a reference of its own. */
void passing_use(unsigned driver, chance_t *chance) {
    struct slot *slot = &slots[below(chance, PASSING)];
    pthread_mutex_lock(&slot->mutex);
    guard_t *guard = slot->guard;
    guard_keep(guard);
    sq_queue_t *queue = sq_queue_retain(guard->queue);
    pthread_mutex_unlock(&slot->mutex);
    for (uint64_t i = 1 + below(chance, 6); i > 0; i -= 1) {
        submit_any(guard, true, driver, chance, DEEPEST);
    }
    if (below(chance, 16) == 0) {
        end_it(guard, below(chance, 2) ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, below(chance, 2) ? SQ_NOW : sq_deadline(below(chance, 100000)));
    }
    sq_queue_release(queue);
    guard_drop(guard);
}

static void end_somehow(guard_t *guard, uint64_t how) {
    int error;
    switch (how) {
    case 0:
        end_it(guard, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
        break;
    case 1:
        end_it(guard, SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
        break;
    case 2:
        end_it(guard, SQ_SHUTDOWN_DRAIN, SQ_NOW);
        end_it(guard, SQ_SHUTDOWN_DISCARD, SQ_FOREVER); /* turned into a discard */
        break;
    case 3:
        end_it(guard, SQ_SHUTDOWN_DRAIN, sq_deadline(20000));
        break;
    case 4:
        error = sq_suspend(guard->queue);
        MUST(error == 0 || error == ESHUTDOWN, "a suspend returned %d", error);
        end_it(guard, SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
        break;
    default:
        break; /* a release alone */
    }
}

static void replace(struct slot *slot, guard_t *fresh, uint64_t how) {
    pthread_mutex_lock(&slot->mutex);
    guard_t *old = slot->guard;
    slot->guard = fresh;
    pthread_mutex_unlock(&slot->mutex);
    end_somehow(old, how);
    sq_queue_release(old->queue);
    guard_drop(old);
}

void passing_replace(chance_t *chance) {
    if (totals.open_books < MOST_BOOKS) {
        guard_t *fresh = make_passing(below(chance, 3) ? 1 + (size_t)below(chance, 8) : 0, any_pool(chance));
        replace(&slots[below(chance, PASSING)], fresh, below(chance, 6));
    }
}

void passing_end(void) {
    for (unsigned i = 0; i < PASSING; i += 1) {
        replace(&slots[i], NULL, i);
    }
}

/* Private queues, released at once: with work, which still runs; suspended, so that it never does; without a thread. */
void passing_storm(unsigned driver, chance_t *chance) {
    for (uint64_t i = 1 + below(chance, 8); i > 0 && totals.open_books < MOST_BOOKS; i -= 1) {
        uint64_t how = below(chance, 4);
        guard_t *guard = guard_create("private", how == 3 ? 2 : 0, -1, any_pool(chance));
        guard->never_runs = how == 0;
        MUST(how != 0 || sq_suspend(guard->queue) == 0, "a suspend failed");
        for (uint64_t k = below(chance, 5); k > 0; k -= 1) {
            submit(guard, how == 2 ? SYNC : how == 1 && below(chance, 2) ? PAIR : TASK, driver, chance, DEEPEST);
        }
        sq_queue_release(guard->queue);
        guard_drop(guard);
    }
}

/* Threads that wait, and end; a destructor of theirs comes back once more, when the library has cleaned up after them. */
typedef struct visitor {
    guard_t *guard;
    unsigned lane;
    chance_t chance;
    pthread_t thread;
} visitor_t;

static pthread_key_t farewell;
static pthread_once_t farewell_once = PTHREAD_ONCE_INIT;
static void say_farewell(void *context) {
    visitor_t *visitor = context;
    submit(visitor->guard, below(&visitor->chance, 2) ? SYNC : CALL, visitor->lane, &visitor->chance, DEEPEST);
}
static void make_farewell(void) { pthread_key_create(&farewell, say_farewell); }

static void *visit(void *argument) {
    visitor_t *visitor = argument;
    pthread_setspecific(farewell, visitor);
    for (uint64_t i = below(&visitor->chance, 8); i > 0; i -= 1) {
        submit_any(visitor->guard, true, visitor->lane, &visitor->chance, DEEPEST);
    }
    return NULL;
}

void passing_threads(chance_t *chance) {
    visitor_t visitors[THREADS];
    guard_t *guard = guard_create("visited", below(chance, 2) ? 2 : 0, -1, any_pool(chance));
    pthread_once(&farewell_once, make_farewell);
    for (unsigned i = 0; i < THREADS; i += 1) {
        visitors[i] = (visitor_t){ .guard = guard, .lane = i, .chance = { below(chance, UINT64_MAX) } };
        int error = pthread_create(&visitors[i].thread, NULL, visit, &visitors[i]);
        MUST(error == 0, "no thread for the soak itself");
    }
    for (unsigned i = 0; i < THREADS; i += 1) {
        pthread_join(visitors[i].thread, NULL);
    }
    end_it(guard, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
    guard_check_at_rest(guard);
    sq_queue_release(guard->queue);
    guard_drop(guard);
}
