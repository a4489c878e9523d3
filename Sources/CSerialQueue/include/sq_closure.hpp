// sq_closure.hpp: what serial_queue.hpp is made of: errors, times, handles, and closures as the C calls take them.
//
// DESIGN. A queue keeps two words of a task (sq_async_pair), and copies them. So a closure is in them if it may be copied by its bytes
// (std::is_trivially_copyable) and fits; any other one is moved into a block of its own, once, because it may hold its own
// address. sync borrows the closure from the caller's stack instead, and allocates nothing.
#ifndef SQ_CLOSURE_HPP
#define SQ_CLOSURE_HPP

#include "serial_queue.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

namespace sq {

/// What a call throws that has failed and done nothing: code() is the errno code that the C call returns, what() explains it. For
/// EDEADLK that is sq_deadlock_report, which names the queues and the threads.
class error : public std::system_error {
public:
    explicit error(int code) : std::system_error(code, std::generic_category(), code == EDEADLK ? sq_deadlock_report() : sq_error_text(code)) {}
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail(int code) { throw error(code); }

inline void check(int code) {
    if (code != 0) {
        fail(code);
    }
}

/// False if the deadline passed first.
inline bool in_time(int code) {
    if (code == ETIMEDOUT || code == EAGAIN) {
        return false;
    }
    check(code);
    return true;
}

template <class Rep, class Period> std::uint64_t nanoseconds(std::chrono::duration<Rep, Period> duration) {
    if (!(duration > duration.zero())) {
        return 0;
    }
    return std::chrono::duration<double>(duration).count() < 9.2e9 ? static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::nanoseconds>(duration).count())
                                                                   : SQ_FOREVER;
}

} // namespace detail

/// A length of time, from any std::chrono duration: rounded up to nanoseconds, 0 if negative, and without end beyond 291 years.
class delay {
public:
    template <class Rep, class Period> delay(std::chrono::duration<Rep, Period> duration) : nanoseconds_(detail::nanoseconds(duration)) {}
    std::uint64_t nanoseconds() const noexcept { return nanoseconds_; }

private:
    std::uint64_t nanoseconds_;
};

/// When a wait ends: a std::chrono duration from now, or a time of std::chrono::steady_clock. deadline::now() does not wait at all.
class deadline {
public:
    template <class Rep, class Period> deadline(std::chrono::duration<Rep, Period> from_now) : time_(sq_deadline(detail::nanoseconds(from_now))) {}
    template <class Duration> deadline(std::chrono::time_point<std::chrono::steady_clock, Duration> time) : time_(detail::nanoseconds(time.time_since_epoch())) {}
    static deadline now() noexcept { return deadline(SQ_NOW); }
    static deadline forever() noexcept { return deadline(SQ_FOREVER); }
    sq_time_t time() const noexcept { return time_; }

private:
    explicit deadline(sq_time_t time) noexcept : time_(time) {}
    sq_time_t time_;
};

namespace detail {

/// Called in a handler of what a task has thrown.
[[noreturn, gnu::cold, gnu::noinline]] inline void report_exception() {
    const sq_queue_t *queue = sq_current_queue();
    const char *label = queue != nullptr ? sq_queue_label(queue) : "";
    try {
        throw;
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "SerialQueue: an exception left a task of queue \"%s\": %s. Catch it inside, or use sync, which passes it to its caller.\n", label, exception.what());
    } catch (...) {
        std::fprintf(stderr, "SerialQueue: an exception left a task of queue \"%s\". It is no std::exception. Catch it inside.\n", label);
    }
    std::terminate();
}

/// Calls the function; `thrown` handles what it throws. pthread_exit and a cancellation pass through, to the core, which reports them.
template <class Function, class Thrown> void guarded(Function &&function, Thrown &&thrown) {
    if constexpr (noexcept(function())) {
        function();
    } else {
        try {
            function();
        }
#ifdef __GLIBCXX__
        catch (abi::__forced_unwind &) {
            throw;
        }
#endif
        catch (...) {
            thrown();
        }
    }
}

