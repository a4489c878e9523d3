/* program.c: reading and carrying out the words of a scenario. */
#include "scenario.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPS = 128, THREADS = 5 };

typedef enum word {
    W_ASYNC, W_PAIR, W_BARRIER, W_SYNC_BARRIER, W_BARRIER_UNTIL, W_TRY_BARRIER, W_ASYNC_UNTIL, W_ASYNC_EVER, W_SYNC, W_SYNC_UNTIL, W_TRY, W_SYNC_OR_RUN, W_RUN_AND_WAIT, W_RUN_AND_WAIT_UNTIL, W_EITHER, W_EITHER_UNTIL,
    W_SUSPEND, W_RESUME, W_RESUME_MAYBE, W_DRAIN, W_DRAIN_UNTIL, W_DISCARD, W_DISCARD_UNTIL,
    W_RETAIN, W_RELEASE, W_LOOK, W_WATCH, W_UNWATCH, W_DUMP, W_MEMBER, W_OWNED_MEMBER, W_ITEM, W_ENTER, W_LEAVE, W_WAIT_GROUP, W_CANCEL, W_WAIT_ITEM, W_RELEASE_POOL, W_PUMP, W_HOST, W_SERVE, W_HALT, W_CREATE, W_APPLY, W_LINES, W_APART, W_PASS, W_OPEN, W_PRINT, WORDS
} word_t;

static const char *const spellings[] = {
    "async", "pair", "barrier", "sync_barrier", "barrier_until", "try_barrier", "async_until", "async_ever", "sync", "sync_until", "try", "sync_or_run", "call", "call_until", "either", "either_until",
    "suspend", "resume", "resume?", "drain", "drain_until", "discard", "discard_until",
    "retain", "release", "look", "watch", "unwatch", "dump", "member", "owned_member", "item", "enter", "leave", "wait_group", "cancel", "wait_item", "release_pool", "pump", "host", "serve", "halt", "create", "apply", "lines", "apart", "pass", "open", "",
};

/* A list of operations ends with next == NULL. */
typedef struct op {
    word_t word;
    int queue, number;
    const struct op *inside, *next;
} op_t;

static op_t ops[OPS];
static unsigned used;
static const op_t *threads[THREADS];
static unsigned thread_count, queue_count;
static bool has_many; /* a group and an item */
static bool has_deadlines;
static bool ends_pool; /* by a word of the program */
static const scenario_t *scenario;
static char text[400];

const char *scenario_program(void) { return text; }

bool scenario_may_have_deadlines(void) { return scenario->body != NULL || has_deadlines; }

static void reject(const char *at) {
    fprintf(stderr, "a program that cannot be read, at \"%s\"\n", at);
    exit(2);
}

static const char *read_word(const char *at, op_t *op) {
    char word[24];
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_?");
    if (isdigit((unsigned char)*at)) {
        op->word = W_PRINT;
        op->number = *at;
        return at + 1;
    }
    if (length == 0 || length >= sizeof word) {
        reject(at);
    }
    memcpy(word, at, length);
    word[length] = '\0';
    while (op->word < W_PRINT && strcmp(spellings[op->word], word) != 0) {
        op->word += 1;
    }
    if (op->word == W_PRINT) {
        reject(at);
    }
    has_many = has_many || (op->word >= W_MEMBER && op->word <= W_WAIT_ITEM);
    has_deadlines = has_deadlines || strstr(word, "until") != NULL || strncmp(word, "try", 3) == 0;
    ends_pool = ends_pool || op->word == W_RELEASE_POOL;
    at += length;
    if (isdigit((unsigned char)*at)) {
        op->number = *at++ - '0';
    }
    if (*at == ':') {
        op->queue = at[1] - 'A';
        at += 2;
    }
    queue_count = (unsigned)op->queue + 1 > queue_count ? (unsigned)op->queue + 1 : queue_count;
    return at;
}

static const char *read_list(const char *at, const op_t **first) {
    const op_t **link = first;
    *first = NULL;
    for (;;) {
        at += strspn(at, " ");
        if (*at == '\0' || *at == '|' || *at == ')') {
            return at;
        }
        if (used == OPS) {
            reject(at);
        }
        op_t *op = &ops[used++];
        *op = (op_t){ 0 };
        at = read_word(at, op);
        if (*at == '(') {
            at = read_list(at + 1, &op->inside);
            if (*at++ != ')') {
                reject(at - 1);
            }
        }
        *link = op;
        link = &op->next;
    }
}

