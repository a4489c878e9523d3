/* scenario.h: scenarios, and the few words that they are written in.
 *
 * A program is a list of threads, separated by |, each a list of words. A word is a call, or a call with what its task
 * does in parentheses:
 *
 *     barrier  sync_barrier  barrier_until  try_barrier      (barrier: sq_async_barrier; the others: sq_sync_barrier_until)
 *     async  pair  async_until  async_ever  sync  sync_until  try  sync_or_run  call  call_until     (call: sq_run_and_wait)
 *     suspend  resume  resume?  drain  drain_until  discard  discard_until         (shutdown; resume?: may be one too many)
 *     retain  release  look  watch  unwatch  dump
 *     member  owned_member  item           submits: a task as a member of the group, with a discard function; the item, once
 *     enter  leave  wait_group  wait_item  cancel                      the group, the item
 *     hostN  serve  halt        a loop: polls it and runs it until N tasks have run; runs it forever; stops it
 *     release_pool  pump  create                                                   the pool: releases it, runs it; makes and releases others
 *     applyN                                                                      on the pool: N iterations
 *     lines  apartN                                                              from lines on: at most N cache lines are written by one thread and used by another
 *     passN  openN                                                                gates: wait at N, open N
 *     a digit                                                                     prints it
 *
 * on queue A, or on another one: sync:B. *_until have a deadline that may pass at any time; drain, discard and async_ever
 * have none. */
#ifndef SCENARIO_H
#define SCENARIO_H

#include "stage.h"

typedef struct scenario {
    const char *name;
    const char *guards;  /* the property that it checks, in a line */
    const char *program; /* or */
    void (*body)(void);  /* C code, for what the words cannot say */
    expectation_t expect;
    bool faults;                     /* memory and threads may fail */
    bool looks_twice;                /* see ex_setting_t */
    bool is_cold;                    /* in a reduced search its threads get their tokens when they first wait, as they do elsewhere */
    bool lists_threads;              /* threads are in their list, for a dump */
    bool has_shards;                  /* each permit of its pool is a part of its own (pool/shards.h) */
    unsigned spares;                 /* how many idle threads are kept (thread/cache.h): they are taken, and end, at any time; 0: never */
    const char *prints[EX_MEMORIES]; /* all that it may print, and each of it must come; NULL: as in the model before */
    uint8_t bound[EX_COSTS];         /* of the depth-first search; all 0: 2 preemptions, 1 expiry, 1 disturbance */
} scenario_t;

extern const scenario_t target_scenarios[], target_fixed_scenarios[], litmus_scenarios[], puzzle_scenarios[], order_scenarios[], deadline_scenarios[], capacity_scenarios[],
    deferred_scenarios[], suspend_scenarios[], watch_scenarios[], dump_scenarios[], shutdown_scenarios[], release_scenarios[], deadlock_scenarios[],
    depth_scenarios[], pool_scenarios[], pool_end_scenarios[], shards_scenarios[], shards_entry_scenarios[], shards_levels_scenarios[], alarm_scenarios[], timer_scenarios[], pending_scenarios[], value_scenarios[], semaphore_once_scenarios[],
    group_scenarios[], item_scenarios[], item_repeat_scenarios[], await_scenarios[], mix_scenarios[], concurrent_scenarios[], concurrent_puzzle_scenarios[],
    apply_scenarios[], member_scenarios[], loop_scenarios[], loop_wait_scenarios[], recording_scenarios[], store_scenarios[], cache_scenarios[];
extern scenario_t cells_scenarios[]; /* made by cells_make */
extern const scenario_t *const scenario_groups[];
extern const char *const scenario_group_names[];

void cells_make(void);
int cells_print(void); /* what `explore cells` prints; returns how many have neither scenarios nor a reason */

/* Makes the program ready to be run by scenario_body. */
void scenario_prepare(const scenario_t *scenario, uint64_t seed);
void scenario_body(void);
const char *scenario_program(void);
bool scenario_may_have_deadlines(void); /* of its waits */

/* Two threads, or three with a call each: the threads of the program, without those of the library. To be prepared before. */
bool scenario_is_small(const scenario_t *scenario);

/* A random program of the kind that `what` names (mix.c). */
void mix_program(char *text, size_t size, uint64_t seed, const char *what);

#endif
