#include "pool/help.h"

#include "platform/memory.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "thread/self.h"

/* Each with the lock. */

void sq__help_list(sq__pool_t *pool, sq__help_t *help) {
    help->next = NULL;
    help->link = pool->helps_end;
    *pool->helps_end = help;
    pool->helps_end = &help->next;
}

static void unlist(sq__pool_t *pool, sq__help_t *help) {
    *help->link = help->next;
    if (help->next != NULL) {
        help->next->link = help->link;
    } else {
        pool->helps_end = help->link;
    }
    help->link = NULL;
}

/* True: the caller was the last, and frees it. */
static bool leave(sq__help_t *help) {
    help->users -= 1;
    return help->users == 0;
}

unsigned sq__pool_helpers(const sq__pool_t *pool) {
    if (pool->clock != NULL || sq__pool_is_stale(pool)) {
        return 0;
    }
    const sq__member_t *member = sq__self()->member;
    bool has_seat = member != NULL && member->pool == pool;
    bool is_by_processors = pool->most > pool->seats_at_rest; /* then the caller has one of them */
    return pool->seats_at_rest - (has_seat || is_by_processors);
}

sq__help_t *sq__help_take(sq__pool_t *pool) {
    sq__help_t *help = pool->helps;
    help->users += 1;
    help->wanted -= 1;
    unlist(pool, help);
    if (help->wanted > 0) {
        sq__help_list(pool, help); /* behind the others */
    }
    pool->helped += 1;
    return help;
}

void sq__help_leave(sq__pool_t *pool, sq__help_t *help, bool has_more) {
    if (has_more && !help->is_over) {
        help->wanted += 1;
        if (help->link == NULL) {
            sq__help_list(pool, help);
        }
    } else if (!has_more && help->link != NULL) {
        unlist(pool, help); /* there is nothing to do for those that it still wants */
    }
    if (leave(help)) {
        sq__memory_free(help);
    }
}

void sq__pool_take_back(sq__pool_t *pool, sq__help_t *help) {
    sq__mutex_lock(&pool->lock);
    help->is_over = true;
    if (help->link != NULL) {
        unlist(pool, help);
    }
    bool is_last = leave(help);
    sq__mutex_unlock(&pool->lock);
    if (is_last) {
        sq__memory_free(help);
    }
}
