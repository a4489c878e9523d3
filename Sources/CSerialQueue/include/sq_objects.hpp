// sq_objects.hpp: groups, work items, semaphores, timers and onces for C++. Included by serial_queue.hpp.
#ifndef SQ_OBJECTS_HPP
#define SQ_OBJECTS_HPP

#include "serial_queue.hpp"

namespace sq {

/// Tasks on any queues whose common end can be waited for (sq_group.h).
class group : public detail::handle<sq_group_t, sq_group_retain, sq_group_release> {
public:
    explicit group(const char *label = nullptr) : handle(detail::adopted(), sq_group_create(label)) {}

    const char *label() const noexcept { return sq_group_label(get()); }
    /// Adds a member that must leave.
    void enter() const { detail::check(sq_group_enter(get())); }
    /// Removes one. Throws EINVAL if there is none.
    void leave() const { detail::check(sq_group_leave(get())); }
    /// Submits a closure to the queue, as queue.async does; it is a member until it has been destroyed.
    template <class F> void async(const queue &queue, F &&function) const {
        detail::check(detail::submit_pair(std::forward<F>(function), [&](auto call, void *first, void *second) {
            return sq_group_async_pair(get(), queue.get(), call, first, second);
        }));
    }
    /// The same as a barrier.
    template <class F> void async_barrier(const concurrent_queue &queue, F &&function) const {
        detail::check(detail::submit_pair(std::forward<F>(function), [&](auto call, void *first, void *second) {
            return sq_group_async_barrier_pair(get(), queue.get(), call, first, second);
        }));
    }
    /// Waits until the group has no members. Throws EDEADLK if a member cannot end before this returns.
    void wait() const { detail::check(sq_group_wait(get(), SQ_FOREVER)); }
    /// Returns false if it still had members at the deadline.
    [[nodiscard]] bool wait(deadline deadline) const { return detail::in_time(sq_group_wait(get(), deadline.time())); }
    /// Submits a closure to the queue once, when the group has no members. It is allocated if it has more than one word.
    template <class F> void notify(const queue &queue, F &&function) const {
        detail::check(detail::submit_task(std::forward<F>(function), [&](auto task) { return sq_group_notify(get(), queue.get(), task); }));
    }
};

/// A task that can be cancelled and waited for (sq_item.h).
class work_item : public detail::handle<sq_item_t, sq_item_retain, sq_item_release> {
public:
    /// `flags` are of sq_item_flags_t. With SQ_ITEM_REPEATS the closure is called again and again, else once. An exception that leaves it ends the
    /// program, as that of an async task, also in `perform`. It is allocated if it has more than one word, or repeats.
    template <class F, class = std::enable_if_t<std::is_invocable_v<std::decay_t<F> &>>>
    explicit work_item(F &&function, const char *label = nullptr, unsigned flags = 0) : handle(detail::adopted(), create(std::forward<F>(function), label, flags)) {}

    const char *label() const noexcept { return sq_item_label(get()); }
    void submit(const queue &queue) const { detail::check(sq_item_submit(get(), queue.get())); }
    void submit(const queue &queue, const group &group) const { detail::check(sq_group_submit_item(group.get(), get(), queue.get())); }
    void submit_after(const queue &queue, delay delay) const { detail::check(sq_item_submit_after(get(), queue.get(), delay.nanoseconds())); }
    /// Runs the item on this thread, at once, in no queue's turn.
    void perform() const { detail::check(sq_item_perform(get())); }
    /// Cancels the item. Returns true if it will never run, and its closure has been destroyed; false if it runs, is being discarded or has ended.
    bool cancel() const {
        int error = sq_item_cancel(get());
        detail::check(error == EINPROGRESS || error == EALREADY ? 0 : error);
        return error == 0;
    }
    bool is_cancelled() const noexcept { return sq_item_is_cancelled(get()); }
    /// Waits for the outcome. Throws ECANCELED if the item will never run, and EDEADLK if it cannot end before this returns.
    void wait() const { detail::check(sq_item_wait(get(), SQ_FOREVER)); }
    /// Returns false if it had no outcome at the deadline.
    [[nodiscard]] bool wait(deadline deadline) const { return detail::in_time(sq_item_wait(get(), deadline.time())); }
    /// Submits a closure to the queue once, when the item has an outcome. It is allocated if it has more than one word.
    template <class F> void notify(const queue &queue, F &&function) const {
        detail::check(detail::submit_task(std::forward<F>(function), [&](auto task) { return sq_item_notify(get(), queue.get(), task); }));
    }

private:
    template <class F> static sq_item_t *create(F &&function, const char *label, unsigned flags) {
        sq_item_options_t options = SQ_ITEM_OPTIONS_INIT;
        options.flags = flags;
        auto create = [&](const sq_task_t *task) { return sq_item_create_with(label, task, &options); };
        if ((flags & SQ_ITEM_REPEATS) != 0) {
            return detail::create_repeating(std::forward<F>(function), create);
        }
        sq_item_t *item = nullptr;
        detail::check(detail::submit_task(std::forward<F>(function), [&](auto task) {
            item = create(task);
            return item != nullptr ? 0 : errno;
        }));
        return item;
    }
};

/// A number of permits that threads take and give back (sq_semaphore.h).
class semaphore : public detail::handle<sq_semaphore_t, sq_semaphore_retain, sq_semaphore_release> {
public:
    explicit semaphore(std::size_t value, const char *label = nullptr) : handle(detail::adopted(), sq_semaphore_create(label, value)) {}

