/* manual.h: runners for tests: what is ready runs when the program says so, on the thread that says it, and the clock moves only then. */
#pragma once

#include "include/sq_pool.h"
#include "runner/hosted.h"
#include "runner/runner.h"

/* F fixed after create. */
typedef struct sq__manual {
    sq__hosted_t hosted;
    sq__alarms_t *clock; /* F */
} sq__manual_t;

/* What an exploration of schedules copies, to put functions of its own in place of some. */
extern const sq__runner_kind_t sq__manual_kind;

/* sq__manual_create with `bytes` for the pool: more than a sq__manual_t, if another kind keeps something behind it. Returns 0 and *manual; or
 * ENOMEM. */
int sq__manual_create_kind(sq_pool_t **manual, size_t bytes, const sq__runner_kind_t *kind, const char *label, sq__ready_function_t call);
