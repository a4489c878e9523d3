// cost.cpp: the same work by the calls of C and of C++, for Tests/Cxx/run, which counts their instructions: cost WHAT LANGUAGE COUNT.
#include <serial_queue.hpp>

#include <cstdlib>
#include <cstring>

namespace {

struct large {
    long *sum, first, second, third;
};

void add(void *sum) { *static_cast<long *>(sum) += 1; }

void add_pair(void *sum, void *more, bool runs) {
    if (runs) {
        *static_cast<long *>(sum) += reinterpret_cast<long>(more);
    }
}

void add_large(void *context, void *, bool runs) {
    large *all = static_cast<large *>(context);
    if (runs) {
        *all->sum += all->first + all->second + all->third;
    }
    std::free(all);
}

void with_c(const char *what, sq_queue_t *queue, sq_pool_t *pool, long &sum) {
    if (std::strcmp(what, "sync") == 0) {
        (void)sq_sync(queue, add, &sum);
        return;
    }
    if (std::strcmp(what, "async") == 0) {
        (void)!sq_async_pair(queue, SQ_NOW, add_pair, &sum, reinterpret_cast<void *>(1));
    } else {
        large *all = static_cast<large *>(std::malloc(sizeof *all));
        *all = { &sum, 1, 0, 0 };
        (void)!sq_async_pair(queue, SQ_NOW, add_large, all, nullptr);
    }
    sq_pool_run(pool);
}

void with_cxx(const char *what, const sq::queue &queue, const sq::pool &pool, long &sum) {
    if (std::strcmp(what, "sync") == 0) {
        queue.sync([&] { sum += 1; });
        return;
    }
    if (std::strcmp(what, "async") == 0) {
        queue.async([&sum, more = 1L] { sum += more; });
    } else {
        queue.async([&sum, first = 1L, second = 0L, third = 0L] { sum += first + second + third; });
    }
    pool.run();
}

} // namespace

int main(int, char **words) {
    const char *what = words[1];
    const bool is_c = std::strcmp(words[2], "c") == 0;
    const long count = std::atol(words[3]);
    sq::pool pool = sq::pool::manual();
    sq::queue queue("cost", pool);
    long sum = 0;
    for (long done = 0; done < count; done += 1) {
        is_c ? with_c(what, queue.get(), pool.get(), sum) : with_cxx(what, queue, pool, sum);
    }
    return sum != count;
}
