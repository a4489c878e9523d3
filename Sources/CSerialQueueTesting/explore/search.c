#include "explore/search.h"

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

/* Changes `given` to the next schedule, after `last`, one that was run. False: there is none, or (*has_no_memory) no memory. */
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

/* Prepares the next run of SEARCH. False: there is none, or no memory. */
static bool next_search(sq__search_t *search, sq__run_t *run) {
    sq__chooser_t *chooser = &run->chooser;
    if (search->runs >= search->schedules) {
        return false;
    }
    if (search->strategy == SQ_EXPLORE_DEPTH_FIRST) {
        if (!depth_first_next(&search->first, &chooser->taken, &chooser->given, &search->has_no_memory)) {
            return false;
        }
        sq__chooser_begin(chooser, SQ__CHOOSES_USUAL, 0, 0);
        return true;
    }
    chooser->given.length = 0;
    search->own_seed = search->runs == 0 ? search->seed : sq__mix(search->own_seed + 0x9E3779B97F4A7C15u);
    sq__chooser_begin(chooser, search->strategy == SQ_EXPLORE_PCT ? SQ__CHOOSES_PRIORITY : SQ__CHOOSES_RANDOM,
                      search->own_seed * 0xD1342543DE82EF95u, search->depth);
    return true;
}

/* Prepares a run that replays the smallest failure. False: no memory, which search->has_no_memory says. */
static bool replay(sq__search_t *search, sq__run_t *run, bool is_recorded) {
    if (!sq__tape_copy(&run->chooser.given, &search->best)) {
        search->has_no_memory = true;
        return false;
    }
    sq__chooser_begin(&run->chooser, SQ__CHOOSES_USUAL, 0, 0);
    sq__record_begin(&run->record, is_recorded);
    return true;
}

/* Takes one run from the budget of the phase. False: none is left, or the time is over. */
static bool has_budget(sq__search_t *search) {
    if (search->budget == 0 || sq__clock_now() >= search->ends_at) {
        return false;
    }
    search->budget -= 1;
    return true;
}

/* Prepares a run of the smallest failure with the next chunk of its unusual decisions put back. False: no chunk is left (is_minimal), or no budget or
 * memory. */
static bool next_shrinking(sq__search_t *search, sq__run_t *run) {
    size_t unusual = sq__tape_unusual(&search->best), number = 0;
    if (search->at >= unusual) { /* the pass is over */
        if (search->chunk == 1 && !search->has_shrunk) {
            search->is_minimal = true;
            return false;
        }
        search->chunk = search->chunk > 1 ? (search->chunk + 1) / 2 : 1;
        search->at = 0;
        search->has_shrunk = false;
    }
    if (unusual == 0 || !has_budget(search) || !replay(search, run, false)) {
        search->is_minimal = unusual == 0;
        return false;
    }
    for (size_t i = 0; i < run->chooser.given.length; i += 1) {
        if (run->chooser.given.answers[i] != 0) {
            if (number >= search->at && number < search->at + search->chunk) {
                run->chooser.given.answers[i] = 0;
            }
            number += 1;
        }
    }
    return true;
}

/* Prepares a run with fewer unusual decisions. False: there is none, or no budget or memory. */
static bool next_minimising(sq__search_t *search, sq__run_t *run) {
    if (!has_budget(search)
        || !depth_first_next(&search->first, &run->chooser.taken, &run->chooser.given, &search->has_no_memory)) {
        return false;
    }
    sq__chooser_begin(&run->chooser, SQ__CHOOSES_USUAL, 0, 0);
    return true;
}

/* Begins a phase, with the budget and the time that it may take. */
static void begin_phase(sq__search_t *search, sq__search_phase_t phase) {
    size_t unusual = sq__tape_unusual(&search->best);
    search->phase = phase;
    search->ends_at = sq__clock_now() + longest;
    switch (phase) {
    case SQ__SEARCH_SHRINK:
        search->chunk = unusual > 1 ? (unusual + 1) / 2 : 1;
        search->at = 0;
        search->has_shrunk = false;
        search->budget = MOST_SHRINKING;
        break;
    case SQ__SEARCH_MINIMISE:
        /* With one less; if it has none, or one, it cannot be smaller, because shrinking tries the usual schedule first. */
        search->first = (sq__depth_first_t){ .most = unusual > 1 ? unusual - 1 : 0 };
        search->budget = unusual > 1 ? MOST_MINIMISING : 0;
        break;
    default:
        break;
    }
}

bool sq__search_next(sq__search_t *search, sq__run_t *run) {
    for (;;) {
        switch (search->phase) {
        case SQ__SEARCH_FIRST:
            if (next_search(search, run)) {
                return true;
            }
            begin_phase(search, SQ__SEARCH_OVER);
            break;
        case SQ__SEARCH_REPEAT:
            return replay(search, run, true);
        case SQ__SEARCH_SHRINK:
            if (next_shrinking(search, run)) {
                return true;
            }
            begin_phase(search, SQ__SEARCH_MINIMISE);
            break;
        case SQ__SEARCH_MINIMISE:
            if (next_minimising(search, run)) {
                return true;
            }
            begin_phase(search, SQ__SEARCH_DRAW);
            break;
        case SQ__SEARCH_DRAW:
            return replay(search, run, true);
        default:
            return false;
        }
    }
}

