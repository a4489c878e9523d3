/* cache_kinds_test.c: which threads of the cache a queue may use, by its size of stack and its class of service; and which it waits for. */
#include "cached.h"
#include "inject.h"
#include "include/sq_private.h"
#include "platform/processors.h"
#include "thread/cache_threads.h"

TEST(a_queue_with_a_stack_size_keeps_a_thread_with_that_stack) {
    end_cached_threads();
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.stack_size = 512 * 1024;
    sq_queue_t *large = sq_queue_create("large", &options), *alike = sq_queue_create("alike", &options), *other = sq_queue_create("other", NULL);
    REQUIRE(large != NULL && alike != NULL && other != NULL);
    place_t first = place_of_next_task(large);
    for (size_t round = 0; round < 2; round += 1) {
        await_idle(round == 0 ? 1 : 3);
        place_t second = place_of_next_task(other);
        await_idle(round == 0 ? 2 : 3);
        CHECK(second.thread != first.thread);
        CHECK(place_of_next_task(alike).thread != second.thread);
        await_idle(3);
        CHECK_EQUAL(place_of_next_task(large).thread, first.thread);
    }
    CHECK(sq__cache_count().kept <= 1); /* those with a stack_size are not among the few that are kept */
    sq_queue_release(large);
    sq_queue_release(alike);
    sq_queue_release(other);
    end_cached_threads();
}

TEST(a_thread_serves_queues_of_its_class_of_service_alone) {
    end_cached_threads();
    sq_queue_t *slow = sq_queue_create("slow", NULL), *usual = sq_queue_create("usual", NULL), *late = sq_queue_create("late", NULL);
    REQUIRE(slow != NULL && usual != NULL && late != NULL);
    sq__queue_set_service(slow, SQ_SERVICE_BACKGROUND);
    sq__queue_set_service(late, SQ_SERVICE_BACKGROUND);
    place_t first = place_of_next_task(slow);
    await_idle(1);
    place_t second = place_of_next_task(usual);
    CHECK(second.thread != first.thread);
    await_idle(2);
    CHECK_EQUAL(place_of_next_task(late).thread, first.thread);
    sq_queue_release(slow);
    sq_queue_release(usual);
    sq_queue_release(late);
    end_cached_threads();
}

TEST(a_stack_that_the_system_does_not_have_is_refused_while_other_threads_idle) {
    end_cached_threads();
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.stack_size = (size_t)1 << 40;
    sq_queue_t *usual = make_used_queue("usual"), *large = sq_queue_create("large", &options);
    REQUIRE(large != NULL);
    await_idle(1);
    CHECK_EQUAL(sq_async(large, do_nothing, NULL), ENOMEM);
    CHECK_EQUAL(sq__cache_count().in_line, 0);
    CHECK_EQUAL(sq_async(usual, do_nothing, NULL), 0);
    sq_queue_release(large);
    sq_queue_release(usual);
    end_cached_threads();
}

