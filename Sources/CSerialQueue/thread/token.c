#include "thread/token.h"

#include "platform/atomic.h"
#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/mutex.h"
#include "thread/patience.h"

/* Fields: A atomic, F fixed once made, L under free_lock. */
struct sq__token {
    SQ__ATOMIC(uint64_t) word; /* A  turn << STATUS_BITS | status */
    sq__mutex_t lock;          /* F  held by the waiter from SLEEPING until it is at the condition */
    sq__condition_t wake;      /* F  one waiter: the token's thread */
    sq__token_t *next_free;    /* L */
};

enum { IDLE, WAITING, SLEEPING, GRANTED, STATUS_BITS = 2 };

static uint64_t word_of(sq__turn_t turn, unsigned status) { return turn << STATUS_BITS | status; }

static sq__mutex_t free_lock = SQ__MUTEX_INIT;
static sq__token_t *free_tokens;

static sq__token_t *token_create(void) {
    size_t bytes = (sizeof(sq__token_t) + SQ__LINE - 1) / SQ__LINE * SQ__LINE;
    sq__token_t *token = sq__memory_lines(bytes);
    if (token == NULL) {
        return NULL;
    }
    if (sq__mutex_init(&token->lock) != 0) {
        goto no_lock;
    }
    if (sq__condition_init(&token->wake) != 0) {
        goto no_condition;
    }
    sq__store_relaxed(&token->word, word_of(0, IDLE)); /* handed on by whatever hands on the token */
    return token;
no_condition:
    sq__mutex_destroy(&token->lock);
no_lock:
    sq__memory_free(token);
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

void sq__token_recycle(sq__token_t *token) {
    sq__mutex_lock(&free_lock);
    token->next_free = free_tokens;
    free_tokens = token;
    sq__mutex_unlock(&free_lock);
}

sq__turn_t sq__token_prepare(sq__token_t *token) {
    /* A late grant or signal may still look at the word, but it names an old turn and changes nothing. The new turn is
     * published with the slot, or whatever else names it to the granter. */
    sq__turn_t turn = (sq__load_relaxed(&token->word) >> STATUS_BITS) + 1;
    sq__store_relaxed(&token->word, word_of(turn, WAITING));
    return turn;
}

bool sq__token_grant(sq__token_t *token, sq__turn_t turn) {
    uint64_t word = word_of(turn, WAITING);
    /* [grant] release: all that the baton protects; pairs with granted and sq__token_withdraw. */
    while (!sq__cas_release(&token->word, &word, word_of(turn, GRANTED))) {
        if (word != word_of(turn, WAITING) && word != word_of(turn, SLEEPING)) {
            return false;
        }
    }
    if (word == word_of(turn, SLEEPING)) {
        /* The waiter holds the lock from SLEEPING until it is at the condition: without this the signal could come
         * before it is there, and be lost. Signalled after the unlock, so that it does not wake into a held lock. */
        sq__mutex_lock(&token->lock);
        sq__mutex_unlock(&token->lock);
        sq__condition_signal(&token->wake);
    }
    return true;
}

static bool granted(sq__token_t *token, sq__turn_t turn) {
    return sq__load_acquire(&token->word) == word_of(turn, GRANTED); /* [grant] acquire */
}

bool sq__token_spin(sq__token_t *token, sq__turn_t turn, sq__patience_t patience) {
    unsigned spins = sq__patience_spins(patience == SQ__PATIENCE_SPIN ? SQ__WORKER_SPINS : SQ__WAITER_SPINS);
    for (unsigned i = 0; i < spins; i += 1) {
        if (granted(token, turn)) {
            return true;
        }
        sq__pause();
    }
    for (unsigned i = 0; patience == SQ__PATIENCE_SPIN_YIELD && i < SQ__WAITER_YIELDS; i += 1) {
        if (granted(token, turn)) {
            return true;
        }
        sq__thread_yield();
    }
    return granted(token, turn);
}

bool sq__token_withdraw(sq__token_t *token, sq__turn_t turn) {
    uint64_t word = word_of(turn, WAITING);
    /* [grant] acquire on failure: it is granted, the baton is ours. On success there is nothing to order. */
    while (!sq__cas_acq_rel(&token->word, &word, word_of(turn, IDLE))) {
        if (word == word_of(turn, GRANTED)) {
            return false;
        }
    }
    return true;
}

bool sq__token_sleep(sq__token_t *token, sq__turn_t turn, uint64_t deadline) {
    bool in_time = true;
    sq__mutex_lock(&token->lock);
    uint64_t word = word_of(turn, WAITING);
    /* [grant] acquire on failure: it is granted already. */
    if (sq__cas_acq_rel(&token->word, &word, word_of(turn, SLEEPING))) {
        while (!granted(token, turn) && in_time) {
            in_time = sq__condition_wait(&token->wake, &token->lock, deadline) || sq__clock_now() < deadline;
        }
    }
    sq__mutex_unlock(&token->lock);
    return in_time || !sq__token_withdraw(token, turn);
}
