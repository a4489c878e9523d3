// queue_test.cpp: queues, closures, what sync brings back.
#include "check.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

using namespace std::chrono_literals;

TEST(closures_of_every_size_run_in_order_and_are_destroyed_once) {
    sq::queue queue("sizes");
    std::string seen;
    auto more = [&](char letter) { seen += letter; };
    for (int round = 0; round < 100; round += 1) {
        queue.async([] {});
        queue.async([&more] { more('a'); });
        queue.async([&more, kept = std::make_unique<counted>()] { more('b'); });
        queue.async([&more, one = counted()]() mutable { more('c'); });
        queue.async([&more, one = counted(), text = std::string("a text that is longer than fits into a string")] { more('d'); });
    }
    CHECK(queue.sync([&] { return seen.size(); }) == 400);
    CHECK(seen.substr(396) == "abcd");
    CHECK(counted::alive == 0);
}

namespace {

/// Small enough for a queue's words, and knows where it is, as the head of an intrusive list does.
struct anchored {
    anchored *self = this;
    anchored() = default;
    anchored(anchored &&) noexcept {}
    static inline std::atomic<int> moved_by_bytes = 0, calls = 0;
    void operator()() {
        ++calls;
        moved_by_bytes += self != this;
    }
    ~anchored() { moved_by_bytes += self != this; }
};

} // namespace

TEST(a_closure_that_holds_its_own_address_is_moved_by_its_constructor) {
    sq::pool pool = sq::pool::manual();
    sq::queue queue("anchored", pool), closed("closed", pool);
    sq::concurrent_queue concurrent("barriers", pool);
    sq::group group;
    long more = 0;
    queue.async(anchored());
    queue.async([one = anchored(), &more]() mutable {
        one();
        ++more;
    });
    concurrent.async_barrier(anchored());
    group.async(queue, anchored());
    group.notify(queue, anchored());
    queue.async_after(1s, anchored());
    sq::work_item item{ anchored() };
    item.submit(queue);
    pool.advance(1s);
    CHECK(anchored::calls == 7 && more == 1);
    closed.suspend();
    closed.async(anchored());
    closed.shutdown(SQ_SHUTDOWN_DISCARD);
    CHECK(error_of([&] { closed.async(anchored()); }) != 0);
    CHECK(anchored::calls == 7);
    CHECK(anchored::moved_by_bytes == 0);
}

TEST(a_closure_is_destroyed_before_the_next_task) {
    sq::queue queue("turns");
    bool is_alone = true;
    for (int round = 0; round < 100; round += 1) {
        queue.async([&is_alone, kept = std::make_unique<counted>()] { is_alone = is_alone && counted::alive == 1; });
        queue.sync([&] { is_alone = is_alone && counted::alive == 0; });
    }
    CHECK(is_alone);
}

TEST(what_a_shutdown_discards_is_destroyed_without_a_call) {
    sq::queue queue("discards");
    int calls = 0;
    queue.suspend();
    queue.async([&calls, kept = std::make_unique<counted>()] { ++calls; });
    queue.async([&calls, one = counted(), more = std::make_unique<counted>(), last = counted()] { ++calls; });
    queue.async_after(1h, [&calls, kept = std::make_unique<counted>()] { ++calls; });
    CHECK(counted::alive == 5);
    CHECK(!queue.shutdown(SQ_SHUTDOWN_DISCARD, sq::deadline::now()) || counted::alive == 0);
    queue.resume();
    queue.shutdown();
    CHECK(counted::alive == 0);
    CHECK(calls == 0);
}

TEST(a_refused_call_throws_and_destroys_its_closure) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = 1;
    sq::queue queue("full", options);
    queue.suspend();
    queue.async([] {});
    CHECK(error_of([&] { queue.async([kept = std::make_unique<counted>()] {}); }) == EAGAIN);
    CHECK(!queue.async_until(1ms, [one = counted(), two = std::make_unique<counted>(), three = counted()] {}));
    queue.resume();
    CHECK(queue.async_until(sq::deadline::forever(), [] {}));
    queue.shutdown();
    CHECK(error_of([&] { queue.async([kept = std::make_unique<counted>()] {}); }) == ESHUTDOWN);
    CHECK(error_of([&] { queue.async_after(1h, [kept = std::make_unique<counted>()] {}); }) == ESHUTDOWN);
    CHECK(error_of([&] { queue.sync([] {}); }) == ESHUTDOWN);
    CHECK(counted::alive == 0);
}

