// store.cpp: a class whose members only its queue touches. RAII: when it is destroyed, what was submitted has run, and nothing runs any more.
#include <serial_queue.hpp>

#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

class store {
public:
    ~store() { queue_.shutdown(); }

    void set(std::string key, int value) {
        queue_.async([this, key = std::move(key), value] { values_[key] = value; });
    }
    std::optional<int> get(const std::string &key) const {
        return queue_.sync([&]() -> std::optional<int> {
            auto found = values_.find(key);
            return found == values_.end() ? std::nullopt : std::optional(found->second);
        });
    }
    /// Throws std::out_of_range; what a function throws reaches the caller of sync.
    int at(const std::string &key) const {
        return queue_.sync([&] { return values_.at(key); });
    }
    std::size_t size() const {
        return queue_.sync([this] { return values_.size(); });
    }

private:
    sq::queue queue_{ "com.example.store" };
    std::map<std::string, int> values_; // only on the queue
};

int main() {
    store store;
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 4; writer += 1) {
        writers.emplace_back([&store, writer] {
            for (int number = 0; number < 1000; number += 1) {
                store.set(std::to_string(writer * 1000 + number), number);
            }
        });
    }
    for (std::thread &writer : writers) {
        writer.join();
    }
    bool is_thrown = false;
    try {
        store.at("nothing");
    } catch (const std::out_of_range &) {
        is_thrown = true;
    }
    std::printf("%zu values, \"3999\" is %d, \"nothing\" is %s\n", store.size(), store.at("3999"), is_thrown ? "out of range" : "there");
    return store.size() != 4000 || store.get("3999") != 999 || store.get("nothing") || !is_thrown;
}
