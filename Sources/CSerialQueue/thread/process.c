#include "thread/process.h"

#include "platform/thread.h"

#include <stddef.h>

typedef struct lock {
    void (*take)(void);
    void (*release)(bool in_child);
} lock_t;

SQ__ATOMIC(uint32_t) sq__fork_process;
SQ__ATOMIC(uint32_t) sq__process_if_quiet;
static lock_t registered[SQ__RANKS];
static lock_t taken[SQ__RANKS]; /* by the fork in progress; a copy, because another thread may be loading this library at the same time */
static bool are_forks_watched;

void sq__process_be_quiet(bool is_quiet) { sq__store_relaxed(&sq__process_if_quiet, is_quiet ? sq__process() : ~sq__process()); }

static void before_fork(void) {
    for (unsigned rank = 0; rank < SQ__RANKS; rank += 1) {
        taken[rank] = registered[rank];
        if (taken[rank].take != NULL) {
            taken[rank].take();
        }
    }
}

static void release_locks(bool in_child) {
    for (unsigned rank = SQ__RANKS; rank > 0; rank -= 1) {
        if (taken[rank - 1].release != NULL) {
            taken[rank - 1].release(in_child);
        }
    }
}

static void in_parent(void) { release_locks(false); }

static void in_child(void) {
    sq__store_relaxed(&sq__fork_process, sq__process() + 1);
    sq__process_be_quiet(true);
    release_locks(true);
}

void sq__process_around_fork(sq__lock_rank_t rank, void (*take)(void), void (*release)(bool in_child)) {
    registered[rank] = (lock_t){ .take = take, .release = release };
    if (!are_forks_watched) {
        are_forks_watched = sq__thread_at_fork(before_fork, in_parent, in_child) == 0;
    }
}
