#include "queue/fork.h"

#include "many/lock.h"
#include "platform/thread.h"
#include "wait/deadlock.h"
#include "kernel/handle.h"
#include "kernel/lock.h"
#include "queue/pools.h"
#include "queue/shutdown.h"
#include "inspect/watch.h"
#include "thread/self.h"

uint32_t sq__fork_process_now(void) { return sq__process(); }

/* In lock order. */
static void before_fork(void) {
    sq__pools_lock_shared();
    sq__lock_all();
    sq__shutdown_lock_enders();
    sq__watch_lock();
    sq__deadlock_lock();
    sq__many_lock_all();
    sq__alarms_lock();
    sq__token_lock_list();
    sq__handle_lock();
}

static void release_locks(bool in_child) {
    sq__handle_unlock();
    sq__token_unlock_list(in_child);
    sq__alarms_unlock(in_child);
    sq__many_unlock_all();
    sq__deadlock_unlock(in_child);
    sq__watch_unlock(in_child);
    sq__shutdown_unlock_enders(in_child);
    sq__unlock_all();
    sq__pools_unlock_shared(in_child);
}

static void in_parent(void) { release_locks(false); }

static void in_child(void) {
    sq__process_forked();
    sq__self_forget_token();
    release_locks(true);
}

/* Before main: there is no moment later at which every program would pass once. Without memory for it the library works, but
 * not in the child of a fork; nobody is there yet to be told. */
static __attribute__((constructor)) void watch_forks(void) { (void)sq__thread_at_fork(before_fork, in_parent, in_child); }
