#include "trace/perfetto_event.h"

#include "platform/memory.h"

#include <stdio.h>
#include <string.h>

/* Something that a thread has begun and not ended. All 0: this is nothing. */
typedef struct open_event {
    bool is_written; /* false: it began before the first time of the file */
    sq__entry_t event;
    uint64_t context;
    char text[SQ__TEXT_BYTES + 1];
} open_event_t;

/* What is known of one thread from its events so far. */
typedef struct sq__trace_reading {
    open_event_t open[SQ__OPEN_EVENTS]; /* deeper ones are counted only */
    unsigned depth;
    uint32_t waited_queue;  /* of the wait for a turn that ended last; 0: it was used */
    uint64_t waited_where, context;
    char text[SQ__TEXT_BYTES + 1];
    unsigned text_used;
} reading_t;

/* Events */

/* A task that waits in a queue is known by its place there: no other has that place until it has started. */
static uint64_t flow_of(uint32_t queue, uint64_t where) { return (uint64_t)queue << 48 ^ where; }

void sq__perfetto_remark(sq__perfetto_t *perfetto, uint64_t time, const char *category, const char *text) {
    sq__packet_end(perfetto, sq__event_begin_named(perfetto, time, INSTANT, SQ__TRACK_PROCESS, category, text));
}

void sq__perfetto_dropped(sq__perfetto_t *perfetto, uint64_t time, const sq__recorder_t *recorder, uint64_t count) {
    char text[128];
    snprintf(text, sizeof text, "%llu events of thread %s (%llu) were dropped", (unsigned long long)count, recorder->thread_name,
             (unsigned long long)recorder->thread_id);
    sq__packet_t packet = sq__event_begin_named(perfetto, time, INSTANT, SQ__TRACK_PROCESS, "dropped", text);
    sq__annotate(&perfetto->proto, "events", count);
    sq__annotate(&perfetto->proto, "thread", recorder->thread_id);
    sq__annotate(&perfetto->proto, "buffer", recorder->buffer.room * SQ__ENTRY_WORDS * sizeof(uint64_t));
    sq__packet_end(perfetto, packet);
}

/* Writes a SUBMIT as an instant on the thread's track, where the flow of the task begins. */
static void put_submit(sq__perfetto_t *perfetto, uint64_t track, const sq__entry_t *event) {
    sq__proto_t *proto = &perfetto->proto;
    uint32_t site = sq__packet_intern(perfetto, SQ__TEXT_OF_SITE, event->which);
    sq__packet_t packet = sq__event_begin_named(perfetto, event->time, INSTANT, track, "submit", "submit");
    sq__annotate(proto, "queue", sq__entry_queue(event));
    sq__annotate(proto, "kind", sq__entry_detail(event));
    sq__annotate_interned(proto, "site", site);
    sq__proto_fixed64(proto, EVENT_FLOW, flow_of(sq__entry_queue(event), event->where));
    sq__packet_end(perfetto, packet);
}

/* Returns the place where the starting task has waited; 0: the task has not waited. For a call: takes the place of the thread's last wait. */
static uint64_t place_of(reading_t *reading, const sq__entry_t *event, bool is_call) {
    uint64_t of_wait = reading->waited_queue == sq__entry_queue(event) ? reading->waited_where : 0;
    reading->waited_queue = 0;
    return is_call ? of_wait : event->where;
}

/* Writes a START: a slice begins on the thread's track, and for a serial queue one on the queue's track. */
static void put_start(sq__perfetto_t *perfetto, reading_t *reading, uint64_t track, const sq__entry_t *event) {
    sq__proto_t *proto = &perfetto->proto;
    uint32_t queue = sq__entry_queue(event);
    bool is_call = sq__entry_detail(event) & SQ__EVENT_CALLS;
    uint64_t where = place_of(reading, event, is_call);
    uint32_t site = is_call ? sq__packet_intern(perfetto, SQ__TEXT_OF_SITE, event->where) : 0;
    unsigned kind = sq__entry_detail(event) & ~(unsigned)SQ__EVENT_CALLS;
    sq__task_notes_t notes = sq__task_notes(perfetto, kind, event->which, reading->context, reading->text);
    uint32_t name = sq__packet_intern(perfetto, SQ__NAME_OF_TASK, queue);
    sq__packet_t packet = sq__event_begin(perfetto, event->time, SLICE_BEGIN, track);
    sq__proto_text(proto, EVENT_CATEGORY, "run");
    sq__proto_number(proto, EVENT_NAME_NUMBER, name);
    sq__annotate(proto, "queue", queue);
    sq__annotate_task(proto, &notes);
    sq__annotate_interned(proto, "site", site);
    if (where != 0) {
        sq__proto_fixed64(proto, EVENT_LAST_OF_FLOW, flow_of(queue, where));
    }
    sq__packet_end(perfetto, packet);
    if (!sq__packet_queue(perfetto, queue)->is_concurrent) {
        packet = sq__event_begin(perfetto, event->time, SLICE_BEGIN, SQ__TRACK_QUEUES | queue);
        sq__proto_text(proto, EVENT_CATEGORY, "queue");
        sq__proto_number(proto, EVENT_NAME_NUMBER, name);
        sq__packet_end(perfetto, packet);
    }
}

