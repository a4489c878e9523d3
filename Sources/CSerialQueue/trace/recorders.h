/* recorders.h: the recorders of all threads, and the names of the queues. */
#ifndef SQ__TRACE_RECORDERS_H
#define SQ__TRACE_RECORDERS_H

#include "trace/recorder.h"

/* A queue that was traced. */
typedef struct sq__traced_name {
    struct sq__traced_name *next;
    uint32_t number;
    bool is_concurrent;
    char label[];
} sq__traced_name_t;

/* What each recorder of a session is made with. */
typedef struct sq__recording {
    uint64_t events; /* that a thread's buffer holds; a power of two */
    bool overwrites; /* a flight recorder: the newest events stay */
} sq__recording_t;

/* Begins a session. Returns its number. Not while another one is under way. */
sq__session_t sq__recorders_begin(const sq__recording_t *recording);

/* Ends the session: nothing more is recorded. The events stay until sq__recorders_forget. */
void sq__recorders_end(void);

/* Gives the queue a number in the session, in *traced_as with the session above it, and keeps its label. Returns the number, also if it
 * has one already. 0: the session is over, or there is no memory. */
uint32_t sq__recorders_name(sq__session_t session, SQ__ATOMIC(uint64_t) *traced_as, const char *label, bool is_concurrent);

/* Called for the first event of this thread in the session: makes its recorder. NULL: the session is over, or there is no memory. */
sq__recorder_t *sq__recorders_join(sq__session_t session);

/* For the one thread that reads what was recorded, the reader of the session. */

/* The recorders of the session, newest first. Those that come later are not among them. */
sq__recorder_t *sq__recorders_look(void);

/* Removes and frees a recorder that its thread had left at the last look, and that was read since. */
void sq__recorders_remove(sq__recorder_t *recorder);

/* The names that were added since this was called last, oldest first; the caller frees them, or puts them back. */
sq__traced_name_t *sq__recorders_take_names(void);
void sq__recorders_put_back_names(sq__traced_name_t *taken);
void sq__recorders_free_names(sq__traced_name_t *taken);

/* How many events were lost because there was no memory for a recorder. */
uint64_t sq__recorders_lost(void);

/* Frees all names and recorders of the session, which is over. A thread that still has its recorder frees that later. */
void sq__recorders_forget(void);

/* Around a fork. */
void sq__recorders_lock(void);
void sq__recorders_unlock(bool in_child);

#endif
