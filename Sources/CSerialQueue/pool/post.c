#include "pool/pool.h"

#include "pool/members.h"
#include "pool/parts.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"

void sq__pool_post(sq__pool_t *pool, sq__band_t band, sq__ready_t *entry) {
    sq__part_t *part = sq__part_to_post_to(pool);
    sq__mutex_lock(&part->lock);
    if (__builtin_expect(sq__load_relaxed(&pool->listed) != 0, 0) && sq__pool_give_to_caller(pool, entry)) {
        sq__mutex_unlock(&part->lock);
        return;
    }
    sq__part_append(part, band, entry);
    sq__members_fill_seat_and_unlock(part);
}

bool sq__pool_withdraw(sq__pool_t *pool, sq__band_t band, const sq__ready_t *entry) {
    bool is_ready = false;
    for (unsigned i = 0; i < pool->count && !is_ready; i += 1) {
        sq__part_t *part = &pool->parts[i];
        sq__mutex_lock(&part->lock);
        is_ready = sq__part_take_out(part, band, entry);
        sq__part_unlock(part);
    }
    return is_ready;
}
