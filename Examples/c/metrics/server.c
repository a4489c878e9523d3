#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* accept4 */
#endif
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static void send_all(int client, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(client, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0) {
            return; /* the client has left, or does not read */
        }
        bytes += sent;
        length -= (size_t)sent;
    }
}

/* Reads the head of a request. False: it is too long, or the client has left or sends nothing. */
static bool receive_head(int client, char *head, size_t size) {
    for (size_t used = 0; used + 1 < size;) {
        ssize_t length = recv(client, head + used, size - 1 - used, 0);
        if (length <= 0) {
            return false;
        }
        used += (size_t)length;
        head[used] = '\0';
        if (strstr(head, "\r\n\r\n") != NULL) {
            return true;
        }
    }
    return false;
}

static void answer(const server_t *server, int client) {
    char head[4096], *page = NULL;
    size_t length = 0;
    if (!receive_head(client, head, sizeof head)) {
        return;
    }
    bool is_found = strncmp(head, "GET /metrics ", 13) == 0;
    FILE *out = open_memstream(&page, &length);
    if (out == NULL) {
        return;
    }
    if (is_found) {
        server->write(out, server->context);
    } else {
        fputs("There is /metrics.\n", out);
    }
    if (fclose(out) == 0) {
        int size = snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                            is_found ? "200 OK" : "404 Not Found", length);
        send_all(client, head, (size_t)size);
        send_all(client, page, length);
    }
    free(page);
}

/* One client, then the next one as a task of its own. The end: the listener accepts no more, or the queue is shut down. */
static void serve(void *context) {
    server_t *server = context;
    int client = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
    if (client >= 0) {
        struct timeval patience = { .tv_sec = 5 };
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        answer(server, client);
        close(client);
    } else if (errno == EINVAL) {
        return; /* server_stop */
    } else if (errno != EINTR && errno != ECONNABORTED) {
        perror("metrics: accept");
        return;
    }
    (void)sq_async(server->queue, serve, server);
}

int server_start(server_t *server, int port, void (*write)(FILE *out, void *context), void *context) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int on = 1;
    *server = (server_t){ .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .write = write, .context = context };
    if (server->listener < 0 || setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(server->listener, 16) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &size) != 0) {
        return -1;
    }
    server->queue = sq_queue_create("com.example.metrics", NULL);
    if (server->queue == NULL) {
        return -1;
    }
    errno = sq_async(server->queue, serve, server);
    return errno == 0 ? ntohs(address.sin_port) : -1;
}

void server_stop(server_t *server) {
    shutdown(server->listener, SHUT_RDWR); /* accept returns */
    (void)sq_shutdown(server->queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
    sq_queue_release(server->queue);
    close(server->listener);
}
