#include "thread/cache.h"

#include "platform/atomic.h"
#include "platform/clock.h"
#include "platform/list.h"
#include "platform/memory.h"
#include "platform/mutex.h"
#include "thread/process.h"
#include "thread/worker.h"

#include <errno.h>

/* Nanoseconds between two tries to start a thread: the first pause and the longest one. */
enum { PAUSE = 1000000, LONGEST_PAUSE = 128 * PAUSE };

/* How many threads are looked at for one that idles. */
#ifndef SQ__THREAD_LOOKS
#define SQ__THREAD_LOOKS 16u
#endif

/* A thread of the cache. F fixed while it is listed; L under the lock; A atomic. It is a local variable of its thread. */
typedef struct thread {
    sq__token_t *token;              /* F */
    sq__thread_start_t start;        /* F  how it was started, with the name that it has now */
    SQ__ATOMIC(sq__wait_id_t) idle;  /* A  the wait in which it idles, 0: in none; set by the thread, cleared by it and by the one that takes it */
    sq__client_t *own;               /* L while it idles: the client that may post it. It ran this one last */
    bool is_alone;                   /* L  that client has left: nobody will post it */
    sq__client_t *other;             /* L  the client that has taken it; NULL: it is to end */
    bool is_kept;                    /* L, written by the thread alone: it idles without a limit */
    struct thread *next;             /* L */
    struct thread **link;            /* L */
} thread_t;

static sq__mutex_t lock = SQ__MUTEX_INIT;
static size_t clients;                        /* L */
static thread_t *threads, **threads_end = &threads; /* L  those that idled when they were looked at come first */
static unsigned kept;                         /* L  how many threads are kept: no more than there are clients */
static sq__client_t *line, **line_end = &line; /* L  posted clients without a thread, in the order of their posts */
static SQ__ATOMIC(bool) line_waits;           /* L, and read by any thread as a hint */

/* L. `token` is NULL if it does not run. */
static struct {
    sq__token_t *token;
    sq__thread_start_t start;
} keeper;

/* The line */

/* L. */
static void append_to_line(sq__client_t *client) {
    client->next = NULL;
    *line_end = client;
    line_end = &client->next;
    sq__store_relaxed(&line_waits, true);
}

/* L. The line is not empty. */
static sq__client_t *take_from_line(void) {
    sq__client_t *client = line;
    line = client->next;
    if (line == NULL) {
        line_end = &line;
        sq__store_relaxed(&line_waits, false);
    }
    return client;
}

/* Finding a thread */

static void run_clients(void *client);

/* L. Starts a thread for the client. `is_posted`: it calls it at once. False: no memory or no thread. */
static bool start_thread(sq__client_t *client, bool is_posted) {
    sq__token_t *token = sq__token_acquire();
    if (token == NULL) {
        return false;
    }
    client->token = token;
    client->wait_id = sq__token_prepare(token);
    if (is_posted) {
        sq__token_grant(token, client->wait_id);
    }
    if (sq__thread_start_planned(&client->start) != 0) {
        sq__token_recycle(token);
        return false;
    }
    return true;
}

/* L. Ends this thread's wait, if it idles: it runs the client, or ends if that is NULL. */
static bool take(thread_t *thread, sq__client_t *client) {
    sq__wait_id_t wait_id = sq__load_relaxed(&thread->idle);
    /* One taker for each wait: the thread may not have read `other` yet. [idle] acquire: it has read those of earlier waits. */
    if (wait_id == 0 || !sq__cas_acquire(&thread->idle, &wait_id, 0)) {
        return false;
    }
    thread->other = client;
    thread->is_alone = client == NULL;
    return sq__token_refuse(thread->token, wait_id);
}

/* L. Gives the client a thread that idles. False: none was found. */
static bool take_idle(sq__client_t *client) {
    for (unsigned looks = 0; threads != NULL && looks < SQ__THREAD_LOOKS; looks += 1) {
        thread_t *thread = threads;
        if (thread->start.stack_kib == client->start.stack_kib && take(thread, client)) {
            return true;
        }
        SQ__LIST_REMOVE_FROM(threads_end, thread);
        SQ__LIST_APPEND(threads_end, thread);
    }
    return false;
}

/* L. */
static bool find_thread(sq__client_t *client) { return (keeper.token != NULL && take_idle(client)) || start_thread(client, true); }

void sq__cache_find_thread(sq__client_t *client) {
    sq__mutex_lock(&lock);
    if (!find_thread(client)) {
        append_to_line(client);
        sq__token_nudge(keeper.token); /* a client loses its thread only while there is one */
    }
    sq__mutex_unlock(&lock);
}

/* The keeper */

/* L. Nobody needs it any more. */
static bool is_idle(void) { return clients == 0 && threads == NULL; }