TEST(sync_returns_values_references_and_what_can_only_be_moved) {
    sq::queue queue("results");
    int number = 1;
    CHECK(queue.sync([&] { return number; }) == 1);
    queue.sync([&]() -> int & { return number; }) = 2;
    const int &constant = queue.sync([&]() -> const int & { return number; });
    CHECK(&constant == &number && number == 2);
    CHECK(*queue.sync([] { return std::make_unique<int>(3); }) == 3);
    CHECK(queue.sync_or_run([&] { return queue.sync_or_run([&] { return queue.is_current(); }); }));
    CHECK(queue.async_and_wait([] { return 4; }) == 4);
    auto here = std::this_thread::get_id();
    CHECK(queue.run_and_wait([] { return std::this_thread::get_id(); }) != here);
    CHECK(queue.sync([] { return std::this_thread::get_id(); }) == here);
    auto nothing = [] {};
    static_assert(std::is_void_v<decltype(queue.sync(nothing))>);
}

TEST(sync_until_says_whether_it_ran) {
    sq::queue queue("limits");
    int number = 1;
    CHECK(queue.sync_until(1h, [] { return 5; }) == 5);
    CHECK(queue.sync_until(sq::deadline::now(), [] {}));
    CHECK(&queue.sync_until(std::chrono::steady_clock::now() + 1h, [&]() -> int & { return number; })->get() == &number);
    queue.suspend();
    CHECK(!queue.sync_until(sq::deadline::now(), [&] { number = 2; }));
    CHECK(!queue.sync_until(1ms, [&] { return number = 2; }).has_value());
    queue.resume();
    CHECK(number == 1);
}

TEST(sync_throws_what_its_function_throws_and_the_queue_continues) {
    sq::queue queue("throws");
    auto text_of = [](auto &&call) -> std::string {
        try {
            call();
        } catch (const std::runtime_error &error) {
            return error.what();
        }
        return "nothing";
    };
    auto throws = [kept = std::string("on purpose")]() -> int { throw std::runtime_error(kept); };
    CHECK(text_of([&] { queue.sync(throws); }) == "on purpose");
    CHECK(text_of([&] { (void)queue.sync_until(1h, throws); }) == "on purpose");
    CHECK(text_of([&] { queue.async_and_wait(throws); }) == "on purpose");
    CHECK(text_of([&] { queue.run_and_wait(throws); }) == "on purpose");
    CHECK(text_of([&] { queue.sync_or_run([&] { queue.sync_or_run(throws); }); }) == "on purpose");
    int number = 0;
    try {
        queue.sync([] { throw 42; });
    } catch (int thrown) {
        number = thrown;
    }
    CHECK(number == 42);
    CHECK(queue.sync([] { return true; }));
}

TEST(a_sync_that_would_deadlock_throws_the_report) {
    sq::queue queue("own");
    std::string report;
    queue.sync([&] {
        try {
            queue.sync([] {});
        } catch (const sq::error &error) {
            report = error.what();
            CHECK(error.code() == std::errc::resource_deadlock_would_occur);
        }
    });
    CHECK(report.find("sync onto queue \"own\" from its own task") != std::string::npos);
}

TEST(a_copy_is_the_same_queue_and_keeps_it) {
    int calls = 0;
    sq::group group;
    {
        sq::queue queue("copied");
        sq::queue copy = queue;
        CHECK(copy == queue && std::string(copy.label()) == "copied");
        group.async(queue, [copy, &calls] { calls += copy.is_current(); });
        sq::queue moved = std::move(copy);
        CHECK(moved == queue && copy.get() == nullptr);
        sq::queue other;
        CHECK(other != queue);
        other = queue;
        CHECK(other == sq::queue::adopt(sq_queue_retain(queue.get())));
    }
    group.wait();
    CHECK(calls == 1);
}

TEST(queues_with_a_target_share_its_turns) {
    sq::queue target("target");
    sq::queue first("first", target), second("second", target);
    int together = 0, most = 0;
    sq::group group;
    for (int round = 0; round < 200; round += 1) {
        group.async(round % 2 ? first : second, [&] { most = std::max(most, ++together), --together; });
    }
    group.wait();
    CHECK(most == 1);
}

TEST(durations_become_nanoseconds) {
    CHECK(sq::delay(1500us).nanoseconds() == 1'500'000);
    CHECK(sq::delay(-1s).nanoseconds() == 0);
    CHECK(sq::delay(std::chrono::duration<double>(0.5)).nanoseconds() == 500'000'000);
    CHECK(sq::delay(std::chrono::duration<int, std::ratio<1, 3>>(1)).nanoseconds() == 333'333'334); // never early
    CHECK(sq::delay(std::chrono::hours::max()).nanoseconds() == SQ_FOREVER);
    CHECK(sq::deadline(std::chrono::hours::max()).time() == SQ_FOREVER);
    CHECK(sq::deadline(std::chrono::steady_clock::time_point(5ns)).time() == 5);
    auto before = sq_deadline(0), time = sq::deadline(std::chrono::steady_clock::now()).time();
    CHECK(before <= time && time <= sq_deadline(0)); // one clock
}
