// asio.cpp: an Asio strand on a thread pool with one thread per processor; Asio itself (libasio-dev), or else Boost's.
//
// A strand has no sync. Its users post with use_future and wait for the future: the task runs on the pool's thread.
#include "harness.h"

#if __has_include(<asio.hpp>)
#define ASIO_STANDALONE
#include <asio.hpp>
namespace net = asio;
typedef std::error_code net_error;
#else
#include <boost/asio.hpp>
namespace net = boost::asio;
typedef boost::system::error_code net_error;
#endif

#include <chrono>
#include <cstdlib>
#include <thread>

typedef net::strand<net::thread_pool::executor_type> *contender_queue_t;

static const bench_contender_t contender = {"asio", BENCH_ASYNC | BENCH_SYNC | BENCH_MANY, ""};

// Lives until the process ends, like the pool of a program that uses strands everywhere.
static net::thread_pool &pool() {
    static auto *shared = new net::thread_pool(std::thread::hardware_concurrency());
    return *shared;
}

static contender_queue_t contender_create(void) {
    return new net::strand<net::thread_pool::executor_type>(pool().get_executor());
}

static contender_queue_t contender_create_shared(void) { return contender_create(); }
static void contender_release(contender_queue_t strand) { delete strand; }

#define CONTENDER_COPIES
static void contender_async(contender_queue_t strand, const bench_task_t *task) {
    net::post(*strand, [task = *task] { task.function(task.context); });
}

static void contender_sync(contender_queue_t strand, const bench_task_t *task) {
    net::post(*strand, net::use_future([task] { task->function(task->context); })).get();
}

static void contender_async_wait(contender_queue_t strand, const bench_task_t *task) { contender_sync(strand, task); }

#define CONTENDER_HAS_TIMERS
typedef net::steady_timer *contender_timer_t;

static void contender_after(contender_queue_t strand, uint64_t nanoseconds, const bench_task_t *task) {
    auto *timer = new net::steady_timer(*strand, std::chrono::nanoseconds(nanoseconds));
    timer->async_wait([task, timer](const net_error &) {
        delete timer;
        task->function(task->context);
    });
}

static contender_timer_t contender_timer_start(contender_queue_t strand, uint64_t nanoseconds, const bench_task_t *task,
                                               const bench_task_t *gone) {
    auto *timer = new net::steady_timer(*strand, std::chrono::nanoseconds(nanoseconds));
    timer->async_wait([task = *task, gone = gone->function](const net_error &error) { if (auto call = error ? gone : task.function) call(task.context); });
    return timer;
}

static void contender_timer_end(contender_timer_t timer) { delete timer; }
static void contender_timers_ended(void) {}

#include "scenarios.h"
