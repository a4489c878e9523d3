/* apply.c: a loop whose iterations run on the calling thread and on workers of a pool.
 *
 * DESIGN. The caller posts an entry for helpers (sq__help_t) and runs iterations until none is left to begin; so do the workers
 * that come. Each takes the next few iterations from a counter. How many depends on how long the last few took: a thread that
 * takes short ones touches the counter rarely, and long ones are spread evenly.
 *
 * `left` counts the iterations that are not over, and one for the caller. A thread subtracts once, when it leaves, what it ran:
 *
 *     caller: (c1) takes iterations while there are some   (c2) prepares a wait   (c3) left -= its own and one; 0: returns
 *     worker: (w1) takes iterations while there are some   (w2) left -= its own; 0: grants the caller's wait
 *
 *     w2 c3     c3 makes it 0, and the caller does not wait
 *     c3 w2     w2 makes it 0. The caller has prepared its wait: c2 comes before c3
 *     w1 finds none     the worker subtracts nothing: the caller may have returned. The loop's memory is still there, as the last
 *                       thread frees it; the function and its context are not used
 *
 * `wanted` counts the workers that may still come. While it is above 0 and iterations are left, the entry is in the pool's list, or a worker has just taken
 * it: that worker counts itself, and posts the entry again, so that the next worker comes. A worker that leaves because other entries wait wants a
 * worker again. If `wanted` was 0 it has the entry, and puts it back.
 *
 * A worker that runs iterations holds the loop, as a thread holds a once: so a cycle through the caller's wait is found. That wait
 * cannot be refused, because iterations are running; another wait of the cycle is refused instead. */
#include "include/sq_apply.h"

#include "include/sq_pool.h"
#include "include/sq_private.h"
#include "objects/apply_alone.h"
#include "platform/clock.h"
#include "platform/container.h"
#include "platform/memory.h"
#include "platform/unwind.h"
#include "pool/pool.h"
#include "trace/trace.h"
#include "wait/wait.h"

#include <errno.h>

/* How many iterations a thread takes next depends on how long it needed for the last ones. Less than SHORT: twice as many, up to MOST.
 * More than LONG: half as many. More than ten times LONG: one. Nanoseconds. If iterations that were short begin to block, at most MOST
 * of them wait behind each other. */
enum { SHORT = 2000, LONG = 20000, MOST = 256 };

/* A worker leaves its loop for other entries after this many nanoseconds, or after any iteration of a loop that is not timed. */
enum { STAY = 100000 };

/* No thread takes more than a fourth of its share at a time. Tests set another number. */
#ifndef SQ__APPLY_SHARES
#define SQ__APPLY_SHARES 4
#endif

/* F fixed before it is posted, A atomic, W written by the caller before it subtracts from `left`. */
typedef struct apply {
    sq__help_t help;         /* its entry in the pool */
    sq__apply_alone_t loop;      /* F */
    size_t most;             /* F  iterations taken at a time */
    sq__pool_t *pool;        /* F  with a reference: a worker may post the entry when the caller has just returned */
    uint32_t process;        /* F  see process.h */
    sq__token_t *token;      /* W  of the caller's wait */
    sq__wait_id_t wait_id;   /* W */
    char apart[SQ__LINE];    /* all threads read what is above, and write what is below */
    SQ__ATOMIC(size_t) next; /* A  the first iteration that was not taken */
    SQ__ATOMIC(size_t) left; /* A */
    SQ__ATOMIC(unsigned) wanted; /* A  how many more workers may come */
    SQ__ATOMIC(unsigned) users;  /* A  the caller, each worker that came, and the entry in the list. The last one to leave frees the loop */
} apply_t;

/* How many iterations a thread takes next: it has taken `chunk`, which took so many nanoseconds. */
static size_t adapt(size_t chunk, uint64_t took, size_t most) {
    if (took < SHORT) {
        return chunk < most / 2 ? chunk * 2 : most;
    }
    return took > 10 * LONG ? 1 : took > LONG && chunk > 1 ? chunk / 2 : chunk;
}

/* Runs the iterations from `begin` up to `end`. False: an iteration has forked, and this is the child: the others were not run. Compares the
 * process's number after each, which differs then. */
static bool run_chunk(const apply_t *apply, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += 1) {
        apply->loop.function(apply->loop.context, i);
        if (__builtin_expect(apply->process != sq__process(), 0)) {
            return false;
        }
    }
    return true;
}

