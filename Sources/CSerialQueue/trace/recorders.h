/* recorders.h: the recorders of all threads, and the names of the queues. */
#pragma once

#include "thread/self.h"
#include "trace/buffer.h"
#include "trace/trace_event.h"
#include "trace/trace.h"

/* T by its own thread only; L under the lock of the recorders; R by the thread that writes the file; I fixed after creation. */
typedef struct sq__recorder {
    sq__exit_t exit;           /* I  first: called when the thread ends */
    sq__session_t session;     /* I */
    uint64_t thread_id;        /* I */
    char thread_name[16];      /* I */
    uint64_t open;             /* T  how many events were recorded that open something, and are not closed */
    bool is_left;              /* L  its thread no longer uses it */
    bool is_over;              /* L  the reader no longer uses it: its thread frees it */
    bool was_left;             /* R  `is_left` at the last look */
    uint64_t reported_dropped; /* R  how many dropped events the file reports */
    struct sq__trace_reading *reading; /* R  what is known from the events so far; NULL: nothing */
    struct sq__recorder *next; /* L */
    sq__buffer_t buffer;
} sq__recorder_t;

/* A queue that was traced. */
typedef struct sq__traced_name {
    struct sq__traced_name *next;
    uint32_t number;    /* in the session: no other queue has it */
    const void *handle; /* its number in dumps; a later queue may have the same */
    bool is_concurrent;
    char label[];
} sq__traced_name_t;

/* What each recorder of a session is made with. */
typedef struct sq__recording {
    uint64_t events; /* that a thread's buffer holds; a power of two */
    bool overwrites; /* a flight recorder: the newest events stay */
} sq__recording_t;

/* Begins a session. Not while another one is under way. */
void sq__recorders_begin(const sq__recording_t *recording);

/* Ends the session: nothing more is recorded. The events stay until sq__recorders_forget. */
void sq__recorders_end(void);

/* T. Called for the first event of this thread in the session: makes its recorder, and leaves an earlier one. NULL: the session is over, or there is
 * no memory. */
sq__recorder_t *sq__recorders_join(sq__session_t session);

/* For the one thread that reads what was recorded, the reader of the session. */

/* The recorders of the session, newest first. Those that come later are not among them. Notes which of them their threads have left (was_left). */
sq__recorder_t *sq__recorders_look(void);

/* Removes and frees a recorder that its thread had left at the last look, and that was read since. It is in the list. */
void sq__recorders_remove(sq__recorder_t *recorder);

/* The names that were added since this was called last, oldest first; the caller frees them, or puts them back in front of newer ones. */
sq__traced_name_t *sq__recorders_take_names(void);
void sq__recorders_put_back_names(sq__traced_name_t *taken);
void sq__recorders_free_names(sq__traced_name_t *taken);

/* How many events were lost because there was no memory for a recorder. */
uint64_t sq__recorders_lost(void);

/* Frees all names and recorders of the session, which is over and read. A thread that still has its recorder frees that later. */
void sq__recorders_forget(void);