/* Writes a WAIT: a slice begins on the thread's track. Keeps the place that it waits in, for the call that the thread may run then (place_of). */
static void put_wait(sq__perfetto_t *perfetto, reading_t *reading, uint64_t track, const sq__entry_t *event) {
    sq__proto_t *proto = &perfetto->proto;
    uint32_t queue = sq__entry_queue(event);
    const char *label = sq__packet_queue(perfetto, queue)->label;
    char name[SQ__TEXT_BYTES + 128];
    snprintf(name, sizeof name, "wait for %s", reading->text[0] != '\0' ? reading->text : label != NULL ? label : "a queue");
    uint32_t site = sq__packet_intern(perfetto, SQ__TEXT_OF_SITE, event->which);
    sq__packet_t packet = sq__event_begin_named(perfetto, event->time, SLICE_BEGIN, track, "wait", name);
    sq__annotate_interned(proto, "site", site);
    if (queue != 0) {
        sq__annotate(proto, "queue", queue);
    }
    sq__annotate(proto, "aim", sq__entry_detail(event));
    if (event->where != 0) {
        sq__proto_fixed64(proto, EVENT_FLOW, flow_of(queue, event->where));
        reading->waited_queue = queue;
        reading->waited_where = event->where;
    }
    sq__packet_end(perfetto, packet);
}

/* Writes a SHARE: a slice of an apply begins on the thread's track. */
static void put_share(sq__perfetto_t *perfetto, reading_t *reading, uint64_t track, const sq__entry_t *event) {
    sq__task_notes_t notes = sq__task_notes(perfetto, 0, event->which, reading->context, reading->text);
    sq__packet_t packet = sq__event_begin_named(perfetto, event->time, SLICE_BEGIN, track, "apply", "apply");
    sq__annotate_interned(&perfetto->proto, "function", notes.function);
    sq__annotate(&perfetto->proto, "count", event->where);
    sq__packet_end(perfetto, packet);
}

static void put_share_end(sq__perfetto_t *perfetto, uint64_t track, const sq__entry_t *event) {
    sq__packet_t packet = sq__event_begin(perfetto, event->time, SLICE_END, track);
    sq__annotate(&perfetto->proto, "ran", event->where);
    sq__packet_end(perfetto, packet);
}

/* Writes an END or a WAITED: ends the slices of `ended`, the event that it ends; all 0: that is not known. After a wait that did not bring a turn, no
 * place is kept. */
static void put_end(sq__perfetto_t *perfetto, reading_t *reading, uint64_t track, const sq__entry_t *event, const sq__entry_t *ended) {
    sq__packet_t packet = sq__event_begin(perfetto, event->time, SLICE_END, track);
    unsigned detail = sq__entry_detail(event);
    if (detail != 0) {
        reading->waited_queue = 0; /* this thread's next task has not waited there */
    }
    if (detail != 0 && detail != SQ__EVENT_DONE) {
        sq__annotate_text(&perfetto->proto, "outcome", sq__outcome_text(detail));
    }
    sq__packet_end(perfetto, packet);
    uint32_t queue = sq__entry_queue(ended);
    if (sq__entry_kind(ended) == SQ__EVENT_START && !sq__packet_queue(perfetto, queue)->is_concurrent) {
        sq__packet_end(perfetto, sq__event_begin(perfetto, event->time, SLICE_END, SQ__TRACK_QUEUES | queue));
    }
}

