/* recording.c: the buffers of a trace, with two slots: one thread records while another one reads. An event that is read was recorded as
 * it is, and none is read twice. A stream loses only what was counted as dropped. Requests of
 * several threads all reach the reader. Compiled with the hooks, like litmus.c. */
#include "scenario.h"

#include "trace/buffer.h"
#include "trace/request.h"

enum { ROOM = 2, EVENTS = 4 };

static sq__buffer_t buffer;
static SQ__ATOMIC(uint64_t) words[ROOM * SQ__ENTRY_WORDS];
static bool overwrites;
static unsigned accepted, seen;
static uint64_t last_seen;

static void record(void *unused) {
    (void)unused;
    for (uint64_t i = 1; i <= EVENTS; i += 1) {
        const sq__entry_t event = { .time = i, .what = i, .where = i, .which = i };
        accepted += sq__buffer_record(&buffer, &event, 0);
    }
}

static void read_some(void) {
    uint64_t first, end = sq__buffer_recorded(&buffer, &first);
    for (uint64_t number = first; number < end; number += 1) {
        sq__entry_t event;
        if (!sq__buffer_copy(&buffer, number, &event)) {
            continue;
        }
        if (event.what != event.time || event.where != event.time || event.which != event.time) {
            ex_fail("an event has words of two different events");
        }
        if (event.time <= last_seen || (overwrites && event.time != number + 1)) {
            ex_fail("an event is read twice, or in place of another one");
        }
        last_seen = event.time;
        seen += 1;
    }
    if (!overwrites) {
        sq__buffer_copied(&buffer, end);
    }
}

static void read_twice(void *unused) {
    (void)unused;
    read_some();
    last_seen = overwrites ? 0 : last_seen; /* a flight recorder gives them again */
    read_some();
}

/* Called after a run, too: each run must begin with the same memory. */
static void reset(void) {
    sq__store_relaxed(&buffer.head, 0);
    sq__store_relaxed(&buffer.claimed, 0);
    sq__store_relaxed(&buffer.dropped, 0);
    sq__store_relaxed(&buffer.tail, 0);
    for (unsigned i = 0; i < ROOM * SQ__ENTRY_WORDS; i += 1) {
        sq__store_relaxed(&words[i], 0);
    }
    buffer.known_tail = 0;
}

static void explore(bool is_flight) {
    reset();
    buffer.room = ROOM;
    buffer.words = words;
    buffer.overwrites = overwrites = is_flight;
    accepted = seen = 0;
    last_seen = 0;
    int recorder = ex_start(record, NULL, false), reader = ex_start(read_twice, NULL, false);
    ex_join(recorder);
    ex_join(reader);
    last_seen = overwrites ? 0 : last_seen;
    read_some();
    if (!overwrites && (seen != accepted || accepted + sq__load_relaxed(&buffer.dropped) != EVENTS)) {
        ex_fail("%u events were accepted and %u read", accepted, seen);
    }
    if (overwrites && (accepted != EVENTS || last_seen != EVENTS)) {
        ex_fail("the newest event is missing");
    }
    reset();
    stage_begin(&(expectation_t){ 0 }, 0);
}

static void stream(void) { explore(false); }
static void flight(void) { explore(true); }

/* Two threads ask for a file. The reader sleeps without a limit as long as it has not seen both. */
static void ask(void *unused) {
    (void)unused;
    sq__request(SQ__REQUEST_ASKED_FOR);
}

static void await_two(void *unused) {
    (void)unused;
    while (sq__requests_made() < 2 * SQ__REQUEST_ASKED_FOR) {
        sq__requests_await(SQ_FOREVER);
    }
}

static void asked_twice(void) {
    int threads[3];
    sq__requests_begin(true);
    for (int i = 0; i < 3; i += 1) {
        threads[i] = ex_start(i < 2 ? ask : await_two, NULL, false);
    }
    for (int i = 0; i < 3; i += 1) {
        ex_join(threads[i]);
    }
    sq__requests_end();
    stage_begin(&(expectation_t){ 0 }, 0);
}

const scenario_t recording_scenarios[] = {
    { "record_stream", "a trace's buffer is read while it is filled", .body = stream },
    { "record_flight", "a flight recorder is read while events are overwritten", .body = flight },
    { "record_asked", "a file that is asked for while another one is", .body = asked_twice },
    { 0 },
};
