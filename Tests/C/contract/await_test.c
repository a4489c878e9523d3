/* await_test.c: a wait without a thread ends once, in line with those of threads, or is withdrawn and takes nothing. */
#include "child.h"
#include "permits.h"

#include <stdlib.h>

typedef struct waiting {
    sq_await_t await;
    journal_t *journal;
    int number;
} waiting_t;

static void note_end(sq_await_t *await) {
    waiting_t *waiting = await->context;
    write_entry(&(entry_t){ waiting->journal, waiting->number });
}

static sq_await_t *prepare(waiting_t *waiting, journal_t *journal, int number) {
    *waiting = (waiting_t){ .journal = journal, .number = number };
    waiting->await = (sq_await_t){ .ended = note_end, .context = waiting };
    return &waiting->await;
}

TEST(an_await_takes_a_permit_that_is_there_at_once) {
    journal_t journal = { 0 };
    waiting_t waiting;
    sq_semaphore_t *semaphore = make(1);
    CHECK_EQUAL(sq_semaphore_await(semaphore, prepare(&waiting, &journal, 1)), 0);
    CHECK_EQUAL(sq_semaphore_wait(semaphore, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(journal.count, 0);
    sq_semaphore_release(semaphore);
}

typedef struct thread_wait {
    sq_semaphore_t *semaphore;
    journal_t *journal;
    atomic_int thread_id;
} thread_wait_t;

static void *wait_in_line(void *argument) {
    thread_wait_t *wait = argument;
    wait->thread_id = gettid();
    CHECK_EQUAL(sq_semaphore_wait(wait->semaphore, SQ_FOREVER), 0);
    write_entry(&(entry_t){ wait->journal, 2 });
    CHECK_EQUAL(sq_semaphore_signal(wait->semaphore), 0); /* to 3 */
    return NULL;
}

TEST(threads_and_awaits_get_permits_in_one_order) {
    journal_t journal = { 0 };
    waiting_t first, third;
    sq_semaphore_t *semaphore = make(0);
    thread_wait_t second = { semaphore, &journal, 0 };
    CHECK_EQUAL(sq_semaphore_await(semaphore, prepare(&first, &journal, 1)), EINPROGRESS);
    pthread_t thread = spawn(wait_in_line, &second);
    wait_until_asleep(&second.thread_id);
    CHECK_EQUAL(sq_semaphore_await(semaphore, prepare(&third, &journal, 3)), EINPROGRESS);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(journal.count, 1);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    join(thread);
    CHECK_EQUAL(journal.count, 3);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(journal.entries[i], i + 1);
    }
    CHECK_EQUAL(sq_semaphore_wait(semaphore, SQ_NOW), EAGAIN);
    sq_semaphore_release(semaphore);
}

TEST(a_withdrawn_await_takes_nothing_and_one_that_has_ended_is_not_withdrawn) {
    journal_t journal = { 0 };
    waiting_t waiting[3];
    sq_semaphore_t *semaphore = make(0);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_semaphore_await(semaphore, prepare(&waiting[i], &journal, i)), EINPROGRESS);
    }
    CHECK(sq_semaphore_withdraw(semaphore, &waiting[0].await));
    CHECK(!sq_semaphore_withdraw(semaphore, &waiting[0].await));
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(journal.count, 1);
    CHECK_EQUAL(journal.entries[0], 1);
    CHECK(!sq_semaphore_withdraw(semaphore, &waiting[1].await));
    CHECK(sq_semaphore_withdraw(semaphore, &waiting[2].await));
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0); /* to the semaphore: no thread waits */
    CHECK_EQUAL(sq_semaphore_wait(semaphore, SQ_NOW), 0);
    CHECK_EQUAL(journal.count, 1);
    sq_semaphore_release(semaphore);
}

TEST(awaits_of_a_group_end_at_the_next_zero_and_see_what_its_members_did) {
    journal_t journal = { 0 };
    waiting_t waiting[3], late;
    sq_group_t *group = sq_group_create("group");
    CHECK_EQUAL(sq_group_await(group, prepare(&waiting[0], &journal, 0)), 0);
    CHECK_EQUAL(sq_group_enter(group), 0);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_group_await(group, prepare(&waiting[i], &journal, i)), EINPROGRESS);
    }
    CHECK(sq_group_withdraw(group, &waiting[1].await));
    CHECK(!sq_group_withdraw(group, &waiting[1].await));
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(journal.count, 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(journal.count, 2);
    CHECK_EQUAL(journal.entries[0], 0);
    CHECK_EQUAL(journal.entries[1], 2);
    CHECK(!sq_group_withdraw(group, &waiting[2].await));
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_await(group, prepare(&late, &journal, 3)), EINPROGRESS);
    CHECK_EQUAL(journal.count, 2);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(journal.count, 3);
    sq_group_release(group);
}

