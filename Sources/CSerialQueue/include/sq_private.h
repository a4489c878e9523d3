/* sq_private.h: what the Swift layer needs of the core, next to the public headers. Not installed; no public header includes it, and nothing
 * in it is promised to users.
 *
 * DESIGN. A call site is the return address of the public call. Swift's public functions are other than C's, so they take their own, and pass it
 * to these functions, which the public calls in C use, too. Both sides include this header, so the compiler compares them. */
#ifndef SQ_PRIVATE_H
#define SQ_PRIVATE_H

#include "sq_apply.h"
#include "sq_await.h"
#include "sq_deferred.h"
#include "sq_group.h"
#include "sq_item.h"
#include "sq_loop.h"
#include "sq_pool.h"
#include "sq_timer.h"
#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif

/* These are the public calls' own entries: they do what the call of the same name does, from this call site (NULL: not known). Calls that may run
 * their function at once have five parameters, which stay in registers. */
int sq__sync(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context, const void *SQ_NULLABLE site);
int sq__sync_or_run(sq_queue_t *queue, sq_function_t function, void *SQ_NULLABLE context, const void *SQ_NULLABLE site);
int sq__sync_barrier(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context, const void *SQ_NULLABLE site);
int sq__async_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context,
                       const void *SQ_NULLABLE site);
int sq__run_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *SQ_NULLABLE context,
                     const void *SQ_NULLABLE site);

/* An asynchronous call of call(first, second, runs). */
typedef struct sq__pair_call {
    sq_pair_function_t call;
    void *SQ_NULLABLE first;
    void *SQ_NULLABLE second;
    sq_time_t deadline; /* of the wait for room; not for a member of a group */
    bool is_barrier;
    const void *SQ_NULLABLE site;
} sq__pair_call_t;

int sq__async_pair(sq_queue_t *queue, const sq__pair_call_t *pair);
int sq__group_async_pair(sq_group_t *group, sq_queue_t *queue, const sq__pair_call_t *pair);

/* How an item is submitted. */
typedef struct sq__item_call {
    sq_group_t *SQ_NULLABLE group; /* the item becomes a member of it */
    bool is_delayed;
    uint64_t delay; /* nanoseconds */
    const void *SQ_NULLABLE site;
} sq__item_call_t;

int sq__item_submit(sq_item_t *item, sq_queue_t *queue, const sq__item_call_t *how);

int sq__async_cancellable(sq_queue_t *queue, sq_deferred_t *task, const void *SQ_NULLABLE site);
int sq__async_task_after(sq_queue_t *queue, uint64_t delay, const sq_task_t *task, const void *SQ_NULLABLE site);
int sq__group_enter(sq_group_t *group, const void *SQ_NULLABLE site);
int sq__timer_cancel_then(sq_timer_t *timer, const sq_task_t *task, const void *SQ_NULLABLE site);
sq_timer_t *SQ_NULLABLE sq__timer_create(sq_queue_t *queue, const sq_task_t *task, const void *SQ_NULLABLE site);

/* sq_apply, for a language that calls all its loops through one function: what it learns about a loop holds for those with the same code. */
int sq__apply_code(sq_pool_t *SQ_NULLABLE pool, size_t count, sq_iteration_t function, void *SQ_NULLABLE context, uintptr_t code);

/* The submission that a wait for the item is for, with a reference, which sq_item_release releases: the last one of an item that repeats, else
 * the item itself. sq_item_await takes it. The caller keeps its reference to the item while it waits. If there was no submission, the await
 * ends when the first one is made, too: then sq_item_wait with SQ_NOW may return EAGAIN, and this function, for what it has returned,
 * returns that submission. */
sq_item_t *sq__item_retain_last(sq_item_t *item);

/* Calls `await->ended`, once, when the queue has ended: with no lock held, on the thread that ends the queue. As for sq_group_await, the
 * struct must stay valid and must not move until then, and the caller has a reference to the queue, unless `ended` needs no queue. Returns
 * EINPROGRESS; 0: it has ended, and `ended` will not be called; ENOMEM or ESTALE: nor will it then. */
