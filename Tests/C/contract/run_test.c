/* run_test.c: tasks that call tasks: hand-offs in bounded stack, and what is visible to whom. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

/* A chain: each task submits the next one, on its own queue or to and fro between several. */
enum { MOST_QUEUES = 3 };

typedef struct chain {
    sq_queue_t *queues[MOST_QUEUES];
    size_t count, links, ran;
    uintptr_t furthest; /* how far the frame of a link was from that of the first one on its thread */
    latch_t done;
} chain_t;

static void link_next(void *context) {
    chain_t *chain = context;
    /* Not the address of a variable: AddressSanitizer keeps those elsewhere. */
    static _Thread_local uintptr_t first;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    first = first != 0 ? first : here;
    uintptr_t distance = here < first ? first - here : here - first;
    chain->furthest = distance > chain->furthest ? distance : chain->furthest;
    chain->ran += 1;
    if (chain->ran == chain->links) {
        latch_bump(&chain->done);
        return;
    }
    CHECK_EQUAL(sq_async(chain->queues[chain->ran % chain->count], link_next, chain), 0);
}

static void check_chain(size_t count, size_t links) {
    chain_t chain = { .count = count, .links = links, .done = LATCH_INIT };
    for (size_t i = 0; i < count; i += 1) {
        chain.queues[i] = sq_queue_create("chain", NULL);
        REQUIRE(chain.queues[i] != NULL);
    }
    CHECK_EQUAL(sq_async(chain.queues[0], link_next, &chain), 0);
    latch_wait(&chain.done, 1);
    CHECK_EQUAL(chain.ran, chain.links);
    for (size_t i = 0; i < count; i += 1) {
        drain(chain.queues[i]);
        sq_queue_release(chain.queues[i]);
    }
    CHECK_AT_MOST(chain.furthest, 4096);
}

TEST(a_chain_of_a_million_hand_offs_needs_no_stack) { check_chain(1, scaled(1000000)); }

/* Shorter: each link wakes another thread. */
TEST(a_chain_of_hand_offs_between_three_queues_needs_no_stack) { check_chain(MOST_QUEUES, scaled(200000)); }

/* Syncs in a chain: many queues deep, each inside the other's task, and back. */
typedef struct depths {
    sq_queue_t *queues[32];
    size_t at, deepest;
} depths_t;

static void go_deeper(void *context) {
    depths_t *depths = context;
    depths->at += 1;
    depths->deepest = depths->at > depths->deepest ? depths->at : depths->deepest;
    if (depths->at < 32) {
        CHECK_EQUAL(sq_sync(depths->queues[depths->at], go_deeper, depths), 0);
    }
    for (size_t i = 0; i < 32; i += 1) {
        CHECK_EQUAL(sq_is_current(depths->queues[i]), i < depths->at);
    }
    depths->at -= 1;
}

TEST(syncs_nest_through_many_queues_and_come_back) {
    depths_t depths = { .at = 0 };
    for (size_t i = 0; i < 32; i += 1) {
        depths.queues[i] = sq_queue_create("deep", NULL);
        REQUIRE(depths.queues[i] != NULL);
    }
    CHECK_EQUAL(sq_sync(depths.queues[0], go_deeper, &depths), 0);
    CHECK_EQUAL(sq_async(depths.queues[0], go_deeper, &depths), 0);
    drain(depths.queues[0]);
    CHECK_EQUAL(depths.at, 0);
    CHECK_EQUAL(depths.deepest, 32);
    for (size_t i = 0; i < 32; i += 1) {
        sq_queue_release(depths.queues[i]);
    }
}

/* Visibility. Everything here is plain memory: ThreadSanitizer finds an order that is missing, and so may wrong values. */
typedef struct message {
    size_t words[16];
} message_t;

typedef struct room {
    sq_queue_t *queue;
    size_t sum, checked;
} room_t;

typedef struct letter {
    room_t *room;
    message_t message;
    size_t first;
} letter_t;

static void read_letter(void *context) {
    letter_t *letter = context;
    for (size_t i = 0; i < 16; i += 1) {
        CHECK_EQUAL(letter->message.words[i], letter->first + i);
        letter->message.words[i] = 0; /* and the sync caller sees this */
    }
    letter->room->sum += 1;
}

static void *write_letters(void *argument) {
    room_t *room = argument;
    enum { PAPER = 64 };
    letter_t paper[PAPER];
    for (size_t i = 0; i < scaled(50000); i += 1) {
        letter_t *letter = &paper[i % PAPER];
        letter->room = room;
        letter->first = i;
        for (size_t k = 0; k < 16; k += 1) {
            letter->message.words[k] = i + k;
        }
        if (i % PAPER < PAPER - 1) {
            CHECK_EQUAL(sq_async(room->queue, read_letter, letter), 0);
            continue;
        }
        CHECK_EQUAL(sq_sync(room->queue, read_letter, letter), 0);
        for (size_t k = 0; k < PAPER * 16; k += 1) {
            CHECK_EQUAL(paper[k / 16].message.words[k % 16], 0);
        }
    }
    drain(room->queue); /* the paper is this function's */
    return NULL;
}

TEST(writes_before_a_submission_and_inside_tasks_are_visible_in_turn) {
    enum { WRITERS = 3 };
    room_t room = { sq_queue_create("letters", NULL), 0, 0 };
    REQUIRE(room.queue != NULL);
    pthread_t writers[WRITERS];
    for (size_t i = 0; i < WRITERS; i += 1) {
        writers[i] = spawn(write_letters, &room);
    }
    for (size_t i = 0; i < WRITERS; i += 1) {
        join(writers[i]);
    }
    CHECK_EQUAL(room.sum, WRITERS * scaled(50000));
    sq_queue_release(room.queue);
}
