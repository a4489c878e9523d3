/* peek.h: reading memory that other threads write, or free, at the same time.
 *
 * DESIGN. A dump (inspect/dump.c) shows what other threads do, and must not wait for them. It copies their records through the
 * system, which reports an address that is not mapped instead of ending the program. A copy may mix old and new fields, or come from
 * memory that was reused meanwhile, so each of its bytes may have any value: a pointer may point anywhere, and a bool may be neither true
 * nor false. The caller checks what it can; the rest of the dump may be wrong where threads are running. Records of threads that are stuck
 * do not change, so they are correct. */
#pragma once

#include "platform/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies memory of this process. False: not all of it can be read. */
bool sq__peek(const void *address, void *copy, size_t bytes);
/* The same, slowly, on every system. */
bool sq__peek_through_pipe(const char *address, char *copy, size_t bytes);

/* The address of a member of a struct that may not be there: `&pointer->member` would say that it is, and that the pointer is aligned. */
static inline const void *sq__peek_at(const void *address, size_t offset) { return (const void *)((uintptr_t)address + offset); }

/* A bool of a copy. Its byte may be neither 0 nor 1, and then the bool itself must not be read. */
static inline bool sq__peeked(const bool *copy) { return *(const unsigned char *)copy != 0; }

/* Copies a text of at most size - 1 bytes and ends it with a NUL. What cannot be printed becomes '?'. If it cannot be read: "?". */
void sq__peek_text(const char *address, char *text, size_t size);

/* Zeroed memory that comes from the system directly: a stuck thread may hold the lock of malloc. NULL: none. */
void *sq__pages(size_t bytes);
void sq__pages_free(void *pages, size_t bytes);
/* The same pages and more of them, which are zeroed, perhaps at another address. NULL: no memory, and `pages` are unchanged. */
void *sq__pages_grow(void *pages, size_t bytes, size_t more);

/* Returns the memory of these pages to the system; they read as zero afterwards. Pages of which only a part is named stay as they are. */
void sq__pages_discard(void *start, size_t bytes);

/* Reads a file of the system, up to size - 1 bytes, and ends it with a NUL. Returns how many, 0 if it cannot be read. */
size_t sq__read_file(const char *path, char *text, size_t size);

/* The name of a thread of this process, printable as above; "?" if it has ended, or the system does not say. */
void sq__thread_name_of(uint64_t id, char *name, size_t size);