void scenario_prepare(const scenario_t *chosen, uint64_t seed) {
    scenario = chosen;
    used = thread_count = 0;
    queue_count = 1;
    has_many = ends_pool = has_deadlines = false;
    text[0] = '\0';
    if (scenario->body != NULL) {
        return;
    }
    if (strncmp(scenario->program, "mix ", 4) == 0) {
        mix_program(text, sizeof text, seed, scenario->program + 4);
    } else {
        snprintf(text, sizeof text, "%s", scenario->program);
    }
    const char *at = text;
    do {
        if (thread_count == THREADS) {
            reject(at);
        }
        at = read_list(at + (thread_count > 0), &threads[thread_count]);
        thread_count += 1;
    } while (*at == '|');
    if (*at != '\0') {
        reject(at);
    }
}

bool scenario_is_small(const scenario_t *one) {
    ex_result_t outcome;
    if (one->body != NULL) {
        ex_setting = (ex_setting_t){ .lists_threads = one->lists_threads, .spares = one->spares, .has_shards = one->has_shards };
        ex_choice_replay(NULL, 0);
        ex_run(one->body, &outcome);
        return outcome.own_threads <= 2;
    }
    bool has_more = false;
    for (unsigned i = 0; i < thread_count; i += 1) {
        has_more = has_more || (threads[i] != NULL && threads[i]->next != NULL);
    }
    return thread_count <= 2 || (thread_count == 3 && !has_more);
}

static void carry_out(const void *list);

static void carry_out_one(const op_t *op) {
    void (*inside)(const void *) = op->inside != NULL ? carry_out : NULL;
    int q = op->queue;
    switch (op->word) {
    case W_ASYNC: stage_submit(ASYNC, q, SQ_NOW, inside, op->inside); break;
    case W_PAIR: stage_submit(ASYNC_PAIR, q, SQ_NOW, inside, op->inside); break;
    case W_BARRIER: stage_submit(ASYNC_BARRIER, q, SQ_NOW, inside, op->inside); break;
    case W_SYNC_BARRIER: stage_submit(SYNC_BARRIER, q, SQ_FOREVER, inside, op->inside); break;
    case W_BARRIER_UNTIL: stage_submit(SYNC_BARRIER_UNTIL, q, stage_soon(), inside, op->inside); break;
    case W_TRY_BARRIER: stage_submit(SYNC_BARRIER_UNTIL, q, SQ_NOW, inside, op->inside); break;
    case W_ASYNC_UNTIL: stage_submit(ASYNC_UNTIL, q, stage_soon(), inside, op->inside); break;
    case W_ASYNC_EVER: stage_submit(ASYNC_UNTIL, q, SQ_FOREVER, inside, op->inside); break;
    case W_SYNC: stage_submit(SYNC, q, SQ_FOREVER, inside, op->inside); break;
    case W_SYNC_UNTIL: stage_submit(SYNC_UNTIL, q, stage_soon(), inside, op->inside); break;
    case W_TRY: stage_submit(SYNC_UNTIL, q, SQ_NOW, inside, op->inside); break;
    case W_SYNC_OR_RUN: stage_submit(SYNC_OR_RUN, q, SQ_FOREVER, inside, op->inside); break;
    case W_RUN_AND_WAIT: stage_submit(RUN_AND_WAIT, q, SQ_FOREVER, inside, op->inside); break;
    case W_RUN_AND_WAIT_UNTIL: stage_submit(RUN_AND_WAIT, q, stage_soon(), inside, op->inside); break;
    case W_EITHER: stage_submit(EITHER, q, SQ_FOREVER, inside, op->inside); break;
    case W_EITHER_UNTIL: stage_submit(EITHER, q, stage_soon(), inside, op->inside); break;
    case W_SUSPEND: stage_suspend(q); break;
    case W_RESUME: stage_resume(q, false); break;
    case W_RESUME_MAYBE: stage_resume(q, true); break;
    case W_DRAIN: stage_shutdown(q, SQ_SHUTDOWN_DRAIN, SQ_FOREVER); break;
    case W_DRAIN_UNTIL: stage_shutdown(q, SQ_SHUTDOWN_DRAIN, stage_soon()); break;
    case W_DISCARD: stage_shutdown(q, SQ_SHUTDOWN_DISCARD, SQ_FOREVER); break;
    case W_DISCARD_UNTIL: stage_shutdown(q, SQ_SHUTDOWN_DISCARD, stage_soon()); break;
    case W_RETAIN: stage_retain(q); break;
    case W_RELEASE: stage_release(q); break;
    case W_LOOK: stage_look(q); break;
    case W_WATCH: stage_watch(q, true); break;
    case W_UNWATCH: stage_watch(q, false); break;
    case W_DUMP: stage_dump(); break;
    case W_MEMBER: stage_submit(MEMBER, q, SQ_NOW, inside, op->inside); break;
    case W_OWNED_MEMBER: stage_submit(OWNED_MEMBER, q, SQ_NOW, inside, op->inside); break;
    case W_ITEM: stage_submit(ITEM, q, SQ_NOW, inside, op->inside); break;
    case W_ENTER: stage_enter(); break;
    case W_LEAVE: stage_leave(); break;
    case W_WAIT_GROUP: stage_wait(MEMBER, SQ_FOREVER); break;
    case W_CANCEL: stage_cancel(); break;
    case W_WAIT_ITEM: stage_wait(ITEM, SQ_FOREVER); break;
    case W_RELEASE_POOL: stage_release_pool(); break;
    case W_PUMP: stage_pump(); break;
    case W_HOST: stage_host((unsigned)op->number); break;
    case W_SERVE: stage_serve(); break;
    case W_HALT: stage_halt(); break;
    case W_CREATE: stage_create(); break;
    case W_APPLY: stage_apply((unsigned)op->number, inside, op->inside); break;
    case W_LINES: ex_lines_begin(); break;
    case W_APART: stage_apart((unsigned)op->number); break;
    case W_PASS: ex_gate_pass((unsigned)op->number); break;
    case W_OPEN: ex_gate_open((unsigned)op->number); break;
    case W_PRINT:
        ex_point_at(stage_printed(), EX_WRITES);
        EX_TRACE("prints %c", op->number);
        stage_print((char)op->number);
        break;
    default: break;
    }
}

