/* sweep.h: makes each allocation, and each creation of a thread, fail once.
 *
 * DESIGN. A scene makes one call. Its Nth allocation, or thread creation, fails, once or from then on, for N = 1, 2, ... until a
 * scene ends before its Nth. Each N has a process of its own: otherwise what the library keeps for later would save it the
 * allocation that is to fail. The call does its work, or is refused with ENOMEM and has done nothing. Then, with nothing
 * failing, it works; no task is lost, and nothing is left over. */
#ifndef TEST_SWEEP_H
#define TEST_SWEEP_H

#include "inject.h"
#include "latch.h"

#include <stdlib.h>

typedef struct trial {
    failure_t what;
    uint64_t nth;
    bool forever;
    uint64_t failures; /* how often something failed */
} trial_t;

/* What a program with scenes defines. A scene counts the failures of its call in `trial`. */
void play(size_t scene, trial_t *trial);
const char *name_of(size_t scene);

/* Before the call that is tested; `relief` comes after it. */
static inline void famine(const trial_t *trial) { fail_nth(trial->what, trial->nth, trial->forever); }

/* True if the call was refused, which it may be only if something failed. */
static inline bool relief(trial_t *trial, int error) {
    uint64_t failures = fail_nothing();
    trial->failures += failures;
    if (error == ENOMEM) {
        CHECK(failures > 0);
        return true;
    }
    return false;
}

typedef struct performance {
    size_t scene;
    trial_t trial;
} performance_t;

static void *perform(void *argument) {
    performance_t *performance = argument;
    play(performance->scene, &performance->trial);
    return NULL;
}

enum { HIT = 0, NOT_HIT = 2 };

/* PROGRAM --child SCENE KIND N FOREVER. Plays the scene twice: as in a fresh process, and again when the library has what it keeps for
 * later, to check that nothing is left. LeakSanitizer finds what the first run lost. */
int child_main(int count, char **words) {
    REQUIRE(count == 4);
    performance_t performance = { strtoul(words[0], NULL, 10),
                                  { (failure_t)strtoul(words[1], NULL, 10), strtoull(words[2], NULL, 10),
                                    strtoul(words[3], NULL, 10) != 0, 0 } };
    join(spawn(perform, &performance));
    uint64_t failures = performance.trial.failures;
    let_threads_end(0);
    rest_t mark = rest_now();
    join(spawn(perform, &performance));
    CHECK_AT_REST(mark);
    return failures > 0 ? HIT : NOT_HIT;
}

/* Returns the number of sites that were made to fail. */
static inline uint64_t sweep(size_t scene, failure_t what, bool forever) {
    for (uint64_t nth = 1;; nth += 1) {
        char words[4][24];
        snprintf(words[0], sizeof words[0], "%zu", scene);
        snprintf(words[1], sizeof words[1], "%d", (int)what);
        snprintf(words[2], sizeof words[2], "%" PRIu64, nth);
        snprintf(words[3], sizeof words[3], "%d", forever);
        int status = run_child((const char *const[]){ words[0], words[1], words[2], words[3], NULL });
        if (!CHECK(status == HIT || status == NOT_HIT)) {
            note("by: --child %s %s %s %s (%s)", words[0], words[1], words[2], words[3], name_of(scene));
        }
        if (status != HIT) {
            return nth - 1;
        }
    }
}

/* The same for all scenes. */
static inline uint64_t sweep_all(size_t scenes, failure_t what, bool forever) {
    uint64_t sites = 0;
    for (size_t i = 0; i < scenes; i += 1) {
        uint64_t found = sweep(i, what, forever);
        note("%s: %" PRIu64 " failed%s", name_of(i), found, forever ? ", each with all that came after it" : "");
        sites += found;
    }
    return sites;
}

#endif
