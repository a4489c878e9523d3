/* watch_fork_test.c: a fork while a watcher is being called: in the child another thread discards it. Other forks with watched
 * queues: watch_life_test.c. ThreadSanitizer cannot follow a process with threads through a fork. */
#include "child.h"
#include "concurrent.h"
#include "stall_watcher.h"

#include "gate/gate_inline.h"
#include "observe/observe_inline.h"
#include "thread/self.h"

enum { LET_GO_OF = 42 };

/* Holds the queue until the watcher is called. Then the queue is free, and the watcher's call continues. */
typedef struct call {
    sq_queue_t *queue;
    hold_t hold;
    latch_t calls, continues, discarded;
    pid_t parent;
    int status;
    bool is_over;
} call_t;

static void discarded(void *context) { latch_bump(&((call_t *)context)->discarded); }

static void stay_in_call(void *context, const sq_stall_t *stall) {
    call_t *call = context;
    (void)stall;
    latch_bump(&call->calls);
    latch_wait(&call->continues, 1);
}

static void call_begin(call_t *call, const sq_watcher_t *watcher) {
    *call = (call_t){
        make_queue_of("watched", 0), HOLD_INIT, LATCH_INIT, LATCH_INIT, LATCH_INIT, getpid(), -1, false
    };
    CHECK_EQUAL(sq_queue_watch(call->queue, SHORT, watcher), 0);
    hold_sync(&call->hold, call->queue);
    latch_wait(&call->calls, 1);
    hold_end(&call->hold);
}

static int release_in_child(void *context) {
    call_t *call = context;
    sq_queue_release(call->queue); /* the last reference, as the child sees it */
    return CHECK_EQUAL(call->discarded.value, 1) ? 0 : 1;
}

TEST(a_watcher_that_is_called_in_the_parent_is_discarded_in_the_child) {
    static call_t call; /* the child's threads may get the stack of this one */
    if (fork_left_out()) {
        return;
    }
    call_begin(&call, &(sq_watcher_t){ stay_in_call, &call, discarded });
    CHECK_EQUAL(in_fork(release_in_child, &call), 0);
    CHECK_EQUAL(call.discarded.value, 0);
    latch_bump(&call.continues);
    sq_queue_release(call.queue); /* here nothing has changed */
    latch_wait(&call.discarded, 1);
}

/* The thread that calls the watcher forks: in the child, too, it discards the watcher after the call. */
static void fork_in_call(void *context, const sq_stall_t *stall) {
    call_t *call = context;
    (void)stall;
    if (call->is_over) {
        return; /* the first call counts; there may be more */
    }
    latch_bump(&call->calls);
    hold_t hold = HOLD_INIT;
    hold_sync(&hold, call->queue); /* its first holder has gone */
    hold_end(&hold);
    if (fork_and_return(&call->status)) {
        sq_queue_release(call->queue);
    }
    call->is_over = true;
    latch_bump(&call->calls);
}

static void discarded_after_its_call(void *context) {
    call_t *call = context;
    if (getpid() != call->parent) {
        _exit(call->is_over ? LET_GO_OF : 1);
    }
    latch_bump(&call->discarded);
}

TEST(a_watcher_that_forks_is_discarded_in_the_child_after_its_call) {
    static call_t call;
    if (fork_left_out()) {
        return;
    }
    call_begin(&call, &(sq_watcher_t){ fork_in_call, &call, discarded_after_its_call });
    latch_wait(&call.calls, 2);
    sq_queue_release(call.queue);
    latch_wait(&call.discarded, 1);
    CHECK(WIFEXITED(call.status));
    CHECK_EQUAL(WEXITSTATUS(call.status), LET_GO_OF);
}

/* What a stall and a dump name the thread by is read once: of the forking thread, again in the child. */
static int compare_number(void *context) {
    (void)context;
    return CHECK_EQUAL(sq__self_thread_id(), (uint64_t)gettid()) ? 0 : 1;
}

TEST(the_thread_of_a_child_has_its_own_number) {
    if (fork_left_out()) {
        return;
    }
    CHECK_EQUAL(sq__self_thread_id(), (uint64_t)gettid());
    CHECK_EQUAL(in_fork(compare_number, NULL), 0);
}

/* A reader of a watched queue has a record on its stack, which other threads of the child get. */
typedef struct readers {
    sq_queue_t *queue;
    sq__reader_t *of_parent, before; /* the parent's other reader, and what its record was */
    int status, wrong;
} readers_t;

static void compare_record(void *context) {
    readers_t *readers = context;
    readers->wrong += !CHECK(memcmp(readers->of_parent, &readers->before, sizeof readers->before) == 0);
}

static int read_in_child(void *context) {
    readers_t *readers = context;
    CHECK_EQUAL(sq_sync(readers->queue, compare_record, readers), 0);
    return readers->wrong;
}

static void fork_as_reader(void *context) {
    readers_t *readers = context;
    readers->before = *readers->of_parent; /* with this one behind it */
    (void)fork_and_return(&readers->status);
}

TEST(a_child_writes_nothing_to_the_stacks_of_the_parents_readers) {
    if (fork_left_out()) {
        return;
    }
    readers_t readers = { .queue = make_concurrent(1, SQ_WIDTH_POOL), .status = -2 };
    stall_watcher_t ward = STALL_WATCHER_INIT;
    watch(readers.queue, &ward, HOURS);
    caller_t caller;
    stay_t other = STAY_INIT;
    caller_start(&caller, BY_SYNC, readers.queue, SQ_FOREVER, stay, &other);
    latch_wait(&other.entered, 1);
    readers.of_parent = sq__concurrent_of(readers.queue)->oldest;
    readers.before = *readers.of_parent;
    CHECK_EQUAL(in_fork(read_in_child, &readers), 0);
    CHECK_EQUAL(sq_sync(readers.queue, fork_as_reader, &readers), 0);
    if (readers.status == -1) { /* the child */
        compare_record(&readers);
        _exit(readers.wrong);
    }
    CHECK_EQUAL(readers.status, 0);
    latch_bump(&other.leave);
    CHECK_EQUAL(caller_end(&caller), 0);
    sq_queue_release(readers.queue);
    latch_wait(&ward.discarded, 1);
}
