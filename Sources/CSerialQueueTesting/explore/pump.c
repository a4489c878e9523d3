#include "explore/pump.h"

#include "explore/control.h"
#include "explore/ways.h"

/* The innermost pump is the first of the list. A new one is the innermost, except the one at the end of a run, which is the outermost. */
static void enter_pump(sq__run_t *run, sq__pump_t *pump) {
    sq__pump_t **link = &run->pumps;
    while (pump->is_last && *link != NULL) {
        link = &(*link)->next;
    }
    pump->next = *link;
    *link = pump;
}

static void leave_pump(sq__run_t *run, const sq__pump_t *pump) {
    sq__pump_t **link = &run->pumps;
    while (*link != pump) {
        link = &(*link)->next;
    }
    *link = pump->next;
}

/* A sleeping pump of another thread that is further inside than this one; or NULL. It must return first: it is in a task that could not end
 * otherwise. */
static const sq__pump_t *returns_first(const sq__run_t *run, const sq__pump_t *pump) {
    const sq__pump_t *inner = run->pumps;
    while (inner != pump && !inner->is_asleep) {
        inner = inner->next;
    }
    return inner != pump ? inner : NULL;
}

/* Gives control to the thread that this way needs, or to another pump, and gets it back. Then does what that thread has commanded. */
static void sleep_in_pump(sq__run_t *run, sq__pump_t *pump, const sq__way_t *way, const sq__pump_t *other) {
    pump->is_asleep = true;
    sq__control_prepare(pump->thread);
    if (other != NULL) {
        sq__control_pass_to(run, other);
    } else {
        sq__control_pass(run, way);
    }
    sq__control_sleep(pump->thread);
    pump->is_asleep = false;
    if (run->has_command) {
        run->has_command = false;
        sq__way_t command = run->command;
        sq__control_act(pump->thread, &command);
    }
}

bool sq__pump_run(sq__run_t *run, sq__pump_t pump) {
    sq__way_t way;
    bool did = false;
    pump.uses_helpers = run->uses_helpers || pump.thread->queue != NULL;
    enter_pump(run, &pump);
    while (!(pump.is_single && did)) {
        const sq__pump_t *other = NULL;
        if ((!sq__ways_choose(run, &pump, NULL, &way) || way.kind == SQ__WAY_BACK) && (other = returns_first(run, &pump)) == NULL) {
            break;
        }
        did = true;
        if (other == NULL && way.kind != SQ__WAY_THREAD && way.kind != SQ__WAY_EXPIRY && !pump.uses_helpers) {
            sq__control_act(pump.thread, &way);
        } else {
            sleep_in_pump(run, &pump, &way, other);
        }
    }
    leave_pump(run, &pump);
    return did;
}
