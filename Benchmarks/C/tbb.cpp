// tbb.cpp: oneTBB has no serial queue. Its users make one of a concurrent_queue and a task that empties it, which runs on TBB's workers while
// there is something in it. (libtbb-dev)
#include "harness.h"

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <semaphore>
#include <thread>

static const bench_contender_t contender = {"tbb", BENCH_ASYNC | BENCH_SYNC | BENCH_MANY, ""};

// Lives until the process ends.
static oneapi::tbb::task_arena &arena() {
    static auto *shared = new oneapi::tbb::task_arena;
    return *shared;
}

class SerialQueue {
public:
    void push(const bench_task_t &task) {
        bool first = waiting.fetch_add(1) == 0; // before the push: what has not been counted is not taken
        tasks.push(task);
        if (first) arena().enqueue([this] { run_all(); });
    }

    void wait_until_idle() {
        while (waiting.load() != 0) std::this_thread::yield();
    }

private:
    void run_all() {
        for (;;) {
            size_t ran = 0;
            for (bench_task_t task; tasks.try_pop(task); ++ran) task.function(task.context);
            if (waiting.fetch_sub(ran) == ran) return;
            if (ran == 0) std::this_thread::yield(); // one was counted, and its push has not ended
        }
    }

    oneapi::tbb::concurrent_queue<bench_task_t> tasks;
    alignas(128) std::atomic<size_t> waiting{0};
};

typedef SerialQueue *contender_queue_t;

static contender_queue_t contender_create(void) { return new SerialQueue; }
static contender_queue_t contender_create_shared(void) { return contender_create(); }
static void contender_release(contender_queue_t queue) {
    queue->wait_until_idle();
    delete queue;
}

#define CONTENDER_COPIES
static void contender_async(contender_queue_t queue, const bench_task_t *task) { queue->push(*task); }

struct Waited {
    const bench_task_t *task;
    std::binary_semaphore done{0};
};

static void contender_sync(contender_queue_t queue, const bench_task_t *task) {
    thread_local Waited waited; // not on the stack: release() may still be at its end when acquire() has returned
    waited.task = task;
    queue->push({[](void *context) {
                     auto *waited = static_cast<Waited *>(context);
                     waited->task->function(waited->task->context);
                     waited->done.release();
                 },
                 &waited});
    waited.done.acquire();
}

static void contender_async_wait(contender_queue_t queue, const bench_task_t *task) { contender_sync(queue, task); }

// A concurrent_bounded_queue makes its threads wait, so it has one of its own.
#define CONTENDER_HAS_CAPACITY
typedef oneapi::tbb::concurrent_bounded_queue<bench_task_t> *contender_bounded_t;

static contender_bounded_t contender_bounded_create(size_t capacity) {
    auto *queue = new oneapi::tbb::concurrent_bounded_queue<bench_task_t>;
    queue->set_capacity(static_cast<std::ptrdiff_t>(capacity));
    std::thread([queue] {
        for (bench_task_t task;;) {
            queue->pop(task);
            task.function(task.context);
        }
    }).detach();
    return queue;
}

static void contender_bounded_async(contender_bounded_t queue, const bench_task_t *task) { queue->push(*task); }

// TBB has a heap of its own, whose size only the kernel knows.
#define bench_heap_bytes bench_resident_bytes
#include "scenarios.h"
