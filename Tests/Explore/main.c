/* main.c: the scenarios under their searches, and the table of what came of it.
 *
 * explore [PART PARTS]                 everything, or each PARTS-th scenario from PART on, or SCENARIO alone; see README.md
 * explore list                         the names of the scenarios
 * explore cells                        the kinds of queues and runners, and which actions have a scenario there; 1: one has neither scenarios nor a reason
 * explore kinds                        of each scenario its group, and whether it is small
 * explore one SCENARIO                 its rows of the table, without a heading
 * explore find SCENARIO,... MEMORY LIMIT   a seeded bug: 0 if one of the searches fails within LIMIT schedules */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many schedules of a scenario, a memory and a search the full set has: 10^8 and more in all. The short set has a fixed number
 * of schedules in all: more scenarios do not make it longer. */
enum { MANY_RANDOM = 37000, MANY_DEPTH_FIRST = 55000, MANY_WHOLE = 20000, MANY_WARM = 30000, MORE_FOR_MIXES = 4, QUICK_IN_ALL = 1500000, FOR_ALL_OUTPUTS = 5000 };

static unsigned passed, failed;
static uint64_t total;

static const scenario_t *find(const char *name) {
    for (unsigned group = 0; scenario_groups[group] != NULL; group += 1) {
        for (const scenario_t *one = scenario_groups[group]; one->name != NULL; one += 1) {
            if (strcmp(one->name, name) == 0) {
                return one;
            }
        }
    }
    fprintf(stderr, "there is no scenario \"%s\"\n", name);
    exit(2);
}

static ex_memory_t memory_called(const char *name) {
    for (ex_memory_t memory = 0; memory < EX_MEMORIES; memory += 1) {
        if (strcmp(ex_memory_names[memory], name) == 0) {
            return memory;
        }
    }
    fprintf(stderr, "MEMORY is sc, tso or ra, not \"%s\"\n", name);
    exit(2);
}

static uint64_t number(const char *variable, uint64_t otherwise) {
    const char *text = getenv(variable);
    return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 0) : otherwise;
}

static void row(const scenario_t *scenario, ex_memory_t memory, ex_search_t search, const search_outcome_t *outcome, const char *verdict) {
    printf("%-24s %-4s %-7s %10llu %5.0f %7.2f  %s\n", scenario->name, ex_memory_names[memory], ex_search_names[search],
           (unsigned long long)outcome->schedules, (double)outcome->steps / (double)(outcome->schedules + !outcome->schedules),
           outcome->seconds, verdict);
    fflush(stdout);
}

/* Returns whether it is complete. What the searches before this one have printed, `came`, counts for the last one, the random search. */
static bool run_search(const scenario_t *scenario, ex_memory_t memory, ex_search_t search, uint64_t limit, bool came[OUTPUTS]) {
    search_outcome_t outcome;
    char verdict[700];
    search_run(scenario, memory, search, number("SEED", 1), limit, true, &outcome);
    for (unsigned i = 0; i < OUTPUTS; i += 1) {
        came[i] = came[i] || outcome.printed[i];
        outcome.printed[i] = outcome.complete ? outcome.printed[i] : came[i];
    }
    const char *missing = outcome.complete || search == EX_RANDOM ? search_missing(scenario, memory, &outcome) : NULL;
    bool good = !outcome.failed && missing == NULL && outcome.again == 0;
    outcome.schedules -= outcome.complete ? outcome.redundant : 0;
    if (outcome.failed) {
        snprintf(verdict, sizeof verdict, "FAILED: %s", outcome.message);
    } else if (outcome.again > 0) {
        snprintf(verdict, sizeof verdict, "FAILED: the explorer itself: %llu schedules are equivalent to others", (unsigned long long)outcome.again);
    } else if (missing != NULL) {
        snprintf(verdict, sizeof verdict, "FAILED: %s never came", missing);
    } else {
        snprintf(verdict, sizeof verdict, "passed%s", search != EX_DFS && !search_is_whole(search) ? "" : outcome.complete ? ", complete" : ", cut");
    }
    row(scenario, memory, search, &outcome, verdict);
    passed += good;
    failed += !good;
    total += outcome.schedules;
    return outcome.complete;
}

