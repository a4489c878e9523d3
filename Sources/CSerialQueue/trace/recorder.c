/* recorder.c: recording events.
 *
 * DESIGN. Each thread that records has a recorder of its own, made when it records the first event of a trace, and kept until the
 * thread ends or records for a later trace. Recording an event takes no lock. An event that opens something
 * (a task, a wait) is recorded only if there is room for all that is open, so what is opened is also closed.
 *
 * A trace has a number, its session; 0: nothing is recorded. A late thread may record for a session that is over: it
 * writes into a buffer that is no longer read. */
#include "trace/recorders.h"

#include "include/sq_private.h"
#include "platform/clock.h"

#include <string.h>

/* Returns the calling thread's recorder; NULL: no trace is under way, or there is no memory for one. */
static inline sq__recorder_t *find(void) {
    sq__session_t session = sq__load_relaxed(&sq__trace_session);
    sq__recorder_t *recorder = (sq__recorder_t *)sq__self()->recorder;
    if (__builtin_expect(session == 0, 0)) {
        return NULL;
    }
    return __builtin_expect(recorder != NULL && recorder->session == session, 1) ? recorder : sq__recorders_join(session);
}

static inline bool record(sq__recorder_t *recorder, uint64_t what, uint64_t where, uint64_t which, uint64_t reserve) {
    const sq__entry_t event = { .time = sq__clock_now(), .what = what, .where = where, .which = which };
    return sq__buffer_record(&recorder->buffer, &event, reserve);
}

void sq__trace_event(sq__entry_kind_t kind, unsigned detail, uint32_t queue, uint64_t where, uint64_t which) {
    sq__recorder_t *recorder = find();
    if (recorder != NULL) {
        record(recorder, sq__entry_what(kind, detail, queue), where, which, recorder->open);
    }
}

sq__session_t sq__trace_open(sq__entry_kind_t kind, unsigned detail, uint32_t queue, uint64_t where, uint64_t which) {
    sq__recorder_t *recorder = find();
    if (recorder == NULL || !record(recorder, sq__entry_what(kind, detail, queue), where, which, recorder->open + 1)) {
        return 0;
    }
    recorder->open += 1;
    return recorder->session;
}

void sq__trace_close(sq__session_t session, sq__entry_kind_t kind, unsigned detail, uint64_t where) {
    sq__recorder_t *recorder = (sq__recorder_t *)sq__self()->recorder;
    if (recorder == NULL || recorder->session != session) {
        return;
    }
    recorder->open -= 1;
    (void)record(recorder, sq__entry_what(kind, detail, 0), where, 0, 0);
}

void sq__trace_text(const char *text) {
    sq__recorder_t *recorder = find();
    enum { MOST = 5 };
    size_t length = strlen(text), bytes = 2 * sizeof(uint64_t), most = MOST * bytes;
    for (size_t at = 0; recorder != NULL && (at == 0 || at < length) && at < most; at += bytes) {
        uint64_t words[2] = { 0, 0 };
        size_t rest = length - at;
        memcpy(words, text + at, rest < bytes ? rest : bytes);
        /* With room for the event itself: else the text would be taken for the next one's. */
        (void)record(recorder, sq__entry_what(SQ__EVENT_TEXT, at == 0, 0), words[0], words[1], recorder->open + MOST + 2);
    }
}

bool sq__trace_is_recording(void) { return sq__trace_is_on(); }

void sq__trace_turn(const char *label, uint64_t fifo, uint64_t turn, bool begins) {
    sq__trace_text(label);
    sq__trace_event(SQ__EVENT_TURN, begins, 0, fifo, turn);
}
