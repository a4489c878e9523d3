#include "queue/room_count.h"

static uint64_t sum_of(const sq__room_count_t *count, uint64_t given) { return count->size + given / SQ__GIVEN_ONE; }

/* Takes one room, if fewer are taken than this. */
static bool take_below(sq__room_count_t *count, uint64_t limit) {
    uint64_t taken = sq__load_relaxed(&count->taken);
    while (taken < limit) {
        if (sq__cas_relaxed(&count->taken, &taken, taken + 1)) {
            return true;
        }
    }
    return false;
}

bool sq__room_take(sq__room_count_t *count) {
    /* [room] acquire: the turn that gave the room, from another submitter that read `given`. */
    if (__builtin_expect(take_below(count, sq__load_acquire(&count->limit)), 1)) {
        return true;
    }
    uint64_t given = sq__load_acquire(&count->given); /* [room] acquire: that turn itself */
    uint64_t sum = sum_of(count, given);
    if (!take_below(count, sum)) {
        return false;
    }
    sq__store_release(&count->limit, sum); /* [room] release: what was acquired. An older sum that comes late is only too low */
    return true;
}

bool sq__room_give(sq__room_count_t *count) {
    uint64_t given = sq__load_relaxed(&count->given);
    while (!(given & SQ__WAITED)) {
        if (sq__cas_release(&count->given, &given, given + SQ__GIVEN_ONE)) { /* [room] release: the turn that gives it */
            return true;
        }
    }
    return false;
}

bool sq__room_wait_or_take(sq__room_count_t *count) {
    uint64_t given = sq__add_acquire(&count->given, SQ__WAITED); /* [room] acquire: the turn that gave the room */
    bool has_taken = take_below(count, sum_of(count, given));
    if (has_taken) {
        (void)sq__add_relaxed(&count->given, -(uint64_t)SQ__WAITED);
    }
    return has_taken;
}

void sq__room_nobody_waits(sq__room_count_t *count) { (void)sq__add_relaxed(&count->given, -(uint64_t)SQ__WAITED); }
