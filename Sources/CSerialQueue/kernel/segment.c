#include "kernel/segment.h"

#include "platform/processors.h"
#include "thread/self.h"

/* The slots are cleared here and not when they were emptied: the submitter is about to write to these lines anyway. */
static void clear(sq__segment_t *segment) {
    /* Written before anything is read: what is read first in a new page causes a second fault at the first write. */
    sq__store_relaxed(&segment->next, 0);
    unsigned used = SQ__EACH_BY_MALLOC ? SQ__SEGMENT_SLOTS : segment->used;
    for (sq__slot_t *slot = segment->slots; slot < segment->slots + used; slot += 2) {
        sq__store_relaxed(&slot[0].word, SQ__EMPTY);
        sq__store_relaxed(&slot[1].word, SQ__EMPTY);
    }
}

/* On few processors one list is better: its memory is used again sooner. */
static uint32_t lane(void) { return sq__processors_known() > 4 ? sq__self_number() : 0; }

sq__segment_t *sq__segment_obtain(void) {
    uint32_t number = 0;
    sq__segment_t *segment = SQ__EACH_BY_MALLOC ? sq__memory_lines(sizeof *segment) : sq__blocks_take(&sq__segments, lane(), &number);
    if (segment != NULL) {
        clear(segment);
        segment->number = number;
    }
    return segment;
}

void sq__segment_free(sq__segment_t *segment, unsigned used) {
    segment->used = used;
    if (SQ__EACH_BY_MALLOC) {
        sq__memory_free(segment);
    } else {
        sq__blocks_give(&sq__segments, segment->number);
    }
}
