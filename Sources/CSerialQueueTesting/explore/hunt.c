#include "explore/hunt.h"

#include "explore/reason.h"
#include "platform/clock.h"
#include "platform/memory.h"

/* How many runs shrinking may take, and then the search for a smaller failure. */
enum { MOST_SHRINKING = 20000, MOST_MINIMISING = 20000 };
static const uint64_t longest = 5000000000; /* and how long each; nanoseconds */

/* Depth first */

static bool begin_round(sq__depth_first_t *first, sq__tape_t *given) {
    given->length = 0;
    first->was_cut = false;
    first->has_begun = true;
    return true;
}

/* Changes `given` to the next schedule, after one that was run. False: there is none. */
static bool depth_first_next(sq__depth_first_t *first, const sq__tape_t *last, sq__tape_t *given, bool *has_no_memory) {
    if (!first->has_begun) {
        return begin_round(first, given);
    }
    size_t before = sq__tape_unusual(last);
    for (size_t i = last->length; i-- > 0;) {
        before -= last->answers[i] != 0; /* unusual ones in front of this one */
        if (last->answers[i] + 1 >= last->counts[i]) {
            continue;
        }
        if (before >= first->unusual) {
            first->was_cut = true;
            continue;
        }
        if (!sq__tape_copy(given, last)) {
            *has_no_memory = true;
            return false;
        }
        given->length = i + 1;
        given->answers[i] += 1;
        return true;
    }
    if (!first->was_cut || first->unusual == first->most) {
        return false;
    }
    first->unusual += 1;
    return begin_round(first, given);
}

/* Phases. Each `next` returns false if the phase is over. */

static bool next_search(sq__hunt_t *hunt, sq__run_t *run) {
    sq__chooser_t *chooser = &run->chooser;
    if (hunt->runs >= hunt->schedules) {
        return false;
    }
    if (hunt->strategy == SQ_EXPLORE_DEPTH_FIRST) {
        if (!depth_first_next(&hunt->first, &chooser->taken, &chooser->given, &hunt->has_no_memory)) {
            return false;
        }
        sq__chooser_begin(chooser, SQ__CHOOSES_USUAL, 0, 0);
        return true;
    }
    chooser->given.length = 0;
    hunt->own_seed = hunt->runs == 0 ? hunt->seed : sq__mix(hunt->own_seed + 0x9E3779B97F4A7C15u);
    sq__chooser_begin(chooser, hunt->strategy == SQ_EXPLORE_PCT ? SQ__CHOOSES_PRIORITY : SQ__CHOOSES_RANDOM,
                      hunt->own_seed * 0xD1342543DE82EF95u, hunt->depth);
    return true;
}

/* Replays the smallest failure. */
static bool replay(sq__hunt_t *hunt, sq__run_t *run, bool is_recorded) {
    if (!sq__tape_copy(&run->chooser.given, &hunt->best)) {
        hunt->has_no_memory = true;
        return false;
    }
    sq__chooser_begin(&run->chooser, SQ__CHOOSES_USUAL, 0, 0);
    sq__record_begin(&run->record, is_recorded);
    return true;
}

static bool has_budget(sq__hunt_t *hunt) {
    if (hunt->budget == 0 || sq__clock_now() >= hunt->ends_at) {
        return false;
    }
    hunt->budget -= 1;
    return true;
}

/* Puts the next chunk of unusual decisions back. */
static bool next_shrinking(sq__hunt_t *hunt, sq__run_t *run) {
    size_t unusual = sq__tape_unusual(&hunt->best), number = 0;
    if (hunt->at >= unusual) { /* the pass is over */
        if (hunt->chunk == 1 && !hunt->has_shrunk) {
            hunt->is_minimal = true;
            return false;
        }
        hunt->chunk = hunt->chunk > 1 ? (hunt->chunk + 1) / 2 : 1;
        hunt->at = 0;
        hunt->has_shrunk = false;
    }
    if (unusual == 0 || !has_budget(hunt) || !replay(hunt, run, false)) {
        hunt->is_minimal = unusual == 0;
        return false;
    }
    for (size_t i = 0; i < run->chooser.given.length; i += 1) {
        if (run->chooser.given.answers[i] != 0) {
            if (number >= hunt->at && number < hunt->at + hunt->chunk) {
                run->chooser.given.answers[i] = 0;
            }
            number += 1;
        }
    }
    return true;
}

