/* explore.c: the calls of an exploration, from its creation to its result. */
#include "explore/explored_run.h"
#include "include/sq_explore.h"
#include "include/sq_explore_private.h"

#include "explore/search.h"
#include "explore/report.h"
#include "explore/result.h"
#include "explore/summary.h"
#include "explore/trap.h"
#include "platform/message.h"
#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The thread of the exploration uses all fields; `notes` is also used by the thread of a run that has control. */
struct sq_exploration {
    sq__run_t run;
    sq__search_t search;
    char *name;
    int error;            /* ENOMEM: it could not be continued */
    char notes[1024];     /* of this run */
    bool shows_progress, is_on_terminal;
    uint64_t began, shown; /* when; nanoseconds */
    uint64_t runs;
    bool watches_faults;
    bool is_again;         /* the next run is the last one again, with helpers */
};

/* Options */

static bool is_name(const char *name) { return name != NULL && name[0] != '\0' && strpbrk(name, "/ \t\n'") == NULL; }

/* The option's seed, else that of the environment, else 1. */
static uint64_t seed_of(const sq_explore_options_t *options) {
    const char *text = sq__environment("SQ_SEED");
    uint64_t seed = options->seed;
    if (seed == 0 && text != NULL) {
        seed = strtoull(text, NULL, 0);
    }
    return seed != 0 ? seed : 1;
}

/* No more than the environment permits. */
static void limit_schedules(sq__search_t *search, const sq_explore_options_t *options) {
    const char *text = sq__environment("SQ_SCHEDULES");
    uint64_t schedules = options->schedules != 0 ? options->schedules : 1000, most = text != NULL ? strtoull(text, NULL, 0) : 0;
    search->is_limited = most != 0 && most < schedules;
    search->schedules = search->is_limited ? most : schedules;
}

/* The tape to replay: the option's, else the environment's if it is of this test. NULL: none. */
static const char *tape_for(const sq_exploration_t *exploration, const sq_explore_options_t *options) {
    static SQ__ATOMIC(bool) is_said;
    const char *text = options->tape != NULL ? options->tape : sq__environment("SQ_TAPE");
    if (text == NULL || text[0] == '\0') {
        return NULL;
    }
    const char *end = strchr(text, '/');
    if (options->tape != NULL || end == NULL || sq__tape_is_of(text, exploration->name)) {
        return text;
    }
    /* A program has many tests, and a tape is of one of them. */
    if (!sq__exchange_relaxed(&is_said, true)) {
        fprintf(stderr, "sq_explore: SQ_TAPE is of the test \"%.*s\", and has no effect on others, such as \"%s\".\n", (int)(end - text),
                text, exploration->name);
    }
    return NULL;
}

/* Reads the tape to replay into search.best. Returns 0, also if there is none; ENOMEM; or EINVAL, with a message in *explored. */
static int read_tape(sq_exploration_t *exploration, const sq_explore_options_t *options, sq_explored_t *explored) {
    const char *text = tape_for(exploration, options), *reason = NULL;
    if (text == NULL) {
        return 0;
    }
    int error = sq__tape_read(&exploration->search.best, text, exploration->name, &reason);
    if (error == EINVAL) {
        char *message = sq__format_text("%s: the tape %s: %s", exploration->name, reason, text);
        sq__result_say(explored, message != NULL ? message : reason);
        sq__memory_free(message);
    }
    exploration->search.is_replay = true;
    exploration->search.phase = SQ__SEARCH_DRAW;
    return error;
}

/* Fills in a zeroed exploration. Returns 0, ENOMEM or EINVAL: then `destroy` frees what there is. */
static int prepare(sq_exploration_t *exploration, const sq_explore_options_t *options, sq_explored_t *explored) {
    sq__search_t *search = &exploration->search;
    exploration->name = sq__copy_text(options->name);
    if (exploration->name == NULL) {
        return ENOMEM;
    }
    search->strategy = options->strategy;
    limit_schedules(search, options);
    search->seed = seed_of(options);
    search->depth = options->depth != 0 ? options->depth : 3;
    search->first.most = options->depth != 0 ? options->depth : SIZE_MAX;
    exploration->run.most_steps = options->steps != 0 ? options->steps : 100000;
    exploration->is_on_terminal = sq__report_is_on_terminal();
    exploration->shows_progress = options->shows_progress || exploration->is_on_terminal;
    exploration->began = exploration->shown = sq__clock_now();
    return read_tape(exploration, options, explored);
}

