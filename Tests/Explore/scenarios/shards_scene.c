/* shards_scene.c: shards_scene.h */
#include "shards_scene.h"

#include "pool/growth_alarm.h"

#include <limits.h>

enum { ENTRIES = 16 };

typedef struct entry {
    sq__ready_t ready;
    void (*run)(void), (*then)(void); /* `then` in another turn, unless it is NULL */
} entry_t;

sq__pool_t *pool;
static entry_t entries[ENTRIES];
static unsigned posted;

static sq__ready_end_t call(sq__ready_t *ready, size_t batch, size_t *ran) {
    (void)batch;
    entry_t *entry = (entry_t *)ready;
    *ran += 1;
    entry->run();
    entry->run = entry->then;
    entry->then = NULL;
    return entry->run != NULL ? SQ__READY_MORE : SQ__READY_GONE;
}

void shards_begin(size_t permits, size_t shard_permits) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    posted = 0;
    const sq__pool_plan_t plan = { .call = call, .label = "in shards", .permits = permits, .most = permits, .shard_permits = shard_permits };
    if (sq__pool_create(&pool, &plan) != 0) {
        ex_fail("the explorer itself: no pool");
    }
    sq__growth_end(pool);
}

void shards_end_stage(void) {
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    stage_end();
}

void shards_check_workers(unsigned most) {
    unsigned workers = 0;
    for (unsigned i = 0; i < pool->count; i += 1) {
        workers += pool->shards[i].workers;
    }
    if (workers != sq__load_relaxed(&pool->workers) || workers > most) {
        ex_fail("%u workers in the shards, of at most %u, and the pool counts %u", workers, most, sq__load_relaxed(&pool->workers));
    }
}

/* The workers end one after the other: a reduced search would try all orders. */
void shards_end(void) {
    ex_await_rest();
    shards_check_workers(UINT_MAX);
    for (unsigned i = 0; i < pool->count; i += 1) {
        sq__pool_worker_t *picked;
        do {
            sq__mutex_lock(&pool->shards[i].lock);
            picked = sq__workers_pick_idle(&pool->shards[i], 1);
            sq__mutex_unlock(&pool->shards[i].lock);
            sq__workers_dismiss(picked);
            ex_await_rest();
        } while (picked != NULL);
    }
    sq__pool_release(pool);
    shards_end_stage();
}

void shards_post_turns(sq__level_t level, void (*run)(void), void (*then)(void)) {
    entry_t *entry = &entries[posted++];
    *entry = (entry_t){ .run = run, .then = then };
    sq__pool_post(pool, level, &entry->ready);
}

void shards_post(sq__level_t level, void (*run)(void)) { shards_post_turns(level, run, NULL); }

void shards_post_and_await(unsigned gate, void (*run)(void)) {
    shards_post(SQ__LEVEL_NORMAL, run);
    ex_gate_pass(gate);
    ex_await_rest();
}

void shards_open_and_await(unsigned gate, unsigned answer) {
    ex_gate_open(gate);
    ex_gate_pass(answer);
    ex_await_rest();
}

sq__ready_t *shards_next_entry(void) { return &entries[posted].ready; }
