/* store_test.c: the store of blocks, and what of it a backlog leaves. */
#include "harness.h"
#include "inject.h"
#include "kernel/segment.h"
#include "latch.h"
#include "memory/blocks.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { BYTES = 4096 };

static void end(sq__blocks_t *store) {
    for (unsigned slab = 0; slab < SQ__BLOCKS_SLABS; slab += 1) {
        if (store->slabs[slab] != NULL) {
            munmap(store->slabs[slab], (16u << slab) * (store->bytes + 8));
        }
    }
}

static uint32_t take(sq__blocks_t *store) {
    uint32_t number = 0;
    uint32_t *block = sq__blocks_take(store, 0, &number);
    REQUIRE(block != NULL);
    CHECK(*block == 0 || *block == number);
    *block = number;
    return number;
}

static void give_all(sq__blocks_t *store) {
    for (uint32_t i = 0; i < store->fresh; i += 1) {
        sq__blocks_give(store, 16 + i);
    }
}

/* At rest: what a worker does that is about to sleep. */
TEST(a_store_that_nobody_uses_returns_its_pages) {
    sq__blocks_t store = { .bytes = BYTES };
    uint32_t taken, number;
    for (uint32_t i = 0; i <= SQ__BLOCKS_WARM_AT_REST; i += 1) {
        take(&store);
    }
    CHECK(!sq__blocks_is_large(&store, &taken));
    give_all(&store);
    CHECK(sq__blocks_is_large(&store, &taken));
    sq__blocks_give(&store, take(&store));
    sq__blocks_cool(&store, taken);
    CHECK_EQUAL(sq__blocks_warm(&store), SQ__BLOCKS_WARM_AT_REST + 1);
    CHECK(sq__blocks_is_large(&store, &taken));
    sq__blocks_cool(&store, taken);
    CHECK_EQUAL(sq__blocks_warm(&store), 0);
    uint32_t *block = sq__blocks_take(&store, 0, &number);
    REQUIRE(block != NULL);
    CHECK_EQUAL(*block, 0);
    sq__blocks_give(&store, number);
    end(&store);
}

TEST(every_block_is_another_one_and_is_taken_again) {
    enum { MANY = 3000 };
    sq__blocks_t store = { .bytes = BYTES };
    static bool is_taken[MANY + 16];
    static uint32_t numbers[MANY];
    for (int round = 0; round < 3; round += 1) {
        memset(is_taken, 0, sizeof is_taken);
        for (size_t i = 0; i < MANY; i += 1) {
            numbers[i] = take(&store);
            REQUIRE(numbers[i] < MANY + 16 && !is_taken[numbers[i]]);
            is_taken[numbers[i]] = true;
        }
        for (size_t i = 0; i < MANY; i += 1) {
            sq__blocks_give(&store, numbers[i]);
        }
        CHECK_AT_MOST(sq__blocks_warm(&store), SQ__BLOCKS_WARM);
    }
    end(&store);
}

TEST(pages_go_back_when_more_blocks_are_free_than_may_be_warm) {
    sq__blocks_t store = { .bytes = BYTES };
    static uint32_t numbers[SQ__BLOCKS_WARM + 1];
    uint32_t number;
    for (size_t i = 0; i <= SQ__BLOCKS_WARM; i += 1) {
        numbers[i] = take(&store);
    }
    for (size_t i = 0; i < SQ__BLOCKS_WARM; i += 1) {
        sq__blocks_give(&store, numbers[i]);
    }
    CHECK_EQUAL(sq__blocks_warm(&store), SQ__BLOCKS_WARM);
    sq__blocks_give(&store, numbers[SQ__BLOCKS_WARM]);
    CHECK_EQUAL(sq__blocks_warm(&store), 1);
    CHECK_EQUAL(take(&store), numbers[SQ__BLOCKS_WARM]);
    for (size_t i = 0; i < SQ__BLOCKS_WARM; i += 1) {
        uint32_t *block = sq__blocks_take(&store, 0, &number);
        REQUIRE(block != NULL);
        CHECK_EQUAL(*block, 0); /* a new page */
    }
    CHECK_EQUAL(store.fresh, SQ__BLOCKS_WARM + 1);
    give_all(&store);
    end(&store);
}

TEST(without_pages_there_is_no_block_and_then_there_is_one_again) {
    sq__blocks_t store = { .bytes = BYTES };
    uint32_t number;
    fail_nth(FAIL_PAGES, 1, false);
    CHECK(sq__blocks_take(&store, 0, &number) == NULL);
    CHECK_EQUAL(fail_nothing(), 1);
    for (size_t i = 0; i < 16; i += 1) {
        take(&store);
    }
    fail_nth(FAIL_PAGES, 1, true);
    CHECK(sq__blocks_take(&store, 0, &number) == NULL);
    sq__blocks_give(&store, 16);
    CHECK_EQUAL(take(&store), 16); /* what there is can still be used */
    CHECK_EQUAL(fail_nothing(), 1);
    CHECK_EQUAL(take(&store), 32);
    give_all(&store);
    end(&store);
}

