/* dump_names_test.c: a dump names the user's functions, not those of the library that call them; and what it says where there is nothing. */
#include "apply.h"
#include "caller.h"
#include "concurrent.h"
#include "dump.h"

/* Not static: so the program's own table has them in any case. */
void stand_here(void *context);
void stand_here(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, 1);
    latch_bump(&hold->left);
}

void pair_stands_here(void *first, void *second, bool runs);
void pair_stands_here(void *first, void *second, bool runs) {
    CHECK(runs && second == NULL);
    stand_here(first);
}

static void end_hold(hold_t *hold) {
    latch_bump(&hold->leave);
    latch_wait(&hold->left, 1);
}

TEST(an_item_in_a_concurrent_queue_is_shown_with_its_own_function) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    hold_t hold = HOLD_INIT;
    sq_item_t *item = sq_item_create("row", &(sq_task_t){ .run = stand_here, .context = &hold });
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    latch_wait(&hold.entered, 1);
    CHECK_LINE(dump_now(), "runs stand_here", "in queue \"concurrent\"", NULL);
    end_hold(&hold);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    sq_item_release(item);
    sq_queue_release(queue);
}

TEST(a_member_that_is_a_pair_is_shown_with_its_own_function) {
    sq_queue_t *queue = make_queue_of("members", 0);
    hold_t hold = HOLD_INIT;
    sq_group_t *group = sq_group_create("group");
    CHECK_EQUAL(sq_group_async_pair(group, queue, pair_stands_here, &hold, NULL), 0);
    latch_wait(&hold.entered, 1);
    CHECK_LINE(dump_now(), "runs pair_stands_here", "in queue \"members\"", NULL);
    end_hold(&hold);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    sq_group_release(group);
    sq_queue_release(queue);
}

/* A member's record in a reader is its group, which is no pair. */
TEST(a_member_that_is_a_pair_in_a_concurrent_queue_is_shown_in_words) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    hold_t hold = HOLD_INIT;
    sq_group_t *group = sq_group_create("group");
    CHECK_EQUAL(sq_group_async_pair(group, queue, pair_stands_here, &hold, NULL), 0);
    latch_wait(&hold.entered, 1);
    CHECK_LINE(dump_now(), "runs a member of a group in queue \"concurrent\"", NULL, NULL);
    end_hold(&hold);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    sq_group_release(group);
    sq_queue_release(queue);
}

TEST(a_firing_is_shown_with_the_function_of_its_timer) {
    sq_queue_t *queue = make_queue_of("ticks", 0);
    hold_t hold = HOLD_INIT;
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ .run = stand_here, .context = &hold });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), 0);
    latch_wait(&hold.entered, 1);
    CHECK_LINE(dump_now(), "runs stand_here", "in queue \"ticks\"", NULL);
    end_hold(&hold);
    sq_timer_release(timer);
    sq_queue_release(queue);
}

TEST(an_empty_section_says_none) {
    static const char *const titles[] = { "WAITING THREADS, THE LONGEST FIRST: 0", "THREADS THAT RUN TASKS: 0", "QUEUES, THE DEEPEST FIRST: 0",
                                          "SUSPENDED QUEUES: 0", "NEXT TIMERS", "LAST DEADLOCK REPORT" };
    const char *text = dump_now();
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i += 1) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "%s\n  none\n", titles[i]);
        if (!CHECK(strstr(text, wanted) != NULL)) {
            fprintf(stderr, "no %s in:\n%s", wanted, text);
        }
    }
}

typedef struct crowd {
    sq_pool_t *pool;
    latch_t here, leave;
} crowd_t;

static void iterate(void *context, size_t index) {
    crowd_t *crowd = context;
    (void)index;
    latch_bump(&crowd->here);
    latch_wait(&crowd->leave, 1);
}

static void *apply_crowd(void *context) {
    crowd_t *crowd = context;
    CHECK_EQUAL(sq_apply(crowd->pool, 3, iterate, crowd), 0);
    return NULL;
}