    const char *label() const noexcept { return sq_semaphore_label(get()); }
    /// Takes a permit; waits for one in the order of the callers.
    void wait() const { detail::check(sq_semaphore_wait(get(), SQ_FOREVER)); }
    /// Returns false if there was none by the deadline.
    [[nodiscard]] bool wait(deadline deadline) const { return detail::in_time(sq_semaphore_wait(get(), deadline.time())); }
    /// Gives a permit.
    void signal() const { detail::check(sq_semaphore_signal(get())); }
};

/// A one-shot or periodic timer on a queue (sq_timer.h). It has one owner: it can be moved, and its destruction cancels it.
class timer {
public:
    /// A timer that is not started. Its firings call the closure, on the queue, until the closure is destroyed there: after the last firing.
    /// The closure is allocated.
    template <class F> timer(const queue &queue, F &&function)
        : raw_(detail::create_repeating(std::forward<F>(function), [&](auto task) { return sq_timer_create(queue.get(), task); })) {
        if (raw_ == nullptr) {
            detail::fail(errno);
        }
    }
    timer(timer &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    timer &operator=(timer &&other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~timer() { sq_timer_release(raw_); }
    sq_timer_t *get() const noexcept { return raw_; }

    /// It fires once after the delay.
    void start(delay delay) const { detail::check(sq_timer_start(raw_, delay.nanoseconds(), 0, 0)); }
    /// It fires after the delay, and then at every interval; up to `leeway` late if that saves the processor a wake-up.
    void start(delay delay, sq::delay interval, sq::delay leeway = std::chrono::nanoseconds(0)) const {
        detail::check(sq_timer_start(raw_, delay.nanoseconds(), interval.nanoseconds(), leeway.nanoseconds()));
    }
    void suspend() const { detail::check(sq_timer_suspend(raw_)); }
    void resume() const { detail::check(sq_timer_resume(raw_)); }
    /// No firing starts after this; one that runs continues.
    void cancel() const { detail::check(sq_timer_cancel(raw_)); }
    /// The same, and waits for one that runs. Throws EDEADLK in a firing of its own.
    void cancel_and_wait() const { detail::check(sq_timer_cancel_and_wait(raw_, SQ_FOREVER)); }
    /// In a firing: how many intervals it stands for.
    std::uint64_t intervals() const noexcept { return sq_timer_intervals(raw_); }

private:
    sq_timer_t *raw_;
};

/// Runs a function once (sq_once.h). A variable of static storage is initialised before any code runs. It cannot be copied or moved.
class once {
public:
    constexpr once() noexcept = default;
    once(const once &) = delete;
    once &operator=(const once &) = delete;

    /// Calls the function unless a call has done so; returns after it has returned. What it throws reaches the caller that ran it, and counts as
    /// a return: nothing runs it again. Throws EDEADLK in the function itself.
    template <class F> void operator()(F &&function) {
        detail::wait_for(function, [this](auto call, void *context) { return sq_once(&raw_, call, context); });
    }

private:
    sq_once_t raw_ = SQ_ONCE_INIT;
};

} // namespace sq

#endif
