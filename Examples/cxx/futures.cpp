// futures.cpp: the result of a task as a std::future. Its value or its exception is in the future; if the queue discards the task, the future
// throws std::future_error (broken_promise).
#include <serial_queue.hpp>

#include <cstdio>
#include <future>
#include <stdexcept>

template <class F> auto submit(const sq::queue &queue, F &&function) {
    std::packaged_task<std::invoke_result_t<F>()> task(std::forward<F>(function));
    auto future = task.get_future();
    queue.async(std::move(task));
    return future;
}

int main() {
    sq::queue queue("com.example.futures");
    auto sum = submit(queue, [] {
        long sum = 0;
        for (long number = 1; number <= 1000; number += 1) {
            sum += number;
        }
        return sum;
    });
    auto fails = submit(queue, []() -> int { throw std::runtime_error("on purpose"); });

    bool is_thrown = false, is_broken = false;
    try {
        fails.get();
    } catch (const std::runtime_error &) {
        is_thrown = true;
    }
    queue.suspend();
    auto discarded = submit(queue, [] { return 1; });
    bool has_ended = queue.shutdown(SQ_SHUTDOWN_DISCARD, sq::deadline::now());
    queue.resume();
    queue.shutdown();
    try {
        discarded.get();
    } catch (const std::future_error &error) {
        is_broken = error.code() == std::future_errc::broken_promise;
    }
    long found = sum.get();
    std::printf("the sum is %ld, one threw %d, one was discarded %d\n", found, is_thrown, is_broken);
    return found != 500500 || !is_thrown || !is_broken || has_ended;
}
