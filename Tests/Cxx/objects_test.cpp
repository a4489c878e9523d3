// objects_test.cpp: pools, concurrent queues, groups, items, semaphores, timers, onces.
#include "check.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

using namespace std::chrono_literals;

TEST(a_manual_pool_runs_tasks_and_timers_when_the_test_says_so) {
    sq::pool pool = sq::pool::manual();
    sq::queue queue("manual", pool);
    int calls = 0, late = 0;
    queue.async([&] { ++calls; });
    queue.async_after(1h, [&late] { ++late; });
    queue.async_after(1h, [&, kept = std::make_unique<counted>()] { late += counted::alive; });
    CHECK(calls == 0);
    CHECK(pool.run() == 1 && calls == 1);
    pool.advance(59min);
    CHECK(late == 0);
    pool.advance(1min);
    CHECK(late == 2 && counted::alive == 0);
}

TEST(a_timer_fires_again_and_again_and_keeps_its_state) {
    sq::pool pool = sq::pool::manual();
    sq::queue queue("timers", pool);
    int seen = 0;
    {
        sq::timer timer(queue, [&seen, count = 0, kept = std::make_unique<counted>()]() mutable { seen = ++count; });
        timer.start(10s, 1s);
        pool.advance(12s);
        CHECK(seen == 3);
        timer.suspend();
        pool.advance(5s);
        CHECK(seen == 3);
        timer.resume();
        pool.run();
        CHECK(seen == 4 && timer.intervals() == 5);
        sq::timer moved = std::move(timer);
        moved.start(1s);
        pool.advance(10s);
        CHECK(seen == 5 && counted::alive == 1);
        moved.cancel();
        moved.cancel_and_wait();
    }
    pool.run();
    CHECK(counted::alive == 0);
    queue.async([] {});
    pool.run();
    queue.shutdown();
    CHECK(error_of([&] { sq::timer refused(queue, [kept = std::make_unique<counted>()] {}); }) == ESHUTDOWN);
    CHECK(counted::alive == 0);
}

TEST(barriers_of_a_concurrent_queue_run_alone) {
    sq::concurrent_queue queue("readers", sq::pool("two", 2), 2);
    CHECK(queue.width() == 2);
    std::atomic<int> readers = 0;
    int written = 0;
    bool is_alone = true;
    for (int round = 0; round < 100; round += 1) {
        queue.async([&] { ++readers, --readers; });
        queue.async_barrier([&] { is_alone = is_alone && readers == 0, ++written; });
        queue.sync([&] { ++readers, --readers; });
    }
    CHECK(queue.sync_barrier([&] { return written; }) == 100);
    CHECK(queue.sync_barrier_until(1h, [&] { return is_alone; }) == true);
}

TEST(a_group_waits_for_its_members_and_notifies) {
    sq::queue queue("members");
    sq::concurrent_queue other("others");
    sq::group group("group");
    sq::semaphore told(0);
    std::atomic<int> calls = 0;
    for (int round = 0; round < 100; round += 1) {
        group.async(queue, [&calls, kept = std::make_unique<counted>()] { ++calls; });
        group.async_barrier(other, [&calls] { ++calls; });
    }
    group.enter();
    CHECK(!group.wait(sq::deadline::now()));
    group.notify(queue, [told, &calls, text = std::string("longer than one word")] {
        CHECK(calls == 200);
        told.signal();
    });
    group.leave();
    group.wait();
    told.wait();
    CHECK(calls == 200 && counted::alive == 0);
    CHECK(error_of([&] { group.leave(); }) == EINVAL);
}

TEST(an_item_runs_once_or_is_cancelled) {
    sq::queue queue("items");
    sq::semaphore told(0);
    int calls = 0;
    sq::work_item item([&calls, kept = std::make_unique<counted>()] { ++calls; }, "item");
    item.notify(queue, [told] { told.signal(); });
    item.submit(queue);
    item.wait();
    told.wait();
    CHECK(calls == 1 && counted::alive == 0 && std::string(item.label()) == "item");
    CHECK(error_of([&] { item.submit(queue); }) == EALREADY);
    CHECK(!item.cancel() && item.is_cancelled());

    sq::work_item never([&calls, kept = std::make_unique<counted>()] { ++calls; });
    never.submit_after(queue, 1h);
    CHECK(!never.wait(sq::deadline::now()));
    CHECK(never.cancel() && counted::alive == 0);
    CHECK(error_of([&] { never.wait(); }) == ECANCELED);
    { sq::work_item unused([kept = std::make_unique<counted>()] {}); }
    CHECK(counted::alive == 0);

    sq::group group;
    {
        sq::work_item again([&calls, count = 0, kept = std::make_unique<counted>()]() mutable { calls += ++count; }, "again", SQ_ITEM_REPEATS);
        again.submit(queue, group);
        again.submit(queue, group);
        group.wait();
        again.perform();
    }
    queue.sync([] {});
    CHECK(calls == 7 && counted::alive == 0);
    CHECK(error_of([] { sq::work_item refused([kept = std::make_unique<counted>()] {}, nullptr, 1024); }) == EINVAL);
    CHECK(counted::alive == 0);
}

TEST(a_semaphore_counts_permits) {
    sq::semaphore permits(2, "permits");
    permits.wait();
    CHECK(permits.wait(1h));
    CHECK(!permits.wait(sq::deadline::now()));
    std::thread([permits] { permits.signal(); }).join();
    permits.wait();
}

TEST(a_once_runs_one_function_and_passes_its_exception) {
    static sq::once once;
    int calls = 0, caught = 0;
    for (int round = 0; round < 3; round += 1) {
        try {
            once([&, kept = std::make_unique<counted>()] {
                ++calls;
                throw std::runtime_error("once");
            });
        } catch (const std::runtime_error &) {
            ++caught;
        }
    }
    CHECK(calls == 1 && caught == 1);
    sq::once own;
    CHECK(error_of([&] { own([&] { own([] {}); }); }) == EDEADLK);
}