/* SEARCH=whole: the searches without a bound, the warm one where the other one is cut. SEARCH=warm: the warm one. */
static bool is_wanted_search(ex_search_t search) {
    const char *only = getenv("SEARCH");
    bool is_whole = only != NULL && strcmp(only, ex_search_names[EX_WHOLE]) == 0, is_warm = only != NULL && strcmp(only, ex_search_names[EX_WARM]) == 0;
    return search == EX_WHOLE ? is_whole : (search == EX_WARM) == (is_whole || is_warm);
}

/* Under release/acquire there are at least as many schedules: it is tried where the search without it is complete. */
static void run_whole(const scenario_t *scenario, const char *only_memory) {
    const unsigned failed_before = failed;
    bool more = true;
    for (ex_memory_t memory = EX_SC; memory < EX_MEMORIES && more; memory += EX_RA - EX_SC) {
        if (only_memory != NULL && memory_called(only_memory) != memory) {
            continue;
        }
        more = false;
        for (ex_search_t search = EX_WHOLE; search <= EX_WARM && !more && failed == failed_before; search += 1) {
            bool came[OUTPUTS] = { false };
            uint64_t most = search == EX_WARM ? number("WARM_SCHEDULES", MANY_WARM) : number("SCHEDULES", MANY_WHOLE);
            more = is_wanted_search(search) && run_search(scenario, memory, search, most, came);
        }
    }
}

static bool is_mix(const scenario_t *scenario) {
    return scenario->program != NULL && strncmp(scenario->program, "mix ", 4) == 0;
}

static void run_scenario(const scenario_t *scenario, uint64_t random, uint64_t depth_first) {
    const char *only = getenv("MEMORY");
    only = only != NULL && only[0] != '\0' ? only : NULL;
    if (is_wanted_search(EX_WARM)) {
        if (!is_mix(scenario)) {
            run_whole(scenario, only);
        }
        return;
    }
    for (ex_memory_t memory = 0; memory < EX_MEMORIES; memory += 1) {
        if (only != NULL && memory_called(only) != memory) {
            continue;
        }
        bool came[OUTPUTS] = { false };
        if (!is_mix(scenario)) {
            run_search(scenario, memory, EX_DFS, depth_first, came);
        }
        /* Each output that is expected must come: a handful of schedules would not do. */
        random = scenario->prints[0] != NULL && random < FOR_ALL_OUTPUTS ? FOR_ALL_OUTPUTS : random;
        run_search(scenario, memory, EX_PCT, random, came);
        run_search(scenario, memory, EX_RANDOM, random, came);
    }
}

/* Equal tapes, equal traces: checked on one run of each scenario. */
static bool replays_alike(const scenario_t *scenario) {
    static uint8_t tape[EX_TAPE];
    ex_result_t first, second;
    unsigned length;
    ex_setting = (ex_setting_t){ .memory = EX_RA, .faults = scenario->faults, .lists_threads = scenario->lists_threads, .spares = scenario->spares, .has_shards = scenario->has_shards };
    scenario_prepare(scenario, 3);
    ex_choice_random(5);
    ex_run(scenario_body, &first);
    const uint8_t *from = ex_tape(&length);
    memcpy(tape, from, length);
    ex_choice_replay(tape, length);
    ex_run(scenario_body, &second);
    return first.hash == second.hash && first.steps == second.steps;
}

static unsigned count_scenarios(void) {
    unsigned count = 0;
    for (unsigned group = 0; scenario_groups[group] != NULL; group += 1) {
        for (const scenario_t *one = scenario_groups[group]; one->name != NULL; one += 1) {
            count += 1;
        }
    }
    return count;
}

/* FRACTION=10 makes a tenth of the full numbers. A random program costs nothing to make, and there are many of them. */
static void run_as_asked(const scenario_t *scenario) {
    bool quick = number("QUICK", 0) != 0;
    uint64_t fraction = number("FRACTION", 1), share = QUICK_IN_ALL / (count_scenarios() * EX_MEMORIES);
    uint64_t random = quick ? share / 5 : MANY_RANDOM / fraction, depth_first = quick ? share * 3 / 5 : MANY_DEPTH_FIRST / fraction;
    if (!quick && is_mix(scenario)) {
        random *= MORE_FOR_MIXES;
    }
    run_scenario(scenario, number("SCHEDULES", random), number("SCHEDULES", depth_first));
}

static int end_of_rows(unsigned alike, unsigned scenarios) {
    passed += alike == scenarios;
    failed += alike != scenarios;
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}

static void print_heading(void) {
    printf("%-24s %-4s %-7s %10s %5s %7s  result\n", "scenario", "mem", "search", "schedules", "steps", "seconds");
}

