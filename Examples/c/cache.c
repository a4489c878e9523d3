/* cache.c: a read-mostly cache that several threads share, guarded in three ways: by a concurrent queue (reads together, a barrier for
 * each insertion), by a serial queue, and by a pthread_rwlock. `cache --help` says how to run it. Examples/Cache is the same in Swift. */
#define _DEFAULT_SOURCE 1
#include <serial_queue.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGES = 4096, CAPACITY = 3900, MOST_THREADS = 256 };

typedef uint64_t page_t; /* has its number in it; 0: not in the cache */

/* The pages by their number, the oldest of which make room for new ones. Not synchronised. */
typedef struct cache {
    page_t pages[PAGES];
    unsigned order[CAPACITY]; /* a ring, once it is full */
    size_t count, oldest;
} cache_t;

/* How a cache is guarded: any number of reads at a time, changes alone. */
typedef struct way {
    const char *name;
    void (*read)(void *lock, sq_function_t function, void *context);
    void (*change)(void *lock, sq_function_t function, void *context);
    void *lock;
} way_t;

typedef struct load {
    const way_t *way;
    size_t threads, reads;
    cache_t cache; /* under the guard only */
    atomic_size_t misses, insertions, wrong;
} load_t;

typedef struct reader {
    load_t *load;
    pthread_t thread;
    uint64_t random;
} reader_t;

/* A request for one page, by one thread. */
typedef struct request {
    load_t *load;
    unsigned number;
    page_t page;
} request_t;

static _Noreturn void die(const char *sentence) {
    fprintf(stderr, "cache: %s\n", sentence);
    exit(1);
}

/* The three guards */

static void must(int error) {
    if (error != 0) die(strerror(error));
}

static void queue_read(void *queue, sq_function_t function, void *context) { must(sq_sync(queue, function, context)); }

static void queue_change(void *queue, sq_function_t function, void *context) { must(sq_sync_barrier(queue, function, context)); }

static void lock_read(void *lock, sq_function_t function, void *context) {
    must(pthread_rwlock_rdlock(lock));
    function(context);
    must(pthread_rwlock_unlock(lock));
}

static void lock_change(void *lock, sq_function_t function, void *context) {
    must(pthread_rwlock_wrlock(lock));
    function(context);
    must(pthread_rwlock_unlock(lock));
}

/* Inside the guard */

static void find(void *context) {
    request_t *request = context;
    request->page = request->load->cache.pages[request->number];
}

static void insert(void *context) {
    request_t *request = context;
    cache_t *cache = &request->load->cache;
    if (cache->pages[request->number] != 0) return; /* another thread was faster */
    if (cache->count < CAPACITY) {
        cache->order[cache->count++] = request->number;
    } else {
        cache->pages[cache->order[cache->oldest]] = 0;
        cache->order[cache->oldest] = request->number;
        cache->oldest = (cache->oldest + 1) % CAPACITY;
    }
    cache->pages[request->number] = request->page;
    atomic_fetch_add_explicit(&request->load->insertions, 1, memory_order_relaxed);
}

/* Outside of it */

/* Stands for what takes long: reading a file, a computation. */
static page_t load_page(unsigned number) {
    uint64_t hash = number | 1u;
    for (int i = 0; i < 1000; i++) hash = hash * 6364136223846793005u + 1;
    return ((hash >> 32) + 1) * PAGES + number;
}

static void read_page(load_t *load, unsigned number) {
    request_t request = {load, number, 0};
    load->way->read(load->way->lock, find, &request);
    if (request.page == 0) {
        atomic_fetch_add_explicit(&load->misses, 1, memory_order_relaxed);
        request.page = load_page(number); /* outside the queue, so that other threads can read */
        load->way->change(load->way->lock, insert, &request);
    }
    if (request.page % PAGES != number) atomic_fetch_add_explicit(&load->wrong, 1, memory_order_relaxed);
}

