/* site_call_test.c: a dump and a stall notification name the caller of a call that waits for a traced or watched queue, or runs there. */
#include "dump.h"
#include "stall_watcher.h"

typedef enum call { SYNC, SYNC_UNTIL, SYNC_OR_RUN, ASYNC_AND_WAIT, RUN_AND_WAIT, BARRIER, BARRIER_UNTIL, CALLS } call_t;

/* Not static: so the program's own table has them in any case. */
void call_here(call_t call, sq_queue_t *queue, hold_t *hold);
void call_there(call_t call, sq_queue_t *queue, hold_t *hold);
void submit_to_full(sq_queue_t *queue, hold_t *hold);
void run_held(void *hold);

void run_held(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, 1);
    latch_bump(&hold->left);
}

/* Inline in both, so these are the callers of the library. The results are checked, so that none of them is a tail call. */
static inline __attribute__((always_inline)) void make_call(call_t call, sq_queue_t *queue, hold_t *hold) {
    switch (call) {
    case SYNC:
        CHECK_EQUAL(sq_sync(queue, run_held, hold), 0);
        break;
    case SYNC_UNTIL:
        CHECK_EQUAL(sq_sync_until(queue, FAR, run_held, hold), 0);
        break;
    case SYNC_OR_RUN:
        CHECK_EQUAL(sq_sync_or_run(queue, run_held, hold), 0);
        break;
    case ASYNC_AND_WAIT:
        CHECK_EQUAL(sq_async_and_wait(queue, FAR, run_held, hold), 0);
        break;
    case RUN_AND_WAIT:
        CHECK_EQUAL(sq_run_and_wait(queue, FAR, run_held, hold), 0);
        break;
    case BARRIER:
        CHECK_EQUAL(sq_sync_barrier(queue, run_held, hold), 0);
        break;
    default:
        CHECK_EQUAL(sq_sync_barrier_until(queue, FAR, run_held, hold), 0);
        break;
    }
}

__attribute__((noinline)) void call_here(call_t call, sq_queue_t *queue, hold_t *hold) { make_call(call, queue, hold); }
__attribute__((noinline)) void call_there(call_t call, sq_queue_t *queue, hold_t *hold) { make_call(call, queue, hold); }

__attribute__((noinline)) void submit_to_full(sq_queue_t *queue, hold_t *hold) {
    CHECK_EQUAL(sq_async_until(queue, FAR, &(sq_task_t){ .run = run_held, .context = hold }), 0);
}

/* A call on a thread of its own. */
typedef struct guest {
    void (*by)(call_t, sq_queue_t *, hold_t *);
    call_t call;
    sq_queue_t *queue, *inside; /* `inside`: the call is made in a task of that queue; NULL: in none */
    hold_t hold;
    pthread_t thread;
} guest_t;

static void be_guest(void *context) {
    guest_t *guest = context;
    guest->by(guest->call, guest->queue, &guest->hold);
}

static void *guest_main(void *context) {
    guest_t *guest = context;
    if (guest->inside != NULL) {
        CHECK_EQUAL(sq_sync(guest->inside, be_guest, guest), 0);
    } else {
        be_guest(guest);
    }
    return NULL;
}

static void guest_start(guest_t *guest) { guest->thread = spawn(guest_main, guest); }

static void guest_end(guest_t *guest) {
    latch_bump(&guest->hold.leave);
    REQUIRE(pthread_join(guest->thread, NULL) == 0);
}

/* One thread calls and runs, another one waits behind it, and then runs. */
static void check_call(call_t call, call_t behind, sq_queue_t *queue, sq_queue_t *inside) {
    guest_t first = { call_here, call, queue, inside, HOLD_INIT, 0 }, second = { call_there, behind, queue, NULL, HOLD_INIT, 0 };
    guest_start(&first);
    latch_wait(&first.hold.entered, 1);
    CHECK_LINE(dump_now(), "runs run_held", "in queue \"called\"", ", in a call by call_here");
    guest_start(&second);
    (void)dump_until("has waited", " in queue \"called\"", ", in a call by call_there");
    guest_end(&first);
    latch_wait(&second.hold.entered, 1);
    CHECK_LINE(dump_now(), "runs run_held", "in queue \"called\"", ", in a call by call_there");
    guest_end(&second);
}