/* Seeing */

static void keep(sq__search_t *search, sq__run_t *run) {
    search->has_no_memory |= run->chooser.has_no_memory || !sq__tape_copy(&search->best, &run->chooser.taken);
    sq__tape_trim(&search->best);
}

/* A run of SEARCH: if it has failed, it is kept as the smallest failure, and REPEAT begins. */
static void see_search(sq__search_t *search, sq__run_t *run) {
    bool is_first = search->strategy == SQ_EXPLORE_DEPTH_FIRST;
    bool is_new = !is_first || sq__tape_unusual(&run->chooser.taken) == search->first.unusual;
    if (is_first && is_new) {
        sq__extent_add(&search->extent, &run->chooser.taken, search->first.most);
    }
    if (run->has_failed) {
        search->has_failed = true;
        search->found = run->failure != NULL ? sq__copy_text(run->failure) : NULL;
        search->found_choices = run->chooser.taken.length;
        keep(search, run);
        run->found = search->found;
        run->found_tape = &search->best;
        begin_phase(search, SQ__SEARCH_REPEAT);
    }
    search->runs += is_new;
}

/* Whether it has failed, and for the reason that was found. Keeps the first other message. */
static bool fails_alike(sq__search_t *search, const sq__run_t *run) {
    if (!run->has_failed || sq__reason(run->failure) == sq__reason(search->found)) {
        return run->has_failed;
    }
    if (search->other == NULL && run->failure != NULL) {
        search->other = sq__copy_text(run->failure);
    }
    return false;
}

/* What is different, in words. */
static void note_difference(sq__search_t *search, const sq__run_t *run) {
    size_t at = sq__record_difference(&search->repeat, &run->record);
    const sq__event_t *one = at < search->repeat.event_count ? &search->repeat.events[at] : NULL;
    const sq__event_t *other = at < run->record.event_count ? &run->record.events[at] : NULL;
    if (one == NULL && other == NULL) {
        search->difference = sq__copy_text("it failed once, but not in this way when the same schedule was run again; all its steps were the same");
        return;
    }
    size_t number = other != NULL ? other->column : 0;
    const char *column = number < run->record.column_count ? run->record.columns[number].label : NULL;
    search->difference = sq__format_text("step %zu was not under control (%s): \"%s\" when it was repeated first, \"%s\" then", at + 1,
                                       column != NULL ? column : "?", one != NULL && one->text != NULL ? one->text : "nothing",
                                       other != NULL && other->text != NULL ? other->text : "nothing");
}

/* A run of REPEAT. The first one is kept; after the second SHRINK begins if both have failed alike, with the same events, else the search ends. */
static void see_repeat(sq__search_t *search, sq__run_t *run) {
    search->repeats += 1;
    if (search->repeats == 1) {
        sq__record_t empty = search->repeat;
        search->repeat = run->record;
        run->record = empty;
        search->is_repeatable = fails_alike(search, run);
        return;
    }
    size_t same = sq__record_difference(&search->repeat, &run->record);
    search->is_repeatable &= fails_alike(search, run) && same == search->repeat.event_count && same == run->record.event_count;
    if (search->is_repeatable) {
        begin_phase(search, SQ__SEARCH_SHRINK);
    } else {
        note_difference(search, run);
        begin_phase(search, SQ__SEARCH_OVER);
    }
}

/* A run of SHRINK: a smaller failure is kept; else the next chunk is tried. */
static void see_shrinking(sq__search_t *search, sq__run_t *run) {
    if (fails_alike(search, run) && sq__tape_unusual(&run->chooser.taken) < sq__tape_unusual(&search->best)) {
        search->has_shrunk = true;
        keep(search, run); /* the next chunk now begins at the same number */
    } else {
        search->at += search->chunk;
    }
}

/* The run of DRAW, or the replay of a tape, which the result is about. */
static void see_drawing(sq__search_t *search, sq__run_t *run) {
    if (search->is_replay) {
        search->has_failed = search->is_repeatable = run->has_failed;
    } else if (!fails_alike(search, run)) {
        search->is_repeatable = false;
        search->difference = sq__copy_text("it failed three times, but not in this way when its schedule was drawn");
    }
}

void sq__search_see(sq__search_t *search, sq__run_t *run) {
    switch (search->phase) {
    case SQ__SEARCH_FIRST:
        see_search(search, run);
        break;
    case SQ__SEARCH_REPEAT:
        see_repeat(search, run);
        break;
    case SQ__SEARCH_SHRINK:
        see_shrinking(search, run);
        break;
    case SQ__SEARCH_MINIMISE:
        if (fails_alike(search, run)) { /* the first one is the smallest; a single unusual decision less is a failure, too: all matter */
            keep(search, run);
            search->is_minimal = true;
            begin_phase(search, SQ__SEARCH_DRAW);
        }
        break;
    default:
        see_drawing(search, run);
        search->phase = SQ__SEARCH_OVER;
        break;
    }
}

void sq__search_free(sq__search_t *search) {
    sq__tape_free(&search->best);
    sq__record_free(&search->repeat);
    sq__memory_free(search->difference);
    sq__memory_free(search->found);
    sq__memory_free(search->other);
}
