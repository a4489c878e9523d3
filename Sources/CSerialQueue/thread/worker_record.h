/* worker_record.h: the fields of a worker, for worker.c, and for spare.c, which finds threads for workers. */
#pragma once

#include "platform/thread.h"
#include "thread/token.h"

#include <stdbool.h>

typedef struct sq__worker sq__worker_t;

/* What a post calls. Returns false to end the worker: then it must not be posted again. */
typedef bool (*sq__worker_function_t)(void *argument);

/* Fields: F fixed once started; P used by the thread that posts next, and by the worker's thread from a post until it calls the function;
 * L under the lock of spare.c. A queue that was used keeps this record while it is idle: it fills a block of malloc's, 80 bytes with the header. */
struct sq__worker {
    sq__thread_start_t start; /* F  its body is called again by each thread that is started for this worker; its argument is the record */
    union {
        sq__token_t *token;      /* P  of the thread that it has, or had last */
        sq__worker_t *next; /* L  of those that wait for a thread */
    };
    sq__wait_id_t wait_id;          /* P  what the next post grants */
    sq__worker_function_t function; /* P  NULL: the worker ends */
    void *argument;                 /* F */
};
