/* main.c: metrics of queues for Prometheus, by the C library alone.
 *
 *     metrics [PORT]         prints its port, and serves http://127.0.0.1:PORT/metrics until SIGINT or SIGTERM
 *
 * It has a queue "store" and three queues of the label "room", whose series are one. When the port is printed, 1000 tasks of the store and 300 of the
 * rooms have run. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* sigwait, also with -std=c11 */
#endif
#include "page.h"
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { ROOMS = 3, QUEUES = 1 + ROOMS };

static void must(int error, const char *what) {
    if (error) {
        fprintf(stderr, "metrics: %s: %s\n", what, strerror(error));
        exit(1);
    }
}

static void count(void *context) { *(unsigned *)context += 1; }

static void write_page(FILE *out, void *queues) { page_write(out, queues, QUEUES); }

int main(int arguments, char **argument) {
    sq_queue_t *queues[QUEUES];
    unsigned counts[QUEUES] = { 0 };
    server_t server;
    sigset_t ends;
    int signal_number;
    char *rest = "";
    long port = arguments == 2 ? strtol(argument[1], &rest, 10) : 0;
    if (arguments > 2 || *rest != '\0' || port < 0 || port > 65535) {
        fprintf(stderr, "usage: metrics [PORT]\n");
        return 2;
    }
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    must(pthread_sigmask(SIG_BLOCK, &ends, NULL), "pthread_sigmask"); /* before there are threads: sigwait takes them */
    for (size_t i = 0; i < QUEUES; i += 1) {
        queues[i] = sq_queue_create(i == 0 ? "store" : "room", NULL);
        must(queues[i] == NULL ? errno : 0, "sq_queue_create");
        must(sq_queue_histograms_start(queues[i]), "sq_queue_histograms_start");
        unsigned tasks = i == 0 ? 1000 : 100;
        for (unsigned task = 1; task < tasks; task += 1) {
            must(sq_async(queues[i], count, &counts[i]), "sq_async");
        }
        must(sq_sync(queues[i], count, &counts[i]), "sq_sync"); /* the last one, after all others */
    }
    int bound = server_start(&server, (int)port, write_page, queues);
    must(bound < 0 ? errno : 0, "the server");
    printf("port %d\n", bound);
    must(fflush(stdout) != 0 ? errno : 0, "the port");
    must(sigwait(&ends, &signal_number), "sigwait");
    server_stop(&server);
    for (size_t i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
    }
    return counts[0] == 1000 ? 0 : 1;
}
