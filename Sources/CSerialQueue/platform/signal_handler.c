#include "platform/signal_handler.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sq__signal_take(int number, void (*function)(int)) {
    struct sigaction present, wanted = { .sa_handler = function, .sa_flags = SA_RESTART };
    sigemptyset(&wanted.sa_mask);
    if (sigaction(number, NULL, &present) != 0) {
        return errno;
    }
    if ((present.sa_flags & SA_SIGINFO) || (present.sa_handler != SIG_DFL && present.sa_handler != function)) {
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

static void change_mask(int how, int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(how, &set, NULL);
}

void sq__signal_accept(int number) { change_mask(SIG_UNBLOCK, number); }

void sq__signal_block(int number) { change_mask(SIG_BLOCK, number); }

int sq__signal_named(const char *name, size_t length) {
    const struct { const char *name; int number; } known[] = {
        { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "HUP", SIGHUP }, { "QUIT", SIGQUIT }, { "INT", SIGINT }, { "TERM", SIGTERM },
        { "ALRM", SIGALRM }, { "WINCH", SIGWINCH }, { "URG", SIGURG }, { "IO", SIGIO }, { "VTALRM", SIGVTALRM },
#if defined(SIGPWR)
        { "PWR", SIGPWR },
#endif
#if defined(SIGRTMIN)
        { "RTMIN", SIGRTMIN },
#endif
    };
    char text[16] = "";
    if (length >= sizeof text) {
        return 0;
    }
    memcpy(text, name, length);
    const char *plain = text + (strncmp(text, "SIG", 3) == 0 ? 3 : 0);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i += 1) {
        if (strcmp(plain, known[i].name) == 0) {
            return known[i].number;
        }
    }
#if defined(SIGRTMIN)
    char digits[3]; /* a number would also be one with a space or a sign before it */
    int used = 0;
    bool is_real_time = sscanf(plain, "RTMIN+%2[0-9]%n", digits, &used) == 1 && plain[used] == '\0';
    int number = is_real_time ? SIGRTMIN + atoi(digits) : 0;
    return number <= SIGRTMAX ? number : 0;
#else
    return 0;
#endif
}