static bool next_minimising(sq__hunt_t *hunt, sq__run_t *run) {
    if (!has_budget(hunt)
        || !depth_first_next(&hunt->first, &run->chooser.taken, &run->chooser.given, &hunt->has_no_memory)) {
        return false;
    }
    sq__chooser_begin(&run->chooser, SQ__CHOOSES_USUAL, 0, 0);
    return true;
}

static void begin_phase(sq__hunt_t *hunt, sq__hunt_phase_t phase) {
    size_t unusual = sq__tape_unusual(&hunt->best);
    hunt->phase = phase;
    hunt->ends_at = sq__clock_now() + longest;
    switch (phase) {
    case SQ__HUNT_SHRINK:
        hunt->chunk = unusual > 1 ? (unusual + 1) / 2 : 1;
        hunt->at = 0;
        hunt->has_shrunk = false;
        hunt->budget = MOST_SHRINKING;
        break;
    case SQ__HUNT_MINIMISE:
        /* With one less; if it has none, or one, it cannot be smaller, because shrinking tries the usual schedule first. */
        hunt->first = (sq__depth_first_t){ .most = unusual > 1 ? unusual - 1 : 0 };
        hunt->budget = unusual > 1 ? MOST_MINIMISING : 0;
        break;
    default:
        break;
    }
}

bool sq__hunt_next(sq__hunt_t *hunt, sq__run_t *run) {
    for (;;) {
        switch (hunt->phase) {
        case SQ__HUNT_SEARCH:
            if (next_search(hunt, run)) {
                return true;
            }
            begin_phase(hunt, SQ__HUNT_OVER);
            break;
        case SQ__HUNT_REPEAT:
            return replay(hunt, run, true);
        case SQ__HUNT_SHRINK:
            if (next_shrinking(hunt, run)) {
                return true;
            }
            begin_phase(hunt, SQ__HUNT_MINIMISE);
            break;
        case SQ__HUNT_MINIMISE:
            if (next_minimising(hunt, run)) {
                return true;
            }
            begin_phase(hunt, SQ__HUNT_DRAW);
            break;
        case SQ__HUNT_DRAW:
            return replay(hunt, run, true);
        default:
            return false;
        }
    }
}

/* Seeing */

static void keep(sq__hunt_t *hunt, sq__run_t *run) {
    hunt->has_no_memory |= run->chooser.has_no_memory || !sq__tape_copy(&hunt->best, &run->chooser.taken);
    sq__tape_trim(&hunt->best);
}

static void see_search(sq__hunt_t *hunt, sq__run_t *run) {
    bool is_first = hunt->strategy == SQ_EXPLORE_DEPTH_FIRST;
    bool is_new = !is_first || sq__tape_unusual(&run->chooser.taken) == hunt->first.unusual;
    if (is_first && is_new) {
        sq__extent_add(&hunt->extent, &run->chooser.taken, hunt->first.most);
    }
    if (run->has_failed) {
        hunt->has_failed = true;
        hunt->found = run->failure != NULL ? sq__copy_text(run->failure) : NULL;
        hunt->found_choices = run->chooser.taken.length;
        keep(hunt, run);
        run->found = hunt->found;
        run->found_tape = &hunt->best;
        begin_phase(hunt, SQ__HUNT_REPEAT);
    }
    hunt->runs += is_new;
}