static void release_group(sq_await_t *await) {
    sq_group_release(await->context);
    free(await);
}

static void release_semaphore(sq_await_t *await) {
    sq_semaphore_release(await->context);
    free(await);
}

static sq_await_t *allocate(void (*ended)(sq_await_t *), void *context) {
    sq_await_t *await = malloc(sizeof *await);
    REQUIRE(await != NULL);
    *await = (sq_await_t){ .ended = ended, .context = context };
    return await;
}

TEST(the_end_of_an_await_can_free_it_and_release_what_it_waited_for) {
    sq_group_t *group = sq_group_create("group");
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_await(group, allocate(release_group, sq_group_retain(group))), EINPROGRESS);
    CHECK_EQUAL(sq_group_await(group, allocate(release_group, group)), EINPROGRESS);
    CHECK_EQUAL(sq_group_leave(group), 0);
    sq_semaphore_t *semaphore = make(0);
    CHECK_EQUAL(sq_semaphore_await(semaphore, allocate(release_semaphore, semaphore)), EINPROGRESS);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
}

typedef struct again {
    waiting_t waiting;
    sq_semaphore_t *semaphore;
} again_t;

static void await_again(sq_await_t *await) {
    again_t *again = (again_t *)await;
    note_end(await);
    CHECK_EQUAL(sq_semaphore_await(again->semaphore, await), EINPROGRESS);
}

TEST(the_end_of_an_await_can_wait_again) {
    journal_t journal = { 0 };
    again_t again = { .semaphore = make(0) };
    prepare(&again.waiting, &journal, 0)->ended = await_again;
    CHECK_EQUAL(sq_semaphore_await(again.semaphore, &again.waiting.await), EINPROGRESS);
    CHECK_EQUAL(sq_semaphore_signal(again.semaphore), 0);
    CHECK_EQUAL(sq_semaphore_signal(again.semaphore), 0);
    CHECK_EQUAL(journal.count, 2);
    CHECK(sq_semaphore_withdraw(again.semaphore, &again.waiting.await));
    sq_semaphore_release(again.semaphore);
}

typedef struct storm_await {
    sq_await_t await;
    atomic_bool has_ended;
} storm_await_t;

static void set_ended(sq_await_t *await) { ((storm_await_t *)await)->has_ended = true; }

static bool take_or_withdraw(sq_semaphore_t *semaphore, random_stream_t *random) {
    storm_await_t mine = { .await = { .ended = set_ended } };
    if (sq_semaphore_await(semaphore, &mine.await) == 0) {
        return true;
    }
    for (uint64_t yields = random_below(random, 4); yields > 0 && !mine.has_ended; yields -= 1) {
        sched_yield();
    }
    if (sq_semaphore_withdraw(semaphore, &mine.await)) {
        return false;
    }
    while (!mine.has_ended) { /* it is about to be called */
        sched_yield();
    }
    return true;
}

/* By an await that is withdrawn after a moment, or by a wait with a deadline. */
static bool take_in_one_of_two_ways(sq_semaphore_t *semaphore, random_stream_t *random) {
    return random_below(random, 4) == 0 ? sq_semaphore_wait(semaphore, sq_deadline(random_below(random, 20000))) == 0
                                        : take_or_withdraw(semaphore, random);
}

TEST(no_permit_is_lost_or_doubled_in_a_storm_of_withdrawals_and_deadlines) { check_storm(take_in_one_of_two_ways); }

/* Each end gives a permit to the next await in line, so that it ends as well. */
typedef struct line {
    sq_semaphore_t *semaphore;
    size_t ended;
    bool is_inside; /* an `ended` runs */
} line_t;

static void end_next(sq_await_t *await) {
    line_t *line = await->context;
    CHECK(!line->is_inside);
    line->is_inside = true;
    line->ended += 1;
    CHECK_EQUAL(sq_semaphore_signal(line->semaphore), 0);
    line->is_inside = false;
}

