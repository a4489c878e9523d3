// foreign_throw.cpp: what C++ code may do to a task. Run by foreign_test.c, as PROGRAM WAY [handled]: in each way a C++ exception is
// thrown in a task, with a handler around the call, as a careless program would have it. None may leave the task. "handled": the program has
// a terminate handler of its own.
#include "serial_queue.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <unistd.h>

static int caught_inside = 0;

static void throw_out(void *) { throw std::runtime_error("out of a task"); }

static void throw_number(void *) { throw 42; }

static void catch_inside(void *) {
    try {
        throw std::runtime_error("inside a task");
    } catch (const std::exception &) {
        caught_inside += 1;
    }
}

static void do_nothing(void *) {}

static void throw_inside(void *context) { sq_sync(static_cast<sq_queue_t *>(context), throw_out, nullptr); }

static int submit(const char *way, sq_queue_t *queue) {
    if (strcmp(way, "sync") == 0) {
        return sq_sync(queue, throw_out, nullptr);
    }
    if (strcmp(way, "sync-number") == 0) {
        return sq_sync(queue, throw_number, nullptr);
    }
    if (strcmp(way, "sync_until") == 0) {
        return sq_sync_until(queue, SQ_NOW, throw_out, nullptr);
    }
    if (strcmp(way, "nested") == 0) {
        sq_queue_t *outer = sq_queue_create("outer", nullptr);
        return sq_sync(outer, throw_inside, queue);
    }
    if (strcmp(way, "async") == 0) {
        return sq_async(queue, throw_out, nullptr);
    }
    if (strcmp(way, "call") == 0) {
        return sq_run_and_wait(queue, SQ_FOREVER, throw_out, nullptr);
    }
    if (strcmp(way, "apply") == 0) {
        return sq_apply(nullptr, 10, [](void *, size_t) { throw std::runtime_error("out of a task"); }, nullptr);
    }
    if (strcmp(way, "once") == 0) {
        static sq_once_t once = SQ_ONCE_INIT;
        return sq_once(&once, throw_out, nullptr);
    }
    if (strcmp(way, "discard") == 0) {
        const sq_task_t task = { do_nothing, nullptr, throw_out };
        sq_suspend(queue);
        if (sq_async_task(queue, &task) != 0) {
            return 3;
        }
        return sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
    }
    /* caught inside: nothing happens */
    for (int i = 0; i < 100; i += 1) {
        sq_sync(queue, catch_inside, nullptr);
        sq_async(queue, catch_inside, nullptr);
        if (sq_run_and_wait(queue, SQ_FOREVER, catch_inside, nullptr) != 0) {
            return 3;
        }
    }
    return sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER) == 0 && caught_inside == 300 ? 0 : 2;
}

[[noreturn]] static void on_terminate() {
    try {
        std::rethrow_exception(std::current_exception());
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "the handler was given: %s\n", exception.what());
    } catch (...) {
        std::fprintf(stderr, "the handler was given another type\n");
    }
    _exit(7);
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    sq_queue_t *queue = sq_queue_create("com.example.thrower", nullptr);
    int result = 3;
    alarm(60);
    if (argc > 2) {
        std::set_terminate(on_terminate);
    }
    try {
        result = submit(way, queue);
        if (strcmp(way, "async") == 0) {
            sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
        }
    } catch (...) {
        std::puts("an exception came through a queue");
        return 4;
    }
    sq_queue_release(queue);
    return result;
}
