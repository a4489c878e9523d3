#include "platform/processors.h"

#include "platform/atomic.h"

unsigned sq__processors_known(void) {
    static SQ__ATOMIC(unsigned) known; /* 0: not yet */
    unsigned count = sq__load_relaxed(&known);
    if (count == 0) {
        count = sq__processor_count();
        sq__store_relaxed(&known, count);
    }
    return count;
}
