#include "explore/choose.h"

#include "explore/record.h"
#include "platform/memory.h"

static uint64_t next_random(sq__chooser_t *chooser) { return sq__mix(chooser->random += 0x9E3779B97F4A7C15u); }

static size_t random_below(sq__chooser_t *chooser, size_t limit) {
    return limit <= UINT32_MAX ? (size_t)((next_random(chooser) >> 32) * limit >> 32) : next_random(chooser) % limit;
}

void sq__chooser_begin(sq__chooser_t *chooser, sq__chooses_t chooses, uint64_t seed, unsigned depth) {
    chooser->taken.length = 0;
    chooser->has_no_memory = false;
    chooser->chooses = chooses;
    chooser->seed = chooser->random = seed;
    chooser->depth = depth;
    if (chooses != SQ__CHOOSES_PRIORITY) {
        return;
    }
    chooser->priority_count = 0;
    chooser->lowest = UINT32_MAX;
    chooser->change_count = depth < SQ__MOST_CHANGES ? depth : SQ__MOST_CHANGES;
    for (unsigned i = 0; i < chooser->change_count; i += 1) {
        chooser->changes[i] = random_below(chooser, (size_t)4 << random_below(chooser, 9)); /* how long the run is, is not known */
    }
}

void sq__chooser_begin_again(sq__chooser_t *chooser) {
    sq__chooser_begin(chooser, chooser->chooses, chooser->seed, chooser->depth);
}

/* Adds a random priority; earlier pointers to priorities become invalid. NULL: no memory. */
static sq__priority_t *add_priority(sq__chooser_t *chooser, const void *what) {
    sq__priority_t *priorities = sq__grown(chooser->priorities, chooser->priority_count, sizeof *priorities);
    if (priorities == NULL) {
        return NULL;
    }
    chooser->priorities = priorities;
    sq__priority_t *priority = &priorities[chooser->priority_count++];
    *priority = (sq__priority_t){ .what = what, .value = (uint64_t)UINT32_MAX + 1 + (next_random(chooser) >> 8) };
    return priority;
}

/* The priority of this way, which is added if it is new. Valid until the next call. NULL: no memory. */
static sq__priority_t *priority_of(sq__chooser_t *chooser, const sq__way_t *way) {
    const void *what = (const char *)way->what + (way->kind == SQ__WAY_EXPIRY); /* an expiry has one of its own */
    for (size_t i = 0; i < chooser->priority_count; i += 1) {
        if (chooser->priorities[i].what == what) {
            return &chooser->priorities[i];
        }
    }
    return add_priority(chooser, what);
}

/* The index of the way with the highest priority; a way without memory for one is the lowest. `lowers`: that way then gets the lowest of all. */
static size_t highest_of(sq__chooser_t *chooser, const sq__way_t *ways, size_t count, bool lowers) {
    size_t highest = 0;
    uint64_t value = 0;
    for (size_t i = 0; i < count; i += 1) {
        const sq__priority_t *priority = priority_of(chooser, &ways[i]);
        if (priority != NULL && priority->value > value) {
            highest = i;
            value = priority->value;
        }
    }
    if (lowers) {
        sq__priority_t *priority = priority_of(chooser, &ways[highest]);
        if (priority != NULL) {
            priority->value = --chooser->lowest;
        }
    }
    return highest;
}

/* PCT's choice among the ways: their index. At a step of `changes` the highest one first gets the lowest priority. */
static size_t by_priority(sq__chooser_t *chooser, const sq__way_t *ways, size_t count) {
    bool changes = false;
    for (unsigned i = 0; i < chooser->change_count; i += 1) {
        changes |= chooser->changes[i] == chooser->taken.length;
    }
    if (changes) {
        (void)highest_of(chooser, ways, count, true);
    }
    return highest_of(chooser, ways, count, false);
}

/* The answer of the tape, or else of the strategy, which is recorded. `count` is at least 2. `ways` NULL: the answers are no ways. */
static size_t choose(sq__chooser_t *chooser, const sq__way_t *ways, size_t count) {
    size_t at = chooser->taken.length, answer = 0;
    if (at < chooser->given.length) {
        answer = chooser->given.answers[at] < count ? chooser->given.answers[at] : 0;
    } else if (chooser->chooses == SQ__CHOOSES_PRIORITY && ways != NULL) {
        answer = by_priority(chooser, ways, count);
    } else if (chooser->chooses != SQ__CHOOSES_USUAL) {
        answer = random_below(chooser, count);
    }
    chooser->has_no_memory |= !sq__tape_add(&chooser->taken, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX, (uint32_t)answer);
    return answer;
}

size_t sq__choose_way(sq__chooser_t *chooser, const sq__way_t *ways, size_t count) {
    return count > 1 ? choose(chooser, ways, count) : 0;
}

size_t sq__choose(sq__chooser_t *chooser, size_t count) { return count > 1 ? choose(chooser, NULL, count) : 0; }

void sq__chooser_free(sq__chooser_t *chooser) {
    sq__tape_free(&chooser->given);
    sq__tape_free(&chooser->taken);
    sq__memory_free(chooser->priorities);
}
