/* platform_test.c: threads, locks and texts that the system refuses, which on a healthy system it does not. platform_system_test.c has what
 * the system says of processors and threads. The library has asked for tokens and keys before the first test: what needs a
 * fresh process runs in a child. */
#include "caller.h"
#include "child.h"
#include "inject.h"
#include "latch.h"
#include "platform/fatal.h"
#include "platform/mutex.h"
#include "platform/thread.h"
#include "kernel/segment.h"

#include <limits.h>
#include <stdarg.h>

enum { ATTR_INIT, GETATTR, GETNAME, CONDATTR_INIT, SETCLOCK, COND_INIT, MUTEXATTR_INIT, MUTEX_INIT, FORMAT, CALLS };
#include "wrapped.h"

WRAP(ATTR_INIT, int, pthread_attr_init, (pthread_attr_t * attributes), (attributes), ENOMEM)
WRAP(GETATTR, int, pthread_getattr_np, (pthread_t thread, pthread_attr_t *attributes), (thread, attributes), ENOMEM)
WRAP(GETNAME, int, pthread_getname_np, (pthread_t thread, char *name, size_t size), (thread, name, size), ENOENT)
WRAP(CONDATTR_INIT, int, pthread_condattr_init, (pthread_condattr_t * attributes), (attributes), ENOMEM)
WRAP(SETCLOCK, int, pthread_condattr_setclock, (pthread_condattr_t * attributes, clockid_t clock), (attributes, clock), EINVAL)
WRAP(COND_INIT, int, pthread_cond_init, (pthread_cond_t * condition, const pthread_condattr_t *attributes),
     (condition, attributes), EAGAIN)
WRAP(MUTEXATTR_INIT, int, pthread_mutexattr_init, (pthread_mutexattr_t * attributes), (attributes), ENOMEM)
WRAP(MUTEX_INIT, int, pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t *attributes), (mutex, attributes),
     EAGAIN)
WRAP(FORMAT, int, vsnprintf, (char *text, size_t size, const char *format, va_list arguments), (text, size, format, arguments),
     -1)

TEST(a_capacity_whose_mutex_cannot_be_made_is_ENOMEM) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = 3;
    fails_from[MUTEX_INIT] = 1;
    errno = 0;
    sq_queue_t *queue = sq_queue_create("no mutex", &options);
    fails_from[MUTEX_INIT] = 0;
    CHECK(queue == NULL);
    CHECK_EQUAL(errno, ENOMEM);
}

TEST(a_thread_whose_attributes_cannot_be_made_is_an_error_of_the_submission) {
    sq_queue_t *queue = make_queue_of("no attributes", 0);
    size_t ran = 0;
    fails_from[ATTR_INIT] = 1;
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), ENOMEM);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, must_not_run, NULL), ENOMEM);
    fails_from[ATTR_INIT] = 0;
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    drain(queue);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
}

TEST(a_stack_that_the_system_does_not_take_is_an_error_of_the_start) {
    sq__thread_start_t start;
    CHECK_EQUAL(sq__thread_start(&start, must_not_run, NULL, &(sq__thread_kind_t){ .name = "small", .stack_size = SIZE_MAX / 2 }), ENOMEM);
}

TEST(a_pool_whose_mutexes_cannot_be_made_is_not_made) {
    for (long nth = 1; nth <= 2; nth += 1) {
        fails_from[MUTEX_INIT] = nth;
        errno = 0;
        sq_pool_t *pool = sq_pool_create_manual("no mutex");
        fails_from[MUTEX_INIT] = 0;
        CHECK(pool == NULL);
        CHECK_EQUAL(errno, ENOMEM);
    }
}

TEST(a_stack_that_is_not_known_is_not_the_own_one) {
    const void *here = __builtin_frame_address(0); /* AddressSanitizer has variables elsewhere */
    CHECK(sq__thread_owns_stack(here));
    fails_from[GETATTR] = 1;
    CHECK(!sq__thread_owns_stack(here));
    fails_from[GETATTR] = 0;
}

TEST(a_name_that_cannot_be_read_is_empty) {
    char name[16] = "before";
    fails_from[GETNAME] = 1;
    sq__thread_name(name, sizeof name);
    fails_from[GETNAME] = 0;
    CHECK_STRING(name, "");
}

/* A label of bytes that only ever continue a character leaves nothing for a name: the thread keeps its maker's. */
static void read_name(void *name) { pthread_getname_np(pthread_self(), name, 16); }

TEST(a_label_without_a_character_names_no_thread) {
    sq_queue_t *queue = make_queue_of("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 0);
    char own[16] = "", name[16] = "";
    read_name(own);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, read_name, name), 0);
    CHECK_STRING(name, own);
    sq_queue_release(queue);
}

static void sync_onto_own(void *queue) { CHECK_EQUAL(sq_sync(queue, must_not_run, NULL), EDEADLK); }

TEST(a_report_ends_where_a_part_of_it_cannot_be_written) {
    sq_queue_t *queue = make_queue_of("reported", 0);
    fails_from[FORMAT] = 2;
    CHECK_EQUAL(sq_sync(queue, sync_onto_own, queue), 0);
    fails_from[FORMAT] = 0;
    const char *text = sq_deadlock_report();
    CHECK(strncmp(text, "sync onto queue \"reported\"", 26) == 0);
    CHECK(strstr(text, "waits for queue") == NULL);
    sq_queue_release(queue);
}