TEST(as_many_threads_come_at_a_time_as_half_the_processors_and_at_least_one) {
    static const struct { unsigned coming, processors; bool is_enough; } rows[] = {
        { 0, 1, false }, { 1, 1, true },  { 0, 2, false },   { 1, 2, true },   { 2, 2, true },    { 1, 3, true },   { 1, 4, false },
        { 2, 4, true },  { 2, 5, true },  { 31, 64, false }, { 32, 64, true }, { 0, 0, false },   { 1, 0, true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i += 1) {
        CHECK_EQUAL(sq__cache_enough_come(rows[i].coming, rows[i].processors), rows[i].is_enough);
    }
}

/* Queues that are posted while no thread idles, and while each thread that is started for them is held. */
enum { MOST = 1024 };
typedef struct posted {
    sq_queue_t *busy, *queues[MOST];
    hold_t hold;
    latch_t ran;
    size_t count;
    uint64_t started;
} posted_t;

/* The only thread is busy, and there is a keeper. */
static void posted_begin(posted_t *posted) {
    end_cached_threads();
    *posted = (posted_t){ .ran = LATCH_INIT };
    posted->busy = make_used_queue("busy");
    await_idle(1);
    sq_queue_release(make_used_queue("brings the keeper"));
    while (threads_named("sq-keeper") != 1) { /* it is perhaps just being started */
        sched_yield();
    }
    hold_async(&posted->hold, posted->busy);
    await_idle(sq__cache_count().threads - 1);
    sq__cache_end_idle();
    await_idle(0);
    posted->started = threads_started();
    hold_threads();
}

static void post(posted_t *posted, sq_service_t service) {
    sq_queue_t *queue = sq_queue_create("posted", NULL);
    REQUIRE(queue != NULL && posted->count < MOST);
    sq__queue_set_service(queue, service);
    posted->queues[posted->count++] = queue;
    CHECK_EQUAL(sq_async(queue, bump_latch, &posted->ran), 0);
}

static uint64_t started_for(const posted_t *posted) { return threads_started() - posted->started; }

static void posted_end(posted_t *posted) {
    let_threads_begin();
    latch_wait(&posted->ran, posted->count);
    hold_end(&posted->hold);
    for (size_t i = 0; i < posted->count; i += 1) {
        sq_queue_release(posted->queues[i]);
    }
    sq_queue_release(posted->busy);
    end_cached_threads();
}

/* As many as come at a time on this machine. */
static size_t enough(void) { return sq__processors_known() < 2 ? 1 : sq__processors_known() / 2; }

TEST(a_queue_does_not_wait_for_a_thread_of_another_class) {
    posted_t posted;
    posted_begin(&posted);
    for (size_t i = 0; i < enough(); i += 1) {
        post(&posted, SQ_SERVICE_BACKGROUND);
    }
    CHECK_EQUAL(started_for(&posted), enough());
    post(&posted, SQ_SERVICE_DEFAULT);
    CHECK_EQUAL(started_for(&posted), enough() + 1);
    CHECK_EQUAL(sq__cache_count().in_line, 0);
    posted_end(&posted);
}

TEST(while_enough_threads_come_a_queue_of_the_default_class_waits_and_one_of_another_class_does_not) {
    posted_t posted;
    posted_begin(&posted);
    for (size_t i = 0; i < enough(); i += 1) {
        post(&posted, SQ_SERVICE_DEFAULT);
    }
    CHECK_EQUAL(started_for(&posted), enough());
    post(&posted, SQ_SERVICE_DEFAULT);
    CHECK_EQUAL(started_for(&posted), enough());
    CHECK_EQUAL(sq__cache_count().in_line, 1);
    post(&posted, SQ_SERVICE_BACKGROUND);
    CHECK_EQUAL(started_for(&posted), enough() + 1);
    CHECK_EQUAL(sq__cache_count().in_line, 1);
    posted_end(&posted);
}

static bool count_call(void *latch) {
    latch_bump(latch);
    return true;
}

/* The test is the taker, between the claim and the swap of sq__cache_serve. */
TEST(a_thread_that_is_claimed_while_its_client_leaves_belongs_to_the_client_that_has_claimed_it) {
    sq__client_t *first, *second;
    latch_t calls = LATCH_INIT;
    const sq__thread_kind_t kind = { .name = "claimed" };
    end_cached_threads();
    REQUIRE(sq__cache_join(&first, never_called, NULL, &kind) == 0);
    await_idle(1);
    REQUIRE(sq__cache_join(&second, count_call, &calls, &kind) == 0);
    sq__mutex_lock(&sq__cache.lock);
    sq__cached_thread_t *thread = sq__cache.threads;
    sq__token_t *token = thread->token;
    sq__wait_id_t wait_id = sq__exchange_acquire(&thread->idle, 0);
    thread->other = second;
    sq__cache.coming += 1;
    sq__mutex_unlock(&sq__cache.lock);
    sq__cache_leave(first);
    CHECK(sq__token_refuse(token, wait_id));
    latch_wait(&calls, 1);
    await_idle(1);
    sq__mutex_lock(&sq__cache.lock);
    CHECK(sq__cache.threads->own == second && !sq__cache.threads->is_alone);
    sq__mutex_unlock(&sq__cache.lock);
    sq__cache_leave(second);
    end_cached_threads();
}
