/* epoll.c: callbacks of an epoll loop and the tasks of a main queue share the main thread. */
#include "jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void watch(int set, int fd) {
    struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
    if (fd < 0 || epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) != 0) {
        perror("epoll");
        exit(1);
    }
}

int main(void) {
    jobs_t jobs;
    uint64_t expirations;
    struct epoll_event event;
    int set = epoll_create1(EPOLL_CLOEXEC), ticker = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    timerfd_settime(ticker, 0, &(struct itimerspec){ { 0, 3000000 }, { 0, 3000000 } }, NULL);
    jobs_begin(&jobs);
    watch(set, ticker);
    watch(set, sq_pool_fd(jobs.loop));
    while (!jobs_are_over(&jobs)) {
        if (epoll_wait(set, &event, 1, -1) != 1) {
            continue; /* a signal */
        }
        if (event.data.fd != ticker) {
            jobs_run(&jobs);
        } else if (read(ticker, &expirations, sizeof expirations) > 0) {
            jobs_tick(&jobs);
        }
    }
    close(ticker);
    close(set);
    return jobs_end(&jobs, "epoll");
}
