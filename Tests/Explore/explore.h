/* explore.h: what the parts of the schedule explorer know of each other. README.md says how they fit together.
 *
 * A run is one execution of a scenario. Its threads are coroutines of the explorer; one runs at a time, and before each
 * operation that others can see there is a point, at which another may run instead. All that is not determined by the
 * program is a choice, a number smaller than the number of its options, and 0 is always what happens if nothing special does.
 * The list of the choices is the run's tape: the same tape gives the same run. */
#ifndef EXPLORE_H
#define EXPLORE_H

#include "reduce.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef EX_MOST_THREADS
#define EX_MOST_THREADS 12 /* Tests/Scaling has more */
#endif
enum { EX_THREADS = EX_MOST_THREADS, EX_STACK = 64 * 1024, EX_STEPS = 20000, EX_OPTIONS = 32, EX_TAPE = 1 << 16 };

/* What an option is, which is what it costs in a bounded search. */
typedef enum ex_cost {
    EX_FREE,    /* what happens anyway */
    EX_PREEMPT, /* another thread continues, although this one could */
    EX_EXPIRE,  /* a deadline passes before it has to */
    EX_DISTURB, /* a spurious wake-up, a stale value, a store held back, a failed allocation or thread */
    EX_COSTS
} ex_cost_t;

typedef enum ex_memory { EX_SC, EX_TSO, EX_RA, EX_MEMORIES } ex_memory_t;
typedef enum ex_search { EX_RANDOM, EX_PCT, EX_DFS, EX_REPLAY, EX_WHOLE, EX_WARM, EX_SEARCHES } ex_search_t;
extern const char *const ex_memory_names[], *const ex_search_names[];

typedef struct ex_clock { uint32_t at[EX_THREADS]; } ex_clock_t;

/* What this run may do. Fixed during it. */
typedef struct ex_setting {
    ex_memory_t memory;
    bool faults; /* allocations and threads may fail */
    bool lists_threads; /* threads join their list (thread/self.h) before their first task or wait */
    bool has_shards; /* each permit of a pool is a part of its own (pool/shards.h) */
    bool looks_twice; /* in a reduced search, too, a thread looks whether its wait is over before it tries to sleep, and finds out */
    bool is_warm; /* in a reduced search: the scenario's threads have their tokens before they begin, and give them back when all others rest */
    bool has_warm_workers; /* in a reduced search: before the scenario begins, each queue's own thread has run a task, and sleeps */
    bool no_wait_ends_early; /* the same, and no wait of the scenario has a deadline */
    unsigned spares; /* how many idle threads are kept (thread/cache.h); 0: none is taken or ends */
} ex_setting_t;
extern ex_setting_t ex_setting;

/* choice.c: the tape, and what is written to it. */
unsigned ex_choose(unsigned options, ex_cost_t cost); /* option 0 is free, the others cost this */
unsigned ex_choose_among(unsigned options, const ex_cost_t costs[], const int priorities[]);
void ex_choice_random(uint64_t seed);
void ex_choice_pct(uint64_t seed);
void ex_choice_dfs_begin(const unsigned budget[EX_COSTS]);
void ex_choice_dfs(void);
bool ex_choice_dfs_next(void); /* false: everything within the bounds has been tried */
void ex_choice_replay(const uint8_t *tape, unsigned length);
const uint8_t *ex_tape(unsigned *length);
uint64_t ex_random(void);

/* scheduler.c: the threads. */
typedef struct ex_result {
    bool failed;
    char message[512];
    uint64_t steps, hash;
    unsigned threads, own_threads; /* own: at a time, those that the scenario has started */
} ex_result_t;
extern int ex_current;
extern uint64_t ex_step, ex_hash;
void ex_run(void (*body)(void), ex_result_t *result);
int ex_start(void (*body)(void *), void *argument, bool daemon); /* daemon: a thread of the core */
void ex_point(void);
void ex_point_at(const void *object, ex_touch_t touch); /* what the next step touches; see reduce.h */
void ex_point_at_compare(const void *object, unsigned bytes, uint64_t expected);
void ex_point_at_both(const void *object, ex_touch_t touch, const void *other, ex_touch_t other_touch);
/* In a reduced search, the thread cannot run before this is 0; true: it was waited for. */
bool ex_point_until(const uint32_t *until_zero, const void *object, ex_touch_t touch);
void ex_point_until_changed(const uint64_t *word, uint64_t unchanged, uint64_t except); /* before this has another value, for good, in other bits than `except` */
void ex_join(int thread);
void ex_await_exit(int thread); /* in a reduced search a thread gives its token back after those that join it may have continued */
/* In a reduced search: until no other thread can run; what follows sees all that they did. */
void ex_await_rest(void);
void ex_end_in_one_order(void); /* the same, and what follows is run in one order: the scenario's threads have ended */
void ex_begin_at_rest(void); /* in a reduced search: the pool's threads sleep before those of the scenario begin */
/* If workers are warm: what comes between is run in one order, and then all other threads rest. */
void ex_warm_begin(void);
void ex_warm_end(void);
bool ex_stood_still(int thread, uint64_t since); /* it has not run after that step, and has not ended */
_Noreturn void ex_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern unsigned ex_thread_count;
static inline unsigned ex_threads(void) { return ex_thread_count; }

