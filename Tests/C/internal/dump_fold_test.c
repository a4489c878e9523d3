/* dump_fold_test.c: what a dump folds, what it never folds, and what it leaves out. */
#include "caller.h"
#include "dump.h"
#include "inspect/dump.h"
#include "pools.h"

enum { MOST_QUEUES = 20000 };

static size_t wanted_lines;
static int write_lines(int file) { return sq__dump_lines(file, wanted_lines); }
static const char *dump_lines(size_t lines) {
    wanted_lines = lines;
    return dumped(write_lines);
}

/* The number of the first line that has these words, from 1; 0: none has. */
static size_t line_of(const char *text, const char *a, const char *b) {
    size_t number = 1;
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1, number += 1) {
        const char *at = memmem(line, (size_t)(end - line), a, strlen(a));
        if (at != NULL && (b == NULL || memmem(at, (size_t)(end - at), b, strlen(b)) != NULL)) {
            return number;
        }
    }
    return 0;
}

static size_t lines_of(const char *text) {
    size_t count = 0;
    for (; *text != '\0'; text += 1) {
        count += *text == '\n';
    }
    return count;
}

/* A pool whose only thread is in a task of `stuck`. */
typedef struct crowd {
    sq_pool_t *pool;
    sq_queue_t *stuck;
    hold_t hold;
    size_t count;
    sq_queue_t *queues[MOST_QUEUES];
} crowd_t;
static crowd_t crowd;

static void crowd_begin(const char *label) {
    crowd = (crowd_t){ .pool = make_pool(1) };
    crowd.stuck = queue_on(crowd.pool, label, 0);
    hold_async(&crowd.hold, crowd.stuck);
}

/* So many more, with so many tasks each. */
static void crowd_add(const char *label, size_t count, size_t tasks) {
    REQUIRE(crowd.count + count <= MOST_QUEUES);
    for (size_t i = 0; i < count; i += 1) {
        sq_queue_t *queue = crowd.queues[crowd.count++] = queue_on(crowd.pool, label, 0);
        for (size_t task = 0; task < tasks; task += 1) {
            CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        }
    }
}

static void crowd_end(void) {
    hold_end(&crowd.hold);
    for (size_t i = 0; i < crowd.count; i += 1) {
        drain(crowd.queues[i]);
        sq_queue_release(crowd.queues[i]);
    }
    sq_queue_release(crowd.stuck);
    sq_pool_release(crowd.pool);
}

static const char *number_of(const sq_queue_t *queue) {
    static char text[32];
    snprintf(text, sizeof text, "\"connection\" %p", (const void *)queue);
    return text;
}

TEST(the_stuck_one_of_twenty_thousand_queues_of_one_label_is_in_the_first_lines) {
    crowd_begin("connection");
    crowd_add("connection", scaled(MOST_QUEUES), 1);
    caller_t waiter;
    caller_start(&waiter, BY_SYNC, crowd.stuck, SQ_FOREVER, do_nothing, NULL);
    wait_until_asleep(&waiter.thread_id);
    char waits[64], folded[64];
    snprintf(waits, sizeof waits, "(%d) has waited ", waiter.thread_id);
    snprintf(folded, sizeof folded, "queue \"connection\" x %zu: 1 waiting each", crowd.count);
    const char *text = dump_until(waits, number_of(crowd.stuck), "runs it");
    size_t waiting = line_of(text, waits, number_of(crowd.stuck)), running = line_of(text, ") runs ", number_of(crowd.stuck));
    CHECK(waiting > 0 && waiting <= 4 && running > 0 && running <= 6);
    /* The stuck queue is not folded, and comes before the others. */
    size_t alone = line_of(text, number_of(crowd.stuck), ": 1 waiting, 1 of them a thread that has slept"), together = line_of(text, folded, "waits for a thread of its pool");
    CHECK(alone > 0 && alone < together);
    CHECK(lines_of(text) < 30);
    crowd_end();
    CHECK_EQUAL(caller_end(&waiter), 0);
}

