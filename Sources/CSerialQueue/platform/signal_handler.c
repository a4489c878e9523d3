#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* SA_RESTART */
#endif
#include "platform/signal_handler.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

int sq__signal_take(int number, void (*function)(int)) {
    struct sigaction present, wanted = { .sa_handler = function, .sa_flags = SA_RESTART };
    sigemptyset(&wanted.sa_mask);
    if (sigaction(number, NULL, &present) != 0) {
        return errno;
    }
    if ((present.sa_flags & SA_SIGINFO) || present.sa_handler != SIG_DFL) {
        return EBUSY;
    }
    return sigaction(number, &wanted, NULL) == 0 ? 0 : errno;
}

void sq__signal_give_back(int number, void (*function)(int)) {
    struct sigaction present, standard = { .sa_handler = SIG_DFL };
    if (sigaction(number, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO) && present.sa_handler == function) {
        (void)sigaction(number, &standard, NULL);
    }
}

int sq__signal_number(const char *name, size_t length) {
    static const struct { const char *name; int number; } signals[] = {
        { "HUP", SIGHUP }, { "QUIT", SIGQUIT }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "WINCH", SIGWINCH },
    };
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i += 1) {
        if (strlen(signals[i].name) == length && memcmp(signals[i].name, name, length) == 0) {
            return signals[i].number;
        }
    }
    return 0;
}
