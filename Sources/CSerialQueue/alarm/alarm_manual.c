/* alarm_manual.c: a set of alarms on a clock that a test advances. alarm.h has the design. */
#include "alarm/alarm.h"

#include "alarm/alarm_set.h"
#include "platform/container.h"
#include "platform/memory.h"

sq__alarms_t *sq__alarms_create(void) {
    sq__alarms_t *alarms = sq__memory(sizeof *alarms);
    if (alarms == NULL) {
        return NULL;
    }
    *alarms = (sq__alarms_t){ .is_manual = true };
    if (sq__mutex_init(&alarms->lock) != 0) {
        sq__memory_free(alarms);
        return NULL;
    }
    return alarms;
}

void sq__alarms_destroy(sq__alarms_t *alarms) {
    sq__alarms_empty(alarms);
    sq__mutex_destroy(&alarms->lock);
    sq__memory_free(alarms);
}

bool sq__alarms_advance(sq__alarms_t *alarms, uint64_t time) {
    sq__mutex_lock(&alarms->lock);
    uint64_t due;
    sq__alarm_t *alarm = sq__alarms_take_due(alarms, time, &due);
    uint64_t reached = alarm != NULL ? due : time;
    alarms->now = reached > alarms->now ? reached : alarms->now;
    if (alarm == NULL || sq__alarms_run(alarms, alarm)) {
        sq__mutex_unlock(&alarms->lock);
    }
    return alarm != NULL;
}

uint64_t sq__alarms_next(sq__alarms_t *alarms) {
    sq__mutex_lock(&alarms->lock);
    uint64_t due = sq__alarms_key(&alarms->exact);
    sq__mutex_unlock(&alarms->lock);
    return due;
}

void sq__alarms_next_ties(sq__alarms_t *alarms, void (*visit)(void *context, sq__alarm_t *alarm), void *context) {
    sq__mutex_lock(&alarms->lock);
    if (sq__alarms_key(&alarms->exact) != SQ__NEVER) {
        size_t index = 0;
        do {
            visit(context, SQ__CONTAINER(sq__heap_at(&alarms->exact, index)->node, sq__alarm_t, due));
        } while ((index = sq__heap_next_tie(&alarms->exact, index)) != 0);
    }
    sq__mutex_unlock(&alarms->lock);
}

void sq__alarms_call(sq__alarms_t *alarms, sq__alarm_t *alarm) {
    sq__mutex_lock(&alarms->lock);
    uint64_t due = sq__alarms_key(&alarms->exact);
    sq__alarms_take(alarms, alarm);
    alarms->now = due > alarms->now ? due : alarms->now;
    if (sq__alarms_run(alarms, alarm)) {
        sq__mutex_unlock(&alarms->lock);
    }
}
