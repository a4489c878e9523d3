/* work.c: the scenarios. The compiler reports the accesses of this file, too; on the real machine it is compiled as it is.
 *
 * P processors: where tasks are submitted, some of them submit and the others run, so that all are used and none more than once. */
#include "scaling.h"

#include "machine.h"
#include "serial_queue.h"

#include <stddef.h>

enum { QUEUES = 4, ROUND = 4 };

/* What one thread has; no two of them share a line. */
typedef struct own {
    _Alignas(128) uint64_t counter; /* the tasks write it */
    _Alignas(128) uint64_t seed;
    sq_queue_t *queues[QUEUES];
} own_t;

static own_t own[SC_PROCESSORS];
static unsigned threads;
static sq_pool_t *pool;
static sq_queue_t *queue;
static sq_group_t *group;
static sq_semaphore_t *semaphore;

static void count_up(void *context) { *(uint64_t *)context += 1; }
static void nothing(void *context) { (void)context; }

static sq_queue_t *make(sq_pool_t *of, size_t width) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = of;
    options.width = width;
    sq_queue_t *made = sq_queue_create("scaling", &options);
    sc_know_queue(made);
    return made;
}

static unsigned all(unsigned processors) { return processors; }
static unsigned half(unsigned processors) { return processors / 2; }
static unsigned all_but_one(unsigned processors) { return processors - 1; }
static unsigned one(unsigned processors) { return (void)processors, 1; }
static uint64_t each_all(unsigned processors, unsigned count) { return (uint64_t)processors * count; }
static uint64_t each_half(unsigned processors, unsigned count) { return (uint64_t)processors / 2 * count; }
static uint64_t each_but_one(unsigned processors, unsigned count) { return (uint64_t)(processors - 1) * count; }

static void begin(unsigned count, size_t queues, sq_pool_t *of) {
    threads = count;
    for (unsigned i = 0; i < threads; i += 1) {
        own[i].counter = 0;
        own[i].seed = i * 7919 + 1;
        for (size_t k = 0; k < QUEUES; k += 1) {
            own[i].queues[k] = k < queues ? make(of, 1) : NULL;
        }
    }
}

static void begin_pool(unsigned workers) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = workers;
    pool = sq_pool_create("scaling", &options);
    sc_know_pool(pool);
}

static void end(void) {
    for (unsigned i = 0; i < threads; i += 1) {
        for (size_t k = 0; k < QUEUES; k += 1) {
            sq_queue_release(own[i].queues[k]);
        }
    }
    sq_queue_release(queue);
    sq_pool_release(pool);
    sq_group_release(group);
    sq_semaphore_release(semaphore);
    queue = NULL, pool = NULL, group = NULL, semaphore = NULL, threads = 0;
}

/* sync */

static void begin_sync_own(unsigned processors) { begin(processors, 1, NULL); }
static void work_sync_own(unsigned thread, unsigned count) {
    for (; count > 0; count -= 1) {
        (void)sq_sync(own[thread].queues[0], count_up, &own[thread].counter);
    }
}

static void begin_one_queue(unsigned processors) { begin(processors, 0, NULL); queue = make(NULL, 1); }
static void work_sync_one(unsigned thread, unsigned count) {
    (void)thread;
    for (; count > 0; count -= 1) {
        (void)sq_sync(queue, count_up, &own[0].counter);
    }
}

/* async, and then a sync that waits for all of it */

static void begin_async_own(unsigned processors) { begin(processors / 2, 1, NULL); }
static void work_async_own(unsigned thread, unsigned count) {
    for (; count > 0; count -= 1) {
        (void)sq_async(own[thread].queues[0], count_up, &own[thread].counter);
    }
    (void)sq_sync(own[thread].queues[0], nothing, NULL);
}

static void work_async_one(unsigned thread, unsigned count) {
    (void)thread;
    for (; count > 0; count -= 1) {
        (void)sq_async(queue, count_up, &own[0].counter);
    }
    (void)sq_sync(queue, nothing, NULL);
}

/* A pool: tasks that submit the next task to another queue. Two such chains for each worker; no chain shares anything with another. */

enum { CHAINS = 2 };
typedef struct chain {
    _Alignas(128) sq_queue_t *queues[2];
    unsigned rest;
} chain_t;
static chain_t chains[CHAINS * SC_PROCESSORS];
static unsigned chain_count;

static void next_link(void *context) {
    chain_t *chain = context;
    chain->rest -= 1;
    if (chain->rest == 0) {
        (void)sq_semaphore_signal(semaphore);
    } else {
        (void)sq_async(chain->queues[chain->rest % 2], next_link, chain);
    }
}