/* The system says too early that a deadline has passed: the wait looks at the clock, and continues. */
TEST(a_wait_that_ends_before_its_deadline_continues) {
    sq_queue_t *queue = make_queue_of("early", 0);
    caller_t caller;
    size_t ran = 0;
    hold_t hold;
    hold_async(&hold, queue);
    end_waits_early(3);
    caller_start(&caller, BY_SYNC_UNTIL, queue, FAR, add_one, &ran);
    wait_for_depth(queue, 1);
    wait_until_asleep(&caller.thread_id);
    CHECK_EQUAL(ran, 0);
    hold_end(&hold);
    CHECK_EQUAL(caller_end(&caller), 0);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
}

/* --- Children. */

static int start_without(int call) {
    sq_queue_t *queue = make_queue_of("no token", 0);
    size_t ran = 0;
    fails_from[call] = 1;
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), ENOMEM);
    fails_from[call] = 0;
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
    return 0;
}

/* No key is left for thread exits: a thread that waits keeps nothing, and works all the same. */
static void *wait_without_a_key(void *argument) {
    sq_queue_t *queue = argument;
    CHECK_EQUAL(sq_sync(queue, sync_onto_own, queue), 0);
    CHECK_STRING(sq_deadlock_report(), "");
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, do_nothing, NULL), 0);
    }
    return NULL;
}

/* A free queue has no segment. */
static void await_free(sq_queue_t *queue) {
    while (sq_sync_until(queue, SQ_NOW, do_nothing, NULL) != 0) {
        sched_yield();
    }
}

static int use_up_keys(void) {
    pthread_key_t key;
    while (pthread_key_create(&key, NULL) == 0) {
    }
    sq_queue_t *queue = make_queue_of("no key", 0);
    join(spawn(wait_without_a_key, queue));
    await_free(queue);
    long blocks = live_blocks();
    for (int i = 0; i < 50; i += 1) {
        join(spawn(wait_without_a_key, queue));
    }
    while (live_blocks() > blocks) { /* a segment that is just being returned; the watchdog ends an endless wait */
        sched_yield();
    }
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
    return 0;
}

/* A wait on a queue of a manual pool has a token of its own, for which there is no memory. */
static int wait_without_memory(void) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create_manual("no token");
    REQUIRE(options.pool != NULL);
    sq_queue_t *queue = sq_queue_create("no token", &options);
    size_t ran = 0;
    fail_nth(FAIL_ALLOCATION, 1, false);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, must_not_run, NULL), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, add_one, &ran), 0);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
    sq_pool_release(options.pool);
    return 0;
}

/* Each ends with a sentence. */
static void die(const char *how) {
    no_core_file();
    if (strcmp(how, "mutex") == 0) {
        sq__mutex_t mutex;
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
        pthread_mutex_init(&mutex, &attributes);
        sq__mutex_unlock(&mutex);
    } else if (strcmp(how, "address") == 0) {
        give_high_memory();
        sq__segment_obtain();
    } else {
        fails_from[FORMAT] = 1;
        sq__fatal("%s", "never seen");
    }
}

int child_main(int count, char **words) {
    REQUIRE(count == 2);
    if (strcmp(words[0], "without") == 0) {
        return start_without(atoi(words[1]));
    }
    if (strcmp(words[0], "keys") == 0) {
        return use_up_keys();
    }
    if (strcmp(words[0], "manual") == 0) {
        return wait_without_memory();
    }
    die(words[1]);
    return 3;
}

TEST(a_token_whose_mutex_or_condition_cannot_be_made_is_ENOMEM) {
    const int calls[] = { MUTEXATTR_INIT, MUTEX_INIT, CONDATTR_INIT, SETCLOCK, COND_INIT };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i += 1) {
        char number[12];
        snprintf(number, sizeof number, "%d", calls[i]);
        CHECK_EQUAL(run_child((const char *const[]){ "without", number, NULL }), 0);
    }
}

TEST(without_a_key_for_thread_exits_threads_wait_and_keep_nothing) {
    CHECK_EQUAL(run_child((const char *const[]){ "keys", "all", NULL }), 0);
}

TEST(a_wait_on_a_manual_pool_without_memory_is_ENOMEM) {
    CHECK_EQUAL(run_child((const char *const[]){ "manual", "wait", NULL }), 0);
}

TEST(what_leaves_no_way_on_ends_with_a_message) {
    ending_t ending;
    if (!UNDER_TSAN) { /* which says so itself */
        ending = run_captured("die", "mutex");
        check_aborted(&ending, (const char *const[]){ "pthread_mutex_unlock", "after it was freed" }, 2);
    }
    if (!SQ__EACH_BY_MALLOC) {
        ending = run_captured("die", "address");
        check_aborted(&ending, (const char *const[]){ "0x10000000000000", "48 bits" }, 2);
    }
    ending = run_captured("die", "format");
    check_aborted(&ending, (const char *const[]){ "SerialQueue: " }, 1);
}
