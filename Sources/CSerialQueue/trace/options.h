/* options.h: the text of SQ_TRACE and sq_trace_start. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SQ__TRACE_PATH = 4096 + 64 };

typedef struct sq__trace_options {
    char path[SQ__TRACE_PATH]; /* absolute, wherever the program goes later */
    uint64_t last;   /* nanoseconds; 0: no flight recorder */
    uint64_t events; /* that a thread's buffer holds; a power of two */
    int signal;      /* 0: none */
} sq__trace_options_t;

/* Returns NULL, or what is wrong: the end of an error message, a constant; then the options are not valid. */
const char *sq__trace_options_read(sq__trace_options_t *options, const char *text);
