/* memory.c: what an atomic operation reads, and what it makes visible.
 *
 * DESIGN. Three models. Sequentially consistent: every load reads the newest value. TSO: a store may stay in its thread's
 * buffer; the thread itself reads it there, other threads see it when it has been drained, in order; a read-modify-write, a
 * mutex and a wait first drain the buffer. Release/acquire (C11 without consume and without values out of thin air): each
 * location keeps its last values, each with the view of the release store that wrote it: for each other location, the oldest
 * value that a thread may still read after it has acquired this one. A load may read any value not older than its thread's view.
 * Not modelled: stores that become visible in another order than they were made in (2+2W), and load buffering.
 *
 * Independently of that, vector clocks follow the C11 rules of synchronizes-with, in all three models; shadow.c asks them. */
#include "explore.h"

#include <string.h>

enum { LOCATIONS = 256, HISTORY = 6, BUCKETS = 1024, BUFFER = 4 };
enum { RELAXED = 0, CONSUME = 1, ACQUIRE = 2, RELEASE = 3, ACQ_REL = 4, SEQ_CST = 5 };

const char *const ex_memory_names[] = { "sc", "tso", "ra" };

typedef struct view { uint16_t at[LOCATIONS]; } __attribute__((aligned(32))) view_t;
typedef struct message { uint64_t value; unsigned step; ex_clock_t clock; view_t view; } message_t;
typedef struct location { const void *address; uint16_t newest; bool overwritten; message_t messages[HISTORY]; } location_t;
typedef struct store { void *address; unsigned size; uint64_t value; int order; ex_clock_t clock; } store_t;

static location_t locations[LOCATIONS];
static unsigned count;
static struct { const void *address; uint32_t run; uint16_t index; } buckets[BUCKETS];
static uint32_t run;
static view_t views[EX_THREADS], left_views[EX_VIEWS];
static ex_clock_t left_clocks[EX_VIEWS];
static store_t buffers[EX_THREADS][BUFFER];
static unsigned buffered[EX_THREADS];
ex_clock_t ex_clocks[EX_THREADS];

static bool acquires(int order) { return order == CONSUME || order == ACQUIRE || order == ACQ_REL || order == SEQ_CST; }
static bool releases(int order) { return order == RELEASE || order == ACQ_REL || order == SEQ_CST; }

static void join_clock(ex_clock_t *to, const ex_clock_t *from) {
    for (unsigned i = 0; i < EX_THREADS; i += 1) {
        to->at[i] = from->at[i] > to->at[i] ? from->at[i] : to->at[i];
    }
}

static void join_view(view_t *to, const view_t *from) {
    if (ex_setting.memory == EX_RA) {
        for (unsigned i = 0; i < LOCATIONS; i += 1) {
            to->at[i] = from->at[i] > to->at[i] ? from->at[i] : to->at[i];
        }
    }
}

void ex_memory_reset(void) {
    run += 1;
    count = 0;
    memset(left_clocks, 0, sizeof left_clocks);
    memset(buffered, 0, sizeof buffered);
    if (ex_setting.memory == EX_RA) {
        memset(left_views, 0, sizeof left_views);
    }
}

void ex_memory_thread(int thread, int parent) {
    memset(&ex_clocks[thread], 0, sizeof ex_clocks[thread]);
    memset(&views[thread], 0, sizeof views[thread]);
    if (parent >= 0) {
        while (ex_setting.memory == EX_TSO && ex_drain_one(parent)) {
        }
        ex_clocks[thread] = ex_clocks[parent];
        views[thread] = views[parent];
        ex_clocks[parent].at[parent] += 1;
    }
    ex_clocks[thread].at[thread] = 1;
}

bool ex_happened(int thread, uint32_t when) { return ex_clocks[ex_current].at[thread] >= when; }
uint32_t ex_when(void) { return ex_clocks[ex_current].at[ex_current]; }

void ex_take_view(unsigned from) {
    join_clock(&ex_clocks[ex_current], &left_clocks[from]);
    join_view(&views[ex_current], &left_views[from]);
}

void ex_see_newest(void) {
    for (unsigned i = 0; i < count; i += 1) {
        views[ex_current].at[i] = locations[i].newest;
    }
}

void ex_take_all_views(void) {
    for (unsigned i = 0; i < ex_threads(); i += 1) {
        join_clock(&ex_clocks[ex_current], &ex_clocks[i]);
        join_view(&views[ex_current], &views[i]);
    }
}

