/* dump.h: a dump with a number of lines. */
#pragma once

#include <stddef.h>

enum { SQ__DUMP_LINES = 200 };

/* As sq_dump. At most so many lines, 1 or more, of threads, queues, pools and timers. */
int sq__dump_lines(int fd, size_t lines);