/// A closure in that many words: inside of them if its bytes may be there, else allocated. An object of it owns the closure.
template <class F, std::size_t Words> class closure {
public:
    static constexpr bool is_inside = sizeof(F) <= Words * sizeof(void *) && alignof(F) <= alignof(void *) && std::is_trivially_copyable_v<F>;

    template <class G> explicit closure(std::in_place_t, G &&function) {
        if constexpr (is_inside) {
            ::new (static_cast<void *>(bytes_)) F(std::forward<G>(function));
        } else {
            F *allocated = new F(std::forward<G>(function));
            std::memcpy(bytes_, &allocated, sizeof allocated);
        }
    }
    /// Takes over what `word` and `give_up` gave to a queue.
    explicit closure(void *first, void *second = nullptr) noexcept {
        void *words[2] = { first, second };
        std::memcpy(bytes_, words, sizeof bytes_);
    }
    closure(const closure &) = delete;
    closure &operator=(const closure &) = delete;
    ~closure() {
        if constexpr (!is_inside) {
            if (is_owner_) {
                delete &get();
            }
        }
    }

    F &get() noexcept {
        if constexpr (is_inside) {
            return *std::launder(reinterpret_cast<F *>(bytes_));
        } else {
            return *static_cast<F *>(word(0));
        }
    }
    void *word(std::size_t number) const noexcept {
        void *word;
        std::memcpy(&word, bytes_ + number * sizeof word, sizeof word);
        return word;
    }
    /// The queue has it now.
    void give_up() noexcept { is_owner_ = false; }

    static void run_pair(void *first, void *second, bool runs) {
        closure taken(first, second);
        if (runs) {
            taken.run();
        }
    }
    static void run_word(void *context) { closure(context).run(); }
    static void discard_word(void *context) { closure taken(context); }
    static void run_again(void *context) { guarded_call(*static_cast<F *>(context)); }

private:
    void run() {
        guarded([this]() noexcept(std::is_nothrow_invocable_v<F>) { std::invoke(std::move(get())); }, report_exception);
    }
    static void guarded_call(F &function) {
        guarded([&]() noexcept(std::is_nothrow_invocable_v<F &>) { std::invoke(function); }, report_exception);
    }
    alignas(void *) unsigned char bytes_[Words * sizeof(void *)] = {};
    bool is_owner_ = true;
};

/// Submits a closure by a call that takes two words.
template <class F, class Submit> int submit_pair(F &&function, Submit &&submit) {
    using pair = closure<std::decay_t<F>, 2>;
    pair packed(std::in_place, std::forward<F>(function));
    int error = submit(&pair::run_pair, packed.word(0), packed.word(1));
    if (error == 0) {
        packed.give_up();
    }
    return error;
}

/// Submits a closure by a call that takes an sq_task_t, which has one word.
template <class F, class Submit> int submit_task(F &&function, Submit &&submit) {
    using single = closure<std::decay_t<F>, 1>;
    single packed(std::in_place, std::forward<F>(function));
    const sq_task_t task = { &single::run_word, packed.word(0), &single::discard_word };
    int error = submit(&task);
    if (error == 0) {
        packed.give_up();
    }
    return error;
}

/// Makes an object of a closure that is called again and again: it is allocated. Returns what `create` does, NULL with errno on an error.
template <class F, class Create> auto create_repeating(F &&function, Create &&create) {
    using kept = std::decay_t<F>;
    kept *allocated = new kept(std::forward<F>(function));
    const sq_task_t task = { &closure<kept, 1>::run_again, allocated, [](void *context) { delete static_cast<kept *>(context); } };
    auto *made = create(&task);
    if (made == nullptr) {
        int error = errno;
        delete allocated;
        errno = error;
    }
    return made;
}

