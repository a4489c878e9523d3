/* hosted.h: what a loop and a manual pool have in common: the program's own threads run what is ready, one entry after the other. */
#pragma once

#include "platform/mutex.h"
#include "runner/runner_inline.h"

/* The first field of both. F fixed after create, A atomic, L under the lock, C written under the lock, read by any thread as a hint. */
typedef struct sq__hosted {
    sq__pool_listed_t listed;          /* its first field is the kind */
    SQ__ATOMIC(uint32_t) references;   /* A */
    sq__ready_function_t call;         /* F  sq__run_queue (queue/queue_runner.c) */
    sq__mutex_t lock;
    SQ__ATOMIC(size_t) waiting;        /* C  how many entries are ready */
    SQ__ATOMIC(uint64_t) taken;        /* C  how many entries have been taken */
    sq__ready_list_t ready;            /* L */
} sq__hosted_t;

/* Returns an object of that many bytes, zeroed behind this part, with one reference. The label is copied. NULL: no memory. The caller adds it to the
 * list of pools. */
void *sq__hosted_create(size_t bytes, const sq__runner_kind_t *kind, const char *label, sq__ready_function_t call);

/* Frees it: one that was never listed, or after the last release. */
void sq__hosted_free(sq__hosted_t *hosted);

/* Releases a reference. True: it was the last one, and the caller ends the object, which is no longer listed. Always false in the child of a fork. */
bool sq__hosted_is_last_release(sq__hosted_t *hosted);

/* True: it was created before a fork, and this process is the child. */
static inline bool sq__hosted_is_stale(const sq__hosted_t *hosted) { return sq__pool_listed_is_stale(&hosted->listed); }

/* L. Adds the entry, which is in no list, at the end of its level, or at the front if not `is_last`. */
void sq__hosted_put(sq__hosted_t *hosted, sq__level_t level, sq__ready_t *entry, bool is_last);

/* Takes an entry: `wanted`, or the first one if that is NULL; *level is the entry's. NULL: it is not ready. The first function takes the lock. */
sq__ready_t *sq__hosted_take(sq__hosted_t *hosted, sq__ready_t *wanted, sq__level_t *level);
sq__ready_t *sq__hosted_take_locked(sq__hosted_t *hosted, sq__ready_t *wanted, sq__level_t *level); /* L */

/* Runs tasks of an entry that was taken, at most that many, adds their number to *ran, and posts the entry again if it has more. With no lock, and a
 * reference that no task releases. False: one has forked, and this is the child. */
bool sq__hosted_call(sq__hosted_t *hosted, sq__level_t level, sq__ready_t *entry, size_t most, size_t *ran);

/* Functions of the kinds. */
void sq__hosted_retain(sq__runner_t runner);
bool sq__hosted_run(sq__runner_t runner, sq__caller_run_t *caller_run, bool runs);
void sq__hosted_visit(sq__runner_t runner, const sq__pool_visitor_t *visitor);
