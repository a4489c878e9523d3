#include "thread/process.h"

#include "platform/thread.h"

#include <stddef.h>

SQ__ATOMIC(uint32_t) sq__fork_process;
SQ__ATOMIC(uint32_t) sq__process_if_quiet;
sq__fork_lock_t sq__fork_locks[SQ__RANKS];
static sq__fork_lock_t taken[SQ__RANKS]; /* by the fork in progress; a copy, because another thread may be loading this library at the same time */
static bool are_forks_watched;

void sq__process_be_quiet(bool is_quiet) { sq__store_relaxed(&sq__process_if_quiet, is_quiet ? sq__process() : ~sq__process()); }

/* Calls sq__mutex_lock or sq__mutex_unlock for what a module has registered, which may be nothing. */
static void with_each(const sq__fork_lock_t *registered, void (*call)(sq__mutex_t *mutex)) {
    if (registered->lock != NULL) {
        call(registered->lock);
    }
    if (registered->locks != NULL) {
        sq__locks_each(registered->locks, call);
    }
}

static void before_fork(void) {
    for (unsigned rank = 0; rank < SQ__RANKS; rank += 1) {
        taken[rank] = sq__fork_locks[rank];
        with_each(&taken[rank], sq__mutex_lock);
    }
}

/* After before_fork, by the same thread. Releases the last lock first. In the child it first calls the module's function, under this and all earlier
 * locks. */
static void release_locks(bool in_child) {
    for (unsigned rank = SQ__RANKS; rank > 0; rank -= 1) {
        if (in_child && taken[rank - 1].in_child != NULL) {
            taken[rank - 1].in_child();
        }
        with_each(&taken[rank - 1], sq__mutex_unlock);
    }
}

static void in_parent(void) { release_locks(false); }

static void in_child(void) {
    sq__store_relaxed(&sq__fork_process, sq__process() + 1);
    sq__process_be_quiet(true);
    release_locks(true);
}

void sq__process_around_fork(sq__lock_rank_t rank, sq__fork_lock_t lock) {
    sq__fork_locks[rank] = lock;
    if (!are_forks_watched) {
        are_forks_watched = sq__thread_at_fork(before_fork, in_parent, in_child) == 0;
    }
}
