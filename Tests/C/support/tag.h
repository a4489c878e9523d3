/* tag.h: with SQ_TEST_TAGS=1 on arm64 the addresses of heap blocks have a tag in their highest byte, as those of MTE and HWASan have. The processor
 * ignores it, and the kernel does so once a process has asked for that. inject.c tags what it passes on. */
#ifndef TAG_H
#define TAG_H

#include <stdint.h>

#ifdef __aarch64__

#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>

static bool tags_blocks;

__attribute__((constructor)) static void begin_tagging(void) {
    tags_blocks = getenv("SQ_TEST_TAGS") != NULL;
    if (tags_blocks && prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0) != 0) {
        abort(); /* a test that passes without tags would say too much */
    }
}

static inline void *untagged(const void *block) { return (void *)((uintptr_t)block & UINTPTR_MAX >> 8); }

/* Neighbours have different tags, and none is 0. */
static inline void *tagged(void *block) {
    const uintptr_t tag = 0x80 | (uintptr_t)block >> 4;
    return tags_blocks && block != NULL ? (void *)((uintptr_t)block | tag << 56) : block;
}

#else

static inline void *untagged(void *block) { return block; }
static inline void *tagged(void *block) { return block; }

#endif

#endif
