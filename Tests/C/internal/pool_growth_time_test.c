/* pool_growth_time_test.c: how soon a pool grows, on a clock that the test moves. How far it grows: pool_grow_test.c. */
#include "caller.h"
#include "alarm/alarm.h"
#include "platform/processors.h"
#include "sq_pool.h"
#include "platform/thread.h"
#include "pool/growth_alarm.h"
#include "pool/pool_internal.h"

/* As many threads as sq_pool.h promises. */
enum { BLOCKED = 63 };

typedef struct crowd {
    latch_t gate, left;
} crowd_t;

static void block(void *context) {
    crowd_t *crowd = context;
    latch_wait(&crowd->gate, 1);
    latch_bump(&crowd->left);
}

/* Every permit is taken by a task that sleeps, so that the next growth check finds all blocked. */
static bool all_are_blocked(sq__pool_t *pool) {
    unsigned blocked = 0;
    sq__mutex_lock(&pool->shards->lock);
    for (sq__pool_worker_t *worker = pool->shards->all; worker != NULL; worker = worker->next) {
        blocked += worker->permit == SQ__PERMIT_TAKEN && sq__load_relaxed(&worker->is_working) && sq__thread_state(worker->thread_id) == SQ__THREAD_BLOCKED;
    }
    bool all = blocked == pool->shards->permits;
    sq__mutex_unlock(&pool->shards->lock);
    return all;
}

static void set(void *flag) { *(atomic_bool *)flag = true; }

/* The pool uses a clock of the test's, which does not move while the tasks come to their gate. */
TEST(sixty_three_blocked_tasks_keep_the_64th_queue_waiting_for_100_milliseconds_at_most) {
    sq_pool_t *pool = sq_pool_create("growing", NULL);
    REQUIRE(pool != NULL);
    sq__alarms_t *shared = pool->alarms, *clock = sq__alarms_create();
    REQUIRE(clock != NULL);
    pool->alarms = clock;
    crowd_t crowd = { LATCH_INIT, LATCH_INIT };
    atomic_bool has_run = false;
    sq_queue_t *queues[BLOCKED + 1];
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    for (size_t i = 0; i <= BLOCKED; i += 1) {
        queues[i] = sq_queue_create("", &options);
        REQUIRE(queues[i] != NULL);
        CHECK_EQUAL(i < BLOCKED ? sq_async(queues[i], block, &crowd) : sq_async(queues[i], set, &has_run), 0);
    }
    size_t milliseconds = 0;
    while (milliseconds < 100 && !has_run) {
        milliseconds += 1;
        while (sq__alarms_advance(clock, 1000000 * milliseconds)) {
        }
        while (!has_run && !all_are_blocked(pool)) {
            usleep(100);
        }
    }
    CHECK(has_run);
    note("%u processors: the 64th queue waited for %zu ms", sq__processor_count(), milliseconds);
    latch_bump(&crowd.gate);
    latch_wait(&crowd.left, BLOCKED);
    for (size_t i = 0; i <= BLOCKED; i += 1) {
        drain(queues[i]);
        sq_queue_release(queues[i]);
    }
    sq__growth_end(pool);
    pool->alarms = shared;
    sq__alarms_destroy(clock);
    sq_pool_release(pool);
}
