#include "thread/token.h"

#include "memory/blocks.h"
#include "platform/atomic.h"
#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/mutex.h"
#include "platform/peek.h"
#include "platform/thread.h"
#include "thread/process.h"
#include "thread/token_status.h"

/* Fields: A atomic, F fixed after creation, L under free_lock, W under the token's lock. */
struct sq__token {
    SQ__ATOMIC(uint64_t) word; /* A  wait ID << STATUS_BITS | status */
    sq__mutex_t lock;          /* F  the waiter holds it from SLEEPING until it sleeps on the condition */
    sq__condition_t wake;      /* F  its only waiter is the token's thread */
    sq__token_t *next_free;    /* L */
    sq__token_t *next_made;    /* L */
    SQ__ATOMIC(const void *) line; /* A  the queue that the wait has a slot in, or NULL */
    bool is_woken;            /* W */
};

enum { STATUS_BITS = 3 };
_Static_assert(SQ__TOKEN_STATUSES == 1 << STATUS_BITS, "a status fits its bits");

static uint64_t word_of(sq__wait_id_t wait_id, unsigned status) { return wait_id << STATUS_BITS | status; }

static sq__mutex_t free_lock = SQ__MUTEX_INIT;
static sq__token_t *free_tokens;
static sq__token_t *made; /* L  all tokens of this process */
static sq__token_t *tokens_of_parent;

/* Their memory is a store's, not malloc's: as many as there were threads at a time stay forever, and with a store none costs more than its bytes. */
enum { TOKEN_BYTES = SQ__LINE << (sizeof(sq__token_t) > SQ__LINE) << (sizeof(sq__token_t) > 2 * SQ__LINE) };
_Static_assert(sizeof(sq__token_t) <= TOKEN_BYTES, "a token fits its block");
static sq__blocks_t store = { .bytes = TOKEN_BYTES };

/* Returns a token of no wait, listed in `made` forever; NULL: no memory, and nothing is left. free_lock is not held. */
static sq__token_t *token_create(void) {
    uint32_t number = 0;
    sq__token_t *token = SQ__EACH_BY_MALLOC ? sq__memory_lines(TOKEN_BYTES) : sq__blocks_take(&store, 0, &number);
    if (token == NULL) {
        return NULL;
    }
    if (sq__mutex_init(&token->lock) != 0) {
        goto no_lock;
    }
    if (sq__condition_init(&token->wake) != 0) {
        goto no_condition;
    }
    sq__store_relaxed(&token->word, word_of(0, SQ__TOKEN_OVER)); /* published together with the token */
    sq__store_relaxed(&token->line, NULL);
    token->is_woken = false;
    sq__mutex_lock(&free_lock);
    token->next_made = made;
    made = token;
    sq__mutex_unlock(&free_lock);
    return token;
no_condition:
    sq__mutex_destroy(&token->lock);
no_lock:
    if (SQ__EACH_BY_MALLOC) {
        sq__memory_free(token);
    } else {
        sq__blocks_give(&store, number);
    }
    return NULL;
}

sq__token_t *sq__token_acquire(void) {
    sq__mutex_lock(&free_lock);
    sq__token_t *token = free_tokens;
    if (token != NULL) {
        free_tokens = token->next_free;
    }
    sq__mutex_unlock(&free_lock);
    return token != NULL ? token : token_create();
}

void sq__token_recycle_locked(sq__token_t *token) {
    token->next_free = free_tokens;
    free_tokens = token;
}

void sq__token_recycle(sq__token_t *token) {
    sq__mutex_lock(&free_lock);
    sq__token_recycle_locked(token);
    sq__mutex_unlock(&free_lock);
}

/* The child of a fork does not reuse older tokens: a late granter may have held the lock of one at the fork. */
static void forget_tokens(void) {
    tokens_of_parent = free_tokens; /* keeps them reachable for leak checkers */
    free_tokens = NULL;
    made = NULL;
}

SQ__AROUND_FORK(SQ__RANK_TOKENS, .lock = &free_lock, .in_child = forget_tokens)

sq__wait_id_t sq__token_prepare(sq__token_t *token) {
    /* A late grant may still read the word, but it names an old wait and changes nothing. The new ID reaches the granter
     * with the slot, or with whatever else leads to this wait. */
    sq__wait_id_t wait_id = (sq__load_relaxed(&token->word) >> STATUS_BITS) + 1;
    sq__store_relaxed(&token->line, NULL);
    /* [line] release: the wait is in no queue yet. */
    sq__store_release(&token->word, word_of(wait_id, SQ__TOKEN_WAITING));
    return wait_id;
}

/* Relaxed: the swap that takes the slot publishes it to the thread that closes the queue to later waiters. */
/* Relaxed: a shutdown that refuses the line has acquired the swap that takes the wait's slot; or the queue's lock, if the wait joins a shared slot. */
void sq__token_wait_in(sq__token_t *token, const void *line) { sq__store_relaxed(&token->line, line); }

