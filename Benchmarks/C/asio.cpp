// asio.cpp: a Boost.Asio strand on a thread pool with one thread per processor.
//
// A strand has no sync. Its users post with use_future and wait for the future: the task runs on the pool's thread.
#include "harness.h"

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <cstdlib>
#include <thread>

typedef boost::asio::strand<boost::asio::thread_pool::executor_type> *contender_queue_t;

static const bench_contender_t contender = {"asio", BENCH_ASYNC | BENCH_SYNC | BENCH_MANY, ""};

// Lives until the process ends, like the pool of a program that uses strands everywhere.
static boost::asio::thread_pool &pool() {
    static auto *shared = new boost::asio::thread_pool(std::thread::hardware_concurrency());
    return *shared;
}

static contender_queue_t contender_create(void) {
    return new boost::asio::strand<boost::asio::thread_pool::executor_type>(pool().get_executor());
}

static contender_queue_t contender_create_shared(void) { return contender_create(); }
static void contender_release(contender_queue_t strand) { delete strand; }

static void contender_async(contender_queue_t strand, const bench_task_t *task) {
    boost::asio::post(*strand, [task] { task->function(task->context); });
}

static void contender_sync(contender_queue_t strand, const bench_task_t *task) {
    boost::asio::post(*strand, boost::asio::use_future([task] { task->function(task->context); })).get();
}

#include "scenarios.h"