static void *read_many(void *context) {
    reader_t *reader = context;
    for (size_t i = 0; i < reader->load->reads; i++) {
        reader->random ^= reader->random << 13;
        reader->random ^= reader->random >> 7;
        reader->random ^= reader->random << 17;
        double fraction = (double)(reader->random >> 11) / 9007199254740992.0;
        read_page(reader->load, (unsigned)(PAGES * fraction * fraction * fraction)); /* lower numbers more often */
    }
    return NULL;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Puts the load on a cache, and prints a line about it. False: something was wrong. */
static bool show(const way_t *way, size_t threads, size_t reads) {
    static load_t load;
    static reader_t readers[MOST_THREADS];
    memset(&load.cache, 0, sizeof load.cache);
    load.way = way;
    load.threads = threads;
    load.reads = reads;
    atomic_store(&load.misses, 0);
    atomic_store(&load.insertions, 0);
    double began = seconds_now();
    for (size_t i = 0; i < threads; i++) {
        readers[i] = (reader_t){.load = &load, .random = (i + 1) * 0x9e3779b97f4a7c15u};
        must(pthread_create(&readers[i].thread, NULL, read_many, &readers[i]));
    }
    for (size_t i = 0; i < threads; i++) must(pthread_join(readers[i].thread, NULL));
    double seconds = seconds_now() - began, all = (double)threads * (double)reads;
    printf("%-16s%7.2f million reads/s, %4.1f %% hits, %zu insertions\n", way->name, all / seconds / 1e6,
           100 * (1 - (double)atomic_load(&load.misses) / all), atomic_load(&load.insertions));
    size_t held = 0;
    for (size_t i = 0; i < PAGES; i++) held += load.cache.pages[i] != 0;
    return atomic_load(&load.wrong) == 0 && held <= CAPACITY;
}

static void read_options(int count, char *words[], size_t *threads, size_t *reads) {
    static const char usage[] =
        "Usage: cache [--threads N] [--reads N]\n"
        "\n"
        "N (4) threads read pages (300000 each) from a cache that several threads share, and load those that\n"
        "it has not. The cache is guarded by a concurrent queue, a serial queue and a pthread_rwlock in turn.\n"
        "Exit status: 0; 1 if a thread read a wrong page; 2 for a wrong command line.\n";
    for (int i = 1; i < count; i += 2) {
        if (strcmp(words[i], "--help") == 0) exit(fputs(usage, stdout) < 0 || fflush(stdout) != 0);
        char *end = NULL;
        long value = i + 1 < count ? strtol(words[i + 1], &end, 10) : 0;
        if (value > 0 && *end == '\0' && strcmp(words[i], "--threads") == 0 && value <= MOST_THREADS) {
            *threads = (size_t)value;
        } else if (value > 0 && *end == '\0' && strcmp(words[i], "--reads") == 0 && value <= 100000000) {
            *reads = (size_t)value;
        } else {
            fputs(usage, stderr);
            exit(2);
        }
    }
}

int main(int count, char *words[]) {
    size_t threads = 4, reads = 300000;
    read_options(count, words, &threads, &reads);
    sq_queue_options_t wide = SQ_QUEUE_OPTIONS_INIT;
    wide.width = SQ_WIDTH_POOL;
    sq_queue_t *concurrent = sq_queue_create("com.example.cache", &wide), *serial = sq_queue_create("com.example.cache", NULL);
    pthread_rwlock_t lock;
    if (concurrent == NULL || serial == NULL || pthread_rwlock_init(&lock, NULL) != 0) die("no queue or lock can be made");
    const way_t ways[] = {
        {"concurrent queue", queue_read, queue_change, concurrent},
        {"serial queue", queue_read, queue_change, serial},
        {"pthread_rwlock", lock_read, lock_change, &lock},
    };
    printf("threads   %zu, %zu reads each, of %d pages; the cache holds %d\n", threads, reads, PAGES, CAPACITY);
    bool is_right = true;
    for (size_t i = 0; i < 3; i++) is_right &= show(&ways[i], threads, reads);
    if (!is_right) die("a thread read a wrong page, or a cache holds too many");
    puts("check     every read found its own page, and no cache held more than it may");
    sq_queue_release(concurrent);
    sq_queue_release(serial);
    pthread_rwlock_destroy(&lock);
    if (fflush(stdout) != 0 || ferror(stdout)) die("the figures cannot be written");
    return 0;
}
