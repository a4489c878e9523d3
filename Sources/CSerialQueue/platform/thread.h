/* thread.h: threads. */
#pragma once

#include "platform/system.h"

#include "include/sq_pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Thread-local storage. With the initial-exec model an access is one instruction; the few bytes that this library needs fit into
 * the space that the C library reserves for libraries that are loaded later. */
#define SQ__THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

/* The address of the calling thread's copy of a thread-local object, which other threads may be given. */
#define SQ__MINE(object) (&(object))

/* Starts a detached thread. It blocks all signals except faults, so that the program's signals are handled by the program's own
 * threads. SIGPIPE, SIGXFSZ and SIGPROF are blocked only if the calling thread blocks them: a task's write to a closed pipe has
 * the same effect as elsewhere, and profilers see tasks. Its scheduling policy, nice value and affinity are those of the main
 * thread, where the system permits. Without a name it has that of the calling thread. A `name` that is too long for the system is reduced to its last
 * component, after the last dot, and then truncated. Returns 0 or ENOMEM.
 *
 * `start` belongs to the caller and must stay valid until the body is called. So the new thread frees no memory, and the C
 * library does not create a cache of freed blocks for it, which would be larger than a queue. */
typedef struct sq__thread_start {
    void (*body)(void *);
    void *argument;
    sq_service_t service;
    uint32_t stack_kib; /* 0: the system's default */
    char name[16]; /* Linux takes 15 bytes and a NUL */
} sq__thread_start_t;

typedef struct sq__thread_kind {
    const char *name;
    size_t stack_size;    /* 0: the system's default */
    sq_service_t service; /* service.h */
} sq__thread_kind_t;
int sq__thread_start(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind);

/* The same in two steps. The second one may be done again: it starts another thread. */
void sq__thread_plan(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind);
int sq__thread_start_planned(sq__thread_start_t *start);

/* Gives the calling thread the name of one that is started with `start`. `own` has the name that it has. */
void sq__thread_take_name(sq__thread_start_t *own, const sq__thread_start_t *start);

/* Where the C library ends a thread without unwinding it (musl), no frame is asked (platform/unwind.h). Then this function, if one
 * is set, is called as the thread ends: by a thread of the library that has not returned, and by sq__thread_left. */
void sq__thread_when_left(void (*report)(void));
void sq__thread_left(void);

/* True if a thread can be started with this size of stack, next to the thread-local variables of the program. Call it before the first such
 * start, without a lock. */
bool sq__thread_stack_size_is_valid(size_t bytes);

/* Gives the processor to another thread that is ready. */
void sq__thread_yield(void);

/* Registers exit->call(exit) to be called when this thread ends. One per thread; that call may register again. Returns 0 or an
 * errno code. */
typedef struct sq__exit {
    void (*call)(struct sq__exit *exit);
} sq__exit_t;
int sq__thread_at_exit(sq__exit_t *exit);

/* Registers three functions to be called around every later fork. Returns 0 or an errno code. */
int sq__thread_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* Makes the calling thread's timed sleeps end on time. By default Linux may end them up to 50 microseconds late, in order to wake
 * several threads at once. */
void sq__thread_wake_in_time(void);

/* True if the address lies on this thread's own stack. Slow. */
bool sq__thread_owns_stack(const void *address);

/* The system's number for this thread, as debuggers show it. */
uint64_t sq__thread_id(void);

/* How much processor time the thread with this number has used, in nanoseconds; 0 if there is no such thread. Opens no file. */
uint64_t sq__thread_processor_time(uint64_t id);

typedef enum sq__thread_state {
    SQ__THREAD_READY,   /* it runs, or waits for a processor */
    SQ__THREAD_BLOCKED, /* it waits for something else, or has ended */
    SQ__THREAD_UNKNOWN  /* the system does not say: no file can be opened, or there is no /proc */
} sq__thread_state_t;

/* The state of the thread with this number. Slow. */
sq__thread_state_t sq__thread_state(uint64_t id);

/* What a blocked thread sleeps in, in words: a call of the system, and what that is for; NULL: not known. Slow. */
const char *sq__thread_sleeps_in(uint64_t id);

/* Copies this thread's name. `size` is not 0. */
void sq__thread_name(char *name, size_t size);

/* Names the calling thread. A failure is harmless. */
void sq__thread_name_self(const char *name);

/* Gives the calling thread what the main thread has: policy, nice value, affinity. The library's threads are shared, so they should not have
 * what their starter happens to have. What the system refuses stays as inherited: only a privileged thread may raise its priority. */
void sq__thread_become_like_main(void);

/* A short rest in a loop that waits for another processor. */
static inline void sq__pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ __volatile__("yield");
#else
    __asm__ __volatile__("");
#endif
}