/* The worker of a queue without a pool has its label as its name. */
TEST(a_dump_has_no_control_characters_of_labels_and_names_of_threads) {
    sq_queue_t *queue = sq_queue_create("red \033[31m\x7f", NULL);
    REQUIRE(queue != NULL);
    hold_t hold = HOLD_INIT;
    CHECK_EQUAL(sq_async(queue, stand_here, &hold), 0);
    latch_wait(&hold.entered, 1);
    const char *text = dump_now();
    CHECK_LINE(text, "thread", "in queue \"red ?[31m?\"", NULL);
    CHECK(strpbrk(text, "\033\x7f") == NULL);
    end_hold(&hold);
    sq_queue_release(queue);
}

/* Labels in another encoding, and one that is cut in a character. The thread's name is its label, too. */
TEST(a_dump_is_utf8_whatever_labels_are) {
    char label[80] = "";
    memset(label, 'a', 62);
    strcat(label, "\xc3\xb6");
    sq_queue_t *latin = make_queue_of("gr\xf6\xdf" "e", 0), *long_one = make_queue_of(label, 0);
    hold_t holds[2];
    hold_async(&holds[0], latin);
    hold_async(&holds[1], long_one);
    const char *text = dump_now();
    CHECK_LINE(text, "thread", "in queue \"gr??e\"", NULL);
    CHECK(strstr(text, "aaaa?\"") != NULL || strstr(text, "aaaa\"") != NULL);
    CHECK(strpbrk(text, "\xf6\xdf\xc3") == NULL);
    for (int i = 0; i < 2; i += 1) {
        hold_end(&holds[i]);
    }
    drain(latin);
    drain(long_one);
    sq_queue_release(latin);
    sq_queue_release(long_one);
}

/* The caller and both threads of the pool. */
TEST(an_apply_is_shown_with_the_number_of_threads_that_work_for_it) {
    crowd_t crowd = { .pool = make_pool(2), .here = LATCH_INIT, .leave = LATCH_INIT };
    pthread_t caller = spawn(apply_crowd, &crowd);
    latch_wait(&crowd.here, 3);
    CHECK_LINE(dump_now(), " of an apply on pool \"test pool\", for which 3 threads work", NULL, NULL);
    latch_bump(&crowd.leave);
    join(caller);
    sq_pool_release(crowd.pool);
}

TEST(an_apply_is_shown_with_its_function_and_with_what_its_threads_sleep_in) {
    crowd_t crowd = { .pool = make_pool(1), .here = LATCH_INIT, .leave = LATCH_INIT };
    pthread_t caller = spawn(apply_crowd, &crowd);
    latch_wait(&crowd.here, 2);
    (void)dump_until(" runs iterate", " of an apply on pool \"test pool\"", "futex: a lock or a condition of the program"); /* on its way to its lock */
    latch_bump(&crowd.leave);
    join(caller);
    sq_pool_release(crowd.pool);
}

static void sync_onto_own(void *queue) { CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), EDEADLK); }

static void *wait_under_a_name(void *queue) {
    CHECK_EQUAL(pthread_setname_np(pthread_self(), "a\033[2J\n"), 0);
    CHECK_EQUAL(sq_sync(queue, sync_onto_own, queue), 0);
    return NULL;
}

/* What is in a label or a thread's name must not control the terminal that shows it. */
TEST(control_characters_of_names_are_not_shown) {
    sq_queue_t *queue = make_queue_of("tab\tesc\033[31m", 0);
    hold_t hold;
    hold_async(&hold, queue);
    pthread_t waiter = spawn(wait_under_a_name, queue);
    dump_until("has waited", "its turn in queue \"tab?esc?[31m\"", NULL);
    const char *text = dump_now();
    CHECK(strpbrk(text, "\033\t") == NULL);
    hold_end(&hold);
    join(waiter);
    CHECK_EQUAL(sq_sync(queue, sync_onto_own, queue), 0);
    CHECK(strpbrk(sq_deadlock_report(), "\033\t") == NULL);
    text = dump_now();
    CHECK_LINE(text, "ago: sync onto queue \"tab?esc?[31m\"", NULL, NULL);
    CHECK(strpbrk(text, "\033\t") == NULL);
    drain(queue);
    sq_queue_release(queue);
}
