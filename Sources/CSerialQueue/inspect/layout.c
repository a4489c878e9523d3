#include "inspect/layout.h"

#include "gate/gate_inline.h"
#include "kernel/kernel_inline.h"
#include "observe/observe_inline.h"
#include "platform/layout.h"
#include "pool/pool.h"
#include "wait/wait.h"

/* What other rooms' doors show. */
static const sq__layout_t fields[] = {
    SQ__LAYOUT_FIELD(sq_queue_t, position),
    SQ__LAYOUT_FIELD(sq_queue_t, ran),
    SQ__LAYOUT_FIELD(sq_queue_t, tallies),
    SQ__LAYOUT_FIELD(sq_queue_t, ready),
    SQ__LAYOUT_FIELD(sq_queue_t, suspensions),
    SQ__LAYOUT_FIELD(sq_queue_t, extras),
    SQ__LAYOUT_FIELD(sq_queue_t, control),
    SQ__LAYOUT_FIELD(sq_queue_t, handoff_kind),
    SQ__LAYOUT_FIELD(sq_queue_t, segments),
    SQ__LAYOUT_FIELD(sq_queue_t, skipped),
    SQ__LAYOUT_FIELD(sq_queue_t, state),
    SQ__LAYOUT_REST(sq_queue_t, label),
    SQ__LAYOUT_FIELD(sq__extras_t, records),
    SQ__LAYOUT_FIELD(sq__joinable_t, joined),
    SQ__LAYOUT_FIELD(sq__tallies_t, tallies),
    SQ__LAYOUT_FIELD(sq__watch_note_t, began),
    SQ__LAYOUT_SIZE(sq__concurrent_t),
    SQ__LAYOUT_FIELD(sq__concurrent_t, gate),
    SQ__LAYOUT_FIELD(sq__concurrent_t, entered),
    SQ__LAYOUT_FIELD(sq__concurrent_t, not_run),
    SQ__LAYOUT_FIELD(sq__concurrent_t, stripes),
    SQ__LAYOUT_FIELD(sq__stripes_t, mask),
    SQ__LAYOUT_REST(sq__stripes_t, stripe),
    SQ__LAYOUT_SIZE(sq__stripe_t),
    SQ__LAYOUT_FIELD(sq__frame_t, owner),
    SQ__LAYOUT_FIELD(sq__frame_t, parent),
    SQ__LAYOUT_FIELD(sq__frame_t, is_reader),
    SQ__LAYOUT_FIELD(sq__frame_t, is_batch),
    SQ__LAYOUT_FIELD(sq__frame_t, function),
    SQ__LAYOUT_FIELD(sq__batch_frame_t, kind),
    SQ__LAYOUT_FIELD(sq__batch_frame_t, work.task.run),
    SQ__LAYOUT_FIELD(sq__batch_frame_t, work.task.context),
    SQ__LAYOUT_FIELD(sq__batch_frame_t, work.waiter.call),
    SQ__LAYOUT_FIELD(sq__call_t, task.run),
    SQ__LAYOUT_FIELD(sq__call_t, task.context),
    SQ__LAYOUT_FIELD(sq__reader_t, began),
    SQ__LAYOUT_FIELD(sq__wait_t, queue),
    SQ__LAYOUT_FIELD(sq__wait_t, subject),
    SQ__LAYOUT_FIELD(sq__wait_t, ran),
    SQ__LAYOUT_FIELD(sq__wait_t, since),
    SQ__LAYOUT_FIELD(sq__subject_t, kind),
    SQ__LAYOUT_FIELD(sq__subject_t, label),
    SQ__LAYOUT_CONSTANT(SQ__ENDED),
    SQ__LAYOUT_CONSTANT(SQ__EMPTY),
    SQ__LAYOUT_CONSTANT(SQ__BARRIER),
    SQ__LAYOUT_CONSTANT(SQ__AWAITED),
    SQ__LAYOUT_CONSTANT(SQ__RUN_ANYWHERE),
    SQ__LAYOUT_CONSTANT(SQ__CONCURRENT),
    SQ__LAYOUT_CONSTANT(SQ__WATCHED),
    SQ__LAYOUT_CONSTANT(SQ__SEGMENT_SLOTS),
    SQ__LAYOUT_CONSTANT(SQ__EXTRA_SHARED),
    SQ__LAYOUT_CONSTANT(SQ__EXTRA_TALLIES),
    SQ__LAYOUT_CONSTANT(SQ__EXTRA_WATCH),
    SQ__LAYOUT_CONSTANT(SQ__TALLY_WITHDRAWN),
    SQ__LAYOUT_CONSTANT(SQ__LEVEL_LOW),
    { .name = "" },
};

/* Ends with NULL. */
extern const sq__layout_t *const sq__layouts[] __attribute__((visibility("hidden")));
__attribute__((used)) const sq__layout_t *const sq__layouts[] = {
    fields, sq__self_layout, sq__pools_layout, sq__hosted_layout, sq__loop_layout, sq__pool_layout, sq__suspended_layout, sq__wrapper_layout, NULL
};

SQ__LAYOUT_NOTE(sq__layouts);

void sq__layout_keep(void) { __asm__ volatile("" : : "r"(sq__layouts)); }
