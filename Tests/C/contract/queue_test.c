/* queue_test.c: creating, naming and retaining a queue. release_test.c has its release. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include <limits.h>
#include <stdlib.h>

TEST(a_label_is_copied) {
    char label[] = "com.example.store";
    sq_queue_t *queue = sq_queue_create(label, NULL);
    REQUIRE(queue != NULL);
    memset(label, 'x', sizeof label - 1);
    CHECK_STRING(sq_queue_label(queue), "com.example.store");
    sq_queue_release(queue);
}

TEST(no_label_is_an_empty_label) {
    sq_queue_t *queue = sq_queue_create(NULL, NULL);
    REQUIRE(queue != NULL);
    CHECK_STRING(sq_queue_label(queue), "");
    drain(queue);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    drain(queue);
    sq_queue_release(queue);
}

TEST(a_long_label_is_kept_whole) {
    enum { LENGTH = 100000 };
    char *label = malloc(LENGTH + 1);
    REQUIRE(label != NULL);
    for (size_t i = 0; i < LENGTH; i += 1) {
        label[i] = (char)('a' + i % 26);
    }
    label[LENGTH] = '\0';
    sq_queue_t *queue = sq_queue_create(label, NULL);
    REQUIRE(queue != NULL);
    CHECK(strcmp(sq_queue_label(queue), label) == 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    drain(queue);
    sq_queue_release(queue);
    free(label);
}

TEST(create_starts_no_thread) {
    uint64_t started = threads_started();
    long alive = threads_alive();
    sq_queue_t *queue = sq_queue_create("quiet", NULL);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(threads_started(), started);
    CHECK_EQUAL(threads_alive(), alive);
    sq_queue_release(queue);
}

TEST(create_costs_one_block_and_its_release_gives_it_back) {
    long blocks = live_blocks();
    sq_queue_t *queue = sq_queue_create("one block", NULL);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(live_blocks(), blocks + 1);
    sq_queue_release(queue);
    CHECK_EQUAL(live_blocks(), blocks);
}

static bool is_refused(sq_queue_options_t options) {
    errno = 0;
    sq_queue_t *queue = sq_queue_create("refused", &options);
    bool refused = queue == NULL && errno == EINVAL;
    sq_queue_release(queue);
    return refused;
}

TEST(options_of_an_unknown_size_are_refused) {
    const size_t sizes[] = { 0, 1, sizeof(sq_queue_options_t) - 1, sizeof(sq_queue_options_t) + 1, SIZE_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i += 1) {
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        options.size = sizes[i];
        CHECK(is_refused(options));
    }
}

TEST(a_capacity_that_cannot_be_counted_is_refused) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = SIZE_MAX;
    errno = 0;
    CHECK(sq_queue_create("wide", &options) == NULL && errno == EINVAL);
}

TEST(a_stack_that_no_thread_can_have_is_refused) {
    const size_t sizes[] = { 1, (size_t)PTHREAD_STACK_MIN / 4, (size_t)PTHREAD_STACK_MIN - 1, SIZE_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i += 1) {
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        options.stack_size = sizes[i];
        CHECK(is_refused(options));
    }
}

static void measure_stack(void *context) {
    pthread_attr_t attributes;
    void *address;
    int error = pthread_getattr_np(pthread_self(), &attributes);
    REQUIRE(error == 0);
    pthread_attr_getstack(&attributes, &address, context);
    pthread_attr_destroy(&attributes);
}

static size_t stack_with(size_t asked) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.stack_size = asked;
    sq_queue_t *queue = sq_queue_create("stack", &options);
    REQUIRE(queue != NULL);
    size_t bytes = 0;
    CHECK_EQUAL(sq_async(queue, measure_stack, &bytes), 0);
    drain(queue);
    sq_queue_release(queue);
    return bytes;
}

static size_t default_stack(void) {
    pthread_attr_t attributes;
    size_t bytes = 0;
    REQUIRE(pthread_getattr_default_np(&attributes) == 0);
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    return bytes;
}

TEST(the_thread_has_the_stack_that_was_asked_for) {
    /* More than the default: a smaller one may be served from the C library's cache of larger stacks. */
    enum { MORE = 32 << 20, ROOM_FOR_THREAD_LOCALS = 256 << 10 };
    size_t usual = default_stack();
    CHECK_AT_MOST(stack_with(0), usual + MORE / 2);
    CHECK_AT_MOST(usual + MORE - ROOM_FOR_THREAD_LOCALS, stack_with(usual + MORE));
}

TEST(the_default_options_are_those_of_no_options) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    CHECK_EQUAL(options.size, sizeof options);
    size_t usual = stack_with(0);
    sq_queue_t *queue = sq_queue_create("none", NULL);
    REQUIRE(queue != NULL);
    size_t bytes = 0;
    CHECK_EQUAL(sq_async(queue, measure_stack, &bytes), 0);
    drain(queue);
    CHECK_EQUAL(bytes, usual);
    sq_queue_release(queue);
}

TEST(the_smallest_stack_runs_tasks) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    /* Sanitizers need more than the system: with their frames the smallest stack holds nothing. */
    options.stack_size = SANITIZED ? (size_t)1 << 20 : (size_t)PTHREAD_STACK_MIN;
    sq_queue_t *queue = sq_queue_create("smallest", &options);
    REQUIRE(queue != NULL);
    size_t ran = 0;
    for (size_t i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    }
    drain(queue);
    CHECK_EQUAL(ran, 1000);
    sq_queue_release(queue);
}

TEST(retain_returns_the_queue_and_keeps_it_through_as_many_releases) {
    sq_queue_t *queue = sq_queue_create("kept", NULL);
    REQUIRE(queue != NULL);
    long blocks = live_blocks();
    for (size_t i = 0; i < 1000; i += 1) {
        CHECK(sq_queue_retain(queue) == queue);
    }
    for (size_t i = 0; i < 1000; i += 1) {
        sq_queue_release(queue);
    }
    CHECK_EQUAL(live_blocks(), blocks);
    CHECK_STRING(sq_queue_label(queue), "kept");
    size_t ran = 0;
    CHECK_EQUAL(sq_sync(queue, add_one, &ran), 0);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
}

TEST(queues_do_not_share_their_turns) {
    sq_queue_t *held = sq_queue_create("held", NULL), *other = sq_queue_create("other", NULL);
    REQUIRE(held != NULL && other != NULL);
    hold_t hold;
    size_t ran = 0;
    hold_async(&hold, held);
    CHECK_EQUAL(sq_async(other, add_one, &ran), 0);
    CHECK_EQUAL(sq_sync(other, add_one, &ran), 0); /* would hang here if `held` could block it */
    CHECK_EQUAL(ran, 2);
    hold_end(&hold);
    sq_queue_release(held);
    sq_queue_release(other);
}
