#include "trace/recorders.h"

#include "platform/mutex.h"
#include "platform/thread.h"
#include "thread/process.h"

#include <string.h>

SQ__ATOMIC(sq__session_t) sq__trace_session;

enum { MOST_NAMES = 65536 };

/* L under the lock. */
static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__recorder_t *recorders;      /* L */
static sq__recorder_t *of_parent;      /* L  keeps them reachable for leak checkers; */
static sq__exit_t *own_of_parent;      /* L  the same: this thread's own one */
static sq__recording_t recording;      /* L */
static sq__traced_name_t *names;       /* L */
static sq__traced_name_t **names_end = &names; /* L */
static uint64_t name_count;            /* L */
static uint32_t last_number;           /* L */
static sq__session_t last_session;     /* L */
static uint64_t lost;                  /* L */

/* The child of a fork is not traced: the file is the parent's. */
static void forget_recorders(void) {
    sq__recorders_end();
    of_parent = recorders;
    own_of_parent = sq__self()->recorder;
    recorders = NULL;
    names = NULL;
    names_end = &names;
    sq__self()->recorder = NULL;
}

SQ__AROUND_FORK(SQ__RANK_TRACE, .lock = &lock, .in_child = forget_recorders)

void sq__recorders_begin(const sq__recording_t *wanted) {
    sq__mutex_lock(&lock);
    recording = *wanted;
    lost = 0;
    last_number = 0;
    last_session += last_session == UINT32_MAX ? 2 : 1;
    sq__store_relaxed(&sq__trace_session, last_session);
    sq__mutex_unlock(&lock);
}

void sq__recorders_end(void) {
    sq__store_relaxed(&sq__trace_session, 0);
}

/* Called with the lock. A flight recorder keeps names, so their number is limited: beyond that the oldest queues lose their label. Returns the name
 * that the caller frees; NULL: none. */
static sq__traced_name_t *take_surplus(void) {
    sq__traced_name_t *oldest = names;
    if (!recording.overwrites || name_count <= MOST_NAMES || oldest == NULL || oldest->next == NULL) {
        return NULL;
    }
    names = oldest->next;
    name_count -= 1;
    return oldest;
}

uint32_t sq__recorders_name(sq__session_t session, SQ__ATOMIC(uint64_t) *traced_as, const void *queue, const char *label, bool is_concurrent) {
    uint32_t number = 0;
    size_t length = strlen(label);
    sq__traced_name_t *name = sq__memory(sizeof *name + length + 1);
    sq__mutex_lock(&lock);
    uint64_t is_traced_as = sq__load_relaxed(traced_as);
    if (is_traced_as >> 32 == session) {
        number = (uint32_t)is_traced_as; /* another thread has named it first */
    } else if (name != NULL && session == sq__load_relaxed(&sq__trace_session)) {
        *name = (sq__traced_name_t){ .number = number = ++last_number, .handle = queue, .is_concurrent = is_concurrent };
        memcpy(name->label, label, length + 1);
        *names_end = name;
        names_end = &name->next;
        name_count += 1;
        name = take_surplus();
        sq__store_release(traced_as, (uint64_t)session << 32 | number); /* [named] release: the name is on the list */
    }
    sq__mutex_unlock(&lock);
    sq__memory_free(name);
    return number;
}

static sq__traced_name_t *take_names(void) {
    sq__traced_name_t *taken = names;
    names = NULL;
    names_end = &names;
    name_count = 0;
    return taken;
}

sq__traced_name_t *sq__recorders_take_names(void) {
    sq__mutex_lock(&lock);
    sq__traced_name_t *taken = take_names();
    sq__mutex_unlock(&lock);
    return taken;
}

void sq__recorders_put_back_names(sq__traced_name_t *taken) {
    if (taken == NULL) {
        return;
    }
    sq__traced_name_t *last = taken;
    uint64_t count = 1;
    while (last->next != NULL) {
        last = last->next;
        count += 1;
    }
    sq__mutex_lock(&lock);
    if (names == NULL) {
        names_end = &last->next;
    }
    last->next = names;
    names = taken;
    name_count += count;
    sq__mutex_unlock(&lock);
}

