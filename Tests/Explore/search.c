/* search.c: running schedules, shrinking what fails.
 *
 * DESIGN. A tape is shrunk by setting parts of it to 0, first large ones, then single choices, as long as the same failure
 * occurs. What remains are the choices that matter: which thread is interrupted where. They are printed with their positions on
 * the tape, "12:1,40:2"; all others are 0. */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static ex_result_t result;
static char first_words[40];

double search_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char *allowed_prints(const scenario_t *scenario, ex_memory_t memory) {
    const char *allowed = NULL;
    for (unsigned i = 0; i <= (unsigned)memory; i += 1) {
        allowed = scenario->prints[i] != NULL ? scenario->prints[i] : allowed;
    }
    return allowed;
}

/* The place of the word in the list, or -1. */
static int place_in(const char *list, const char *word) {
    size_t length = strlen(word);
    for (int place = 0; *list != '\0'; place += 1) {
        size_t next = strcspn(list, " ");
        if (next == length && strncmp(list, word, length) == 0) {
            return place;
        }
        list += next + (list[next] == ' ');
    }
    return -1;
}

const char *search_missing(const scenario_t *scenario, ex_memory_t memory, const search_outcome_t *outcome) {
    static char missing[32];
    const char *allowed = allowed_prints(scenario, memory);
    for (int place = 0; allowed != NULL && *allowed != '\0'; place += 1) {
        size_t length = strcspn(allowed, " ");
        if (!outcome->printed[place]) {
            snprintf(missing, sizeof missing, "%.*s", (int)length, allowed);
            return missing;
        }
        allowed += length + (allowed[length] == ' ');
    }
    return NULL;
}

/* One run; what it prints is part of whether it fails. */
static bool run_once(const scenario_t *scenario, search_outcome_t *outcome) {
    ex_run(scenario_body, &result);
    const char *allowed = ex_reducing && ex_reduce_is_redundant() ? NULL : allowed_prints(scenario, ex_setting.memory);
    if (!result.failed && allowed != NULL) {
        int place = place_in(allowed, stage_printed());
        if (place < 0) {
            result.failed = true;
            snprintf(result.message, sizeof result.message, "it prints %s, which is not among %s", stage_printed(), allowed);
        } else if (outcome != NULL) {
            outcome->printed[place] = true;
        }
    }
    return !result.failed;
}

static bool fails_alike(const scenario_t *scenario, const uint8_t *tape, unsigned length) {
    ex_choice_replay(tape, length);
    return !run_once(scenario, NULL) && strncmp(result.message, first_words, strlen(first_words)) == 0;
}

static void shrink(const scenario_t *scenario, uint8_t *tape, unsigned length) {
    static uint8_t attempt[EX_TAPE];
    for (bool again = true; again;) {
        again = false;
        for (unsigned width = length; width > 0; width /= 2) {
            for (unsigned from = 0; from < length; from += width) {
                unsigned count = from + width < length ? width : length - from;
                bool any = false;
                for (unsigned i = from; i < from + count; i += 1) {
                    any = any || tape[i] != 0;
                }
                memcpy(attempt, tape, length);
                memset(attempt + from, 0, count);
                if (any && fails_alike(scenario, attempt, length)) {
                    memcpy(tape, attempt, length);
                    again = true;
                }
            }
        }
    }
}

static unsigned print_tape(const uint8_t *tape, unsigned length, bool loud) {
    unsigned choices = 0;
    for (unsigned i = 0; i < length; i += 1) {
        if (tape[i] != 0) {
            if (loud) {
                printf("%s%u:%u", choices > 0 ? "," : "", i, tape[i]);
            }
            choices += 1;
        }
    }
    if (loud) {
        printf("%s\n", choices > 0 ? "" : "-");
    }
    return choices;
}

static void print_failure(const scenario_t *scenario) {
    printf("\n%s, %s memory: %s\n", scenario->name, ex_memory_names[ex_setting.memory], result.message);
    printf("  guards: %s\n  program: %s\n", scenario->guards, scenario->body != NULL ? "(C code)" : scenario_program());
    ex_trace_print();
}

/* A reduced search has no tape: the same search comes to the same failure. */
static void report_whole(const scenario_t *scenario, bool loud, uint64_t schedules) {
    if (loud) {
        ex_load_symbols();
        ex_tracing = true;
        ex_trace_begin();
        ex_reduce_again();
        run_once(scenario, NULL);
        ex_tracing = false;
        print_failure(scenario);
        printf("  replay: SCENARIO=%s MEMORY=%s SEARCH=%s, schedule %llu\n", scenario->name, ex_memory_names[ex_setting.memory],
               ex_search_names[ex_setting.has_warm_workers ? EX_WARM : EX_WHOLE], (unsigned long long)schedules + 1);
    }
}