typedef enum run_end { NONE_LEFT, OTHERS_WAIT, FORKED } run_end_t;

/* Takes and runs iterations, and sets *ran to their number, which is not subtracted from `left` yet. NONE_LEFT: all are taken. OTHERS_WAIT: a worker
 * that is to leave for other entries. FORKED: this is the child of a fork in one of them. */
static run_end_t run(apply_t *apply, bool is_member, size_t *ran) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self_listed();
    sq__duty_t duty = { .what = apply, .pool = sq__pool_label(apply->pool), .code = apply->loop.code, .parent = self->duty };
    run_end_t end = NONE_LEFT;
    size_t begin, chunk = 1;
    bool is_timed = apply->most > 1;
    uint64_t came = is_timed ? sq__clock_now() : 0, before = came;
    self->duty = &duty;
    *ran = 0;
    while (end == NONE_LEFT && (begin = sq__add_relaxed(&apply->next, chunk)) < apply->loop.count) {
        size_t left = apply->loop.count - begin, taken = chunk < left ? chunk : left;
        if (!run_chunk(apply, begin, begin + taken)) {
            end = FORKED;
            break;
        }
        *ran += taken;
        if (is_timed) {
            uint64_t now = sq__clock_now();
            chunk = adapt(chunk, now - before, apply->most);
            before = now;
        }
        end = is_member && (!is_timed || before - came >= STAY) && sq__pool_is_crowded(apply->pool) ? OTHERS_WAIT : NONE_LEFT;
    }
    self->duty = duty.parent;
    return end;
}

/* The same, and a trace shows it. Not inlined: the path without a trace saves no registers for it. */
static __attribute__((noinline)) run_end_t run_traced(apply_t *apply, bool is_member, size_t *ran) {
    sq__session_t session = sq__trace_open(SQ__EVENT_SHARE, 0, 0, apply->loop.count, apply->loop.code);
    run_end_t end = run(apply, is_member, ran);
    sq__trace_close(session, SQ__EVENT_SHARE_END, 0, *ran);
    return end;
}

static run_end_t run_share(apply_t *apply, bool is_member, size_t *ran) {
    return sq__trace_is_on() ? run_traced(apply, is_member, ran) : run(apply, is_member, ran);
}

static bool has_left(const apply_t *apply) { return sq__load_relaxed(&apply->next) < apply->loop.count; }

/* By the thread that has the entry, while iterations are left. The entry gets a use of the loop. */
static void post(apply_t *apply) {
    sq__add_relaxed(&apply->users, 1);
    sq__pool_post(apply->pool, SQ__LEVEL_HELP, &apply->help.ready);
}

/* Releases this many uses of the loop. The last one frees the loop. */
static void leave(apply_t *apply, unsigned users) {
    /* [reference] release: our use of the loop; acquire, if it was the last: everybody's. */
    if (sq__sub_acq_rel(&apply->users, users) == users) {
        sq__pool_release(apply->pool);
        sq__memory_free(apply);
    }
}

/* Called on a worker that has taken the entry, whose use of the loop is now the worker's. SQ__READY_MORE: the entry keeps that use, and is to be put
 * back into the list. SQ__READY_GONE: the loop may have been freed. */
static sq__ready_end_t take_part(sq__help_t *help) {
    apply_t *apply = SQ__CONTAINER(help, apply_t, help);
    size_t ran;
    /* [helped] release: the entry, if it was the last that is wanted. */
    if (sq__add_release(&apply->wanted, -1u) > 1 && has_left(apply)) {
        post(apply);
    }
    run_end_t end = run_share(apply, true, &ran);
    /* [apply] release: what the iterations wrote; acquire, if it was the last: the caller's token. */
    if (end != FORKED && ran > 0 && sq__sub_acq_rel(&apply->left, ran) == ran) {
        sq__token_grant(apply->token, apply->wait_id);
    }
    /* [helped] acquire: the entry, if nobody else has it. */
    if (end == OTHERS_WAIT && has_left(apply) && sq__add_acquire(&apply->wanted, 1) == 0) {
        return SQ__READY_MORE;
    }
    if (end != FORKED) { /* else the memory stays with the parent's threads, as far as this process knows */
        leave(apply, 1);
    }
    return SQ__READY_GONE;
}

/* By the caller, which has a token (has_token): subtracts the `ran` iterations that it has run, and returns when all are over. No iteration is left
 * to take. The wait depends on no task: see sq__subject_t. */