TEST(queues_of_one_label_and_state_are_one_line_with_the_deepest) {
    crowd_begin("holds the thread");
    crowd_add("connection", 20, 1);
    crowd_add("connection", 4, 3);
    crowd_add("session", 6, 2);
    for (size_t i = 0; i < 12; i += 1) {
        CHECK_EQUAL(sq_suspend(crowd.queues[i]), 0);
    }
    const char *text = dump_now();
    CHECK_LINE(text, "queue \"connection\" x 12: 1 waiting each", ", suspended", NULL);
    CHECK_LINE(text, "queue \"connection\" x 12: 1 to 3 waiting, 20 in all, waits for a thread of its pool; the deepest: 0x", NULL, NULL);
    CHECK_LINE(text, "queue \"session\" x 6: 2 waiting each", "; the first: 0x", NULL);
    CHECK_LINE(text, "12 alike, the first: queue \"connection\" 0x", ": suspended 1 time, 1 waiting", NULL);
    for (size_t i = 0; i < 12; i += 1) {
        CHECK_EQUAL(sq_resume(crowd.queues[i]), 0);
    }
    crowd_end();
}

TEST(the_deepest_and_a_suspended_queue_are_not_folded) {
    crowd_begin("holds the thread");
    crowd_add("connection", 50, 2);
    crowd_add("connection", 1, 7);
    crowd_add("connection", 1, 1);
    sq_queue_t *deepest = crowd.queues[50], *suspended = crowd.queues[51];
    CHECK_EQUAL(sq_suspend(suspended), 0);
    const char *text = dump_now();
    size_t folded = line_of(text, "queue \"connection\" x 50: 2 waiting each", NULL);
    CHECK(line_of(text, number_of(deepest), ": 7 waiting") > 0 && line_of(text, number_of(deepest), ": 7 waiting") < folded);
    CHECK(line_of(text, number_of(suspended), ": 1 waiting") > 0 && line_of(text, number_of(suspended), ": 1 waiting") < folded);
    CHECK(line_of(text, number_of(suspended), ": suspended 1 time") > 0);
    CHECK_EQUAL(sq_resume(suspended), 0);
    crowd_end();
}

TEST(a_few_queues_of_one_label_are_a_line_each) {
    crowd_begin("holds the thread");
    crowd_add("connection", 4, 1);
    const char *text = dump_now();
    for (size_t i = 0; i < 4; i += 1) {
        CHECK(line_of(text, number_of(crowd.queues[i]), ": 1 waiting, waits for a thread of its pool") > 0);
    }
    CHECK(line_of(text, "QUEUES, THE DEEPEST FIRST: 5", NULL) > 0);
    CHECK(line_of(text, "left out", NULL) == 0);
    crowd_end();
}

TEST(threads_that_wait_for_the_same_are_one_line_behind_the_longest_waits) {
    enum { THREADS = 12, TOP = 3 };
    caller_t callers[THREADS];
    sq_queue_t *queue = make_queue_of("store", 0);
    hold_t hold;
    hold_async(&hold, queue);
    for (size_t i = 0; i < THREADS; i += 1) {
        caller_start(&callers[i], BY_SYNC, queue, SQ_FOREVER, do_nothing, NULL);
        wait_until_asleep(&callers[i].thread_id);
    }
    char first[64];
    snprintf(first, sizeof first, "(%d) has waited ", callers[0].thread_id);
    const char *text = dump_until("WAITING THREADS, THE LONGEST FIRST: 12", NULL, NULL);
    CHECK_EQUAL(line_of(text, first, "runs it"), 3);
    CHECK_LINE(text, "  9 alike, the longest: thread ", "its turn in queue \"store\" 0x", "runs it");
    CHECK_EQUAL(line_of(text, "THREADS THAT RUN TASKS: 1", NULL), 3 + TOP + 1);
    hold_end(&hold);
    for (size_t i = 0; i < THREADS; i += 1) {
        CHECK_EQUAL(caller_end(&callers[i]), 0);
    }
    sq_queue_release(queue);
}

/* Each with a label of its own: nothing is folded. */
TEST(a_dump_has_at_most_as_many_lines_as_it_may_and_counts_the_others) {
    enum { LABELS = 300 };
    crowd_begin("holds the thread");
    for (size_t i = 0; i < LABELS; i += 1) {
        char label[32];
        snprintf(label, sizeof label, "label %zu", i);
        crowd_add(label, 1, 1 + i % 2);
    }
    /* Two lines of 200 are those of the thread and of the pool. */
    CHECK_LINE(dump_now(), "  103 more lines were left out", NULL, NULL);
    CHECK_LINE(dump_now(), "103 lines were left out. SQ_DUMP=USR1,lines=N has N lines.", NULL, NULL);
    CHECK(line_of(dump_lines(10), "QUEUES, THE DEEPEST FIRST: 301", NULL) > 0);
    CHECK_LINE(dump_lines(10), "  293 more lines were left out", NULL, NULL);
    CHECK(line_of(dump_lines(1000), "left out", NULL) == 0);
    crowd_end();
}