const void *sq__token_line(const sq__token_t *token) { return sq__load_relaxed(&token->line); }

static unsigned status_of(uint64_t word, sq__wait_id_t wait_id) {
    return word >> STATUS_BITS == wait_id ? (unsigned)(word & ((1u << STATUS_BITS) - 1)) : SQ__TOKEN_OVER;
}

static bool is_open(unsigned status) { return sq__token_is_open_status(status); }

/* Each of the following four swaps the word as sq__token_step says, and begins with the most frequent status. */

/* A grant or a refusal. False: it is late, and has changed nothing: the wait was over, or is claimed and cannot be refused. */
static inline bool settle(sq__token_t *token, sq__wait_id_t wait_id, sq__token_event_t event) {
    uint64_t word = word_of(wait_id, SQ__TOKEN_WAITING);
    sq__token_step_t step = sq__token_step(SQ__TOKEN_WAITING, event);
    /* [grant] release: everything that the baton protects; pairs with look and sq__token_withdraw. */
    while (!sq__cas_release(&token->word, &word, word_of(wait_id, step.status))) {
        step = sq__token_step(status_of(word, wait_id), event);
        if (step.action == SQ__TOKEN_LATE) {
            return false;
        }
    }
    if (step.action == SQ__TOKEN_WAKE) {
        /* The waiter holds the lock from SLEEPING until it sleeps on the condition. Without this lock the signal could come
         * too early and be lost. The signal follows the unlock so that the waiter does not wake into a held lock. */
        sq__mutex_lock(&token->lock);
        sq__mutex_unlock(&token->lock);
        sq__condition_signal(&token->wake);
    }
    return true;
}

bool sq__token_grant(sq__token_t *token, sq__wait_id_t wait_id) { return settle(token, wait_id, SQ__TOKEN_GRANT); }

bool sq__token_refuse(sq__token_t *token, sq__wait_id_t wait_id) { return settle(token, wait_id, SQ__TOKEN_REFUSE); }

void sq__token_refuse_line(const void *line) {
    sq__mutex_lock(&free_lock);
    for (sq__token_t *token = made; token != NULL; token = token->next_made) {
        uint64_t word = sq__load_acquire(&token->word); /* [line] acquire: `line` below is not that of an earlier wait */
        /* If `line` belongs to a later wait, this wait is over, and the refusal fails. */
        if (sq__load_relaxed(&token->line) == line) {
            (void)sq__token_refuse(token, word >> STATUS_BITS);
        }
    }
    sq__mutex_unlock(&free_lock);
}

bool sq__token_claim(sq__token_t *token, sq__wait_id_t wait_id) {
    uint64_t word = word_of(wait_id, SQ__TOKEN_WAITING);
    sq__token_step_t step = sq__token_step(SQ__TOKEN_WAITING, SQ__TOKEN_CLAIM);
    /* [claim] relaxed: it only prevents a withdrawal; the waiter's writes came with the slot. */
    while (!sq__cas_relaxed(&token->word, &word, word_of(wait_id, step.status))) {
        step = sq__token_step(status_of(word, wait_id), SQ__TOKEN_CLAIM);
        if (step.action == SQ__TOKEN_LATE) {
            return false;
        }
    }
    return true;
}

static sq__outcome_t outcome_of(uint64_t word, sq__wait_id_t wait_id) {
    unsigned status = status_of(word, wait_id);
    return status == SQ__TOKEN_GRANTED ? SQ__GRANTED : is_open(status) ? SQ__OPEN : SQ__REFUSED;
}

static sq__outcome_t look(sq__token_t *token, sq__wait_id_t wait_id) {
    return outcome_of(sq__load_acquire(&token->word), wait_id); /* [grant] acquire */
}

bool sq__token_is_open(sq__token_t *token, sq__wait_id_t wait_id) {
    return is_open(status_of(sq__load_relaxed(&token->word), wait_id));
}

bool sq__token_is_prepared(sq__token_t *token, sq__wait_id_t wait_id) {
    return status_of(sq__load_relaxed(&token->word), wait_id) != SQ__TOKEN_OVER;
}

bool sq__token_is_claimed(sq__token_t *token, sq__wait_id_t wait_id) {
    unsigned status = status_of(sq__load_relaxed(&token->word), wait_id);
    return is_open(status) && (status & SQ__TOKEN_CLAIMED) != 0;
}

bool sq__token_seems_open(const sq__token_t *token, sq__wait_id_t wait_id) {
    uint64_t word;
    return sq__peek(sq__peek_at(token, offsetof(sq__token_t, word)), &word, sizeof word) && is_open(status_of(word, wait_id));
}

