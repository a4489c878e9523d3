// allocations_test.cpp: what the header allocates: nothing for trivial closures of two words, one block for others, nothing for sync.
#include "check.hpp"

#include <atomic>
#include <cstdlib>
#include <memory>

static std::atomic<long> allocations = 0;

[[gnu::noinline]] void *operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    void *block = std::malloc(size);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}
[[gnu::noinline]] void operator delete(void *block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void *block, std::size_t) noexcept { std::free(block); }

template <class F> static long allocations_of(F &&function) {
    long before = allocations;
    function();
    return allocations - before;
}

TEST(a_trivial_closure_of_two_words_is_not_allocated_and_any_other_once) {
    sq::pool pool = sq::pool::manual();
    sq::queue queue("allocations", pool);
    sq::concurrent_queue concurrent("barriers", pool);
    sq::group group;
    auto submit = [&](auto &&make) {
        return allocations_of([&] {
            queue.async(make());
            concurrent.async_barrier(make());
            group.async(queue, make());
            pool.run();
        });
    };
    long sum = 0;
    auto kept = std::make_shared<long>(0);
    CHECK(submit([&] { return [] {}; }) == 0);
    CHECK(submit([&] { return [&sum, more = 1L] { sum += more; }; }) == 0);
    CHECK(submit([&] { return [kept] { ++*kept; }; }) == 3);
    CHECK(submit([&] { return [own = std::unique_ptr<long>(), &sum] { sum += own == nullptr; }; }) == 3);
    CHECK(submit([&] { return [&sum, kept] { ++sum; }; }) == 3);
    CHECK(submit([&] { return [&sum, more = 1L, last = 2L] { sum += more + last; }; }) == 3);
    CHECK(sum == 18 && *kept == 3 && kept.use_count() == 1);
}

TEST(with_one_word_of_context_the_second_word_is_allocated) {
    sq::pool pool = sq::pool::manual();
    sq::queue queue("allocations", pool);
    sq::group group;
    long sum = 0;
    CHECK(allocations_of([&] { queue.async_after(std::chrono::seconds(1), [&sum] { ++sum; }); }) == 0);
    CHECK(allocations_of([&] { queue.async_after(std::chrono::seconds(1), [&sum, more = 1L] { sum += more; }); }) == 1);
    CHECK(allocations_of([&] { group.notify(queue, [&sum] { ++sum; }); }) == 0);
    CHECK(allocations_of([&] { sq::work_item item([&sum] { ++sum; }); item.submit(queue); }) == 0);
    CHECK(allocations_of([&] { sq::timer timer(queue, [&sum] { ++sum; }); }) == 1);
    CHECK(allocations_of([&] { pool.advance(std::chrono::seconds(1)); }) == 0);
    CHECK(sum == 4);
}

TEST(sync_allocates_nothing) {
    sq::queue queue("allocations");
    long sum = 0, more[8] = {};
    CHECK(allocations_of([&] {
              queue.sync([&, more] { sum += more[0]; });
              sum += queue.sync([&] { return sum; });
              sum += *queue.sync_until(sq::deadline::now(), [&] { return sum; });
              sq::once once;
              once([&] { ++sum; });
          }) == 0);
}
