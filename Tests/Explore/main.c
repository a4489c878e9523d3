/* main.c: runs scenarios under their searches and prints what came of it. */
#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double seconds(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
static const scenario_t *find(const char *name) {
    for (unsigned g = 0; scenario_groups[g]; g++) for (const scenario_t *s = scenario_groups[g]; s->name; s++) if (!strcmp(s->name, name)) return s;
    exit(2);
}
static ex_result_t r;
static bool replay(const uint8_t *t, unsigned n) { ex_choice_replay(t, n); ex_run(scenario_body, &r); return r.failed; }
int main(int argc, char **argv) {
    /* scenario mode search from count */
    const scenario_t *s = find(argv[1]); uint64_t from = strtoull(argv[4], 0, 0), n = strtoull(argv[5], 0, 0);
    for (int m = 0; m < EX_MEMORIES; m++) if (!strcmp(argv[2], ex_memory_names[m])) ex_setting.memory = m;
    ex_setting.faults = s->faults; double t0 = seconds(); uint64_t steps = 0; int seen = 0;
    for (uint64_t seed = from; seed < from + n; seed++) {
        scenario_prepare(s, seed / 20);
        if (argv[3][0] == 'r' || (argv[3][0] == 'b' && seed % 2)) ex_choice_random(seed); else ex_choice_pct(seed);
        ex_run(scenario_body, &r); steps += r.steps;
        if (r.failed) {
            static uint8_t tape[EX_TAPE], try[EX_TAPE]; unsigned len; const uint8_t *t = ex_tape(&len); memcpy(tape, t, len);
            printf("FAIL %s %s seed %llu: %s\n program: %s\n", s->name, argv[2], (unsigned long long)seed, r.message, scenario_program());
            char first[60]; snprintf(first, sizeof first, "%.20s", r.message);
            for (int again = 1; again;) { again = 0;
                for (unsigned w = len; w > 0; w /= 2) for (unsigned i = 0; i < len; i += w) {
                    bool any = false; memcpy(try, tape, len); for (unsigned k = i; k < i + w && k < len; k++) { any |= try[k] != 0; try[k] = 0; }
                    if (any && replay(try, len) && !strncmp(r.message, first, strlen(first))) { memcpy(tape, try, len); again = 1; } } }
            unsigned nz = 0; for (unsigned i = 0; i < len; i++) nz += tape[i] != 0;
            if (argc > 6) { ex_tracing = true; ex_trace_begin(); replay(tape, len); ex_trace_print(); ex_tracing = false; } else replay(tape, len);
            printf("  shrunk to %u choices: %s\n", nz, r.message); if (++seen == 3) return 1; 
        }
    }
    printf("ok %s %s %s: %llu schedules, %.0f steps, %.1f s\n", s->name, argv[2], argv[3], (unsigned long long)n, (double)steps / (double)n, seconds() - t0);
}
