/* foreign_test.c: a task that is left in another way than by returning: one message and abort, never a queue that stops
 * without a message. Each in a child process; the C++ ones are in foreign_throw.cpp. */
#include "caller.h"
#include "child.h"
#include "inject.h"

#include <setjmp.h>
#include <stdlib.h>

#define LABEL "com.example.left"

/* How the child comes to be in a task. */
typedef enum place { IN_SYNC, IN_SYNC_THAT_WAITED, IN_ASYNC, IN_ASYNC_THAT_WAITED, IN_CALL, IN_DISCARD, INLINE, PLACES } place_t;

typedef struct site {
    sq_queue_t *queue;
    sq_function_t leave;
} site_t;

static void leave_inline(void *context) {
    site_t *site = context;
    sq_sync_or_run(site->queue, site->leave, site);
}

static void *release_in_time(void *argument) {
    hold_t *hold = argument;
    latch_wait(&hold->entered, 1);
    latch_bump(&hold->leave);
    return NULL;
}

static void stand(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, 1);
}

static void come_to(place_t place, site_t *site) {
    static hold_t hold = HOLD_INIT;
    if (place == IN_SYNC_THAT_WAITED || place == IN_ASYNC_THAT_WAITED) {
        REQUIRE(sq_async(site->queue, stand, &hold) == 0);
        if (place == IN_SYNC_THAT_WAITED) {
            spawn(release_in_time, &hold);
        }
    }
    switch (place) {
    case IN_SYNC:
    case IN_SYNC_THAT_WAITED:
        sq_sync(site->queue, site->leave, site);
        break;
    case IN_ASYNC:
    case IN_ASYNC_THAT_WAITED:
        sq_async(site->queue, site->leave, site);
        latch_bump(&hold.leave);
        sq_sync(site->queue, do_nothing, NULL); /* would wait forever for a dead queue */
        break;
    case IN_CALL:
        WHATEVER(sq_run_and_wait(site->queue, SQ_FOREVER, site->leave, site));
        break;
    case IN_DISCARD:
        sq_suspend(site->queue);
        WHATEVER(sq_async_task(site->queue, &(sq_task_t){ do_nothing, site, site->leave }));
        sq_shutdown(site->queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
        break;
    default:
        sq_sync(site->queue, leave_inline, site);
    }
}

/* The ways out. */
static void exit_thread(void *context) {
    (void)context;
    pthread_exit(NULL);
}

static void cancel_self(void *context) {
    (void)context;
    pthread_cancel(pthread_self());
    pthread_testcancel();
}

static jmp_buf way_out;

static void jump(void *context) {
    (void)context;
    longjmp(way_out, 1);
}

/* After the jump the thread continues, and calls the library again. */
static void jump_out_of(place_t place, site_t *site, const char *afterwards) {
    sq_queue_t *other = make_queue_of("other", 0);
    if (setjmp(way_out) == 0) {
        come_to(place, site);
        return;
    }
    if (strcmp(afterwards, "same") == 0) {
        sq_sync(site->queue, do_nothing, NULL);
    } else if (strcmp(afterwards, "other") == 0) {
        sq_sync(other, do_nothing, NULL);
    } else if (strcmp(afterwards, "until") == 0) {
        WHATEVER(sq_sync_until(site->queue, SQ_NOW, do_nothing, NULL));
    } else {
        WHATEVER(sq_run_and_wait(site->queue, SQ_FOREVER, do_nothing, NULL));
    }
}

/* A thread that is cancelled while it waits, outside of a task. */
static caller_t cancelled;
static hold_t held;

static void *end_hold(void *argument) {
    hold_end(argument);
    return NULL;
}

static int cancel_a_waiting_caller(way_t way) {
    sq_queue_t *queue = make_queue_of(LABEL, 1);
    size_t ran = 0;
    hold_async(&held, queue);
    REQUIRE(sq_async(queue, do_nothing, NULL) == 0);
    caller_start(&cancelled, way, queue, SQ_FOREVER, add_one, &ran);
    wait_until_asleep(&cancelled.thread_id);
    pthread_cancel(cancelled.thread);
    pthread_t ender = spawn(end_hold, &held);
    join(ender);
    void *result;
    pthread_join(cancelled.thread, &result);
    /* It continued to wait, and its call was carried out, whenever the cancellation took effect after that. */
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, way != BY_SHUTDOWN);
    sq_queue_release(queue);
    return 0;
}