/// Throws what a function has thrown, and destroys it here: not inlined, so that a call that returns has nothing to clean up.
[[noreturn, gnu::cold, gnu::noinline]] inline void rethrow(std::exception_ptr &thrown) {
    std::exception_ptr taken = std::move(thrown);
    thrown.~exception_ptr();
    std::rethrow_exception(std::move(taken));
}

struct nothing {};

/// A call that waits: runs a function of its caller's, and brings back what it returns or throws.
template <class F, class R = std::invoke_result_t<F &>> class awaited {
    using kept = std::conditional_t<std::is_void_v<R>, nothing, std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R> *, std::optional<R>>>;

public:
    explicit awaited(F &function) noexcept : function_(function) {}
    awaited(const awaited &) = delete;
    awaited &operator=(const awaited &) = delete;
    ~awaited() {} // `rethrow` destroys thrown_

    /// The function that the C call gets, with this object as its context.
    static void run(void *context) {
        auto &self = *static_cast<awaited *>(context);
        guarded([&self]() noexcept(std::is_nothrow_invocable_v<F &>) { self.call(); }, [&self] {
            ::new (static_cast<void *>(&self.thrown_)) std::exception_ptr(std::current_exception());
            self.has_thrown_ = true;
        });
    }
    R take() {
        if (has_thrown_) {
            rethrow(thrown_);
        }
        if constexpr (std::is_reference_v<R>) {
            return static_cast<R>(*result_);
        } else if constexpr (!std::is_void_v<R>) {
            return std::move(*result_);
        }
    }
    /// As `take`, of a call that may have ended without having run the function: bool, or an optional.
    auto take_if(bool ran) {
        if constexpr (std::is_void_v<R>) {
            if (ran) {
                take();
            }
            return ran;
        } else {
            using found = std::optional<std::conditional_t<std::is_reference_v<R>, std::reference_wrapper<std::remove_reference_t<R>>, R>>;
            return ran ? found(take()) : found();
        }
    }

private:
    void call() noexcept(std::is_nothrow_invocable_v<F &>) {
        if constexpr (std::is_void_v<R>) {
            std::invoke(function_);
        } else if constexpr (std::is_reference_v<R>) {
            auto &&found = std::invoke(function_);
            result_ = std::addressof(found);
        } else {
            result_.emplace(std::invoke(function_));
        }
    }
    F &function_;
    bool has_thrown_ = false;
    union {
        std::exception_ptr thrown_; // if has_thrown_
    };
    kept result_{};
};

/// Calls the C call with a function that runs `function`.
template <class F, class Call> decltype(auto) wait_for(F &function, Call &&call) {
    awaited<F> result(function);
    check(call(&awaited<F>::run, &result));
    return result.take();
}
template <class F, class Call> auto wait_until(F &function, Call &&call) {
    awaited<F> result(function);
    return result.take_if(in_time(call(&awaited<F>::run, &result)));
}

struct adopted {};

/// A reference to an object of the C library: copying retains, destruction releases. Empty after it was moved from.
template <class T, T *(*Retain)(T *), void (*Release)(T *)> class handle {
public:
    handle(const handle &other) noexcept : raw_(other.raw_ != nullptr ? Retain(other.raw_) : nullptr) {}
    handle(handle &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    handle &operator=(handle other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~handle() {
        if (raw_ != nullptr) {
            Release(raw_);
        }
    }
    /// The object, for the calls of the C headers. Valid as long as this handle.
    T *get() const noexcept { return raw_; }
    friend bool operator==(const handle &left, const handle &right) noexcept { return left.raw_ == right.raw_; }
    friend bool operator!=(const handle &left, const handle &right) noexcept { return left.raw_ != right.raw_; }

protected:
    /// Takes over a reference. NULL: a creation has failed, with errno.
    handle(adopted, T *raw) : raw_(raw) {
        if (raw == nullptr) {
            fail(errno);
        }
    }

private:
    T *raw_;
};

} // namespace detail
} // namespace sq

#endif
