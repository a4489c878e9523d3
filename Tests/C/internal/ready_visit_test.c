/* ready_visit_test.c: a dump visits a list of ready entries, and releases its lock now and then. What workers do meanwhile happens here when the visit
 * takes the lock again, on its own thread: each run of a seed is the same. */
#include "harness.h"

#include "runner/ready.h"
#include "runner/runner.h"
#include "runner/runner_inline.h"

#include <stdlib.h>

enum { MOST = 1000 };

typedef struct one {
    sq__ready_t ready; /* first */
    bool is_listed, stays;
    unsigned visits;
    sq__level_t level;
} one_t;

static one_t all[MOST];
static sq__ready_list_t list;
static sq__mutex_t lock = SQ__MUTEX_INIT;
static SQ__ATOMIC(uint64_t) taken;
static void (*meanwhile)(void);
static unsigned rests; /* how often the lock was free */
static unsigned first_slice; /* entries that were visited before */
static unsigned visited;

int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex) {
    if (mutex == &lock && meanwhile != NULL) {
        CHECK_EQUAL(__real_pthread_mutex_trylock(mutex), 0); /* the visit has released it */
        rests += 1;
        first_slice = rests == 1 ? visited : first_slice;
        meanwhile();
        pthread_mutex_unlock(mutex);
    }
    return __real_pthread_mutex_trylock(mutex);
}

static void append(one_t *one, sq__level_t level) {
    one->is_listed = true;
    one->level = level;
    sq__ready_append(&list, level, &one->ready);
}

/* The memory of an entry that is not listed may be anything. */
static void leave(one_t *one) {
    REQUIRE(one->is_listed);
    one->is_listed = one->stays = false;
    one->ready.next = (sq__ready_t *)(uintptr_t)16;
    sq__count(&taken, 1);
}

static void take_first(void) {
    sq__level_t level;
    sq__ready_t *entry = sq__ready_take_first(&list, &level);
    if (entry != NULL) {
        leave((one_t *)(void *)entry);
    }
}

static void take_out(one_t *one) {
    if (one->is_listed) {
        CHECK(sq__ready_take_out(&list, one->level, &one->ready));
        leave(one);
    }
}

static void look_at(void *context, const sq__ready_t *entry, const sq__pool_view_t *pool, bool is_locked) {
    (void)context, (void)pool;
    one_t *one = (one_t *)(uintptr_t)entry;
    CHECK(is_locked);
    REQUIRE(one->is_listed);
    one->visits += 1;
    visited += 1;
}

/* Lists so many entries, visits them, and empties the list. Each that stays in it meanwhile must be visited. */
static void visit(size_t count, void (*action)(void)) {
    sq__patience_t patience = { .tries = 0 };
    const sq__pool_visitor_t visitor = { .patience = &patience, .entry = look_at };
    const sq__pool_view_t view = { .label = "" };
    rests = visited = first_slice = 0;
    for (size_t i = 0; i < count; i += 1) {
        all[i] = (one_t){ .stays = true };
        append(&all[i], SQ__LEVEL_NORMAL);
    }
    meanwhile = action;
    sq__mutex_lock(&lock);
    CHECK(sq__pool_visit_ready(&(sq__ready_visit_t){ &list, &lock, &taken, count }, &visitor, &view));
    sq__mutex_unlock(&lock);
    meanwhile = NULL;
    for (size_t i = 0; i < count; i += 1) {
        CHECK(!all[i].stays || all[i].visits > 0);
    }
    while (!sq__ready_is_empty(&list)) {
        take_first();
    }
}

static void nothing_happens(void) { }

/* See it fail: visit all entries under one hold. */
TEST(no_hold_of_the_lock_visits_more_than_a_few_entries) {
    visit(MOST, nothing_happens);
    REQUIRE(first_slice > 0);
    CHECK_EQUAL(visited, MOST);
    CHECK_EQUAL(rests, (MOST - 1) / first_slice);
    visit(1, nothing_happens);
    CHECK_EQUAL(rests, 0);
}

static void workers_are_as_fast(void) {
    for (unsigned i = 0; i < first_slice; i += 1) {
        take_first();
    }
}

static void workers_overtake(void) {
    for (unsigned i = 0; i < 2 * first_slice + 1; i += 1) {
        take_first();
    }
}

static void all_are_taken(void) {
    while (!sq__ready_is_empty(&list)) {
        take_first();
    }
}

/* See it fail: leave out the comparison with `taken` in visit_line. */
TEST(workers_that_overtake_the_visit_leave_it_only_what_is_listed) {
    visit(MOST, workers_are_as_fast);
    visit(MOST, workers_overtake);
    visit(MOST, all_are_taken);
}

/* The cursor is at the first entry that was not visited. */
static void next_is_taken_out(void) {
    one_t *next = all;
    while (next < all + MOST && (next->visits > 0 || !next->is_listed)) {
        next += 1;
    }
    if (next < all + MOST) {
        take_out(next);
    }
}

/* See it fail: leave out the cursor in sq__ready_take_out. */
TEST(the_entry_that_comes_next_may_be_taken_out) {
    visit(MOST, next_is_taken_out);
    CHECK(rests > 1);
}

static void always_overtaken(void) {
    sq__level_t level;
    for (unsigned i = 0; i < MOST; i += 1) {
        one_t *one = (one_t *)(void *)sq__ready_take_first(&list, &level);
        leave(one);
        append(one, level);
    }
}

TEST(a_visit_that_is_always_overtaken_ends) {
    visit(MOST, always_overtaken);
    CHECK_EQUAL(visited, 2 * MOST);
}

static void anything(void) {
    for (unsigned i = (unsigned)random() % 8; i > 0; i -= 1) {
        one_t *one = &all[(unsigned)random() % MOST];
        switch (random() % 4) {
        case 0: take_out(one); break;
        case 1: next_is_taken_out(); break;
        case 2:
            for (unsigned more = (unsigned)random() % (2 * first_slice); more > 0; more -= 1) {
                take_first();
            }
            break;
        default:
            if (!one->is_listed) {
                append(one, SQ__LEVEL_NORMAL);
            }
        }
    }
}

TEST(what_stays_in_the_list_is_visited_whatever_happens_between_two_holds) {
    for (unsigned seed = 0; seed < 200; seed += 1) {
        srandom(seed);
        visit(MOST, anything);
    }
}