/* Frees an exploration, between two runs. */
static void destroy(sq_exploration_t *exploration) {
    if (exploration->watches_faults) {
        sq__fault_unwatch();
    }
    sq__run_free(&exploration->run);
    sq__search_free(&exploration->search);
    sq__memory_free(exploration->name);
    sq__memory_free(exploration);
}

sq_exploration_t *sq_exploration_create(const sq_explore_options_t *options, sq_explored_t *explored) {
    if (options->size != sizeof *options || options->strategy > SQ_EXPLORE_DEPTH_FIRST
        || !sq__result_fits(explored)) {
        errno = EINVAL;
        return NULL;
    }
    if (!is_name(options->name)) {
        sq__result_say(explored, "sq_explore: the test's name is empty, or has a blank, a slash or an apostrophe, so no tape could begin with it.");
        errno = EINVAL;
        return NULL;
    }
    sq_exploration_t *exploration = sq__memory_zeroed(sizeof *exploration);
    if (exploration == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    int error = prepare(exploration, options, explored);
    if (error) {
        destroy(exploration);
        errno = error;
        return NULL;
    }
    exploration->watches_faults = sq__fault_watch(sq__explore_trapped);
    return exploration;
}

/* Runs */

enum { CAREFUL = 8 }; /* so many of the first runs use helpers, to find out whether tasks wait */

static const uint64_t second = 1000000000;

/* Writes the progress to stderr, if it is to be shown, at most once a second. */
static void show_progress(sq_exploration_t *exploration) {
    uint64_t now = exploration->shows_progress && exploration->runs % 64 == 0 ? sq__clock_now() : 0;
    if (now < exploration->shown + second) {
        return;
    }
    exploration->shown = now;
    fprintf(stderr, exploration->is_on_terminal ? "\r%s: %llu of %llu schedules, %llu per second\033[K"
                                                : "%s: %llu of %llu schedules, %llu per second\n",
            exploration->name, (unsigned long long)exploration->search.runs, (unsigned long long)exploration->search.schedules,
            (unsigned long long)(exploration->runs * second / (now - exploration->began)));
}

sq_pool_t *sq_exploration_begin_run(sq_exploration_t *exploration) {
    show_progress(exploration);
    if (exploration->error != 0) {
        return NULL;
    }
    if (exploration->is_again) {
        sq__chooser_begin_again(&exploration->run.chooser);
        sq__record_begin(&exploration->run.record, exploration->run.record.is_on);
    } else if (!sq__search_next(&exploration->search, &exploration->run)) {
        return NULL;
    }
    exploration->run.uses_helpers = exploration->run.has_waited || exploration->runs < CAREFUL;
    exploration->notes[0] = '\0';
    exploration->error = sq__run_begin(&exploration->run, exploration->name);
    exploration->runs += 1;
    return exploration->error == 0 ? exploration->run.pool : NULL;
}

bool sq_exploration_step(sq_exploration_t *exploration, bool moves_clock) {
    return sq__run_step(&exploration->run, moves_clock);
}

bool sq__explore_is_endless(const sq_exploration_t *exploration) { return exploration->run.is_endless; }

bool sq_exploration_end_run(sq_exploration_t *exploration, const char *failure) {
    sq__run_t *run = &exploration->run;
    if (failure != NULL) {
        sq__run_fail(run, failure);
    }
    sq__run_end(run);
    bool passed = !run->has_failed;
    /* Without helpers sq_pool_run cannot return before the task that waits, and the test might have ended that wait. */
    exploration->is_again = !passed && run->has_waited && !run->uses_helpers;
    if (!exploration->is_again) {
        sq__search_see(&exploration->search, run);
    }
    return passed;
}

void sq_exploration_note(sq_exploration_t *exploration, bool is_outside, const char *note) {
    if (is_outside) {
        sq__mutex_lock(&sq__run_hosted(&exploration->run)->lock);
        sq__run_outside(&exploration->run, "%s", note);
        sq__mutex_unlock(&sq__run_hosted(&exploration->run)->lock);
        return;
    }
    size_t used = strlen(exploration->notes);
    snprintf(exploration->notes + used, sizeof exploration->notes - used, "  note      %s\n", note);
}

/* The end */

/* Fills in the part of the result about a failure, after the last run. What there is no memory for is NULL. */
static void describe_failure(sq_exploration_t *exploration, sq_explored_t *explored) {
    const sq__search_t *search = &exploration->search;
    bool is_drawn = search->is_replay || search->is_repeatable; /* with values of its own in the message */
    const char *message = is_drawn ? exploration->run.failure : search->found;
    message = message != NULL ? message : "no memory for its message";
    char *tape = sq__tape_write(&search->best, exploration->name);
    explored->has_failed = true;
    explored->is_repeatable = search->is_repeatable;
    explored->seed = search->strategy == SQ_EXPLORE_DEPTH_FIRST || search->is_replay ? search->seed : search->own_seed;
    explored->choices = search->is_replay ? exploration->run.chooser.taken.length : search->found_choices;
    explored->choices_that_matter = sq__tape_unusual(&search->best);
    sq__result_set_text(&explored->message, message);
    sq__memory_free(explored->tape);
    explored->tape = tape;
    sq__memory_free(explored->report);
    explored->report = sq__report_write(search, &exploration->run, &(sq__finding_t){ .name = exploration->name, .message = message,
                                                                                  .tape = tape, .notes = exploration->notes });
}

/* In place of the progress that it has shown. */
static void show_summary(const sq_exploration_t *exploration) {
    char *summary = sq__summary_write(&exploration->search, exploration->name);
    fputs(summary != NULL ? summary : "", stderr);
    sq__memory_free(summary);
}

int sq_exploration_finish(sq_exploration_t *exploration, sq_explored_t *result) {
    sq_explored_t own = SQ_EXPLORED_INIT, *explored = result != NULL ? result : &own;
    int error = exploration->error != 0 || exploration->search.has_no_memory ? ENOMEM : exploration->search.has_failed ? EILSEQ : 0;
    bool has_shown = exploration->shown != exploration->began;
    if (exploration->is_on_terminal && has_shown) {
        fputs("\r\033[K", stderr);
    }
    sq__result_count(explored, &exploration->search, exploration->name);
    if (exploration->search.has_failed) {
        describe_failure(exploration, explored);
    } else if (error == 0 && has_shown) {
        show_summary(exploration);
    }
    if (result == NULL) {
        if (own.report != NULL) {
            fputs(own.report, stderr);
        }
        sq_explored_clear(&own);
    }
    destroy(exploration);
    return error;
}

/* The loop */

int sq_explore(const sq_explore_options_t *given, void (*test)(sq_pool_t *pool, void *context), void *context,
               sq_explored_t *explored) {
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    sq__functions_t functions = { 0 };
    if (sq__run_thread() != NULL) {
        return EALREADY;
    }
    if (given != NULL && given->size == sizeof options) {
        options = *given;
    } else if (given != NULL) {
        return EINVAL;
    }
    if (options.name == NULL) {
        options.name = sq__functions_name(&functions, (uintptr_t)test);
    }
    sq_exploration_t *exploration = sq_exploration_create(&options, explored);
    sq__functions_free(&functions);
    if (exploration == NULL) {
        return errno;
    }
    sq_pool_t *pool;
    while ((pool = sq_exploration_begin_run(exploration)) != NULL) {
        test(pool, context);
        (void)sq_exploration_end_run(exploration, NULL);
    }
    return sq_exploration_finish(exploration, explored);
}
