#include "platform/event_fd.h"

#if !SQ__LINUX

int sq__event_fd_open(sq__event_fd_t *event_fd) { return sq__event_fd_open_pipe(event_fd); }

#endif
