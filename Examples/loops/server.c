/* server.c: a server whose requests go from a pool to the main thread and back.
 *
 * The main thread has the sockets and the counts: an epoll loop and a main queue, no lock. Each connection has a queue on the shared
 * pool. A request is a line with a number:
 *
 *     main: reads the line -> pool: is it prime? -> main: counts -> pool: writes the answer -> main: done
 *
 * Each step is an async, and each queue is in order, so the answers of a connection come in the order of its requests. "stop" ends the
 * server, once all answers are written. It prints its port. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* accept4 */
#endif
#include <serial_queue.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Only the main thread uses these. */
typedef struct server {
    int set, listener;
    sq_pool_t *loop;
    sq_queue_t *main;
    unsigned long requests, primes;
    unsigned connections;
    bool stops;
} server_t;

typedef struct connection {
    server_t *server;
    int socket;        /* answers are written by the pool, one at a time */
    sq_queue_t *queue; /* on the shared pool */
    unsigned under_way;
    bool is_closed;
    size_t used;
    char line[64];
} connection_t;

/* Of the step that has it. */
typedef struct request {
    connection_t *connection;
    unsigned long number;
    bool is_prime;
    char answer[96];
} request_t;

static void must(bool holds, const char *what) {
    if (!holds) {
        perror(what);
        exit(1);
    }
}

static void then(sq_queue_t *queue, sq_function_t step, request_t *request) { must(sq_async(queue, step, request) == 0, "sq_async"); }

static void end_if_over(connection_t *connection) {
    if (connection->is_closed && connection->under_way == 0) {
        connection->server->connections -= 1;
        close(connection->socket);
        sq_queue_release(connection->queue);
        free(connection);
    }
}

/* 5. main */
static void done(void *context) {
    request_t *request = context;
    connection_t *connection = request->connection;
    free(request);
    connection->under_way -= 1;
    end_if_over(connection);
}

/* 4. pool */
static void answer(void *context) {
    request_t *request = context;
    size_t length = strlen(request->answer);
    ssize_t sent = send(request->connection->socket, request->answer, length, MSG_NOSIGNAL);
    (void)sent; /* a client that has left does not want its answer */
    then(request->connection->server->main, done, request);
}

/* 3. main */
static void count(void *context) {
    request_t *request = context;
    server_t *server = request->connection->server;
    server->requests += 1;
    server->primes += request->is_prime;
    snprintf(request->answer, sizeof request->answer, "%lu is %s; so far %lu of %lu\n", request->number,
             request->is_prime ? "prime" : "not prime", server->primes, server->requests);
    then(request->connection->queue, answer, request);
}

/* 2. pool */
static void compute(void *context) {
    request_t *request = context;
    unsigned long divisor = 2;
    while (divisor * divisor <= request->number && request->number % divisor != 0) {
        divisor += 1;
    }
    request->is_prime = request->number > 1 && divisor * divisor > request->number;
    then(request->connection->server->main, count, request);
}

/* 1. main */
static void take_line(connection_t *connection, const char *line) {
    if (strcmp(line, "stop") == 0) {
        connection->server->stops = true;
        return;
    }
    request_t *request = malloc(sizeof *request);
    must(request != NULL, "malloc");
    *request = (request_t){ .connection = connection, .number = strtoul(line, NULL, 10) % 1000000000 };
    connection->under_way += 1;
    then(connection->queue, compute, request);
}

static void read_lines(connection_t *connection) {
    char bytes[512];
    ssize_t length = recv(connection->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    for (ssize_t i = 0; i < length; i += 1) {
        if (bytes[i] == '\n') {
            connection->line[connection->used] = '\0';
            connection->used = 0;
            take_line(connection, connection->line);
        } else if (connection->used + 1 < sizeof connection->line) {
            connection->line[connection->used++] = bytes[i];
        }
    }
    if (length == 0) {
        connection->is_closed = true;
        epoll_ctl(connection->server->set, EPOLL_CTL_DEL, connection->socket, NULL);
        end_if_over(connection);
    }
}

static void watch(server_t *server, int fd, void *what) {
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };
    must(epoll_ctl(server->set, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
}

static void take_connection(server_t *server) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_shared();
    connection_t *connection = calloc(1, sizeof *connection);
    must(connection != NULL, "malloc");
    connection->server = server;
    connection->socket = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
    connection->queue = sq_queue_create("connection", &options);
    must(connection->socket >= 0 && connection->queue != NULL, "accept");
    server->connections += 1;
    watch(server, connection->socket, connection);
}

static void open_server(server_t *server) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    options.pool = server->loop = sq_pool_create_loop("main");
    server->main = server->loop != NULL ? sq_queue_create("main", &options) : NULL;
    must(server->main != NULL, "the main queue");
    server->set = epoll_create1(EPOLL_CLOEXEC);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(bind(server->listener, (struct sockaddr *)&address, sizeof address) == 0, "bind");
    must(listen(server->listener, 64) == 0 && getsockname(server->listener, (struct sockaddr *)&address, &size) == 0, "listen");
    watch(server, server->listener, server);
    watch(server, sq_pool_fd(server->loop), server->loop);
    printf("port %d\n", ntohs(address.sin_port));
    must(fflush(stdout) == 0, "the port");
}

int main(void) {
    server_t server = { 0 };
    struct epoll_event event;
    open_server(&server);
    while (!server.stops || server.connections > 0) {
        if (epoll_wait(server.set, &event, 1, -1) != 1) {
            continue; /* a signal */
        }
        if (event.data.ptr == server.loop) {
            (void)sq_pool_run_some(server.loop, 64, SQ_NOW);
        } else if (event.data.ptr == &server) {
            take_connection(&server);
        } else {
            read_lines(event.data.ptr);
        }
    }
    printf("%lu requests, %lu primes\n", server.requests, server.primes);
    close(server.listener);
    close(server.set);
    sq_queue_release(server.main);
    sq_pool_release(server.loop);
    return 0;
}
