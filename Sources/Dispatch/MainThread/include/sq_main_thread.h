/* sq_main_thread.h: the main thread, as the owner of the main queue's loop.
 *
 * A search for deadlocks sees the waits of a thread that owns a loop. The main thread is known as one before `main`, so also its first wait
 * counts; the loop, which needs a file descriptor, is made by the first use of the main queue, on any thread. */
#ifndef SQ_MAIN_THREAD_H
#define SQ_MAIN_THREAD_H

#include <serial_queue.h>
#include <sq_private.h>

/* Whether the caller is the main thread. */
_Bool sq_main_thread_is_current(void);

/* Makes the main thread the owner of a new loop, before other threads know the loop. No effect if another thread has loaded this library, and in
 * the child of a fork: then the loop has no owner yet. */
void sq_main_thread_take(sq_pool_t *_Nonnull loop);

/* Of libdispatch on Linux, for run loops; Foundation's RunLoop calls them. */
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *_Nullable message);

#endif
