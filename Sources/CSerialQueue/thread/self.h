/* self.h: what the library knows of the calling thread.
 *
 * DESIGN. One small thread-local record. Nothing in it is made before it is needed, so a thread that only ever takes free
 * queues has no token and no exit handler. When the thread ends, its token goes back to the list. A thread-exit destructor
 * of the user's that waits after that takes a token for that one wait. */
#ifndef SQ__THREAD_SELF_H
#define SQ__THREAD_SELF_H

#include "platform/thread.h"
#include "thread/token.h"

/* One for each task on this thread's stack, innermost first. It lives on that stack, in the function that calls the task. */
typedef struct sq__frame {
    const void *owner; /* whose task this is */
    struct sq__frame *parent;
    bool begins; /* a chain: the task was not called by those further out. It runs here in place of another thread. */
} sq__frame_t;

/* One for each once whose function this thread is inside, innermost first; on the stack of the call. */
typedef struct sq__hold {
    const void *what;
    struct sq__hold *parent;
} sq__hold_t;

/* T: this thread only, all of it. */
typedef struct sq__self {
    sq__frame_t *frame; /* the innermost task, or NULL */
    sq__hold_t *hold;   /* the innermost once, or NULL */
    sq__token_t *token; /* NULL: none yet */
    struct sq__member *member; /* which of a pool's threads it is; NULL: none */
    char *report;       /* of the last deadlock; NULL: none yet */
    sq__exit_t exit;
    bool ended; /* the exit handler has run: whatever is taken from now on is given back at once */
} sq__self_t;

extern SQ__THREAD_LOCAL sq__self_t sq__self_record;

static inline sq__self_t *sq__self(void) { return &sq__self_record; }

/* The calling thread's token, for one wait; NULL: no memory. sq__self_wait_over must follow. */
sq__token_t *sq__self_token(void);
void sq__self_wait_over(sq__token_t *token);

/* Room for a report of this many bytes, kept until the thread ends; NULL: no memory, or the thread is ending. */
char *sq__self_report(size_t bytes);

#endif
