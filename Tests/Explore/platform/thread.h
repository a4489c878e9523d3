/* thread.h: the explorer's threads. The interface is that of the core's own header; thread-local data is in its own section here,
 * which the scheduler exchanges when another thread continues. An object whose address other threads may be given has in addition a
 * copy for each thread, at an address of its own: SQ__MINE is the only way to it. */
#ifndef SQ__PLATFORM_THREAD_H
#define SQ__PLATFORM_THREAD_H

#include "include/sq_pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SQ__THREAD_LOCAL __attribute__((section("core_own")))
void *ex_mine(const void *object);
#define SQ__MINE(object) ((__typeof__(object) *)ex_mine(&(object)))

typedef struct sq__thread_start {
    void (*body)(void *);
    void *argument;
    sq_service_t service;
    uint32_t stack_kib;
} sq__thread_start_t;
typedef struct sq__thread_kind {
    const char *name;
    size_t stack_size;
    sq_service_t service;
} sq__thread_kind_t;
int sq__thread_start(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind);
void sq__thread_plan(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind);
int sq__thread_start_planned(sq__thread_start_t *start);
static inline void sq__thread_take_name(sq__thread_start_t *own, const sq__thread_start_t *start) { (void)own, (void)start; }
static inline void sq__thread_name_self(const char *name) { (void)name; }
uint64_t ex_idles_for(void);   /* SQ__IDLES_FOR: in most scenarios an idle thread stays, or ends at once */
unsigned ex_shard_permits(void);  /* SQ__SHARD_PERMITS */
uint64_t ex_visit_after(void); /* SQ__VISIT_AFTER */
unsigned ex_kept_threads(void); /* SQ__KEPT_THREADS */
unsigned ex_thread_looks(void); /* SQ__THREAD_LOOKS: in most scenarios no thread is taken */
bool sq__thread_stack_size_is_valid(size_t bytes);
void sq__thread_yield(void);
void sq__thread_wake_in_time(void);
typedef struct sq__exit {
    void (*call)(struct sq__exit *exit);
} sq__exit_t;
int sq__thread_at_exit(sq__exit_t *exit);
int sq__thread_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));
bool sq__thread_owns_stack(const void *address);
uint64_t sq__thread_id(void);
void sq__thread_when_left(void (*report)(void));
void sq__thread_left(void);
uint64_t sq__thread_processor_time(uint64_t id);
typedef enum sq__thread_state { SQ__THREAD_READY, SQ__THREAD_BLOCKED, SQ__THREAD_UNKNOWN } sq__thread_state_t;
sq__thread_state_t sq__thread_state(uint64_t id);
static inline const char *sq__thread_sleeps_in(uint64_t id) { return (void)id, (const char *)0; }
void sq__thread_name(char *name, size_t size);
unsigned sq__processor_count(void);
void ex_pause(void);
#ifndef EX_PAUSE
#define EX_PAUSE ((void)0) /* no step: a spin is bounded here, and looks again at the next one */
#endif
static inline void sq__pause(void) { EX_PAUSE; }

#endif
