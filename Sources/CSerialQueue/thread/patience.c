#include "thread/patience.h"

/* 0: not asked yet. Every thread that asks finds the same answer, so that racing to write it is harmless. */
static SQ__ATOMIC(unsigned) processors;

unsigned sq__patience_spins(unsigned wanted) {
    unsigned count = sq__load_relaxed(&processors);
    if (count == 0) {
        count = sq__processor_count();
        sq__store_relaxed(&processors, count);
    }
    return count > 1 ? wanted : 0;
}

/* Inverted, so that a thread begins eager. */
static SQ__THREAD_LOCAL bool is_calm;

unsigned sq__patience_worker_spins(unsigned wanted) { return is_calm ? 0 : sq__patience_spins(wanted); }

void sq__patience_slept(uint64_t nanoseconds) { is_calm = nanoseconds >= SQ__SHORT_SLEEP; }
