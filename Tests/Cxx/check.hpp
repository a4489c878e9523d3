// check.hpp: tests of serial_queue.hpp: TEST(name) { CHECK(…); }. A program runs all of them, and prints a line for each.
#pragma once
#include <serial_queue.hpp>

#include <atomic>
#include <cstdio>
#include <vector>

struct test_case {
    const char *name;
    void (*body)();
};
std::vector<test_case> &tests();
extern int failed_checks;

struct registration {
    registration(const char *name, void (*body)()) { tests().push_back({ name, body }); }
};

#define TEST(name)                                   \
    static void name();                              \
    static const registration name##_is(#name, name); \
    static void name()

#define CHECK(...)                                                                             \
    do {                                                                                       \
        if (!(__VA_ARGS__)) {                                                                  \
            ++failed_checks;                                                                   \
            std::printf("    %s:%d: check failed: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
        }                                                                                      \
    } while (0)

/// The code of the sq::error that the function throws; 0: none.
template <class F> int error_of(F &&function) {
    try {
        function();
    } catch (const sq::error &error) {
        return error.code().value();
    }
    return 0;
}

/// Counts its objects: closures that capture one are neither lost nor destroyed twice.
struct counted {
    static inline std::atomic<int> alive = 0; // queues destroy closures, too
    counted() { ++alive; }
    counted(counted &&) noexcept { ++alive; }
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;
    ~counted() { --alive; }
};
