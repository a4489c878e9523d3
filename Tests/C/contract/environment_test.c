/* environment_test.c: the system around a queue: processors and limits. What needs it from the start runs in a child.
 * process_end_test.c has the end of the process. */
#include "caller.h"
#include "child.h"
#include "inject.h"

#include <grp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h> /* musl has no sched_setscheduler */
#include <time.h>

typedef struct mix {
    sq_queue_t *first, *second;
    size_t each;
    atomic_size_t number, refused;
    size_t inside; /* plain: the first queue protects it */
} mix_t;

static void count_inside(void *context) { ((mix_t *)context)->inside += 1; }

static void nest(void *context) {
    mix_t *mix = context;
    mix->inside += 1;
    CHECK_EQUAL(sq_sync(mix->second, do_nothing, NULL), 0);
}

static void *mix_calls(void *argument) {
    mix_t *mix = argument;
    random_stream_t random = random_start(110 + atomic_fetch_add(&mix->number, 1));
    for (size_t i = 0; i < mix->each; i += 1) {
        int error;
        switch (random_below(&random, 6)) {
        case 0: error = sq_async(mix->first, count_inside, mix); break;
        case 1: error = sq_async_until(mix->first, SQ_FOREVER, &(sq_task_t){ count_inside, mix, NULL }); break;
        case 2: error = sq_run_and_wait(mix->first, SQ_FOREVER, nest, mix); break;
        case 3: error = sq_sync_until(mix->first, sq_deadline(random_below(&random, 50000)), nest, mix); break;
        default: error = sq_sync(mix->first, nest, mix);
        }
        CHECK(error == 0 || error == ETIMEDOUT || error == EAGAIN);
        mix->refused += error != 0;
    }
    return NULL;
}

static void run_mix(void) {
    enum { THREADS = 4 };
    mix_t mix = { .first = make_queue_of("first", 16), .second = make_queue_of("second", 0), .each = scaled(5000) };
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(mix_calls, &mix);
    }
    for (size_t i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL(sq_shutdown(mix.first, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(mix.inside + mix.refused, THREADS * mix.each);
    sq_queue_release(mix.first);
    sq_queue_release(mix.second);
}

TEST(a_mix_of_all_calls_gets_through) { run_mix(); }

/* From the start, so that the library finds one processor when it first asks. */
static void stay_on_one_processor(void) {
    cpu_set_t mine, one;
    CPU_ZERO(&one);
    REQUIRE(sched_getaffinity(0, sizeof mine, &mine) == 0);
    for (int i = CPU_SETSIZE; i > 0; i -= 1) {
        if (CPU_ISSET(i - 1, &mine)) {
            CPU_SET(i - 1, &one);
            break;
        }
    }
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
}

static int run_on_one_processor(void) {
    stay_on_one_processor();
    run_mix();
    return 0;
}

TEST(a_mix_of_all_calls_gets_through_on_one_processor) {
    CHECK_EQUAL(run_child((const char *const[]){ "one-processor", NULL }), 0);
}

/* Threads of unequal class use a queue first, one alone and then all at once. */
enum { CLASSES = 4 };

typedef struct first_user {
    mix_t *mix;
    unsigned class;
} first_user_t;

static void become(unsigned class) {
    cpu_set_t one;
    switch (class) {
    case 0:
        CHECK_EQUAL(syscall(SYS_sched_setscheduler, 0, SCHED_IDLE, &(struct sched_param){ 0 }), 0);
        break;
    case 1:
        CHECK_EQUAL(setpriority(PRIO_PROCESS, (id_t)gettid(), 19), 0);
        break;
    case 2:
        CPU_ZERO(&one);
        CPU_SET((size_t)sched_getcpu(), &one);
        CHECK_EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
        break;
    default:
        CHECK_EQUAL(syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &(struct sched_param){ 0 }), 0);
    }
}

static void *use_with_less(void *argument) {
    first_user_t *user = argument;
    become(user->class);
    return mix_calls(user->mix);
}

/* `first`: the class of the only thread that uses the queues until their threads exist. */
static void run_unequal_mix(unsigned first) {
    mix_t mix = { .first = make_queue_of("first", 16), .second = make_queue_of("second", 0), .each = scaled(500) };
    first_user_t users[CLASSES];
    pthread_t threads[CLASSES];
    for (unsigned i = 0; i < CLASSES; i += 1) {
        users[i] = (first_user_t){ &mix, (first + i) % CLASSES };
    }
    join(spawn(use_with_less, &users[0]));
    for (unsigned i = 0; i < CLASSES; i += 1) {
        threads[i] = spawn(use_with_less, &users[i]);
    }
    CHECK(mix_calls(&mix) == NULL); /* and a plain thread */
    for (unsigned i = 0; i < CLASSES; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL(sq_shutdown(mix.first, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(mix.inside + mix.refused, (CLASSES + 2) * mix.each);
    sq_queue_release(mix.first);
    sq_queue_release(mix.second);
}

TEST(first_users_of_unequal_class_get_through) {
    for (unsigned first = 0; first < CLASSES; first += 1) {
        run_unequal_mix(first);
    }
}

/* On one processor a thread of SCHED_IDLE that holds a queue runs only while the others sleep. */
static int run_unequal_on_one_processor(void) {
    stay_on_one_processor();
    run_unequal_mix(0);
    return 0;
}

TEST(first_users_of_unequal_class_get_through_on_one_processor) {
    CHECK_EQUAL(run_child((const char *const[]){ "unequal", NULL }), 0);
}

/* The thread limit, which the system does not hold root to: as a user that has no other process. */
enum { LEFT_OUT = 77, NOBODY_ELSE = 61234 };

static void set_thread_limit(rlim_t limit) {
    struct rlimit limits;
    REQUIRE(getrlimit(RLIMIT_NPROC, &limits) == 0);
    limits.rlim_cur = limit < limits.rlim_max ? limit : limits.rlim_max;
    REQUIRE(setrlimit(RLIMIT_NPROC, &limits) == 0);
}

static void submit_at_the_limit(void *context) {
    sq_queue_t *queue = context;
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), ENOMEM);
    CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ must_not_run, NULL, must_not_run }), ENOMEM);
    CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &(sq_task_t){ must_not_run, NULL, must_not_run }), ENOMEM);
}