static void check_calls_of(sq_queue_t *queue) {
    sq_queue_t *inside = make_queue_of("inside", 0);
    for (call_t call = SYNC; call < CALLS; call += 1) {
        check_call(call, call, queue, NULL);
        check_call(call, call, queue, inside);
    }
    sq_queue_release(inside);
}

TEST(the_calls_of_a_watched_queue_are_shown_with_their_callers) {
    sq_queue_t *queue = make_queue_of("called", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    watch(queue, &ward, HOURS);
    check_calls_of(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

TEST(the_calls_of_a_traced_queue_are_shown_with_their_callers) {
    CHECK_EQUAL(sq_trace_start("/dev/null"), 0);
    sq_queue_t *queue = make_queue_of("called", 0);
    check_calls_of(queue);
    sq_queue_release(queue);
    CHECK_EQUAL(sq_trace_stop(), 0);
}

TEST(the_calls_of_a_concurrent_queue_are_shown_with_their_callers) {
    sq_pool_t *pool = sq_pool_create("calls", &(sq_pool_options_t){ .size = sizeof(sq_pool_options_t), .threads = 2 });
    sq_queue_t *queue = sq_queue_create("called", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = pool, .width = 2 });
    stall_watcher_t ward = STALL_WATCHER_INIT;
    watch(queue, &ward, HOURS);
    check_call(BARRIER, SYNC, queue, NULL);
    check_call(SYNC, BARRIER, queue, NULL);
    check_call(BARRIER_UNTIL, BARRIER, queue, NULL);
    check_call(ASYNC_AND_WAIT, BARRIER_UNTIL, queue, NULL);
    check_call(BARRIER, RUN_AND_WAIT, queue, NULL);
    sq_queue_release(queue);
    sq_pool_release(pool);
    latch_wait(&ward.discarded, 1);
}

TEST(a_stall_names_the_caller_of_a_sync) {
    sq_queue_t *queue = make_queue_of("called", 0);
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    guest_t guest = { call_here, SYNC, queue, NULL, HOLD_INIT, 0 };
    watch(queue, &ward, SHORT);
    guest_start(&guest);
    latch_wait(&ward.calls, 1);
    CHECK((uintptr_t)ward.last[0].caller - (uintptr_t)call_here < 1024);
    guest_end(&guest);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

static void *full_main(void *context) {
    guest_t *guest = context;
    submit_to_full(guest->queue, &guest->hold);
    return NULL;
}

TEST(a_wait_for_room_is_shown_with_its_caller_and_the_task_with_it_afterwards) {
    sq_queue_t *queue = make_queue_of("called", 1);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    guest_t guest = { call_here, RUN_AND_WAIT, queue, NULL, HOLD_INIT, 0 }, late = { NULL, SYNC, queue, NULL, HOLD_INIT, 0 };
    watch(queue, &ward, HOURS);
    guest_start(&guest);
    latch_wait(&guest.hold.entered, 1);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0); /* takes the room */
    late.thread = spawn(full_main, &late);
    (void)dump_until("has waited", "room in queue \"called\"", ", in a call by submit_to_full");
    guest_end(&guest);
    latch_wait(&late.hold.entered, 1);
    CHECK_LINE(dump_now(), "runs run_held", "in queue \"called\"", ", submitted by submit_to_full");
    guest_end(&late);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

/* What waits says where in any case. */
TEST(a_call_that_runs_on_another_queue_is_shown_without_a_caller_and_one_that_waits_with_it) {
    sq_queue_t *queue = make_queue_of("other", 0);
    guest_t first = { call_here, SYNC, queue, NULL, HOLD_INIT, 0 }, second = { call_there, SYNC, queue, NULL, HOLD_INIT, 0 };
    guest_start(&first);
    latch_wait(&first.hold.entered, 1);
    guest_start(&second);
    const char *text = dump_until("has waited", " in queue \"other\"", NULL);
    CHECK_LINE(text, "has waited", " in queue \"other\"", ", in a call by call_there");
    CHECK(!has_line(text, "in a call by call_here", NULL, NULL));
    guest_end(&first);
    guest_end(&second);
    sq_queue_release(queue);
}
