/* inputs.h: the files to count, and the list of work that the readers share.
 *
 * The list belongs to a serial queue that is only ever used with sync: it is used like a mutex, and never
 * has a thread. A file is handed out in pieces, so that several readers work on one large file. What can be read only
 * once (a pipe), or has no known size (/proc), is copied to a nameless temporary file first: the single-threaded
 * check has to read it again. */
#ifndef INPUTS_H
#define INPUTS_H

#include <serial_queue.h>

enum { PIECE_SIZE = 256 * 1024 };

/* I fixed when made; Q touched on the inputs' queue only, until the readers have ended; T on the tally's, likewise. */
typedef struct input {
    const char *path;           /* I  "-" is standard input */
    bool is_stream;             /* I  must be copied before it can be counted */
    int copy;                   /* Q  the copy of a stream, else -1 */
    uint64_t size;              /* Q  0 while not known */
    uint64_t handed_out;        /* Q  bytes of it in pieces so far */
    char problem[160];          /* Q  why it cannot be counted; "" if it can */
    bool reported;              /* main thread only: the problem was printed */
    uint64_t counted;           /* T  bytes of it in the tally */
    struct input *following;    /* Q  in one of the lists below */
} input_t;

typedef struct inputs {
    sq_queue_t *queue;
    input_t *all;               /* I  in the order of the arguments */
    size_t count;               /* I */
    input_t *ready, *streams;   /* Q  pieces left to hand out; not copied yet */
    uint64_t bytes;             /* Q  known so far: the sum of the sizes */
} inputs_t;

typedef struct piece {
    input_t *input;
    uint64_t offset;
    size_t length;              /* 0: the input is a stream that this reader is to copy */
    size_t after;               /* bytes behind it that may belong to its last word */
} piece_t;

void inputs_open(inputs_t *inputs, char *const paths[], size_t count);
void inputs_close(inputs_t *inputs);

/* Takes the next piece of work. False if there is none left, though a stream that is being copied may yet bring some:
 * the reader that copies it then counts it. Any reader. */
bool inputs_next(inputs_t *inputs, piece_t *piece);

/* Opens an input, or its copy, for reading; -1 with errno. The caller closes it. */
int input_open(const input_t *input);

/* Copies a stream; afterwards its pieces are handed out. Any reader. */
void inputs_copy(inputs_t *inputs, input_t *input);

/* Says why an input cannot be counted; the first reason stays, and no more pieces of it are handed out. Any reader. */
void inputs_fail(inputs_t *inputs, input_t *input, const char *reason);

uint64_t inputs_bytes(inputs_t *inputs);

/* Prints the problems not printed yet, one line each that names the file; returns how many inputs have one.
 * Main thread, while no reader runs. */
size_t inputs_report(inputs_t *inputs);

#endif