static void carry_out(const void *list) {
    for (const op_t *op = list; op != NULL; op = op->next) {
        carry_out_one(op);
    }
}

/* Releases the references that tasks should have released but did not. */
static void release_references(const void *list, int queue) {
    int owed = 0;
    for (const op_t *op = list; op != NULL; op = op->next) {
        owed += (op->word == W_RELEASE) - (op->word == W_RETAIN);
    }
    for (; owed > 0; owed -= 1) {
        stage_release(queue);
    }
}

static void thread_main(void *list) { carry_out(list); }

static void program_main(void *unused) {
    (void)unused;
    int ids[THREADS];
    stage_instead = release_references;
    stage_begin(&scenario->expect, queue_count);
    if (has_many) {
        stage_many_begin();
    }
    ex_begin_at_rest();
    for (unsigned i = 0; scenario->expect.each_has_a_reference && i + 1 < thread_count; i += 1) {
        for (unsigned q = 0; q < queue_count; q += 1) {
            sq_queue_retain(stage_queues[q]);
        }
    }
    for (unsigned i = 0; i < thread_count; i += 1) {
        ids[i] = ex_start(thread_main, (void *)threads[i], false);
    }
    const bool owns_last = scenario->expect.each_has_a_reference, runs_pool = scenario->expect.pool.kind >= POOL_MANUAL;
    for (unsigned i = 0; (!owns_last || runs_pool) && i < thread_count; i += 1) {
        ex_join(ids[i]);
    }
    for (unsigned i = 0; (!owns_last || runs_pool) && !ends_pool && i < thread_count; i += 1) {
        ex_await_exit(ids[i]); /* it may own a loop */
    }
    if (!owns_last) {
        if (!ends_pool) { /* else the end of the pool finds its threads wherever they are */
            ex_end_in_one_order();
        }
        stage_rest(queue_count);
    } else if (runs_pool) {
        stage_run_rest();
    }
    if (has_many) {
        stage_many_end();
    }
    stage_release_pool();
}

/* The first thread does nothing but look at what is left when all others have ended. */
void scenario_body(void) {
    if (scenario->body != NULL) {
        scenario->body();
        return;
    }
    ex_start(program_main, NULL, false);
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    stage_end();
}