/* The thread blocks until it is woken, or, if it has a deadline, until that passes. */
bool ex_block(const void *on, const uint32_t *until_zero, uint64_t deadline, bool spurious);
bool ex_wake(const void *on); /* wakes one thread that blocks there; false: none does */
void ex_at_exit(void (*call)(void *), void *argument);
uint64_t ex_now(void);

/* A gate is shut until it is opened; passing it makes visible what was done before it was opened. */
void ex_gate_pass(unsigned gate);
void ex_gate_open(unsigned gate);

/* memory.c: atomics under a memory model, and what is visible to whom. */
void ex_memory_reset(void);
void ex_memory_thread(int thread, int parent);
uint64_t ex_load(const void *address, uint64_t now, int order);
void ex_store(void *address, unsigned size, uint64_t value, int order);
/* The current thread's own memory was written without these calls: the next one begins with what is there. */
void ex_overwritten(const void *start, size_t bytes);
/* The value before. */
uint64_t ex_exchange(void *address, unsigned size, uint64_t now, uint64_t value, int order);
bool ex_compare(void *address, unsigned size, uint64_t now, uint64_t *expected, uint64_t value, int order, int failure);
void ex_take_view(unsigned from);    /* acquire from a mutex, gate or ended thread */
void ex_leave_view(unsigned to);     /* release to it */
void ex_see_newest(void);            /* the current thread reads no value that is an old one now; that is no happens-before */
void ex_take_all_views(void);        /* as if each other thread had released to this one */
enum { EX_VIEWS = 72, EX_VIEW_GATE = 48, EX_VIEW_END = 60 };
bool ex_drain_one(int thread);       /* TSO: the oldest store of the thread's buffer reaches the memory */
bool ex_has_buffer(int thread);
bool ex_happened(int thread, uint32_t when); /* before now, for the current thread */
uint32_t ex_when(void);
extern ex_clock_t ex_clocks[EX_THREADS];

/* shadow.c: blocks of memory, and the race detection of plain accesses. */
void ex_shadow_reset(void);
void *ex_allocate(size_t bytes, size_t alignment);
void ex_release(void *block);
void ex_read(const void *address, unsigned bytes);
void ex_write(const void *address, unsigned bytes);
void ex_atomic(const void *address);
void ex_return(const void *frame); /* the current thread has returned from the calls below: what others did with their variables came before. NULL: all */
unsigned ex_live_blocks(void);
bool ex_is_freed(const void *address);
bool ex_block_of(const void *address, unsigned *number, size_t *bytes, size_t *offset);
uint64_t ex_place_of(const void *address);   /* a number that is the same in each run */
extern char ex_stacks[EX_THREADS][EX_STACK];
bool ex_stack_has(const char *address); /* false: another thread's, of a call that has returned */
bool ex_stack_hides(const char *address); /* true: another thread's, in a call of the explorer: what is there differs with how schedules are chosen */
void ex_end_memory(const void *start, size_t bytes); /* from now on an access is a failure */
extern bool ex_no_memory; /* every allocation fails */
extern const void *ex_caller;  /* where in the program the present operation stands */

/* What an access is to a cache. */
typedef enum ex_use { EX_LOAD, EX_STORE, EX_SWAP } ex_use_t;

/* lines.c: how many cache lines one thread has written and another one has used, from begin to end. */
void ex_lines_begin(void);
unsigned ex_lines_end(void);
void ex_lines_note(const void *address, ex_use_t use);
void ex_lines_reset(void);

/* trace.c: the steps of a run in words. */
extern bool ex_tracing;
void ex_trace_begin(void);
void ex_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ex_trace_print(void);
#define EX_TRACE(...) do { if (ex_tracing) ex_trace(__VA_ARGS__); } while (0)

/* words.c: addresses and values in words. */
const char *ex_name_of(const void *address);
const char *ex_words(const void *address, uint64_t value); /* what is read there or written there */
void ex_load_symbols(void); /* before this, static data has addresses instead of names */
void ex_declare_group(const void *block);
void ex_declare_semaphore(const void *block);

/* events.c */
void ex_events_reset(void);
unsigned ex_open_events(void);

/* system.c */
extern unsigned ex_processors;
void ex_catch_crashes(void);
void ex_dumped(const char *text, size_t length); /* stage_dump.c: a part of a dump was written */

/* core.c: the part of the core's state that outlives its queues. */
enum { EX_OWN = 256 }; /* bytes that are local to a thread, at most */
extern char ex_own[EX_THREADS][EX_OWN]; /* what SQ__MINE leads to */
void ex_core_begin_own(int thread);
void ex_core_reset(void);
void ex_core_exchange_own(char *leaving, const char *coming);
bool ex_core_ignores(const void *address);

#endif