/* Functions that are no tasks: no queue is the current one. */

static void leave_when_called(void *context, const sq_stall_t *stall) {
    (void)stall;
    exit_thread(context);
}

static void never_called(void *context, const sq_stall_t *stall) {
    (void)context;
    (void)stall;
}

static void do_no_pair(void *first, void *second, bool runs) {
    (void)first;
    (void)second;
    (void)runs;
}

static void leave_when_decided(sq_deferred_t *task, int error) {
    (void)error;
    exit_thread(task);
}

static void leave_elsewhere(sq_queue_t *queue, const char *where) {
    REQUIRE(sq_suspend(queue) == 0);
    REQUIRE(sq_async(queue, do_nothing, NULL) == 0);
    if (strcmp(where, "watcher") == 0) {
        REQUIRE(sq_queue_watch(queue, 1000000, &(sq_watcher_t){ leave_when_called, NULL, NULL }) == 0);
        latch_t never = LATCH_INIT;
        latch_wait(&never, 1);
    } else if (strcmp(where, "watcher's end") == 0) {
        REQUIRE(sq_queue_watch(queue, SQ_FOREVER, &(sq_watcher_t){ never_called, NULL, exit_thread }) == 0);
        sq_queue_watch(queue, 0, NULL);
    } else if (strcmp(where, "perform") == 0) {
        sq_item_perform(sq_item_create("performed", &(sq_task_t){ .run = exit_thread }));
    } else if (strcmp(where, "once") == 0) {
        static sq_once_t once = SQ_ONCE_INIT;
        sq_once(&once, exit_thread, NULL);
    } else {
        static sq_deferred_t deferred = { .call = do_no_pair, .decided = leave_when_decided };
        REQUIRE(sq_async_deferred(queue, &deferred) == EINPROGRESS);
        sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW);
    }
}

int child_main(int count, char **words) {
    REQUIRE(count == 2);
    no_core_file();
    site_t site = { make_queue_of(LABEL, strcmp(words[0], "elsewhere") == 0), NULL };
    place_t place = (place_t)strtoul(words[1], NULL, 10);
    if (strcmp(words[0], "elsewhere") == 0) {
        leave_elsewhere(site.queue, words[1]);
    } else if (strcmp(words[0], "exit") == 0) {
        site.leave = exit_thread;
        come_to(place, &site);
    } else if (strcmp(words[0], "cancel") == 0) {
        site.leave = cancel_self;
        come_to(place, &site);
    } else if (strcmp(words[0], "wait") == 0) {
        sq_queue_release(site.queue);
        return cancel_a_waiting_caller((way_t)place);
    } else {
        site.leave = jump;
        jump_out_of(place, &site, words[0]);
    }
    return 3; /* nothing stopped it */
}

static void check_left(const char *how, place_t place, const char *cause) {
    char number[24];
    snprintf(number, sizeof number, "%d", (int)place);
    ending_t ending = run_captured(how, number);
    const char *const words[] = { cause, "\"" LABEL "\"" };
    check_aborted(&ending, words, 2);
}

TEST(pthread_exit_in_a_task_is_reported_and_ends_the_process) {
    for (place_t place = IN_SYNC; place < PLACES; place += 1) {
        check_left("exit", place, "pthread_exit");
    }
}

TEST(pthread_cancel_of_a_task_is_reported_and_ends_the_process) {
    for (place_t place = IN_SYNC; place < PLACES; place += 1) {
        check_left("cancel", place, "pthread_cancel");
    }
}

TEST(pthread_exit_in_a_function_that_is_no_task_is_reported_and_ends_the_process) {
    const char *const places[] = { "watcher", "watcher's end", "decision" };
    for (size_t i = 0; i < 3; i += 1) {
        ending_t ending = run_captured("elsewhere", places[i]);
        const char *const words[] = { "pthread_exit", "must return" };
        check_aborted(&ending, words, 2);
    }
}