static void *end_at_once(void *argument) { return argument; }

static int live_at_the_thread_limit(void) {
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setresgid(NOBODY_ELSE, NOBODY_ELSE, NOBODY_ELSE) != 0
                           || setresuid(NOBODY_ELSE, NOBODY_ELSE, NOBODY_ELSE) != 0)) {
        return LEFT_OUT;
    }
    set_thread_limit(1);
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_at_once, NULL) != EAGAIN) {
        return LEFT_OUT; /* a user with CAP_SYS_RESOURCE, perhaps; the thread is lost, the process ends here */
    }
    sq_queue_t *first = make_queue_of("first", 0), *with_thread = make_queue_of("with a thread", 4);
    size_t ran = 0;
    /* the first thread */
    submit_at_the_limit(first);
    CHECK_EQUAL(sq_run_and_wait(first, SQ_FOREVER, must_not_run, NULL), ENOMEM);
    CHECK_EQUAL(sq_sync(first, add_one, &ran), 0);
    set_thread_limit(RLIM_INFINITY);
    CHECK_EQUAL(sq_async(with_thread, add_one, &ran), 0);
    drain(with_thread);
    set_thread_limit(1);
    /* later: the queue that has its thread still works */
    CHECK_EQUAL(sq_async(with_thread, add_one, &ran), 0);
    submit_at_the_limit(first);
    /* in a sync, in an async, in a shutdown */
    CHECK_EQUAL(sq_sync(first, submit_at_the_limit, first), 0);
    CHECK_EQUAL(sq_async(with_thread, submit_at_the_limit, first), 0);
    CHECK_EQUAL(sq_shutdown(with_thread, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 3);
    /* after its end: its thread serves the next queue */
    sq_queue_t *unused = make_queue_of("unused", 0);
    CHECK_EQUAL(sq_async(unused, add_one, &ran), 0);
    CHECK_EQUAL(sq_shutdown(unused, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 4);
    set_thread_limit(RLIM_INFINITY);
    CHECK_EQUAL(sq_async(first, add_one, &ran), 0);
    CHECK_EQUAL(sq_shutdown(first, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 5);
    sq_queue_release(first);
    sq_queue_release(with_thread);
    sq_queue_release(unused);
    return 0;
}

TEST(at_the_thread_limit_of_an_ordinary_user_async_is_EAGAIN_and_nothing_is_lost) {
    int status = run_child((const char *const[]){ "thread-limit", NULL });
    if (status == LEFT_OUT) {
        note("left out: this user has no thread limit, and cannot become a user that has one");
        return;
    }
    CHECK_EQUAL(status, 0);
}

int child_main(int count, char **words) {
    REQUIRE(count >= 1);
    return strcmp(words[0], "one-processor") == 0 ? run_on_one_processor()
           : strcmp(words[0], "unequal") == 0     ? run_unequal_on_one_processor()
                                                  : live_at_the_thread_limit();
}
