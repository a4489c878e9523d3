/* cells.c: each call that a kind of runner may answer in its own way, on each kind of queue.
 *
 * A scenario is made for each action and each kind of queue: `actions` has the words of two threads, on queue Q; `places` says which queue that is, and what its
 * threads do besides. Those of a manual pool run it. The second thread of a loop owns it, does its own calls, and runs the loop until the first one has done
 * its calls. `explore cells` prints what there is; a kind of queue that does not exist has the reason here. */
#include "scenario.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = { "threads", "workers", "loop", "manual", "target" };
static const char *const orders[] = { "serial", "concurrent" };

/* R releases all references of the thread. */
static const struct action {
    const char *name, *guards, *first, *second;
    expectation_t expect;
} actions[] = {
    { "sync", "an async and a sync of one thread in order, and another thread's sync", "async:Q sync:Q", "sync:Q" },
    { "async", "none is lost, and each thread's run in its order", "async:Q async:Q", "async:Q" },
    { "barrier", "alone, after all before it; a sync inside is refused", "async:Q barrier:Q(sync:Q)", "sync_barrier:Q",
      { .may = ERROR_BIT(EDEADLK), .deadlocks = 1 } },
    { "suspend", "what comes while the queue is suspended starts after the resume", "suspend:Q async:Q resume:Q", "sync:Q" },
    { "drain", "all that was accepted has run when the shutdown returns", "async:Q drain:Q", "async:Q", { .may = ERROR_BIT(ESHUTDOWN) } },
    { "discard", "all that was accepted has run, or was discarded, when the shutdown returns", "async:Q discard:Q", "sync:Q", { .may = ERROR_BIT(ESHUTDOWN) } },
    { "release", "what was accepted runs after the last release", "async:Q R", "async:Q R", { .each_has_a_reference = true } },
    { "cancel", "a cancel against the turn: one outcome, which the wait returns", "item:Q open1", "pass1 cancel wait_item" },
    { "group", "a wait for the group ends after the members that it sees", "member:Q wait_group", "member:Q" },
    { "item", "a wait for the item ends after it, whichever comes first", "item:Q", "wait_item" },
};

#define WORKERS { POOL_FIXED, 2 }
#define MANUAL { POOL_MANUAL, 0 }
#define LOOP { POOL_LOOP, 0 }
#define PLAIN "%s | %s"
#define PUMPED "%s pump | %s pump"
#define OWNED "%s halt | pump %s serve"
#define TARGET .queue = 'B', .releases = "release:B release:A"

static const struct place {
    const char *kind, *order, *program; /* NULL: there is no such queue, */
    const char *why_not;
    char queue;                         /* 0: A */
    const char *releases;               /* NULL: its reference */
    expectation_t expect;
} places[] = {
    { "threads", "serial", PLAIN },
    { "threads", "concurrent", .why_not = "a concurrent queue without a pool is on the shared pool, whose kind is workers" },
    { "workers", "serial", PLAIN, .expect = { .pool = WORKERS } },
    { "workers", "concurrent", PLAIN, .expect = { .pool = WORKERS, .width = SQ_WIDTH_POOL } },
    { "loop", "serial", OWNED, .expect = { .pool = LOOP } },
    { "loop", "concurrent", .why_not = "queues on a loop are serial: sq_queue_create returns EINVAL" },
    { "manual", "serial", PUMPED, .expect = { .pool = MANUAL } },
    { "manual", "concurrent", PUMPED, .expect = { .pool = MANUAL, .width = 2 } },
    /* A queue with a target is serial, whatever its width: it is the target that is serial or concurrent. */
    { "target", "serial", PLAIN, TARGET, .expect = { .targets = true } },
    { "target", "concurrent", PLAIN, TARGET, .expect = { .targets = true, .pool = WORKERS, .width = SQ_WIDTH_POOL } },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
enum { CELLS = COUNT(actions) * COUNT(places), NAME = 40, PROGRAM = 160 };

scenario_t cells_scenarios[CELLS + 1];
static char names[CELLS][NAME], programs[CELLS][PROGRAM];

static void append(char *text, size_t size, const char *more) { strncat(text, more, size - strlen(text) - 1); }

/* The words on the queue of this place. */
static void name_queue(char *text, size_t size, const char *words, const struct place *place) {
    const char queue[] = { place->queue ? place->queue : 'A', '\0' };
    text[0] = '\0';
    for (; *words != '\0'; words += 1) {
        append(text, size, *words == 'Q' ? queue : *words != 'R' ? (char[]){ *words, '\0' } : place->releases ? place->releases : "release:A");
    }
}

static void make(unsigned i, const struct action *action, const struct place *place) {
    char first[PROGRAM], second[PROGRAM];
    name_queue(first, sizeof first, action->first, place);
    name_queue(second, sizeof second, action->second, place);
    snprintf(names[i], NAME, "cell_%s_%s_%s", place->kind, place->order, action->name);
    snprintf(programs[i], PROGRAM, place->program, first, second);
    expectation_t expect = place->expect;
    expect.may = action->expect.may;
    expect.deadlocks = action->expect.deadlocks;
    expect.each_has_a_reference = action->expect.each_has_a_reference;
    cells_scenarios[i] = (scenario_t){ .name = names[i], .guards = action->guards, .program = programs[i], .expect = expect };
}

void cells_make(void) {
    unsigned made = 0;
    for (unsigned place = 0; place < COUNT(places); place += 1) {
        for (unsigned action = 0; places[place].program != NULL && action < COUNT(actions); action += 1) {
            make(made++, &actions[action], &places[place]);
        }
    }
}

static const struct place *find_place(const char *kind, const char *order) {
    for (unsigned i = 0; i < COUNT(places); i += 1) {
        if (strcmp(places[i].kind, kind) == 0 && strcmp(places[i].order, order) == 0) {
            return &places[i];
        }
    }
    return NULL;
}

/* A line for each kind of queue: its actions, or why there is none. Returns how many have neither. */
int cells_print(void) {
    int missing = 0;
    for (unsigned kind = 0; kind < COUNT(kinds); kind += 1) {
        for (unsigned order = 0; order < COUNT(orders); order += 1) {
            const struct place *place = find_place(kinds[kind], orders[order]);
            printf("%s %s", kinds[kind], orders[order]);
            for (unsigned i = 0; place != NULL && place->program != NULL && i < COUNT(actions); i += 1) {
                printf(" %s", actions[i].name);
            }
            bool is_missing = place == NULL || (place->program == NULL && place->why_not == NULL);
            missing += is_missing;
            printf("%s%s\n", is_missing ? " MISSING" : place->program == NULL ? " - " : "", !is_missing && place->program == NULL ? place->why_not : "");
        }
    }
    return missing;
}