void sq__recorders_free_names(sq__traced_name_t *taken) {
    while (taken != NULL) {
        sq__traced_name_t *next = taken->next;
        sq__memory_free(taken);
        taken = next;
    }
}

uint64_t sq__recorders_lost(void) {
    sq__mutex_lock(&lock);
    uint64_t so_far = lost;
    sq__mutex_unlock(&lock);
    return so_far;
}

sq__recorder_t *sq__recorders_look(void) {
    sq__mutex_lock(&lock);
    sq__recorder_t *first = recorders;
    for (sq__recorder_t *recorder = first; recorder != NULL; recorder = recorder->next) {
        recorder->was_left = recorder->is_left;
    }
    sq__mutex_unlock(&lock);
    return first;
}

void sq__recorders_remove(sq__recorder_t *recorder) {
    sq__mutex_lock(&lock);
    sq__recorder_t **link = &recorders;
    while (*link != recorder) {
        link = &(*link)->next;
    }
    *link = recorder->next;
    sq__mutex_unlock(&lock);
    sq__memory_free(recorder->reading);
    sq__memory_free(recorder);
}

void sq__recorders_forget(void) {
    sq__mutex_lock(&lock);
    sq__recorder_t *next, *recorder = recorders;
    recorders = NULL;
    for (; recorder != NULL; recorder = next) {
        next = recorder->next;
        recorder->is_over = true;
        sq__memory_free(recorder->reading);
        if (recorder->is_left) {
            sq__memory_free(recorder);
        }
    }
    sq__traced_name_t *taken = take_names();
    sq__mutex_unlock(&lock);
    sq__recorders_free_names(taken);
}

/* A recorder for a thread */

/* The thread stops using its recorder, and frees it if the reader no longer uses it; else the reader frees it. Takes the lock. */
static void leave(sq__exit_t *exit) {
    sq__recorder_t *recorder = (sq__recorder_t *)exit;
    sq__mutex_lock(&lock);
    bool is_over = recorder->is_over;
    recorder->is_left = true;
    sq__mutex_unlock(&lock);
    if (is_over) {
        sq__memory_free(recorder);
    }
}

/* Called with the lock, which it releases while it allocates: the session may end meanwhile. The recorder is in no list yet. NULL: no memory. */
static sq__recorder_t *make(sq__session_t session) {
    size_t words = recording.events * SQ__ENTRY_WORDS * sizeof(uint64_t);
    sq__mutex_unlock(&lock);
    size_t head = (sizeof(sq__recorder_t) + SQ__LINE - 1) / SQ__LINE * SQ__LINE;
    char *memory = sq__memory_lines(head + words);
    sq__mutex_lock(&lock);
    sq__recorder_t *recorder = (sq__recorder_t *)(void *)memory;
    if (memory != NULL) {
        memset(recorder, 0, sizeof *recorder);
        recorder->exit.call = leave;
        recorder->session = session;
        recorder->buffer.room = words / (SQ__ENTRY_WORDS * sizeof(uint64_t));
        recorder->buffer.overwrites = recording.overwrites;
        recorder->buffer.words = (SQ__ATOMIC(uint64_t) *)(void *)(memory + head);
    }
    return recorder;
}

sq__recorder_t *sq__recorders_join(sq__session_t session) {
    sq__self_t *self = sq__self();
    if (self->recorder != NULL) {
        leave(self->recorder);
        self->recorder = NULL;
    }
    sq__mutex_lock(&lock);
    bool is_current = session == sq__load_relaxed(&sq__trace_session);
    sq__recorder_t *recorder = is_current ? make(session) : NULL;
    if (recorder != NULL) {
        recorder->thread_id = sq__thread_id();
        sq__thread_name(recorder->thread_name, sizeof recorder->thread_name);
        /* The reader of a session that ended meanwhile has forgotten all recorders: it would take this one for one of the next session. */
        is_current = session == sq__load_relaxed(&sq__trace_session);
        if (is_current && sq__self_record_with(&recorder->exit)) {
            recorder->next = recorders;
            recorders = recorder;
        } else {
            sq__memory_free(recorder);
            recorder = NULL;
        }
    }
    lost += is_current && recorder == NULL; /* an event of a session that is over is not missing in the next one */
    sq__mutex_unlock(&lock);
    return recorder;
}