void ex_leave_view(unsigned to) {
    while (ex_setting.memory == EX_TSO && ex_drain_one(ex_current)) {
    }
    join_clock(&left_clocks[to], &ex_clocks[ex_current]);
    join_view(&left_views[to], &views[ex_current]);
    ex_clocks[ex_current].at[ex_current] += 1;
}

static unsigned location_of(const void *address, uint64_t now) {
    unsigned bucket = (unsigned)((uintptr_t)address >> 2) * 2654435761u >> 22;
    while (buckets[bucket].run == run && buckets[bucket].address != address) {
        bucket = (bucket + 1) % BUCKETS;
    }
    if (buckets[bucket].run != run) {
        if (count == LOCATIONS) {
            ex_fail("the explorer itself: more than %d atomic locations", LOCATIONS);
        }
        buckets[bucket].run = run;
        buckets[bucket].address = address;
        buckets[bucket].index = (uint16_t)count;
        location_t *location = &locations[count++];
        location->address = address;
        location->newest = 0;
        location->overwritten = false;
        location->messages[0].value = now;
        location->messages[0].step = 0;
        memset(&location->messages[0].clock, 0, sizeof location->messages[0].clock);
        if (ex_setting.memory == EX_RA) {
            memset(&location->messages[0].view, 0, sizeof location->messages[0].view);
        }
    }
    location_t *location = &locations[buckets[bucket].index];
    if (location->overwritten) {
        location->overwritten = false;
        location->newest += 1;
        message_t *message = &location->messages[location->newest % HISTORY];
        *message = (message_t){ .value = now, .view = views[ex_current] };
        views[ex_current].at[buckets[bucket].index] = location->newest;
    }
    return buckets[bucket].index;
}

void ex_overwritten(const void *start, size_t bytes) {
    while (ex_drain_one(ex_current)) {
    }
    for (unsigned i = 0; i < count; i += 1) {
        size_t offset = (size_t)((uintptr_t)locations[i].address - (uintptr_t)start);
        locations[i].overwritten |= offset < bytes;
    }
}

static unsigned oldest_readable(const location_t *location, unsigned index) {
    unsigned oldest = views[ex_current].at[index];
    return location->newest - oldest >= HISTORY ? (unsigned)location->newest - HISTORY + 1 : oldest;
}

/* How many values back a read goes. In a reduced search an older value than the newest is read only if the newest came before the read
 * anyhow: else the search also runs the order in which the read comes before the newest, and there the older one is read. A compare-and-swap
 * that fails has read a value unlike the one that it expects. */
static unsigned choose_back(const location_t *location, unsigned most, const uint64_t *unlike) {
    if (!ex_reducing) {
        return ex_choose(most + 1, EX_DISTURB);
    }
    if (!ex_reduce_came_before(location->messages[location->newest % HISTORY].step)) {
        return 0;
    }
    unsigned backs[HISTORY] = { 0 }, count = 1;
    for (unsigned back = 1; back <= most; back += 1) {
        if (unlike == NULL || location->messages[(location->newest - back) % HISTORY].value != *unlike) {
            backs[count++] = back;
        }
    }
    return count > 1 ? backs[ex_reduce_value(count, false)] : 0;
}

static void acquire(const message_t *message, int order) {
    if (acquires(order)) {
        join_clock(&ex_clocks[ex_current], &message->clock);
        join_view(&views[ex_current], &message->view);
    }
}

static message_t *newest_of(location_t *location) { return &location->messages[location->newest % HISTORY]; }

static void append(unsigned index, uint64_t value, int order, const ex_clock_t *clock, bool continues) {
    location_t *location = &locations[index];
    message_t *before = newest_of(location);
    location->newest += 1;
    message_t *message = newest_of(location);
    message->value = value;
    message->step = ex_reduce_step();
    if (continues) { /* a read-modify-write continues the release sequence */
        message->clock = before->clock;
    } else {
        memset(&message->clock, 0, sizeof message->clock);
    }
    if (releases(order)) {
        join_clock(&message->clock, clock);
    }
    if (ex_setting.memory == EX_RA) {
        views[ex_current].at[index] = location->newest;
        if (continues) {
            message->view = before->view;
        } else {
            memset(&message->view, 0, sizeof message->view);
        }
        if (releases(order)) {
            join_view(&message->view, &views[ex_current]);
        }
    }
}

