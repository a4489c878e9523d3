// asio.cpp: a queue as an executor of Asio (Debian package libasio-dev): handlers that are bound to it run on the queue, one at a time, as on a strand,
// and other code reaches the same state by sync.
// needs: asio.hpp
#include <serial_queue.hpp>

#include <asio.hpp>
#include <cstdio>

/// What Asio asks of an executor: it executes a function, says when, and can be copied and compared.
class queue_executor {
public:
    explicit queue_executor(sq::queue queue) : queue_(std::move(queue)) {}
    template <class F> void execute(F &&function) const { queue_.async(std::forward<F>(function)); }
    /// async never runs its closure in the call itself.
    queue_executor require(asio::execution::blocking_t::never_t) const { return *this; }
    friend bool operator==(const queue_executor &left, const queue_executor &right) noexcept { return left.queue_ == right.queue_; }
    friend bool operator!=(const queue_executor &left, const queue_executor &right) noexcept { return !(left == right); }

private:
    sq::queue queue_;
};
static_assert(asio::execution::is_executor<queue_executor>::value);

int main() {
    asio::io_context io;
    sq::queue queue("com.example.handlers");
    queue_executor executor(queue);
    sq::group handlers;
    int fired = 0, elsewhere = 0;

    asio::steady_timer timers[] = { asio::steady_timer(io), asio::steady_timer(io), asio::steady_timer(io) };
    for (asio::steady_timer &timer : timers) {
        handlers.enter();
        timer.expires_after(std::chrono::milliseconds(1));
        timer.async_wait(asio::bind_executor(executor, [&, queue](const asio::error_code &) {
            ++fired;
            elsewhere += !queue.is_current();
            handlers.leave();
        }));
    }
    asio::post(executor, [&] { ++fired; });
    io.run();
    handlers.wait();
    std::printf("%d handlers, %d not on the queue\n", queue.sync([&] { return fired; }), elsewhere);
    return queue.sync([&] { return fired; }) != 4 || elsewhere != 0;
}