/* L. */
static void end_keeper_if_idle(void) {
    if (keeper.token != NULL && is_idle()) {
        sq__token_nudge(keeper.token);
    }
}

/* L. Returns whether clients are left in the line. */
static bool serve_line(void) {
    bool is_served = true;
    while (line != NULL && is_served) {
        sq__client_t *client = take_from_line();
        is_served = find_thread(client);
        if (!is_served) {
            append_to_line(client); /* no order is promised among queues */
        }
    }
    return !is_served;
}

static void keep(void *argument) {
    sq__token_t *token = argument;
    sq__wait_id_t wait_id = sq__token_prepare(token); /* never granted: it is nudged */
    uint64_t pause = PAUSE, deadline = SQ__NEVER;
    bool is_over = false;
    while (!is_over) {
        (void)sq__token_doze(token, wait_id, deadline);
        sq__mutex_lock(&lock);
        sq__token_forget_nudge(token);
        bool is_left = serve_line();
        is_over = is_idle();
        if (is_over) {
            keeper.token = NULL;
        }
        sq__mutex_unlock(&lock);
        deadline = is_left ? sq__clock_now() + pause : SQ__NEVER;
        pause = !is_left ? PAUSE : pause < LONGEST_PAUSE ? 2 * pause : pause;
    }
    (void)sq__token_withdraw(token, wait_id);
    sq__token_recycle(token);
}

/* L. True: there is one. */
static bool has_keeper(void) {
    if (keeper.token == NULL) {
        sq__token_t *token = sq__token_acquire();
        if (token != NULL && sq__thread_start(&keeper.start, keep, token, &(sq__thread_kind_t){ .name = "sq-keeper" }) != 0) {
            sq__token_recycle(token);
            token = NULL;
        }
        keeper.token = token;
    }
    return keeper.token != NULL;
}

/* Threads */

/* The thread has idled long enough. True: it stays. */
static bool stays(thread_t *self, sq__wait_id_t wait_id) {
    sq__mutex_lock(&lock);
    self->is_kept = !self->is_alone && (kept < SQ__KEPT_THREADS || !has_keeper());
    kept += self->is_kept;
    bool ends = !self->is_kept && sq__token_withdraw(self->token, wait_id) == SQ__WITHDRAWN;
    sq__mutex_unlock(&lock);
    return !ends;
}

/* A client of the line, in place of the wait; NULL: none. */
static sq__client_t *serve_instead(thread_t *self, sq__wait_id_t wait_id) {
    sq__mutex_lock(&lock);
    bool serves = line != NULL && sq__token_withdraw(self->token, wait_id) == SQ__WITHDRAWN;
    sq__client_t *client = serves ? take_from_line() : NULL;
    self->is_alone = self->is_alone && !serves;
    sq__mutex_unlock(&lock);
    return client;
}

/* Waits for what is to be run next: the client that it ran last, or another one. NULL: nothing, the thread ends. */
static sq__client_t *idle(thread_t *self, sq__wait_id_t wait_id) {
    sq__client_t *client = sq__load_relaxed(&line_waits) ? serve_instead(self, wait_id) : NULL;
    if (client != NULL) {
        return client;
    }
    sq__store_release(&self->idle, wait_id); /* [idle] release: it has read `other` */
    sq__outcome_t outcome = sq__token_spin(self->token, wait_id, SQ__SPIN_WORKER, SQ__WORKER_SPINS);
    if (outcome == SQ__OPEN && SQ__IDLES_FOR > 0) {
        outcome = sq__worker_sleep(self->token, wait_id, SQ__IDLES_FOR);
    }
    if (outcome == SQ__OPEN) {
        outcome = stays(self, wait_id) ? sq__worker_sleep(self->token, wait_id, SQ__NEVER) : SQ__WITHDRAWN;
    }
    sq__store_relaxed(&self->idle, 0);
    if (self->is_kept) {
        sq__mutex_lock(&lock);
        self->is_kept = false;
        kept -= 1;
        sq__mutex_unlock(&lock);
    }
    return outcome == SQ__GRANTED ? self->own : outcome == SQ__REFUSED ? self->other : NULL;
}

