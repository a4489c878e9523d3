/* allocation_probe.c: the program's own malloc in front of glibc's; under a sanitizer, a hook in the sanitizer's. */
#include "allocation_probe.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Zero-initialised thread-locals of the program itself: to reach them allocates nothing. */
static _Thread_local bool is_counting;
static _Thread_local long count;
static _Thread_local size_t too_large; /* 0: nothing is */
static _Thread_local bool fails_pages;

/* Counts an allocation, and returns whether it is the one that fails. */
static bool fails_now(size_t size)
{
    count += is_counting;
    if (too_large == 0 || size < too_large) {
        return false;
    }
    too_large = 0;
    return true;
}

void allocation_probe_fail(size_t at_least) { too_large = at_least; }

void allocation_probe_fail_pages(void) { fails_pages = true; }

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

/* Under AddressSanitizer the core's segments, a page each, come from malloc (memory/blocks.c): they do not count. */
static void on_malloc(const volatile void *block, size_t size)
{
    (void)block;
    if (size != 4096) {
        (void)fails_now(size);
    }
}

static void on_free(const volatile void *block) { (void)block; }

__attribute__((constructor)) static void install(void) { __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free); }

bool allocation_probe_can_fail(void) { return false; }

#else

/* glibc's names for what stands behind malloc and its kin. free stays glibc's: the blocks are its own. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

/* glibc's own calls do not come here: thread stacks, and what malloc needs. */
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    if (fails_pages) {
        fails_pages = false;
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

void *malloc(size_t size) { return fails_now(size) ? no_memory() : __libc_malloc(size); }

void *calloc(size_t number, size_t size)
{
    return fails_now(number * size) ? no_memory() : __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) { return fails_now(size) ? no_memory() : __libc_realloc(block, size); }

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails_now(size) ? no_memory() : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = fails_now(size) ? NULL : __libc_memalign(alignment, size);
    return *block != NULL ? 0 : ENOMEM;
}

bool allocation_probe_can_fail(void) { return true; }

#endif

void allocation_probe_begin(void)
{
    count = 0;
    is_counting = true;
}

long allocation_probe_end(void)
{
    is_counting = false;
    return count;
}