static void begin_chains(unsigned processors) {
    begin_pool(processors);
    begin(0, 0, NULL);
    chain_count = processors * CHAINS;
    semaphore = sq_semaphore_create("scaling", 0);
    for (unsigned i = 0; i < chain_count; i += 1) {
        chains[i].queues[0] = make(pool, 1), chains[i].queues[1] = make(pool, 1);
    }
}
static void work_chains(unsigned thread, unsigned count) {
    (void)thread;
    for (unsigned i = 0; i < chain_count; i += 1) {
        chains[i].rest = count;
        (void)sq_async(chains[i].queues[count % 2], next_link, &chains[i]);
    }
    for (unsigned i = 0; i < chain_count; i += 1) {
        if (sq_semaphore_wait(semaphore, SQ_FOREVER) != 0) {
            return;
        }
    }
}
static uint64_t each_chain(unsigned processors, unsigned count) { return (uint64_t)processors * CHAINS * count; }
static void end_chains(void) {
    for (unsigned i = 0; i < chain_count; i += 1) {
        sq_queue_release(chains[i].queues[0]), sq_queue_release(chains[i].queues[1]);
    }
    end();
}

/* A pool: half of the processors submit, each to four queues of its own, four tasks to each, and wait; the other half are workers. */
static void begin_outside(unsigned processors) {
    begin_pool(processors / 2);
    begin(processors / 2, QUEUES, pool);
    group = sq_group_create("scaling");
    sc_know_object(group, 64);
}
static void work_outside(unsigned thread, unsigned count) {
    for (; count >= QUEUES * ROUND; count -= QUEUES * ROUND) {
        for (unsigned i = 0; i < QUEUES * ROUND; i += 1) {
            (void)sq_async(own[thread].queues[i / ROUND], nothing, NULL);
        }
        for (unsigned i = 0; i < QUEUES; i += 1) {
            (void)sq_sync(own[thread].queues[i], nothing, NULL);
        }
    }
}
static void work_group_async(unsigned thread, unsigned count) {
    for (; count >= QUEUES * ROUND; count -= QUEUES * ROUND) {
        for (unsigned i = 0; i < QUEUES * ROUND; i += 1) {
            (void)sq_group_async(group, own[thread].queues[i / ROUND], nothing, NULL);
        }
        for (unsigned i = 0; i < QUEUES; i += 1) {
            (void)sq_sync(own[thread].queues[i], nothing, NULL);
        }
    }
}

/* Groups, semaphores, readers */

static void begin_group(unsigned processors) {
    begin(processors, 0, NULL);
    group = sq_group_create("scaling");
    sc_know_object(group, 64);
}
static void work_group(unsigned thread, unsigned count) {
    (void)thread;
    for (; count > 0; count -= 1) {
        (void)sq_group_enter(group);
        (void)sq_group_leave(group);
    }
}

static void begin_semaphore(unsigned processors) {
    begin(processors, 0, NULL);
    semaphore = sq_semaphore_create("scaling", processors);
    sc_know_object(semaphore, 32);
}
static void work_semaphore(unsigned thread, unsigned count) {
    (void)thread;
    for (; count > 0; count -= 1) {
        if (sq_semaphore_wait(semaphore, SQ_FOREVER) != 0) {
            return;
        }
        (void)sq_semaphore_signal(semaphore);
    }
}

static void begin_readers(unsigned processors) { begin(processors, 0, NULL); queue = make(NULL, SQ_WIDTH_POOL); }
static void work_read(unsigned thread, unsigned count) {
    for (; count > 0; count -= 1) {
        (void)sq_sync(queue, count_up, &own[thread].counter);
    }
}
static void work_read_and_write(unsigned thread, unsigned count) {
    for (; count > 0; count -= 1) {
        own[thread].seed = own[thread].seed * 1103515245u + 12345;
        if (own[thread].seed / 65536 % 100 == 0) {
            (void)sq_sync_barrier(queue, nothing, NULL);
        } else {
            (void)sq_sync(queue, count_up, &own[thread].counter);
        }
    }
}

const sc_scenario_t sc_scenarios[] = {
    { "sync, a queue for each thread", 1, begin_sync_own, all, work_sync_own, each_all, end },
    { "sync, one queue", 1, begin_one_queue, all, work_sync_one, each_all, end },
    { "async, a queue and its thread for each submitter", 2, begin_async_own, half, work_async_own, each_half, end },
    { "async, one queue", 2, begin_one_queue, all_but_one, work_async_one, each_but_one, end },
    { "pooled async from tasks, queues share nothing", 1, begin_chains, one, work_chains, each_chain, end_chains },
    { "pooled async from outside, queues share nothing", 2, begin_outside, half, work_outside, each_half, end },
    { "the same by group_async, one group", 2, begin_outside, half, work_group_async, each_half, end },
    { "group: enter and leave, one group", 1, begin_group, all, work_group, each_all, end },
    { "semaphore: wait and signal, one semaphore", 1, begin_semaphore, all, work_semaphore, each_all, end },
    { "read, one queue", 1, begin_readers, all, work_read, each_all, end },
    { "read and 1 % barriers, one queue", 1, begin_readers, all, work_read_and_write, each_all, end },
};
const unsigned sc_scenario_count = sizeof sc_scenarios / sizeof sc_scenarios[0];
