/* object_peek_test.c: what a dump reads of groups and items, and which ties a group has. */
#include "group.h"
#include "inject.h"
#include "outcome.h"
#include "objects/objects.h"

#include <string.h>

enum { QUEUES = 64 };

/* A view with marked memory behind it: what a look does not write keeps its mark, and a write behind the view is found. */
typedef struct framed {
    sq__object_view_t view;
    unsigned char behind[64];
} framed_t;

static const sq__object_view_t *look_at(framed_t *framed, bool (*look)(const void *, sq__object_view_t *), const void *object) {
    unsigned char mark[sizeof framed->behind];
    memset(framed, 0xa5, sizeof *framed);
    memset(mark, 0xa5, sizeof mark);
    CHECK(look(object, &framed->view));
    CHECK(memcmp(framed->behind, mark, sizeof mark) == 0);
    return &framed->view;
}

static void add_members(sq_group_t *group, sq_queue_t **queues, size_t *ran) {
    for (int i = 0; i < QUEUES; i += 1) {
        CHECK_EQUAL(sq_group_async(group, queues[i], add_one, ran), 0);
    }
}

/* Queues with members, and as many without, whose ties are idle. */
TEST(a_queue_has_one_tie_of_a_group_and_a_look_finds_those_with_members) {
    sq_pool_t *pools[] = { sq_pool_create_manual("waits"), sq_pool_create_manual("runs") };
    sq_queue_t *busy[QUEUES], *idle[QUEUES];
    sq_group_t *group = make();
    framed_t framed;
    size_t ran = 0;
    for (int i = 0; i < QUEUES; i += 1) {
        busy[i] = make_queue_on(pools[0], "busy");
        idle[i] = make_queue_on(pools[1], "idle");
    }
    add_members(group, busy, &ran);
    add_members(group, idle, &ran);
    sq_pool_run(pools[1]);
    CHECK_EQUAL(ran, QUEUES);
    CHECK_EQUAL(sq_group_enter(group), 0);
    for (int round = 1; round <= 2; round += 1) {
        const sq__object_view_t *view = look_at(&framed, sq__group_peek, group);
        CHECK_EQUAL(view->entered, 1);
        CHECK_EQUAL(view->queues, QUEUES);
        CHECK_EQUAL(view->queue[SQ__PEEK_QUEUES - 1].members, round);
        add_members(group, busy, &ran); /* most of their ties are not the first of their lists */
    }
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 4 * QUEUES);
    CHECK_EQUAL(look_at(&framed, sq__group_peek, group)->queues, 0);
    for (int i = 0; i < QUEUES; i += 1) {
        sq_queue_release(busy[i]);
        sq_queue_release(idle[i]);
    }
    sq_group_release(group);
    sq_pool_release(pools[0]);
    sq_pool_release(pools[1]);
}

TEST(a_queue_gets_the_tie_of_another_one_that_has_no_members) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queues[QUEUES];
    long grown = 0;
    size_t ran = 0;
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i] = make_queue_on(pool, "one of many");
    }
    for (int round = 0; round < 2; round += 1) { /* in the first one the queues get what they keep themselves */
        sq_group_t *group = make();
        long before = live_blocks();
        for (int i = 0; i < QUEUES; i += 1) {
            CHECK_EQUAL(sq_group_async(group, queues[i], add_one, &ran), 0);
            CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
        }
        grown = live_blocks() - before;
        sq_group_release(group);
    }
    CHECK_EQUAL(ran, 2 * QUEUES);
    CHECK_AT_MOST(grown, 5); /* a table of four lists, and a tie in each */
    for (int i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
    }
    sq_pool_release(pool);
}

TEST(a_look_at_an_item_shows_its_queue_while_it_waits_for_its_turn) {
    framed_t framed;
    size_t ran = 0;
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = make_queue_on(pool, "queue");
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ add_one, &ran, NULL });
    const sq__object_view_t *view = look_at(&framed, sq__item_peek, item);
    CHECK_EQUAL(view->queues, 0);
    CHECK_EQUAL(view->entered, 0);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    view = look_at(&framed, sq__item_peek, item);
    CHECK_EQUAL(view->queues, 1);
    CHECK(view->queue[0].at == queue);
    CHECK_EQUAL(view->queue[0].members, 1);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(look_at(&framed, sq__item_peek, item)->queues, 0);
    sq_item_release(item);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

TEST(a_look_at_memory_that_is_not_there_fails) {
    sq__object_view_t view;
    CHECK(!sq__group_peek((const void *)64, &view)); /* NOLINT: an address alone */
    CHECK(!sq__item_peek((const void *)64, &view));  /* NOLINT */
}
