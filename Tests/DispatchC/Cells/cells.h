/* cells.h: what the cells have in common. A cell is a call in a state; it notes what happens, and the notes are compared. */
#ifndef CELLS_H
#define CELLS_H

#include <dispatch/dispatch.h>
#include <stdio.h>
#include <stdlib.h>

/* Not in all headers of libdispatch. */
#ifndef SQ_DISPATCH_DISPATCH_H
extern void dispatch_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
extern void dispatch_barrier_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
#ifdef __BLOCKS__
extern void dispatch_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
extern void dispatch_barrier_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
#endif
#endif
#ifdef __BLOCKS__
extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
#endif

typedef void (*cell_function_t)(void);

/* `alone`: it may end or hang the process, so it gets one of its own. */
void add_cell(const char *name, cell_function_t run, int alone);

#define CELL_(name, function, alone)                                                                   \
    static void function(void);                                                                        \
    __attribute__((constructor)) static void add_##function(void) { add_cell(name, function, alone); } \
    static void function(void)
/* A cell, and its body. */
#define CELL(name, function) CELL_(name, function, 0)
#define CELL_ALONE(name, function) CELL_(name, function, 1)

/* Adds a word to the notes of the running cell. Any thread may call. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Orders the notes, where their order is not known. */
void sort_notes(void);
/* The context is the word. */
void note_word(void *word);

/* Waits for what must come. */
void must(dispatch_semaphore_t semaphore);
void must_all(dispatch_group_t group);
dispatch_time_t in_milliseconds(int milliseconds);
/* As a task: signals. */
void signal_it(void *semaphore);
/* As a task: waits until the semaphore is signalled. */
void wait_for_it(void *semaphore);
/* Waits until everything that was submitted to the queue has run. */
void drain(dispatch_queue_t queue);

/* A kind of queue. */
typedef struct kind {
    const char *name;
    int is_serial;
    int is_permanent; /* global or main */
    int is_global;
    dispatch_queue_t (*make)(int inactive);
} kind_t;

extern const kind_t kinds[];
extern const int kind_count;

/* A call with a function that notes that it runs, and signals. */
typedef struct call {
    const char *name;
    int waits;      /* for the function */
    int is_barrier;
    int is_late;    /* its order among other submissions is not known */
    void (*make)(dispatch_queue_t queue, void *probe, dispatch_function_t work);
} call_t;

extern const call_t calls[];
extern const int call_count;

/* Runs the cells of the matrix whose names begin with a word; NULL: all. */
void run_matrix(const char *only);
void begin_cell(const char *name);
void end_cell(void);

#endif
