#include "objects/apply_alone.h"

#include "platform/clock.h"
#include "platform/thread.h"
#include "platform/unwind.h"
#include "thread/self.h"
#include "trace/trace.h"

/* A loop that is over within this many nanoseconds is brief. Tests set another number. */
#ifndef SQ__APPLY_BRIEF
#define SQ__APPLY_BRIEF 5000
#endif
static const uint64_t brief = SQ__APPLY_BRIEF;
enum { MOST_LOSSES = 6 };

/* sq__apply_alone_run without a trace. While it runs, the loop is a duty of the thread (self.h). */
static inline __attribute__((always_inline)) size_t run(const sq__apply_alone_t *loop, size_t begin, bool briefly) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self_listed();
    sq__duty_t duty = { .what = &duty, .pool = "", .code = loop->code, .parent = self->duty };
    uint64_t began = briefly ? sq__clock_now() : 0;
    size_t i = begin, look = briefly ? begin + 1 : SIZE_MAX; /* after 1, 2, 4, ... iterations */
    self->duty = &duty;
    for (; i < loop->count; i += 1) {
        if (i == look) {
            if (sq__clock_now() - began >= brief) {
                break;
            }
            look += i - begin;
        }
        loop->function(loop->context, i);
    }
    self->duty = duty.parent;
    return i;
}

/* The same, and a trace shows it. */
static __attribute__((noinline)) size_t run_traced(const sq__apply_alone_t *loop, size_t begin, bool briefly) {
    sq__session_t session = sq__trace_open(SQ__EVENT_SHARE, 0, 0, loop->count, loop->code);
    size_t next = run(loop, begin, briefly);
    sq__trace_close(session, SQ__EVENT_SHARE_END, 0, next - begin);
    return next;
}

size_t sq__apply_alone_run(const sq__apply_alone_t *loop, size_t begin, bool briefly) {
    return sq__trace_is_on() ? run_traced(loop, begin, briefly) : run(loop, begin, briefly);
}

typedef struct record {
    uintptr_t code;
    uint8_t losses; /* brief loops without help in a row */
    uint8_t skips;  /* how many of the next loops are run alone at first */
} record_t;

static SQ__THREAD_LOCAL record_t record;

void sq__apply_alone_forget(void) { record = (record_t){ 0 }; }

bool sq__apply_alone_posts_at_once(const sq__apply_alone_t *loop) {
    if (record.code != loop->code) {
        record = (record_t){ .code = loop->code };
    }
    bool skips = record.skips > 0;
    record.skips -= skips;
    return !skips;
}

void sq__apply_alone_keep_record(const sq__apply_alone_t *loop, bool has_gained, uint64_t took) {
    if (record.code != loop->code) {
        return; /* one of its iterations has called apply */
    }
    if (has_gained || took >= brief) {
        sq__apply_alone_forget();
    } else {
        record.losses = (uint8_t)(record.losses + (record.losses < MOST_LOSSES));
        record.skips = (uint8_t)((1u << record.losses) - 1);
    }
}
