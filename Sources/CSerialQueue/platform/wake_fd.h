/* wake_fd.h: a file descriptor on which a thread sleeps until another one, or a signal handler, signals it. */
#ifndef SQ__PLATFORM_WAKE_FD_H
#define SQ__PLATFORM_WAKE_FD_H

#include "platform/event_fd.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns 0 and *wake_fd, or an errno code. */
int sq__wake_fd_create(sq__event_fd_t *wake_fd);
/* May be called in a signal handler. Keeps errno. */
void sq__wake_fd_signal(sq__event_fd_t wake_fd);
/* Waits until it has been signalled since the last call, for at most this many nanoseconds; SQ__NEVER: without a limit. True: it was. */
bool sq__wake_fd_wait(sq__event_fd_t wake_fd, uint64_t nanoseconds);

#endif
