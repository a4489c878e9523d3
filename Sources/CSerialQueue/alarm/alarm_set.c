#include "alarm/alarm_set.h"

#include "platform/container.h"
#include "thread/process.h"

void sq__alarms_take(sq__alarm_t *alarm) {
    sq__heap_take(&alarm->due);
    if (sq__heap_has(&alarm->latest)) {
        sq__heap_take(&alarm->latest);
    }
}

sq__alarm_t *sq__alarms_take_due(sq__alarms_t *alarms, uint64_t time) {
    sq__heap_node_t *exact = sq__heap_first(&alarms->exact), *loose = sq__heap_first(&alarms->loose);
    sq__heap_node_t *first = sq__heap_before(loose, exact) ? loose : exact;
    if (first == NULL || first->key > time || first->key == SQ__NEVER) {
        return NULL;
    }
    sq__alarm_t *alarm = SQ__CONTAINER(first, sq__alarm_t, due);
    sq__alarms_take(alarm);
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