TEST(pthread_exit_in_what_runs_without_a_queue_is_reported_with_the_call_that_runs_it) {
    const char *const places[][2] = { { "perform", "sq_item_perform" }, { "once", "sq_once" } };
    for (size_t i = 0; i < 2; i += 1) {
        ending_t ending = run_captured("elsewhere", places[i][0]);
        const char *const words[] = { "pthread_exit", places[i][1], "must return" };
        check_aborted(&ending, words, 3);
    }
}

static void check_jumped(const char *afterwards, place_t place) {
    char number[24];
    snprintf(number, sizeof number, "%d", (int)place);
    ending_t ending = run_captured(afterwards, number);
    const char *const words[] = { "longjmp" }; /* the record of the task lies where the stack is used again: no label */
    check_aborted(&ending, words, 1);
}

TEST(longjmp_out_of_a_task_is_reported_when_its_thread_calls_again) {
    if (UNDER_ASAN) {
        note("left out: AddressSanitizer keeps variables apart from the stack, so that their addresses say nothing");
        return;
    }
    const char *const afterwards[] = { "same", "other", "until", "call" };
    for (size_t i = 0; i < 4; i += 1) {
        check_jumped(afterwards[i], IN_SYNC);
        check_jumped(afterwards[i], IN_SYNC_THAT_WAITED);
        check_jumped(afterwards[i], INLINE);
    }
}

TEST(a_caller_cancelled_in_its_wait_waits_on_and_keeps_its_turn) {
    for (way_t way = BY_SYNC; way < WAYS; way += 1) {
        char number[24];
        snprintf(number, sizeof number, "%d", (int)way);
        CHECK_EQUAL(run_child((const char *const[]){ "wait", number, NULL }), 0);
    }
}

/* Cancellation is off in a wait alone. */
TEST(a_thread_that_has_waited_can_be_cancelled_as_before) {
    sq_queue_t *queue = make_queue_of("cancellable", 0);
    hold_t hold;
    hold_async(&hold, queue);
    const int states[] = { PTHREAD_CANCEL_DISABLE, PTHREAD_CANCEL_ENABLE };
    for (int i = 0; i < 2; i += 1) {
        int usual, after;
        pthread_setcancelstate(states[i], &usual);
        CHECK_EQUAL(sq_sync_until(queue, sq_deadline(2000000), must_not_run, NULL), ETIMEDOUT);
        pthread_setcancelstate(usual, &after);
        CHECK_EQUAL(after, states[i]);
    }
    hold_end(&hold);
    drain(queue);
    sq_queue_release(queue);
}

/* The C++ program is next to this one. */
static const char *throw_program(void) {
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    REQUIRE(length > 0);
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, "foreign_throw");
    if (access(path, X_OK) != 0) {
        note("left out: there is no %s (no C++ compiler?)", path);
        return NULL;
    }
    return path;
}

TEST(a_cxx_exception_that_leaves_a_task_ends_the_process_even_if_a_caller_would_catch_it) {
    const char *program = throw_program();
    const char *const ways[] = { "sync", "sync-number", "sync_until", "nested", "async", "call", "discard" };
    for (size_t i = 0; program != NULL && i < sizeof ways / sizeof ways[0]; i += 1) {
        ending_t ending = run_program((const char *const[]){ program, ways[i], NULL });
        const char *const words[] = { "C++ exception", "\"com.example.thrower\"" };
        check_aborted(&ending, words, 2);
    }
}

TEST(the_terminate_handler_gets_a_cxx_exception_that_leaves_a_task) {
    const char *program = throw_program();
    const char *const ways[] = { "sync", "sync_until", "nested", "async", "call", "discard", "apply", "once" };
    for (size_t i = 0; program != NULL && i < sizeof ways / sizeof ways[0]; i += 1) {
        ending_t ending = run_program((const char *const[]){ program, ways[i], "handled", NULL });
        CHECK(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 7);
        const char *message = strstr(ending.text, "SerialQueue: a C++ exception left");
        CHECK(message != NULL && strstr(message, "\nthe handler was given: out of a task\n") != NULL);
    }
}

TEST(a_cxx_exception_that_is_caught_inside_its_task_changes_nothing) {
    const char *program = throw_program();
    if (program != NULL) {
        ending_t ending = run_program((const char *const[]){ program, "inside", NULL });
        CHECK_EQUAL(ending.status, 0);
    }
}
