/* server.h: one page over HTTP, for a client on this machine. */
#ifndef SERVER_H
#define SERVER_H

#include <serial_queue.h>

#include <stdio.h>

/* Fixed while the server runs. */
typedef struct server {
    int listener;
    sq_queue_t *queue; /* accepts and answers, one client after the other */
    void (*write)(FILE *out, void *context);
    void *context;
} server_t;

/* Serves GET /metrics on this port of the loopback address; 0: any. Returns the port; -1: errno says why. `write` writes the page, on the
 * server's queue. */
int server_start(server_t *server, int port, void (*write)(FILE *out, void *context), void *context);

/* Waits until the client that is being answered has its answer. */
void server_stop(server_t *server);

#endif
