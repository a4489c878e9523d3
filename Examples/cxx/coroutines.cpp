// coroutines.cpp: `co_await queue` continues a coroutine as a task of the queue: it takes orders on one, and books them on another, without a callback
// and without a blocked thread. Members that only one queue touches need no lock.
// standard: c++20
#include <serial_queue.hpp>

#include <cstdio>
#include <exception>

/// A coroutine that nothing waits for: a group counts it instead.
struct detached {
    struct promise_type {
        detached get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

class shop {
public:
    detached order(int amount, sq::group orders) {
        orders.enter();
        co_await stock_;
        bool is_there = left_ >= amount;
        left_ -= is_there ? amount : 0;
        co_await books_;
        (is_there ? sold_ : refused_) += amount;
        orders.leave();
    }
    int sold() const {
        return books_.sync([this] { return sold_; });
    }
    int refused() const {
        return books_.sync([this] { return refused_; });
    }

private:
    sq::queue stock_{ "com.example.stock" }, books_{ "com.example.books" };
    int left_ = 500;              // only on stock_
    int sold_ = 0, refused_ = 0; // only on books_
};

int main() {
    shop shop;
    sq::group orders;
    for (int number = 0; number < 1000; number += 1) {
        shop.order(1, orders);
    }
    orders.wait();
    std::printf("%d sold, %d refused\n", shop.sold(), shop.refused());
    return shop.sold() != 500 || shop.refused() != 500;
}