TEST(a_block_goes_back_to_the_shard_that_it_was_taken_from) {
    sq__blocks_t store = { .bytes = BYTES };
    uint32_t number, again;
    for (uint32_t shard = 1; shard <= 2 * SQ__BLOCKS_SHARDS; shard += 1) {
        REQUIRE(sq__blocks_take(&store, shard, &number) != NULL);
        sq__blocks_give(&store, number);
        REQUIRE(sq__blocks_take(&store, shard, &again) != NULL);
        CHECK_EQUAL(again, number);
        sq__blocks_give(&store, number);
    }
    CHECK_EQUAL(store.fresh, SQ__BLOCKS_SHARDS);
    CHECK_EQUAL(sq__blocks_warm(&store), 0);
    end(&store);
}

TEST(a_full_shard_gives_to_all_and_without_memory_each_shard_is_searched) {
    enum { BLOCKS = SQ__BLOCKS_SHARD + 3 };
    sq__blocks_t store = { .bytes = BYTES };
    uint32_t numbers[BLOCKS], number;
    for (size_t i = 0; i < BLOCKS; i += 1) {
        REQUIRE(sq__blocks_take(&store, 5, &numbers[i]) != NULL);
    }
    for (size_t i = 0; i < BLOCKS; i += 1) {
        sq__blocks_give(&store, numbers[i]);
    }
    CHECK_EQUAL(sq__blocks_warm(&store), 3);
    store.fresh = UINT32_MAX / 2; /* all blocks that there may be */
    for (size_t i = 0; i < BLOCKS; i += 1) {
        CHECK(sq__blocks_take(&store, 9, &numbers[i]) != NULL);
    }
    CHECK(sq__blocks_take(&store, 9, &number) == NULL);
    for (size_t i = 0; i < BLOCKS; i += 1) {
        sq__blocks_give(&store, numbers[i]);
    }
    end(&store);
}

/* Threads that take and give; a block that two have is noticed by its content, and by ThreadSanitizer. */
typedef struct crowd {
    sq__blocks_t store;
    atomic_uint shards; /* 0: the threads use none */
    atomic_size_t wrong;
} crowd_t;

static void *take_and_give(void *argument) {
    enum { MOST = 40 };
    crowd_t *crowd = argument;
    random_stream_t random = random_start((uint64_t)(uintptr_t)&crowd);
    uint32_t numbers[MOST], *blocks[MOST], shard = crowd->shards == 0 ? 0 : crowd->shards++ / 2; /* two threads have one */
    for (size_t round = 0; round < scaled(5000); round += 1) {
        size_t count = 1 + random_below(&random, MOST);
        for (size_t i = 0; i < count; i += 1) {
            blocks[i] = sq__blocks_take(&crowd->store, shard, &numbers[i]);
            REQUIRE(blocks[i] != NULL);
            blocks[i][1] = (uint32_t)(uintptr_t)&crowd + numbers[i];
        }
        for (size_t i = 0; i < count; i += 1) {
            crowd->wrong += blocks[i][1] != (uint32_t)(uintptr_t)&crowd + numbers[i];
            sq__blocks_give(&crowd->store, numbers[i]);
        }
    }
    return NULL;
}

static void check_crowd(unsigned shards) {
    crowd_t crowd = { .store = { .bytes = BYTES }, .shards = shards };
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i += 1) {
        threads[i] = spawn(take_and_give, &crowd);
    }
    for (size_t i = 0; i < 4; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL(crowd.wrong, 0);
    CHECK_AT_MOST(crowd.store.fresh, 4 * 40 + SQ__BLOCKS_SHARDS * SQ__BLOCKS_SHARD);
    end(&crowd.store);
}

TEST(threads_that_take_and_give_never_share_a_block) { check_crowd(0); }
TEST(nor_do_threads_that_take_from_shards) { check_crowd(2); }

/* What a process keeps after a backlog does not depend on what else it has allocated: it is what the store has warm. */
TEST(after_a_backlog_few_segments_are_warm_and_the_next_one_needs_no_new_slab) {
    if (SQ__EACH_BY_MALLOC) {
        note("not with AddressSanitizer: each segment comes from malloc");
        return;
    }
    sq_queue_t *queue = sq_queue_create("backlog", NULL);
    REQUIRE(queue != NULL);
    size_t ran = 0, mapped = 0;
    const size_t tasks = scaled(500000);
    for (size_t round = 1; round <= 2; round += 1) {
        hold_t hold;
        hold_async(&hold, queue);
        for (size_t i = 0; i < tasks; i += 1) {
            CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        }
        CHECK(round == 1 || sq__blocks_mapped(&sq__segments) == mapped);
        mapped = sq__blocks_mapped(&sq__segments);
        CHECK(mapped >= tasks * sizeof(sq__slot_t));
        hold_end(&hold);
        drain(queue);
        CHECK_EQUAL(ran, round * tasks);
        CHECK_AT_MOST(sq__blocks_warm(&sq__segments), SQ__BLOCKS_WARM);
    }
    sq_queue_release(queue);
}
