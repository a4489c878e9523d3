// serial_queue.hpp: the C library for C++17: closures instead of functions with a context, std::chrono times, and objects that release
// themselves. Names and behaviour are those of the C calls, whose headers are the reference; what is different stands here.
//
// - Closures may be move-only, and are called once. async moves them: without an allocation if they are trivially copyable and have at most two
//   words, otherwise with one. A discarded closure is destroyed without a call.
// - sync borrows its closure, returns what that returns, and throws what it throws. An exception that leaves an asynchronous task ends the program by
//   std::terminate, after a message with the queue's label and what().
// - A call that fails throws sq::error, and has done nothing; a closure that it was given is destroyed. One with a deadline returns false, or an empty
//   optional, if the deadline passed first.
// - Objects are references, as std::shared_ptr: a copy is the same queue. Any thread may call.
#ifndef SERIAL_QUEUE_HPP
#define SERIAL_QUEUE_HPP

#include "sq_closure.hpp"

#include <cstdint>

#if defined(__cpp_impl_coroutine) && __has_include(<coroutine>)
#include <coroutine>
#endif

namespace sq {

/// Threads that several queues share (sq_pool.h).
class pool : public detail::handle<sq_pool_t, sq_pool_retain, sq_pool_release> {
public:
    /// A pool of that many threads; 0: one per processor, and more while tasks block.
    explicit pool(const char *label, std::size_t threads = 0, sq_service_t service = SQ_SERVICE_DEFAULT) : handle(detail::adopted(), create(label, threads, service)) {}
    /// The pool that the process shares.
    static pool shared(sq_service_t service = SQ_SERVICE_DEFAULT) {
        sq_pool_t *borrowed = sq_pool_shared_of(service);
        return pool(detail::adopted(), borrowed != nullptr ? sq_pool_retain(borrowed) : nullptr);
    }
    /// A pool without threads, for tests: `run` and `advance` run its tasks, and move its clock.
    static pool manual(const char *label = nullptr) { return pool(detail::adopted(), sq_pool_create_manual(label)); }
    /// Takes over a reference.
    static pool adopt(sq_pool_t *raw) { return pool(detail::adopted(), raw); }

    std::size_t run() const { return sq_pool_run(get()); }
    std::size_t advance(delay time) const { return sq_pool_advance(get(), time.nanoseconds()); }

private:
    pool(detail::adopted, sq_pool_t *raw) : handle(detail::adopted(), raw) {}
    static sq_pool_t *create(const char *label, std::size_t threads, sq_service_t service) {
        sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
        options.threads = threads;
        options.service = service;
        return sq_pool_create(label, &options);
    }
};

#ifdef __cpp_lib_coroutine
class turn;
#endif

/// A serial queue (sq_queue.h): runs tasks one at a time, in the order of their submission.
class queue : public detail::handle<sq_queue_t, sq_queue_retain, sq_queue_release> {
public:
    /// A queue with a thread of its own while it has something to run.
    explicit queue(const char *label = nullptr) : handle(detail::adopted(), sq_queue_create(label, nullptr)) {}
    queue(const char *label, const pool &pool) : handle(detail::adopted(), create(label, [&](auto &options) { options.pool = pool.get(); })) {}
    /// A queue that runs its tasks on another queue, in its turns (sq_queue_set_target).
    queue(const char *label, const queue &target) : handle(detail::adopted(), create(label, [&](auto &options) { options.target = target.get(); })) {}
    /// Everything else, such as a capacity; begin with SQ_QUEUE_OPTIONS_INIT.
    queue(const char *label, const sq_queue_options_t &options) : handle(detail::adopted(), sq_queue_create(label, &options)) {}
    /// Takes over a reference.
    static queue adopt(sq_queue_t *raw) { return queue(detail::adopted(), raw); }

    const char *label() const noexcept { return sq_queue_label(get()); }
    std::size_t depth() const noexcept { return sq_queue_depth(get()); }
    /// Whether the caller is a task of this queue, or was called by one.
    bool is_current() const noexcept { return sq_is_current(get()); }

    /// Submits a closure, and returns at once. Throws EAGAIN if the queue is full.
    template <class F> void async(F &&function) const {
        detail::check(detail::submit_pair(std::forward<F>(function), [this](auto call, void *first, void *second) {
            return sq_async_pair(get(), SQ_NOW, call, first, second);
        }));
    }
    /// Submits a closure, and waits for room in a full queue. Returns whether there was some in time; if not, the closure is destroyed.
    template <class F> [[nodiscard]] bool async_until(deadline deadline, F &&function) const {
        return detail::in_time(detail::submit_pair(std::forward<F>(function), [&](auto call, void *first, void *second) {
            return sq_async_pair(get(), deadline.time(), call, first, second);
        }));
    }
    /// Submits a closure after a delay. It is allocated if it has more than one word, or is not trivially copyable.
    template <class F> void async_after(delay delay, F &&function) const {
        detail::check(detail::submit_task(std::forward<F>(function), [&](auto task) { return sq_async_task_after(get(), delay.nanoseconds(), task); }));
    }