/* Writes a POOL event. Each pool has a track of counts, whose number is a hash of the pool's label. The event's text is the label. */
static void put_pool(sq__perfetto_t *perfetto, const reading_t *reading, const sq__entry_t *event) {
    uint64_t hash = 5381;
    for (const char *at = reading->text; *at != '\0'; at += 1) {
        hash = hash * 33 ^ (unsigned char)*at;
    }
    uint64_t track = SQ__TRACK_POOLS | (hash & UINT32_MAX);
    char name[SQ__TEXT_BYTES + 32];
    snprintf(name, sizeof name, "pool %s: threads", reading->text);
    sq__packet_track(perfetto, track, name, NULL);
    sq__packet_t packet = sq__event_begin(perfetto, event->time, COUNTER, track);
    sq__proto_number(&perfetto->proto, EVENT_COUNT, event->where);
    sq__packet_end(perfetto, packet);
}

/* Writes an event of any other kind as an instant on the thread's track. A GRANT begins a flow, a WITHDRAWN ends one. */
static void put_other(sq__perfetto_t *perfetto, const reading_t *reading, uint64_t track, const sq__entry_t *event) {
    static const char *const names[] = {
        [SQ__EVENT_GRANT] = "grant", [SQ__EVENT_WITHDRAWN] = "withdrawn", [SQ__EVENT_SUSPEND] = "suspend",
        [SQ__EVENT_RESUME] = "resume", [SQ__EVENT_SHUTDOWN] = "shutdown", [SQ__EVENT_ENDED] = "end of the queue",
        [SQ__EVENT_TIMER] = "timer", [SQ__EVENT_TURN] = "turn", [SQ__EVENT_MARK] = "mark",
    };
    sq__entry_kind_t kind = sq__entry_kind(event);
    const char *name = kind == SQ__EVENT_MARK || kind == SQ__EVENT_TURN ? reading->text : names[kind];
    sq__task_notes_t notes = { .kind = 0 };
    if (kind == SQ__EVENT_WITHDRAWN) {
        notes = sq__task_notes(perfetto, sq__entry_detail(event), event->which, reading->context, reading->text);
    }
    sq__packet_t packet = sq__event_begin_named(perfetto, event->time, INSTANT, track, names[kind], name);
    if (sq__entry_queue(event) != 0) {
        sq__annotate(&perfetto->proto, "queue", sq__entry_queue(event));
    }
    if (kind == SQ__EVENT_WITHDRAWN) {
        sq__annotate_task(&perfetto->proto, &notes);
    } else {
        sq__annotate(&perfetto->proto, "detail", kind == SQ__EVENT_SUSPEND || kind == SQ__EVENT_RESUME ? event->which : sq__entry_detail(event));
    }
    if (kind == SQ__EVENT_GRANT || kind == SQ__EVENT_WITHDRAWN) {
        unsigned field = kind == SQ__EVENT_GRANT ? EVENT_FLOW : EVENT_LAST_OF_FLOW;
        sq__proto_fixed64(&perfetto->proto, field, flow_of(sq__entry_queue(event), event->where));
    } else if (kind == SQ__EVENT_TURN) {
        sq__annotate(&perfetto->proto, "fifo", event->where);
        sq__annotate(&perfetto->proto, "turn", event->which);
    }
    sq__packet_end(perfetto, packet);
}

static bool opens(sq__entry_kind_t kind) { return kind == SQ__EVENT_START || kind == SQ__EVENT_WAIT || kind == SQ__EVENT_SHARE; }
static bool closes(sq__entry_kind_t kind) { return kind == SQ__EVENT_END || kind == SQ__EVENT_WAITED || kind == SQ__EVENT_SHARE_END; }

/* Keeps a list of what is open. Returns what the event ends; all 0: nothing that is known. `is_written`: the file has the event. */
static open_event_t account(reading_t *reading, const sq__entry_t *event, bool is_written) {
    sq__entry_kind_t kind = sq__entry_kind(event);
    open_event_t ended = { .context = 0 };
    if (opens(kind)) {
        if (reading->depth < SQ__OPEN_EVENTS) {
            reading->open[reading->depth] = (open_event_t){ is_written, *event, reading->context, "" };
            memcpy(reading->open[reading->depth].text, reading->text, sizeof reading->text);
        }
        reading->depth += 1;
    } else if (closes(kind) && reading->depth > 0) {
        reading->depth -= 1;
        ended = reading->depth < SQ__OPEN_EVENTS ? reading->open[reading->depth] : ended;
    }
    return ended;
}