int sq__end_await(sq_queue_t *queue, sq_await_t *await);

/* After EINPROGRESS. False: `ended` was called or is about to be. */
bool sq__end_withdraw(sq_queue_t *queue, sq_await_t *await);

/* Submits a job that the shutdown has refused: calls `call(first, second, true)` when the queue has ended, in its order among the calls of
 * sq_sync_or_run and other jobs, with the queue as the current one. The queue exists until it has returned. Returns 0, or ENOMEM: it will
 * not be called. */
int sq__async_after_end(sq_queue_t *queue, sq_pair_function_t call, void *SQ_NULLABLE first, void *SQ_NULLABLE second);

/* Before the first use of a queue without a pool and without a target: the class of the threads that it gets. */
void sq__queue_set_service(sq_queue_t *queue, sq_service_t service);

/* As sq_queue_value and sq_current_value. `retain` is called with the value under the queue's lock, so that no other thread releases it
 * before; NULL: it is not called. It must not call this library. */
void *SQ_NULLABLE sq__queue_value(const sq_queue_t *queue, const void *key, sq_function_t SQ_NULLABLE retain);
void *SQ_NULLABLE sq__current_value(const void *key, sq_function_t SQ_NULLABLE retain);

/* The calling thread as the owner of loops, with a reference that is never released; NULL: no memory, or the thread is ending. From now on a
 * search for deadlocks sees each wait of this thread. */
struct sq__owner *SQ_NULLABLE sq__loop_owner(void);

/* Makes that thread the owner of a loop, on any thread. Returns 0, or EPERM: another thread owns it. */
int sq__pool_own_as(sq_pool_t *pool, struct sq__owner *owner);

/* As sq_pool_run_some, without waiting. A thread that did not own the loop before owns it only until this returns. */
size_t sq__pool_run_as_guest(sq_pool_t *pool, size_t most);

/* True: a trace is under way. */
bool sq__trace_is_recording(void);

/* A turn of a FIFOQueue begins or ends, on this thread, for a trace. */
void sq__trace_turn(const char *label, uint64_t fifo, uint64_t turn, bool begins);

/* A part of the running task that a trace shows as a task of its own, with this label: an operation. Begins, and ends, on one thread. Returns
 * what the end needs. */
uint32_t sq__trace_hook_part(const char *label);
void sq__trace_hook_part_end(uint32_t session);

/* This function calls closures of another language: its context points to a record that has the closure's code at this byte. A trace shows
 * that. By one thread at a time. */
void sq__trace_closures_of(sq_function_t function, uint16_t at);

/* The clock of a manual pool; NULL: it is none. Its time in nanoseconds, and when its next alarm is due; UINT64_MAX: none is set. */
struct sq__alarms *SQ_NULLABLE sq__pool_clock(const sq_pool_t *pool);
uint64_t sq__alarms_now(struct sq__alarms *alarms);
uint64_t sq__alarms_next(struct sq__alarms *alarms);

/* A step of sq_pool_run on a manual pool that is not explored: runs a batch of tasks of the first ready queue; if none is ready, fires the first
 * timer that is due, or the next one if `moves_clock`. False: there is nothing to do. */
bool sq__pool_step(sq_pool_t *pool, bool moves_clock);

/* True: the calling thread runs a test, or a task of one, that is being explored (sq_explore.h, of the testing library). */
bool sq__is_explored(void);

/* As sq_explore_label, for code that is not linked with the testing library: no effect on a thread that is not explored. */
void sq__explored_label(const char *label);

/* A semaphore, group or item whose label is empty has room behind that for the call site that made it, for dumps and reports. No effect if it is not. */
void sq__made_by(const char *label, const void *SQ_NULLABLE caller);

/* Writes where this call site is: "function (file+0x123)", or the known part of it. Reads the process's files: for rare reports. */
void sq__site_text(const void *caller, char *text, size_t size);

#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
