/* client.h: what needs a thread of the cache now and then (thread/cache.h). */
#pragma once

#include "platform/thread.h"
#include "thread/token.h"

#include <stdbool.h>

/* What a post calls. Returns false if the client has ended: it is not posted again, and was freed by the cache when the call returns to it. */
typedef bool (*sq__client_function_t)(void *argument);

/* F fixed; P used by the thread that posts next, and by the thread that runs the client until it calls the function; L under the lock of the cache. A
 * queue that was used keeps this record while it is idle: it fills a block of malloc's, 80 bytes with the header. */
typedef struct sq__client {
    sq__thread_start_t start; /* F  how its threads are started, each time */
    union {
        sq__token_t *token;      /* P  of the thread that it had last */
        struct sq__client *next; /* L  in the line */
    };
    sq__wait_id_t wait_id;          /* P  that thread's wait */
    sq__client_function_t function; /* F */
    void *argument;                 /* F */
} sq__client_t;
