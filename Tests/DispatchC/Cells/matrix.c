/* matrix.c: each call on each kind of queue in each state. */
#include "cells.h"

static const char key;

/* What the function of a call finds. */
struct probe {
    dispatch_queue_t queue; /* NULL: it may be gone */
    const kind_t *kind;
    int is_apply;           /* on several threads: what is current differs */
    dispatch_semaphore_t done;
};

static void run(void *context) {
    struct probe *probe = context;
    const char *value = dispatch_get_specific(&key);
    if (probe->queue != NULL && !probe->is_apply) {
        dispatch_assert_queue(probe->queue);
    }
    if (probe->is_apply) {
        note("call");
    } else {
        note("call(%s,%s)", probe->kind->is_permanent ? "-" : value ? value : "none", dispatch_queue_get_label(NULL));
    }
    dispatch_semaphore_signal(probe->done);
}

static dispatch_queue_t make(const kind_t *kind, int inactive) {
    dispatch_queue_t queue = kind->make(inactive);
    if (!kind->is_permanent) {
        dispatch_queue_set_specific(queue, &key, "mine", NULL);
    }
    return queue;
}

static void idle(const kind_t *kind, const call_t *call, dispatch_queue_t queue, struct probe *probe) {
    (void)kind;
    call->make(queue, probe, run);
    if (call->waits) {
        note("returned");
    }
    must(probe->done);
}

struct word {
    const char *word;
    dispatch_semaphore_t before, done;
};

static void say(void *context) {
    struct word *word = context;
    if (word->before) {
        must(word->before);
    }
    note("%s", word->word);
    dispatch_semaphore_signal(word->done);
}

static void between(const kind_t *kind, const call_t *call, dispatch_queue_t queue, struct probe *probe) {
    dispatch_semaphore_t gate = dispatch_semaphore_create(0);
    struct word first = { "before", gate, probe->done }, last = { "after", NULL, probe->done };
    dispatch_async_f(queue, &first, say);
    if (call->waits) {
        dispatch_after_f(in_milliseconds(2), dispatch_get_global_queue(0, 0), gate, signal_it);
    }
    call->make(queue, probe, run);
    dispatch_async_f(queue, &last, say);
    if (!call->waits) {
        dispatch_semaphore_signal(gate);
    }
    for (int i = 0; i < 3; i += 1) {
        must(probe->done);
    }
    int is_ordered = (kind->is_serial || (call->is_barrier && !kind->is_global)) && !call->is_late;
    if (!is_ordered) {
        sort_notes();
    }
    drain(queue); /* `say` has returned */
    dispatch_release(gate);
}

/* What a queue waits for, and who has done it: the queue must not be released before. */
struct start {
    dispatch_queue_t queue;
    dispatch_semaphore_t over;
};

static void resume_twice(void *context) {
    struct start *start = context;
    note("resumed");
    dispatch_resume(start->queue);
    dispatch_resume(start->queue);
    dispatch_semaphore_signal(start->over);
}

static void activate_twice(void *context) {
    struct start *start = context;
    note("activated");
    dispatch_activate(start->queue);
    dispatch_activate(start->queue);
    dispatch_semaphore_signal(start->over);
}

static void start_later(const call_t *call, dispatch_queue_t queue, struct probe *probe, dispatch_function_t function) {
    struct start start = { queue, dispatch_semaphore_create(0) };
    dispatch_after_f(in_milliseconds(10), dispatch_get_global_queue(0, 0), &start, function);
    call->make(queue, probe, run);
    must(probe->done);
    must(start.over);
    dispatch_release(start.over);
}

static void suspended(const kind_t *kind, const call_t *call, dispatch_queue_t queue, struct probe *probe) {
    (void)kind;
    dispatch_suspend(queue);
    dispatch_suspend(queue);
    start_later(call, queue, probe, resume_twice);
}

static void inactive(const kind_t *kind, const call_t *call, dispatch_queue_t queue, struct probe *probe) {
    (void)kind;
    start_later(call, queue, probe, activate_twice);
}

