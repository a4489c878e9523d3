/* refuse.h: a process in which the system refuses a call, as sandboxes do. */
#ifndef REFUSE_H
#define REFUSE_H

#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static inline void install_filter(struct sock_filter *filter, unsigned short length) {
    struct sock_fprog program = { length, filter };
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

/* From now on the system call fails with this error, in all threads of this process; so does its older form, which a C library may use instead. */
static inline void refuse(long number, unsigned error) {
#ifdef SYS_open
    if (number == SYS_openat) {
        refuse(SYS_open, error);
    }
#endif
#ifdef SYS_readlink
    if (number == SYS_readlinkat) {
        refuse(SYS_readlink, error);
    }
#endif
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    install_filter(filter, sizeof filter / sizeof filter[0]);
}

/* The same for each file that would be opened for writing: all file systems are read-only. */
static inline void refuse_writing(void) {
    const int32_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0; /* of a word of 64 bits */
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_open /* musl's open(); newer processors do not have it */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args[1]) + (uint32_t)low),
        BPF_STMT(BPF_JMP | BPF_JA, 2),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args[2]) + (uint32_t)low),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EROFS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    install_filter(filter, sizeof filter / sizeof filter[0]);
}

#endif
