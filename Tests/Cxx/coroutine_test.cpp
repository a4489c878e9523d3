// coroutine_test.cpp: co_await queue.
#include "check.hpp"

#ifdef __cpp_lib_coroutine
#include <exception>
#include <memory>

namespace {

struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

task hop(sq::queue first, sq::queue second, sq::group group, int &hops) {
    for (int round = 0; round < 100; round += 1) {
        co_await first;
        CHECK(first.is_current() && !second.is_current());
        hops += 1;
        co_await second;
        CHECK(second.is_current());
        hops += 1;
    }
    group.leave();
}

task try_once(const sq::queue &queue, int &error, sq::group group, std::unique_ptr<counted>) {
    try {
        co_await queue;
    } catch (const sq::error &thrown) {
        error = thrown.code().value();
    }
    group.leave();
}

} // namespace

TEST(a_coroutine_continues_on_the_queue_that_it_awaits) {
    sq::group group;
    int hops = 0;
    group.enter();
    hop(sq::queue("first"), sq::queue("second"), group, hops);
    group.wait();
    CHECK(hops == 200);
}

TEST(a_coroutine_of_a_full_queue_continues_and_a_discarded_one_gets_an_exception) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = 1;
    sq::queue queue("full", options);
    sq::group group;
    int ran = -1, discarded = -1, refused = -1;
    queue.suspend();
    queue.async([] {});
    group.enter();
    try_once(queue, ran, group, std::make_unique<counted>());
    queue.resume();
    group.wait();
    CHECK(ran == -1);
    queue.suspend();
    for (int round = 0; round < 3; round += 1) {
        group.enter();
        try_once(queue, discarded, group, std::make_unique<counted>());
    }
    CHECK(!queue.shutdown(SQ_SHUTDOWN_DISCARD, sq::deadline::now()) || true);
    queue.shutdown(SQ_SHUTDOWN_DISCARD);
    group.wait();
    CHECK(discarded == ECANCELED);
    group.enter();
    try_once(queue, refused, group, std::make_unique<counted>());
    group.wait();
    CHECK(refused == ESHUTDOWN && counted::alive == 0);
}
#else
TEST(coroutines_are_left_out_before_cxx20) {}
#endif