/* A call that another task makes. */
struct inner {
    const call_t *call;
    dispatch_queue_t queue;
    struct probe *probe;
    int is_serial;
    dispatch_semaphore_t over;
};

static void make_inner(void *context) {
    struct inner *inner = context;
    inner->call->make(inner->queue, inner->probe, run);
    if (inner->is_serial) {
        note("still");
    }
    dispatch_semaphore_signal(inner->over);
}

static void from(dispatch_queue_t outer, const call_t *call, dispatch_queue_t queue, struct probe *probe, int is_serial, int waits) {
    struct inner inner = { call, queue, probe, is_serial, dispatch_semaphore_create(0) };
    (waits ? dispatch_sync_f : dispatch_async_f)(outer, &inner, make_inner);
    must(inner.over);
    must(probe->done);
    dispatch_release(inner.over);
}

static void from_another(const kind_t *kind, const call_t *call, dispatch_queue_t queue, struct probe *probe) {
    (void)kind;
    dispatch_queue_t other = dispatch_queue_create("other", NULL);
    dispatch_queue_set_specific(other, &key, "other", NULL);
    from(other, call, queue, probe, 0, 0);
    dispatch_release(other);
}

static void from_sync(const kind_t *kind, const call_t *call, dispatch_queue_t queue, struct probe *probe) {
    (void)kind;
    dispatch_queue_t other = dispatch_queue_create("other", DISPATCH_QUEUE_CONCURRENT);
    from(other, call, queue, probe, 0, 1);
    dispatch_release(other);
}

static void from_itself(const kind_t *kind, const call_t *call, dispatch_queue_t queue, struct probe *probe) {
    from(queue, call, queue, probe, kind->is_serial, 0);
}

static void twice(const kind_t *kind, const call_t *call, dispatch_queue_t queue, struct probe *probe) {
    (void)kind;
    call->make(queue, probe, run);
    call->make(queue, probe, run);
    must(probe->done);
    must(probe->done);
}

static void released(const kind_t *kind, const call_t *call, dispatch_queue_t queue, struct probe *probe) {
    (void)kind;
    probe->queue = NULL;
    call->make(queue, probe, run);
    dispatch_release(queue);
    must(probe->done);
}

struct state {
    const char *name;
    void (*run)(const kind_t *kind, const call_t *call, dispatch_queue_t queue, struct probe *probe);
    int changes_queue; /* not for the permanent ones */
    int no_waits;      /* a call that waits would wait for itself, or needs its queue */
};

static const struct state states[] = {
    { "idle", idle, 0, 0 },
    { "between", between, 0, 0 },
    { "suspended", suspended, 1, 0 },
    { "inactive", inactive, 1, 0 },
    { "from-another", from_another, 0, 0 },
    { "from-sync", from_sync, 0, 0 },
    { "from-itself", from_itself, 0, 1 },
    { "twice", twice, 0, 0 },
    { "released", released, 1, 1 },
};

static void run_cell(const kind_t *kind, const struct state *state, const call_t *call) {
    dispatch_queue_t queue = make(kind, state->run == inactive);
    struct probe probe = { queue, kind, strstr(call->name, "apply") != NULL, dispatch_semaphore_create(0) };
    state->run(kind, call, queue, &probe);
    if (state->run != released) {
        drain(queue); /* the probe is no longer used */
        dispatch_release(queue);
        dispatch_release(probe.done);
    }
}

void run_matrix(const char *only) {
    for (int k = 0; k < kind_count; k += 1) {
        for (size_t s = 0; s < sizeof states / sizeof states[0]; s += 1) {
            for (int c = 0; c < call_count; c += 1) {
                char name[120];
                snprintf(name, sizeof name, "%s/%s/%s", kinds[k].name, states[s].name, calls[c].name);
                if ((states[s].changes_queue && kinds[k].is_permanent) || (states[s].no_waits && calls[c].waits)) {
                    continue;
                }
                if (only == NULL || strcmp(only, name) == 0) {
                    begin_cell(name);
                    run_cell(&kinds[k], &states[s], &calls[c]);
                    end_cell();
                }
            }
        }
    }
}