/* Whether it has failed, and for the reason that was found. Keeps the first other message. */
static bool fails_alike(sq__hunt_t *hunt, const sq__run_t *run) {
    if (!run->has_failed || sq__reason(run->failure) == sq__reason(hunt->found)) {
        return run->has_failed;
    }
    if (hunt->other == NULL && run->failure != NULL) {
        hunt->other = sq__copy_text(run->failure);
    }
    return false;
}

/* What is different, in words. */
static void note_difference(sq__hunt_t *hunt, const sq__run_t *run) {
    size_t at = sq__record_difference(&hunt->repeat, &run->record);
    const sq__event_t *one = at < hunt->repeat.event_count ? &hunt->repeat.events[at] : NULL;
    const sq__event_t *other = at < run->record.event_count ? &run->record.events[at] : NULL;
    if (one == NULL && other == NULL) {
        hunt->difference = sq__copy_text("it failed once, but not in this way when the same schedule was run again; all its steps were the same");
        return;
    }
    size_t number = other != NULL ? other->column : 0;
    const char *column = number < run->record.column_count ? run->record.columns[number].label : NULL;
    hunt->difference = sq__format_text("step %zu was not under control (%s): \"%s\" when it was repeated first, \"%s\" then", at + 1,
                                       column != NULL ? column : "?", one != NULL && one->text != NULL ? one->text : "nothing",
                                       other != NULL && other->text != NULL ? other->text : "nothing");
}

static void see_repeat(sq__hunt_t *hunt, sq__run_t *run) {
    hunt->repeats += 1;
    if (hunt->repeats == 1) {
        sq__record_t empty = hunt->repeat;
        hunt->repeat = run->record;
        run->record = empty;
        hunt->is_repeatable = fails_alike(hunt, run);
        return;
    }
    size_t same = sq__record_difference(&hunt->repeat, &run->record);
    hunt->is_repeatable &= fails_alike(hunt, run) && same == hunt->repeat.event_count && same == run->record.event_count;
    if (hunt->is_repeatable) {
        begin_phase(hunt, SQ__HUNT_SHRINK);
    } else {
        note_difference(hunt, run);
        begin_phase(hunt, SQ__HUNT_OVER);
    }
}

static void see_shrinking(sq__hunt_t *hunt, sq__run_t *run) {
    if (fails_alike(hunt, run) && sq__tape_unusual(&run->chooser.taken) < sq__tape_unusual(&hunt->best)) {
        hunt->has_shrunk = true;
        keep(hunt, run); /* the next chunk now begins at the same number */
    } else {
        hunt->at += hunt->chunk;
    }
}

static void see_drawing(sq__hunt_t *hunt, sq__run_t *run) {
    if (hunt->is_replay) {
        hunt->has_failed = hunt->is_repeatable = run->has_failed;
    } else if (!fails_alike(hunt, run)) {
        hunt->is_repeatable = false;
        hunt->difference = sq__copy_text("it failed three times, but not in this way when its schedule was drawn");
    }
}

void sq__hunt_see(sq__hunt_t *hunt, sq__run_t *run) {
    switch (hunt->phase) {
    case SQ__HUNT_SEARCH:
        see_search(hunt, run);
        break;
    case SQ__HUNT_REPEAT:
        see_repeat(hunt, run);
        break;
    case SQ__HUNT_SHRINK:
        see_shrinking(hunt, run);
        break;
    case SQ__HUNT_MINIMISE:
        if (fails_alike(hunt, run)) { /* the first one is the smallest; a single unusual decision less is a failure, too: all matter */
            keep(hunt, run);
            hunt->is_minimal = true;
            begin_phase(hunt, SQ__HUNT_DRAW);
        }
        break;
    default:
        see_drawing(hunt, run);
        hunt->phase = SQ__HUNT_OVER;
        break;
    }
}

void sq__hunt_free(sq__hunt_t *hunt) {
    sq__tape_free(&hunt->best);
    sq__record_free(&hunt->repeat);
    sq__memory_free(hunt->difference);
    sq__memory_free(hunt->found);
    sq__memory_free(hunt->other);
}