static int list(void) {
    for (unsigned group = 0; scenario_groups[group] != NULL; group += 1) {
        for (const scenario_t *one = scenario_groups[group]; one->name != NULL; one += 1) {
            printf("%s\n", one->name);
        }
    }
    return 0;
}

/* Small: two threads, or three with one call each. */
static int list_kinds(void) {
    for (unsigned group = 0; scenario_groups[group] != NULL; group += 1) {
        for (const scenario_t *one = scenario_groups[group]; one->name != NULL; one += 1) {
            scenario_prepare(one, 1);
            if (!is_mix(one)) {
                printf("%s %s%s\n", one->name, scenario_group_names[group], scenario_is_small(one) ? " small" : "");
            }
        }
    }
    return 0;
}

static int run_all(unsigned part, unsigned parts) {
    const char *name = getenv("SCENARIO");
    unsigned alike = 0, scenarios = 0, number_of_it = 0;
    double begin = search_now();
    print_heading();
    for (unsigned group = 0; scenario_groups[group] != NULL; group += 1) {
        for (const scenario_t *one = scenario_groups[group]; one->name != NULL; one += 1) {
            bool is_wanted = name == NULL || name[0] == '\0' || strcmp(name, one->name) == 0;
            if (is_wanted && number_of_it++ % parts == part) {
                run_as_asked(one);
                alike += replays_alike(one);
                scenarios += 1;
            }
        }
    }
    if (scenarios == 0) {
        find(name);
    }
    printf("%-24s %u of %u scenarios\n", "equal tapes, equal traces", alike, scenarios);
    printf("%llu schedules of %u scenarios in %.0f s\n", (unsigned long long)total, scenarios, search_now() - begin);
    return end_of_rows(alike, scenarios);
}

static int run_one(const char *name) {
    const scenario_t *scenario = find(name);
    run_as_asked(scenario);
    return end_of_rows(replays_alike(scenario), 1);
}

static int find_bug(const char *name, const char *memory, uint64_t limit) {
    static const ex_search_t searches[] = { EX_PCT, EX_RANDOM, EX_DFS, EX_WHOLE, EX_WARM };
    bool is_done = false;
    for (unsigned i = 0; i < sizeof searches / sizeof searches[0] && !is_done; i += 1) {
        search_outcome_t outcome;
        if (!is_wanted_search(searches[i])) {
            continue;
        }
        search_run(find(name), memory_called(memory), searches[i], 1, limit, false, &outcome);
        if (outcome.failed) {
            printf("%s: found by %s after %llu schedules, %u choices: %s\n", name, ex_search_names[searches[i]],
                   (unsigned long long)outcome.schedules, outcome.choices, outcome.message);
            return 0;
        }
        if (outcome.complete) {
            printf("%s: all %llu schedules pass; ", name, (unsigned long long)outcome.schedules);
            is_done = search_is_whole(searches[i]);
        }
    }
    return 1;
}

static int find_bug_in_any(char *names, const char *memory, uint64_t limit) {
    for (const char *name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
        if (find_bug(name, memory, limit) == 0) {
            return 0;
        }
    }
    printf("NOT found within %llu schedules of each search\n", (unsigned long long)limit);
    return 1;
}

int main(int argc, char **argv) {
    ex_catch_crashes();
    cells_make();
    if (argc == 2 && strcmp(argv[1], "cells") == 0) {
        return cells_print() > 0;
    }
    if (argc == 5 && strcmp(argv[1], "find") == 0) {
        return find_bug_in_any(argv[2], argv[3], strtoull(argv[4], NULL, 0));
    }
    if (argc == 3 && strcmp(argv[1], "one") == 0) {
        return run_one(argv[2]);
    }
    if (argc == 2 && (strcmp(argv[1], "list") == 0 || strcmp(argv[1], "kinds") == 0)) {
        return argv[1][0] == 'l' ? list() : list_kinds();
    }
    const char *tape = getenv("TAPE");
    if (tape != NULL && tape[0] != '\0') {
        const char *name = getenv("SCENARIO"), *memory = getenv("MEMORY");
        return !search_replay(find(name != NULL ? name : ""), memory_called(memory != NULL ? memory : "sc"), number("SEED", 0), tape);
    }
    return argc == 3 ? run_all((unsigned)atoi(argv[1]), (unsigned)atoi(argv[2])) : run_all(0, 1);
}