TEST(ends_that_cause_the_next_end_do_not_nest) {
    enum { AWAITS = 100000 };
    line_t line = { .semaphore = make(0) };
    sq_await_t *awaits = calloc(AWAITS, sizeof *awaits);
    REQUIRE(awaits != NULL);
    for (size_t i = 0; i < AWAITS; i += 1) {
        awaits[i] = (sq_await_t){ .ended = end_next, .context = &line };
        REQUIRE(sq_semaphore_await(line.semaphore, &awaits[i]) == EINPROGRESS);
    }
    CHECK_EQUAL(sq_semaphore_signal(line.semaphore), 0);
    CHECK_EQUAL(line.ended, AWAITS);
    CHECK_EQUAL(sq_semaphore_wait(line.semaphore, SQ_NOW), 0); /* the last permit is left */
    sq_semaphore_release(line.semaphore);
    free(awaits);
}

typedef struct step {
    sq_await_t await;
    sq_group_t *leaves; /* NULL: none */
    journal_t *journal;
    int number;
} step_t;

static void leave_next(sq_await_t *await) {
    step_t *step = await->context;
    if (step->leaves != NULL) {
        CHECK_EQUAL(sq_group_leave(step->leaves), 0);
    }
    write_entry(&(entry_t){ step->journal, step->number });
}

TEST(what_an_end_ends_comes_next_before_those_that_ended_with_it) {
    journal_t journal = { 0 };
    sq_group_t *first = sq_group_create("first"), *second = sq_group_create("second");
    CHECK_EQUAL(sq_group_enter(first), 0);
    CHECK_EQUAL(sq_group_enter(second), 0);
    step_t steps[] = { { .leaves = second, .number = 1 }, { .number = 4 }, { .number = 2 }, { .number = 3 } };
    for (int i = 0; i < 4; i += 1) {
        steps[i].journal = &journal;
        steps[i].await = (sq_await_t){ .ended = leave_next, .context = &steps[i] };
        CHECK_EQUAL(sq_group_await(i < 2 ? first : second, &steps[i].await), EINPROGRESS);
    }
    CHECK_EQUAL(sq_group_leave(first), 0);
    CHECK_EQUAL(journal.count, 4);
    for (int i = 0; i < 4; i += 1) {
        CHECK_EQUAL(journal.entries[i], i + 1);
    }
    sq_group_release(first);
    sq_group_release(second);
}

/* Pairs that are members of a group. */
static void count_pair(void *first, void *second, bool runs) { ++*(runs ? (int *)first : (int *)second); }

TEST(a_pair_is_a_member_until_it_has_run_or_was_discarded) {
    int ran = 0, discarded = 0;
    sq_group_t *group = sq_group_create("group");
    sq_queue_t *queue = make_queue_of("queue", 0);
    CHECK_EQUAL(sq_group_async_pair(group, queue, count_pair, &ran, &discarded), 0);
    CHECK_EQUAL(sq_group_wait(group, FAR), 0);
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_group_async_pair(group, queue, count_pair, &ran, &discarded), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, FAR), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    CHECK_EQUAL(sq_group_async_pair(group, queue, count_pair, &ran, &discarded), ESHUTDOWN);
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(discarded, 1);
    sq_queue_release(queue);
    sq_group_release(group);
}

typedef struct both {
    sq_semaphore_t *semaphore;
    sq_group_t *group;
} both_t;

static int use_in_child(void *argument) {
    both_t *both = argument;
    sq_await_t await = { .ended = NULL };
    int wrong = !CHECK_EQUAL(sq_semaphore_await(both->semaphore, &await), ESTALE);
    wrong += !CHECK_EQUAL(sq_group_await(both->group, &await), ESTALE);
    wrong += !CHECK_EQUAL(sq_semaphore_signal(both->semaphore), 0); /* no thread waits any more */
    wrong += !CHECK_EQUAL(sq_semaphore_await(both->semaphore, &await), 0);
    return wrong;
}

TEST(in_the_child_of_a_fork_what_would_wait_is_refused) {
    if (fork_left_out()) {
        return;
    }
    journal_t journal = { 0 };
    waiting_t waiting;
    both_t both = { make(0), sq_group_create("group") };
    CHECK_EQUAL(sq_semaphore_await(both.semaphore, prepare(&waiting, &journal, 0)), EINPROGRESS);
    CHECK(sq_semaphore_withdraw(both.semaphore, &waiting.await));
    CHECK_EQUAL(sq_group_enter(both.group), 0);
    CHECK_EQUAL(in_fork(use_in_child, &both), 0);
    CHECK_EQUAL(sq_group_leave(both.group), 0);
    sq_group_release(both.group);
    sq_semaphore_release(both.semaphore);
}
