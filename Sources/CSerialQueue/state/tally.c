/* tally.c: counts of 64 bits, of which a queue itself has 32.
 *
 * DESIGN. A count begins in the queue. Few counts ever reach HERE; what comes after that is counted in a record. So each event is counted once, in one
 * of two places, and the count is their sum: a reader that sees both needs no more, as nothing is ever moved. Without memory for the record the queue's part
 * continues: there is room for as many again, and each of them tries to make the record.
 *
 * What is taken back may be in the other place than where it was counted. The sum is right all the same: it wraps. */
#include "state/state_inline.h"

enum { HERE = INT32_MAX };

void sq__tally(sq_queue_t *queue, sq__tally_t tally, uint64_t by) {
    if (__builtin_expect(sq__load_relaxed(&queue->tallies[tally]) >= HERE, 0)) {
        sq__tallies_t *rest = sq__extra_make(queue, SQ__EXTRA_TALLIES, sizeof *rest);
        if (rest != NULL) {
            sq__add_relaxed(&rest->tallies[tally], by);
            return;
        }
    }
    sq__add_relaxed(&queue->tallies[tally], (uint32_t)by);
}

int sq__queue_reject(sq_queue_t *queue, int error) {
    sq__tally(queue, SQ__TALLY_REJECTED, 1);
    return error;
}