/* Adds the bytes of a TEXT event to the text of the thread's next event. The text ends after SQ__TEXT_BYTES bytes. */
static void collect_text(reading_t *reading, const sq__entry_t *event) {
    uint64_t words[2] = { event->where, event->which };
    if (sq__entry_detail(event) == 1) {
        reading->text_used = 0;
    }
    if (reading->text_used + sizeof words <= SQ__TEXT_BYTES) {
        memcpy(&reading->text[reading->text_used], words, sizeof words);
        reading->text_used += sizeof words;
        reading->text[reading->text_used] = '\0';
    }
}

/* Writes a START, a WAIT or a SHARE. */
static void put_opening(sq__perfetto_t *perfetto, reading_t *reading, uint64_t track, const sq__entry_t *event) {
    switch (sq__entry_kind(event)) {
    case SQ__EVENT_START:
        put_start(perfetto, reading, track, event);
        break;
    case SQ__EVENT_WAIT:
        put_wait(perfetto, reading, track, event);
        break;
    default:
        put_share(perfetto, reading, track, event);
        break;
    }
}

/* Writes what began before the first time of the file, and had not ended by then. The text and context of the next event stay as they are. */
static void put_open(sq__perfetto_t *perfetto, reading_t *reading, uint64_t track) {
    for (unsigned i = 0; i < reading->depth && i < SQ__OPEN_EVENTS; i += 1) {
        open_event_t *open = &reading->open[i];
        if (!open->is_written) {
            char text[sizeof reading->text]; /* of the event that comes next, as is the context */
            uint64_t context = reading->context;
            memcpy(text, reading->text, sizeof text);
            memcpy(reading->text, open->text, sizeof text);
            reading->context = open->context;
            open->is_written = true;
            put_opening(perfetto, reading, track, &open->event);
            memcpy(reading->text, text, sizeof text);
            reading->context = context;
        }
    }
}

/* Writes an event, and before it what is open and not written yet. Changes the list of what is open. */
static void put_event(sq__perfetto_t *perfetto, reading_t *reading, uint64_t track, const sq__entry_t *event) {
    put_open(perfetto, reading, track);
    open_event_t ended = account(reading, event, true);
    switch (sq__entry_kind(event)) {
    case SQ__EVENT_SUBMIT:
        put_submit(perfetto, track, event);
        break;
    case SQ__EVENT_START:
    case SQ__EVENT_WAIT:
    case SQ__EVENT_SHARE:
        put_opening(perfetto, reading, track, event);
        break;
    case SQ__EVENT_END:
    case SQ__EVENT_WAITED:
        put_end(perfetto, reading, track, event, &ended.event);
        break;
    case SQ__EVENT_SHARE_END:
        put_share_end(perfetto, track, event);
        break;
    case SQ__EVENT_POOL:
        put_pool(perfetto, reading, event);
        break;
    default:
        put_other(perfetto, reading, track, event);
        break;
    }
}

void sq__perfetto_events(sq__perfetto_t *perfetto, sq__recorder_t *recorder, uint64_t first, uint64_t end, uint64_t since) {
    if (recorder->reading == NULL) {
        recorder->reading = sq__memory_zeroed(sizeof(reading_t));
        if (recorder->reading == NULL) {
            return;
        }
        sq__packet_thread(perfetto, recorder);
    }
    reading_t *reading = recorder->reading;
    for (uint64_t number = first; number < end; number += 1) {
        sq__entry_t event;
        if (!sq__buffer_copy(&recorder->buffer, number, &event)) {
            continue;
        }
        if (sq__entry_kind(&event) == SQ__EVENT_TEXT) {
            collect_text(reading, &event);
        } else if (sq__entry_kind(&event) == SQ__EVENT_CONTEXT) {
            reading->context = event.which;
        } else {
            if (event.time >= since) {
                put_event(perfetto, reading, SQ__TRACK_THREADS | recorder->thread_id, &event);
            } else {
                (void)account(reading, &event, false);
            }
            reading->text_used = 0;
            reading->text[0] = '\0';
            reading->context = 0;
        }
    }
    put_open(perfetto, reading, SQ__TRACK_THREADS | recorder->thread_id);
}