sq__outcome_t sq__token_spin(sq__token_t *token, sq__wait_id_t wait_id, sq__spin_t kind, unsigned pauses) {
    sq__outcome_t outcome = look(token, wait_id);
    if (outcome != SQ__OPEN || (pauses = sq__spin_begin(kind, pauses)) == 0) {
        return outcome;
    }
    for (; outcome == SQ__OPEN && pauses > 0; pauses -= 1) {
        sq__pause();
        outcome = look(token, wait_id);
    }
    sq__spin_end(kind, outcome != SQ__OPEN);
    return outcome;
}

sq__outcome_t sq__token_yield_once(sq__token_t *token, sq__wait_id_t wait_id, sq__spin_t kind) {
    sq__outcome_t outcome = look(token, wait_id);
    if (outcome == SQ__OPEN && sq__spin_begin(kind, 1) > 0 && sq__spin_yield()) {
        outcome = look(token, wait_id);
        sq__spin_end(kind, outcome != SQ__OPEN);
    }
    return outcome;
}

sq__outcome_t sq__token_yield(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline) {
    sq__outcome_t outcome = look(token, wait_id);
    if (outcome != SQ__OPEN || sq__spin_shares_processor()) {
        return outcome;
    }
    unsigned yields = 0;
    while (outcome == SQ__OPEN && yields < SQ__WAITER_YIELDS) {
        if (deadline != SQ__NEVER && sq__clock_now() >= deadline) {
            break; /* a yield may take a whole time slice */
        }
        if (!sq__spin_yield()) {
            break;
        }
        outcome = look(token, wait_id);
        yields += 1;
    }
    sq__spin_yielded(outcome != SQ__OPEN ? yields : 0);
    return outcome;
}

sq__outcome_t sq__token_withdraw(sq__token_t *token, sq__wait_id_t wait_id) {
    uint64_t word = word_of(wait_id, SQ__TOKEN_WAITING);
    sq__token_step_t step = sq__token_step(SQ__TOKEN_WAITING, SQ__TOKEN_WITHDRAW);
    /* [grant] acquire on failure: the wait may be granted, and the baton ours. (C11 requires at least the same on success.) */
    while (!sq__cas_acquire_or_acquire(&token->word, &word, word_of(wait_id, step.status))) {
        step = sq__token_step(status_of(word, wait_id), SQ__TOKEN_WITHDRAW);
        if (step.action == SQ__TOKEN_LATE) {
            return outcome_of(word, wait_id);
        }
    }
    return SQ__WITHDRAWN;
}

/* T, with the token's lock. True: the wait is SLEEPING. False: it has been decided. */
static bool fall_asleep(sq__token_t *token, sq__wait_id_t wait_id) {
    uint64_t word = word_of(wait_id, SQ__TOKEN_WAITING);
    sq__token_step_t step = sq__token_step(SQ__TOKEN_WAITING, SQ__TOKEN_SLEEP);
    while (!sq__cas_relaxed(&token->word, &word, word_of(wait_id, step.status))) {
        step = sq__token_step(status_of(word, wait_id), SQ__TOKEN_SLEEP);
        if (step.action == SQ__TOKEN_LATE) {
            return false;
        }
    }
    return true;
}

/* T. `withdraws`: a deadline that passes first withdraws the wait, unless it is claimed; otherwise the wait stays open. SQ__OPEN: the thread was
 * woken, or the deadline has passed and the wait stays open. */
static sq__outcome_t sleep_until(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline, bool withdraws) {
    sq__mutex_lock(&token->lock);
    sq__outcome_t outcome = fall_asleep(token, wait_id) ? SQ__OPEN : look(token, wait_id);
    while (outcome == SQ__OPEN && !token->is_woken) {
        bool in_time = sq__condition_wait(&token->wake, &token->lock, deadline) || sq__clock_now() < deadline;
        outcome = in_time || !withdraws ? look(token, wait_id) : sq__token_withdraw(token, wait_id);
        if (!in_time && !withdraws) {
            break;
        }
        if (!in_time && outcome == SQ__OPEN) {
            deadline = SQ__NEVER; /* claimed: the work has begun, and the deadline limits only the wait until then */
        }
    }
    sq__mutex_unlock(&token->lock);
    return outcome;
}

sq__outcome_t sq__token_sleep(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline) {
    return sleep_until(token, wait_id, deadline, true);
}

sq__outcome_t sq__token_timed_sleep(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline) {
    return sleep_until(token, wait_id, deadline, false);
}

void sq__token_wake(sq__token_t *token) {
    sq__mutex_lock(&token->lock);
    token->is_woken = true;
    sq__mutex_unlock(&token->lock);
    sq__condition_signal(&token->wake);
}

void sq__token_forget_wake(sq__token_t *token) {
    sq__mutex_lock(&token->lock);
    token->is_woken = false;
    sq__mutex_unlock(&token->lock);
}
