#include "thread/spin.h"

#include "platform/atomic.h"
#include "platform/clock.h"
#include "platform/processors.h"
#include "platform/thread.h"

#include <stdint.h>

enum { MOST_LOSSES = 6, MANY_LOSSES = 8, RUNNER_BRIEF = 8 };

/* A look of a runner, and a yield of a worker, without hope cost more than the others. */
static unsigned most_losses(sq__spin_t kind) { return kind == SQ__SPIN_RUNNER || kind == SQ__SPIN_WORKER_YIELD ? MANY_LOSSES : MOST_LOSSES; }

typedef struct record {
    uint8_t losses; /* looks that found nothing, minus those that found something */
    uint8_t skips;  /* how many of the next looks are skipped */
    bool found;     /* the last one has found something */
    uint8_t brief;  /* of a runner's looks, how many were brief since one was not */
} record_t;

static SQ__THREAD_LOCAL record_t records[SQ__SPIN_KINDS];

/* Of the calling thread: how many waits in a row were over after their first yield, and how often the number after which it sleeps was doubled. */
enum { FEW_TOGETHER = 64, MOST_DOUBLINGS = 6 };
static SQ__THREAD_LOCAL struct { uint16_t row, doublings; } together; /* from zero, as all that explored threads have */

bool sq__spin_shares_processor(void) {
    if (together.row < FEW_TOGETHER << together.doublings || sq__processors_known() == 1) {
        return false;
    }
    together.row = 0;
    together.doublings = (uint16_t)(together.doublings + (together.doublings < MOST_DOUBLINGS));
    return true;
}

void sq__spin_yielded(unsigned yields) {
    together.row = yields == 1 ? (uint16_t)(together.row + (together.row < FEW_TOGETHER << MOST_DOUBLINGS)) : 0;
}

unsigned sq__spin_begin(sq__spin_t kind, unsigned most) {
    record_t *record = &records[kind];
    if (kind != SQ__SPIN_WORKER_YIELD && sq__processors_known() == 1) {
        return 0; /* nobody can end the wait while this thread pauses */
    }
    if (record->skips > 0) {
        record->skips -= 1;
        return 0;
    }
    if (kind != SQ__SPIN_RUNNER || record->losses < MANY_LOSSES || record->brief == RUNNER_BRIEF - 1) {
        record->brief = 0;
        return most;
    }
    record->brief += 1;
    return most / RUNNER_BRIEF;
}

void sq__spin_end(sq__spin_t kind, bool found) {
    record_t *record = &records[kind];
    record->found = found;
    if (found) {
        together.doublings = kind == SQ__SPIN_WAITER ? 0 : together.doublings; /* the awaited thread has another processor */
        record->losses = (uint8_t)(record->losses - (record->losses > 0));
    } else {
        record->losses = (uint8_t)(record->losses < most_losses(kind) ? record->losses + 1u : most_losses(kind));
        record->skips = (uint8_t)((1u << record->losses) - 1);
    }
}

void sq__spin_was_vain(sq__spin_t kind) {
    if (records[kind].found) {
        records[kind].losses += 1; /* what it has gained */
        sq__spin_end(kind, false);
    }
}

bool sq__spin_early(unsigned *paused) {
    if (*paused >= SQ__EARLY_SPINS) {
        return false;
    }
    unsigned gap = *paused < SQ__EARLY_GAP ? *paused + 1 : SQ__EARLY_GAP;
    for (unsigned i = 0; i < gap; i += 1) {
        sq__pause();
    }
    *paused += gap;
    return true;
}

unsigned sq__spin_back_off(unsigned pauses) {
    pauses = pauses == 0 ? SQ__LOSER_SPINS : 2 * pauses < SQ__LOSER_SPINS_MOST ? 2 * pauses : SQ__LOSER_SPINS_MOST;
    for (unsigned i = 0; i < pauses; i += 1) {
        sq__pause();
    }
    return pauses;
}

unsigned sq__spin_waiter_pauses(unsigned processors) {
    return SQ__WAITER_SPINS + (processors > 2 ? (processors - 2) * SQ__WAITER_SPINS_EACH : 0);
}

/* Rests in nanoseconds; the factor by which a rest grows; how many short yields end a suspicion. */
enum { FIRST_REST = 10000000, LONGEST_REST = 1000000000, REST_GROWS = 4, SUSPICIOUS = 16 };

/* Of the process. Each is only a guess, and independent of the others, so a race to write one is harmless. */
static SQ__ATOMIC(uint64_t) rests_until; /* no thread yields before this time */
static SQ__ATOMIC(uint64_t) rest;        /* the length of the last rest */
static SQ__ATOMIC(unsigned) suspicion;   /* how many of the next yields measure the process's time, too */

/* A yield, begun when rests_until was `last_until`, was a miss: no thread yields for a while from `now` on, longer if the last miss was a short time
 * ago. */
static void rest_from(uint64_t now, uint64_t last_until) {
    uint64_t length = sq__load_relaxed(&rest);
    bool soon = length > 0 && now - last_until < length;
    length = !soon ? FIRST_REST : length < LONGEST_REST / REST_GROWS ? length * REST_GROWS : LONGEST_REST;
    /* The misses of several threads in the same moment count as one. */
    if (sq__cas_relaxed(&rests_until, &last_until, now + length)) {
        sq__store_relaxed(&rest, length);
    }
}

bool sq__spin_yield(void) {
    uint64_t before = sq__clock_now(), last_until = sq__load_relaxed(&rests_until);
    if (before < last_until) {
        return false;
    }
    unsigned suspected = sq__load_relaxed(&suspicion);
    uint64_t used_before = suspected > 0 ? sq__clock_process_time() : 0;
    sq__thread_yield();
    uint64_t now = sq__clock_now(), took = now - before;
    if (took < SQ__LONG_YIELD) {
        if (suspected > 0) {
            sq__store_relaxed(&suspicion, suspected - 1);
        }
        return true;
    }
    sq__store_relaxed(&suspicion, SUSPICIOUS);
    if (suspected > 0 && sq__clock_process_time() - used_before < took / 2) {
        rest_from(now, last_until);
    }
    return true;
}
