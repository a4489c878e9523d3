/* event_fd.h: two ends of something that a signal handler can write to and poll can wait for. */
#pragma once

#include "platform/system.h"

#include <stdbool.h>

/* Linux's eventfd, where both are one descriptor; elsewhere, and where a sandbox refuses that, a pipe. */
typedef struct sq__event_fd {
    int reads;  /* is readable once it was signalled */
    int writes; /* is written to */
    int mark;   /* of both, if the owner keeps it: event.c */
} sq__event_fd_t;

/* Both ends do not block, have numbers above those of the standard files, and programs started by exec do not inherit them. Returns 0 or an errno code. */
int sq__event_fd_open(sq__event_fd_t *event_fd);
/* The same; a pipe in any case. */
int sq__event_fd_open_pipe(sq__event_fd_t *event_fd);
void sq__event_fd_close(sq__event_fd_t event_fd);

/* Makes it readable. Async-signal-safe. False, with errno: its descriptor is no longer ours. */
bool sq__event_fd_signal(sq__event_fd_t event_fd);
/* Makes it not readable. Returns 1, 0 if it was not, or -1 with errno. */
int sq__event_fd_clear(sq__event_fd_t event_fd);