static void report(const scenario_t *scenario, uint64_t seed, bool loud, search_outcome_t *outcome) {
    static uint8_t tape[EX_TAPE];
    unsigned length;
    const uint8_t *from = ex_tape(&length);
    memcpy(tape, from, length);
    outcome->failed = true;
    snprintf(outcome->message, sizeof outcome->message, "%s", result.message);
    if (ex_reducing) {
        report_whole(scenario, loud, outcome->schedules);
        return;
    }
    snprintf(first_words, sizeof first_words, "%.18s", result.message);
    shrink(scenario, tape, length);
    if (loud) {
        ex_load_symbols();
        ex_tracing = true;
        ex_trace_begin();
        fails_alike(scenario, tape, length);
        ex_tracing = false;
        snprintf(outcome->message, sizeof outcome->message, "%s", result.message);
        print_failure(scenario);
        printf("  replay: SCENARIO=%s MEMORY=%s SEED=%llu TAPE=", scenario->name, ex_memory_names[ex_setting.memory],
               (unsigned long long)seed);
    }
    outcome->choices = print_tape(tape, length, loud);
}

/* Two runs of a reduced search differ in the order of dependent steps, or in a value. */
static bool is_new(bool is_first) {
    enum { MOST = 1 << 18 };
    static uint64_t hashes[MOST];
    static unsigned count;
    if (is_first) {
        memset(hashes, 0, sizeof hashes);
        count = 0;
    }
    const uint64_t hash = ex_reduce_hash();
    unsigned at = (unsigned)(hash >> 16) % MOST;
    while (hashes[at] != 0 && hashes[at] != hash) {
        at = (at + 1) % MOST;
    }
    if (hashes[at] == hash) {
        return false;
    }
    if (++count < MOST / 2) { /* of more it remembers the first ones */
        hashes[at] = hash;
    }
    return true;
}

static void begin_choices(ex_search_t search, uint64_t seed) {
    if (search_is_whole(search)) {
        static const uint8_t none[1];
        ex_choice_replay(none, 0);
    } else if (search == EX_DFS) {
        ex_choice_dfs();
    } else if (search == EX_PCT) {
        ex_choice_pct(seed);
    } else {
        ex_choice_random(seed);
    }
}

void search_run(const scenario_t *scenario, ex_memory_t memory, ex_search_t search, uint64_t seed, uint64_t limit, bool loud,
                search_outcome_t *outcome) {
    static const unsigned usual[EX_COSTS] = { 0, 2, 1, 1 };
    unsigned bound[EX_COSTS], given = 0;
    for (unsigned i = 0; i < EX_COSTS; i += 1) {
        bound[i] = scenario->bound[i];
        given += bound[i];
    }
    memset(outcome, 0, sizeof *outcome);
    ex_setting = (ex_setting_t){ .memory = memory, .faults = scenario->faults, .lists_threads = scenario->lists_threads, .spares = scenario->spares, .has_shards = scenario->has_shards };
    ex_choice_dfs_begin(given > 0 ? bound : usual);
    ex_reducing = search_is_whole(search);
    ex_reduce_begin();
    ex_setting.looks_twice = scenario->looks_twice;
    ex_setting.is_warm = ex_reducing && !scenario->is_cold && !scenario->faults && !scenario->lists_threads;
    ex_setting.has_warm_workers = search == EX_WARM;
    const ex_setting_t setting = ex_setting;
    double begin = search_now();
    bool more = true;
    for (; more && outcome->schedules < limit && !outcome->failed; outcome->schedules += 1) {
        uint64_t program = seed / 16; /* a random program is tried under some seeds before the next one */
        scenario_prepare(scenario, program);
        ex_setting = setting; /* a run that is abandoned leaves it as it is */
        ex_setting.no_wait_ends_early = setting.has_warm_workers && !scenario_may_have_deadlines();
        begin_choices(search, seed);
        if (!run_once(scenario, outcome)) {
            report(scenario, program, loud, outcome);
        }
        outcome->steps += result.steps;
        outcome->redundant += ex_reducing && ex_reduce_is_redundant();
        outcome->again += ex_reducing && !result.failed && !ex_reduce_is_redundant() && !is_new(outcome->schedules == 0);
        more = ex_reducing ? !ex_reduce_was_too_long() && ex_reduce_next() : search != EX_DFS || ex_choice_dfs_next();
        seed += search != EX_DFS && !ex_reducing;
    }
    ex_reducing = false;
    outcome->complete = (search == EX_DFS || search_is_whole(search)) && !more && !ex_reduce_was_too_long();
    outcome->seconds = search_now() - begin;
}

bool search_replay(const scenario_t *scenario, ex_memory_t memory, uint64_t seed, const char *text) {
    static uint8_t tape[EX_TAPE];
    unsigned length = 0;
    for (const char *at = text; *at >= '0' && *at <= '9';) {
        char *end;
        unsigned place = (unsigned)strtoul(at, &end, 10);
        unsigned value = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
        if (place < EX_TAPE) {
            tape[place] = (uint8_t)value;
            length = place + 1 > length ? place + 1 : length;
        }
        at = end + (*end == ',');
    }
    ex_setting = (ex_setting_t){ .memory = memory, .faults = scenario->faults, .lists_threads = scenario->lists_threads, .spares = scenario->spares, .has_shards = scenario->has_shards };
    scenario_prepare(scenario, seed);
    ex_choice_replay(tape, length);
    run_once(scenario, NULL);
    uint64_t hash = result.hash;
    ex_load_symbols();
    ex_tracing = true;
    ex_trace_begin();
    ex_choice_replay(tape, length);
    run_once(scenario, NULL);
    ex_tracing = false;
    ex_trace_print();
    printf("%s\n", result.failed ? result.message : "no failure");
    return hash == result.hash;
}
