#include "inspect/dump_timers.h"

#include "alarm/alarm.h"
#include "timer/timer.h"

#include <stdio.h>

enum { MOST_TIMERS = 8 }; /* of each clock */

typedef struct looking {
    sq__view_t *view;
    const char *pool;
} looking_t;

/* Called under the lock of the alarms: while the alarm is set, its queue exists. Alarms without a queue are internal, and left out. */
static void note(void *context, const sq__alarm_t *alarm, uint64_t due, uint64_t now) {
    const looking_t *looking = context;
    uint64_t interval = 0;
    const sq_queue_t *of_timer = sq__timer_queue(alarm, &interval), *queue = of_timer != NULL ? of_timer : sq__delayed_queue(alarm);
    sq__view_timer_t *seen = queue != NULL && due != SQ_FOREVER ? sq__view_add(looking->view, &looking->view->timers) : NULL;
    if (seen != NULL) {
        *seen = (sq__view_timer_t){ .in = due > now ? due - now : 0, .interval = interval, .is_delayed = of_timer == NULL,
                                    .queue = queue };
        sq__peek_text(queue->label, seen->label, sizeof seen->label);
        snprintf(seen->pool, sizeof seen->pool, "%s", looking->pool);
    }
}

void sq__view_look_at_timers(sq__view_t *view, sq__alarms_t *alarms, const char *pool) {
    looking_t looking = { .view = view, .pool = pool };
    const sq__alarms_visitor_t visitor = { .visit = note, .context = &looking, .most = MOST_TIMERS, .patience = &view->patience };
    view->without_timers += !sq__alarms_visit(alarms, &visitor);
}

void sq__dump_timers(sq__dump_text_t *text, const sq__view_t *view, const sq__section_t *section) {
    sq__dump_add(text, "NEXT TIMERS\n");
    sq__dump_add_none(text, view->timers.count);
    for (size_t i = 0; i < section->granted; i += 1) {
        const sq__view_timer_t *timer = (const sq__view_timer_t *)(void *)view->timers.items + i;
        sq__dump_add(text, "  in ");
        sq__dump_add_time(text, timer->in);
        if (timer->pool[0] != '\0') {
            sq__dump_add(text, " of the clock of pool \"%s\"", timer->pool);
        }
        sq__dump_add(text, ": %s of ", timer->is_delayed ? "a delayed task" : "a timer");
        sq__dump_add_queue(text, timer->label, timer->queue);
        if (timer->interval > 0) {
            sq__dump_add(text, ", every ");
            sq__dump_add_time(text, timer->interval);
        }
        sq__dump_add(text, "\n");
    }
    sq__dump_add_left_out(text, section);
}