    /// Runs the function on this thread after every task submitted before; returns or throws what it does. Throws EDEADLK, without
    /// having called it, if its turn would never come.
    template <class F> decltype(auto) sync(F &&function) const {
        return detail::wait_for(function, [this](auto call, void *context) { return sq_sync(get(), call, context); });
    }
    /// As sync; but at once if the caller is a task of this queue.
    template <class F> decltype(auto) sync_or_run(F &&function) const {
        return detail::wait_for(function, [this](auto call, void *context) { return sq_sync_or_run(get(), call, context); });
    }
    /// As sync, if its turn comes in time. Returns an optional, or for a function without a result a bool.
    template <class F> [[nodiscard]] auto sync_until(deadline deadline, F &&function) const {
        return detail::wait_until(function, [&](auto call, void *context) { return sq_sync_until(get(), deadline.time(), call, context); });
    }
    /// As sync, on whichever thread is fastest.
    template <class F> decltype(auto) async_and_wait(F &&function) const {
        return detail::wait_for(function, [this](auto call, void *context) { return sq_async_and_wait(get(), SQ_FOREVER, call, context); });
    }
    /// As sync, on the queue's own thread.
    template <class F> decltype(auto) run_and_wait(F &&function) const {
        return detail::wait_for(function, [this](auto call, void *context) { return sq_run_and_wait(get(), SQ_FOREVER, call, context); });
    }

    void suspend() const { detail::check(sq_suspend(get())); }
    void resume() const { detail::check(sq_resume(get())); }
    /// Closes the queue, and waits for the end of its last task: what waits runs, or is destroyed without a call.
    void shutdown(sq_shutdown_mode_t mode = SQ_SHUTDOWN_DRAIN) const { detail::check(sq_shutdown(get(), mode, SQ_FOREVER)); }
    /// Returns false if the deadline passed first; the shutdown continues.
    [[nodiscard]] bool shutdown(sq_shutdown_mode_t mode, deadline deadline) const { return detail::in_time(sq_shutdown(get(), mode, deadline.time())); }

#ifdef __cpp_lib_coroutine
    /// `co_await queue` continues the coroutine as a task of the queue, also of a full one; it stays on that queue until it next awaits
    /// something else. Throws ECANCELED there if the task is discarded, and what async throws.
    /// The coroutine must not be destroyed while it waits.
    turn operator co_await() const noexcept;
#endif

protected:
    queue(detail::adopted, sq_queue_t *raw) : handle(detail::adopted(), raw) {}
    template <class Change> static sq_queue_t *create(const char *label, Change &&change) {
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        change(options);
        return sq_queue_create(label, &options);
    }
};

/// A concurrent queue (sq_barrier.h): its tasks run together, on a pool; barriers run alone.
class concurrent_queue : public queue {
public:
    explicit concurrent_queue(const char *label = nullptr, std::size_t width = SQ_WIDTH_POOL) : concurrent_queue(label, nullptr, width) {}
    concurrent_queue(const char *label, const pool &pool, std::size_t width = SQ_WIDTH_POOL) : concurrent_queue(label, pool.get(), width) {}

    std::size_t width() const noexcept { return sq_queue_width(get()); }
    /// As async, alone.
    template <class F> void async_barrier(F &&function) const {
        detail::check(detail::submit_pair(std::forward<F>(function), [this](auto call, void *first, void *second) {
            return sq_async_barrier_pair(get(), call, first, second);
        }));
    }
    /// As sync, alone.
    template <class F> decltype(auto) sync_barrier(F &&function) const {
        return detail::wait_for(function, [this](auto call, void *context) { return sq_sync_barrier(get(), call, context); });
    }
    /// As sync_until, alone.
    template <class F> [[nodiscard]] auto sync_barrier_until(deadline deadline, F &&function) const {
        return detail::wait_until(function, [&](auto call, void *context) { return sq_sync_barrier_until(get(), deadline.time(), call, context); });
    }

private:
    concurrent_queue(const char *label, sq_pool_t *pool, std::size_t width) : queue(detail::adopted(), create(label, [&](auto &options) {
        options.pool = pool;
        options.width = width;
    })) {}
};

#ifdef __cpp_lib_coroutine
/// What `co_await queue` waits for.
class turn {
public:
    explicit turn(const queue &queue) noexcept : queue_(queue) {}
    bool await_ready() const noexcept { return false; }
    /// Not inlined: a compiler may keep inlined variables in the coroutine's frame, which the queue may have freed already.
    [[gnu::noinline]] void await_suspend(std::coroutine_handle<> waiting) {
        detail::check(sq_async_job(queue_.get(), resume, waiting.address(), this));
    }
    void await_resume() const {
        if (is_discarded_) {
            throw error(ECANCELED);
        }
    }

private:
    static void resume(void *waiting, void *self, bool runs) {
        static_cast<turn *>(self)->is_discarded_ = !runs;
        detail::guarded([waiting] { std::coroutine_handle<>::from_address(waiting).resume(); }, detail::report_exception);
    }
    queue queue_; // the coroutine may release the last other one
    bool is_discarded_ = false;
};

inline turn queue::operator co_await() const noexcept { return turn(*this); }
#endif

} // namespace sq

#include "sq_objects.hpp"

#endif
