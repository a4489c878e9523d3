#include "alarm/alarm_set.h"

#include "platform/container.h"
#include "thread/process.h"

void sq__alarms_empty(sq__alarms_t *alarms) {
    sq__heap_t *heaps[] = { &alarms->exact, &alarms->loose, &alarms->latest };
    for (unsigned i = 0; i < 3; i += 1) {
        heaps[i]->count = 0;
        sq__heap_trim(heaps[i], 0);
    }
}

/* L. The heap with the alarm that is called next; NULL: none is set. */
static const sq__heap_t *first_heap(const sq__alarms_t *alarms) {
    const sq__heap_t *exact = &alarms->exact, *loose = &alarms->loose;
    if (loose->count == 0) {
        return exact->count > 0 ? exact : NULL;
    }
    return exact->count > 0 && sq__heap_before(sq__heap_at(exact, 0), sq__heap_at(loose, 0)) ? exact : loose;
}

/* In the child of a fork the set has none of the parent's alarms. */
void sq__alarms_take(sq__alarms_t *alarms, sq__alarm_t *alarm) {
    bool is_loose = sq__heap_is_in(&alarm->latest);
    sq__heap_t *heap = is_loose ? &alarms->loose : &alarms->exact;
    if (!sq__heap_has(heap, &alarm->due)) {
        alarm->due.place = alarm->latest.place = 0;
        return;
    }
    sq__heap_take(heap, &alarm->due);
    if (is_loose) {
        sq__heap_take(&alarms->latest, &alarm->latest);
        sq__heap_trim(&alarms->loose, alarms->loose.count + 1);
        sq__heap_trim(&alarms->latest, alarms->latest.count + 1);
    }
}

sq__alarm_t *sq__alarms_take_due(sq__alarms_t *alarms, uint64_t time, uint64_t *due) {
    const sq__heap_t *heap = first_heap(alarms);
    if (heap == NULL || (*due = sq__alarms_key(heap)) > time || *due == SQ__NEVER) {
        return NULL;
    }
    sq__alarm_t *alarm = SQ__CONTAINER(sq__heap_at(heap, 0)->node, sq__alarm_t, due);
    sq__alarms_take(alarms, alarm);
    return alarm;
}

bool sq__alarms_run(sq__alarms_t *alarms, sq__alarm_t *alarm) {
    void (*function)(sq__alarm_t *) = alarm->call;
    uint32_t process = sq__process();
    sq__mutex_unlock(&alarms->lock);
    function(alarm);
    if (sq__process() != process) {
        return false;
    }
    sq__mutex_lock(&alarms->lock);
    return true;
}