static void await_members(apply_t *apply, size_t ran) {
    const sq__subject_t subject = { .kind = "apply on pool", .label = sq__pool_label(apply->pool), .object = apply };
    if (sq__load_acquire(&apply->left) == ran + 1) { /* [apply] acquire: what the iterations wrote */
        return;
    }
    sq__wait_t wait = { .subject = &subject };
    (void)sq__wait_begin(&wait, false); /* cannot fail: the thread has its token */
    sq__token_claim(wait.token, wait.wait_id);       /* it cannot be refused */
    apply->token = wait.token;
    apply->wait_id = wait.wait_id;
    /* [apply] release: the token; acquire: what the iterations wrote. */
    if (sq__sub_acq_rel(&apply->left, ran + 1) == ran + 1) {
        sq__wait_cancel(&wait);
        return;
    }
    (void)sq__wait_end(&wait, SQ_FOREVER);
}

/* True: the thread has a token of its own, kept until it ends: so a wait later on needs no memory. False: no memory, or the thread is ending. */
static bool has_token(void) {
    sq__token_t *token = sq__self_token();
    if (token != NULL) {
        sq__self_wait_over(token);
    }
    return sq__self()->token != NULL;
}

/* Asks workers to help with the iterations from `begin` on, of which there are several. Returns the loop, for run_share, await_members and end; NULL:
 * none can help, or there is no memory. */
static apply_t *ask_for_help(sq__pool_t *pool, const sq__apply_alone_t *loop, size_t begin) {
    size_t count = loop->count - begin;
    unsigned helpers = pool != NULL && !sq__runner_is_threadless(sq__runner(pool, SQ__LEVEL_NORMAL)) ? sq__pool_helpers(pool) : 0;
    helpers = helpers < count - 1 ? helpers : (unsigned)(count - 1);
    if (helpers == 0 || !has_token()) {
        return NULL;
    }
    apply_t *apply = sq__memory(sizeof *apply);
    if (apply == NULL) {
        return NULL;
    }
    size_t share = count / (helpers + 1) / SQ__APPLY_SHARES;
    apply->help.call = take_part;
    apply->loop = *loop;
    apply->most = share < 1 ? 1 : share < MOST ? share : MOST;
    apply->pool = sq__pool_retain(pool);
    apply->process = sq__process();
    sq__store_relaxed(&apply->next, begin);
    sq__store_relaxed(&apply->left, count + 1);
    sq__store_relaxed(&apply->wanted, helpers);
    sq__store_relaxed(&apply->users, 1);
    post(apply);
    return apply;
}

/* By the caller, when no iteration is left: an entry that no worker has come for is withdrawn, so a busy pool does not collect them. Releases the
 * caller's use of the loop. */
static void end(apply_t *apply) {
    bool is_withdrawn = sq__load_relaxed(&apply->wanted) > 0 && sq__pool_withdraw(apply->pool, SQ__LEVEL_HELP, &apply->help.ready);
    leave(apply, 1 + is_withdrawn);
}

int sq__apply_code(sq_pool_t *pool, size_t count, sq_iteration_t function, void *context, uintptr_t code) {
    const sq__apply_alone_t loop = { .function = function, .context = context, .count = count, .code = code };
    size_t ran, begin = count < 2 || sq__apply_alone_posts_at_once(&loop) ? 0 : sq__apply_alone_run(&loop, 0, true);
    if (count - begin < 2) {
        if (begin > 0 && begin < count) {
            sq__apply_alone_forget(); /* all but the last iteration ran alone, and they were not brief */
        }
        sq__apply_alone_run(&loop, begin, false);
        return 0;
    }
    pool = pool != NULL ? pool : sq_pool_shared();
    apply_t *apply = ask_for_help(pool, &loop, begin);
    if (apply == NULL) {
        sq__apply_alone_run(&loop, begin, false);
        return 0;
    }
    uint64_t began = sq__clock_now();
    if (run_share(apply, false, &ran) == FORKED) {
        return ESTALE; /* the loop's memory stays with the parent's threads, as far as this process knows */
    }
    await_members(apply, ran);
    end(apply);
    sq__apply_alone_keep_record(&loop, begin > 0 || ran < count, sq__clock_now() - began);
    return 0;
}

int sq_apply(sq_pool_t *pool, size_t count, sq_iteration_t function, void *context) {
    return function == NULL ? EINVAL : sq__apply_code(pool, count, function, context, (uintptr_t)function);
}