/* The body of a thread, which was started for this client. */
static void run_clients(void *argument) {
    sq__client_t *client = argument;
    const uint32_t process = sq__process();
    thread_t self = { .token = client->token, .start = client->start, .own = client };
    sq__wait_id_t wait_id = client->wait_id;
    sq__mutex_lock(&lock);
    SQ__LIST_APPEND(threads_end, &self);
    sq__token_wait_in(self.token, &self);
    sq__mutex_unlock(&lock);
    while ((client = idle(&self, wait_id)) != NULL) {
        sq__thread_take_name(&self.start, &client->start);
        self.own = client;
        client->token = self.token;
        /* Before the call: the next post may come before the function has returned. */
        wait_id = client->wait_id = sq__token_prepare(self.token);
        sq__token_wait_in(self.token, &self);
        bool has_ended = client->function == NULL || !client->function(client->argument);
        if (sq__process() != process) { /* it has forked, and this is the child: the thread, its token and the client are the parent's */
            return;
        }
        if (has_ended) {
            sq__cache_leave(client);
        }
    }
    sq__mutex_lock(&lock);
    SQ__LIST_REMOVE_FROM(threads_end, &self);
    end_keeper_if_idle();
    sq__mutex_unlock(&lock);
    sq__token_recycle(self.token);
}

/* Clients */

/* L. An idle thread that nobody will post becomes the client's. Else: *some_idle says whether others idle. */
static bool join_thread(sq__client_t *client, bool *some_idle) {
    unsigned looks = 0;
    *some_idle = false;
    for (thread_t *thread = threads; thread != NULL && looks < SQ__THREAD_LOOKS; thread = thread->next, looks += 1) {
        sq__wait_id_t wait_id = sq__load_acquire(&thread->idle); /* [idle] acquire: `own` */
        *some_idle = *some_idle || wait_id != 0;
        if (wait_id != 0 && thread->is_alone && thread->start.stack_kib == client->start.stack_kib && sq__token_is_open(thread->token, wait_id)) {
            thread->own = client;
            thread->is_alone = false;
            client->token = thread->token;
            client->wait_id = wait_id;
            return true;
        }
    }
    return false;
}

/* L. */
static bool join(sq__client_t *client) {
    bool some_idle;
    if (join_thread(client, &some_idle)) {
        return true;
    }
    if ((keeper.token != NULL || some_idle) && has_keeper()) {
        client->token = keeper.token; /* with a wait that is over: the first post looks for a thread */
        return true;
    }
    return start_thread(client, false);
}

int sq__cache_join(sq__client_t **result, sq__client_function_t function, void *argument, const sq__thread_kind_t *kind) {
    sq__client_t *client = sq__memory(sizeof *client);
    if (client == NULL) {
        return ENOMEM;
    }
    *client = (sq__client_t){ .function = function, .argument = argument };
    sq__thread_plan(&client->start, run_clients, client, kind);
    sq__mutex_lock(&lock);
    bool joins = join(client);
    clients += joins;
    sq__mutex_unlock(&lock);
    if (!joins) {
        sq__memory_free(client);
        return ENOMEM;
    }
    *result = client;
    return 0;
}

void sq__cache_leave(sq__client_t *client) {
    sq__mutex_lock(&lock);
    bool waits = sq__token_is_open(client->token, client->wait_id);
    /* If it waits, only who holds the lock can end the wait now. So it is listed, or has just been started. */
    thread_t *thread = waits ? (thread_t *)(uintptr_t)sq__token_line(client->token) : NULL;
    if (waits && thread == NULL) {
        client->function = NULL; /* it still reads the record: it comes here, too */
        sq__token_grant(client->token, client->wait_id);
        client = NULL;
    } else {
        clients -= 1;
    }
    if (thread != NULL) {
        thread->is_alone = true;
        if (thread->is_kept || SQ__IDLES_FOR == 0) {
            (void)take(thread, NULL);
        }
    }
    end_keeper_if_idle();
    sq__mutex_unlock(&lock);
    sq__memory_free(client);
}

void sq__cache_end_idle(void) {
    sq__mutex_lock(&lock);
    for (thread_t *thread = threads; thread != NULL; thread = thread->next) {
        (void)(thread->is_alone && take(thread, NULL));
    }
    sq__mutex_unlock(&lock);
}

sq__cache_counts_t sq__cache_count(void) {
    sq__mutex_lock(&lock);
    sq__cache_counts_t counts = { .clients = clients, .kept = kept, .has_keeper = keeper.token != NULL };
    for (const thread_t *thread = threads; thread != NULL; thread = thread->next) {
        counts.threads += 1;
        counts.idle += sq__load_relaxed(&thread->idle) != 0;
    }
    for (const sq__client_t *client = line; client != NULL; client = client->next) {
        counts.in_line += 1;
    }
    sq__mutex_unlock(&lock);
    return counts;
}

/* The child has none of these threads, and no post comes to a client of the parent. */
static void forget_all(void) {
    clients = 0;
    kept = 0;
    threads = NULL;
    threads_end = &threads;
    line = NULL;
    line_end = &line;
    sq__store_relaxed(&line_waits, false);
    keeper.token = NULL;
}

SQ__AROUND_FORK(SQ__RANK_CACHE, .lock = &lock, .in_child = forget_all)