static void put(void *address, unsigned size, uint64_t value) { memcpy(address, &value, size); }

/* TSO */

bool ex_has_buffer(int thread) { return buffered[thread] > 0; }

bool ex_drain_one(int thread) {
    if (buffered[thread] == 0) {
        return false;
    }
    store_t store = buffers[thread][0];
    memmove(&buffers[thread][0], &buffers[thread][1], sizeof store * --buffered[thread]);
    append(location_of(store.address, 0), store.value, store.order, &store.clock, false);
    put(store.address, store.size, store.value);
    EX_TRACE("(T%d's store to %s comes out of its buffer)", thread, ex_name_of(store.address));
    return true;
}

/* A dump changes copies on its own stack, whose memory has other uses as soon as a call returns: no such store stays in the buffer. */
static bool is_copy(const void *address) {
    return ex_setting.lists_threads && (uintptr_t)address - (uintptr_t)ex_stacks[ex_current] < EX_STACK;
}

static bool may_be_held_back(void) {
    return ex_setting.memory == EX_TSO && buffered[ex_current] < BUFFER
        && (buffered[ex_current] > 0 || ex_choose(2, EX_DISTURB) == 1);
}

/* Operations */

uint64_t ex_load(const void *address, uint64_t now, int order) {
    if (run == 0) {
        return now; /* a constructor or destructor of the core, outside of main */
    }
    unsigned index = location_of(address, now);
    location_t *location = &locations[index];
    for (unsigned i = buffered[ex_current]; i > 0; i -= 1) {
        if (buffers[ex_current][i - 1].address == address) {
            return buffers[ex_current][i - 1].value;
        }
    }
    unsigned at = location->newest;
    if (ex_setting.memory == EX_RA) {
        unsigned oldest = oldest_readable(location, index);
        at -= choose_back(location, at - oldest, NULL);
        views[ex_current].at[index] = (uint16_t)at;
    }
    message_t *message = &location->messages[at % HISTORY];
    acquire(message, order);
    return message->value;
}

void ex_store(void *address, unsigned size, uint64_t value, int order) {
    if (run == 0) {
        put(address, size, value); /* as in ex_load */
        return;
    }
    unsigned index = location_of(address, 0);
    ex_clock_t clock = ex_clocks[ex_current];
    if (releases(order)) {
        ex_clocks[ex_current].at[ex_current] += 1;
    }
    if (!is_copy(address) && may_be_held_back()) {
        buffers[ex_current][buffered[ex_current]++] = (store_t){ address, size, value, order, clock };
        return;
    }
    while (ex_drain_one(ex_current)) {
    }
    append(index, value, order, &clock, false);
    put(address, size, value);
}

static void rmw(void *address, unsigned size, unsigned index, uint64_t value, int order) {
    views[ex_current].at[index] = locations[index].newest;
    acquire(newest_of(&locations[index]), order);
    ex_clock_t clock = ex_clocks[ex_current];
    append(index, value, order, &clock, true);
    if (releases(order)) {
        ex_clocks[ex_current].at[ex_current] += 1;
    }
    put(address, size, value);
}

uint64_t ex_exchange(void *address, unsigned size, uint64_t now, uint64_t value, int order) {
    unsigned index = location_of(address, now);
    rmw(address, size, index, value, order);
    return now;
}

bool ex_compare(void *address, unsigned size, uint64_t now, uint64_t *expected, uint64_t value, int order, int failure) {
    unsigned index = location_of(address, now);
    location_t *location = &locations[index];
    if (ex_setting.memory == EX_RA && oldest_readable(location, index) < location->newest) {
        /* A compare-and-swap that fails is a load, and may fail because it read an old value. */
        unsigned back = choose_back(location, location->newest - oldest_readable(location, index), expected);
        message_t *message = &location->messages[(location->newest - back) % HISTORY];
        if (back > 0 && message->value != *expected) {
            views[ex_current].at[index] = (uint16_t)(location->newest - back);
            acquire(message, failure);
            *expected = message->value;
            return false;
        }
    }
    if (now == *expected) {
        rmw(address, size, index, value, order);
        return true;
    }
    views[ex_current].at[index] = location->newest;
    acquire(newest_of(location), failure);
    *expected = now;
    return false;
}
