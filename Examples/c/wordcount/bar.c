/* bar.c: see bar.h. */
#define _DEFAULT_SOURCE 1
#include "bar.h"

#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDEST_BAR = 50, NARROWEST_BAR = 5, WIDEST_LINE = 200 };

bar_t bar_make(void) {
    const char *terminal = getenv("TERM");
    bool can_return = terminal != NULL && strcmp(terminal, "") != 0 && strcmp(terminal, "dumb") != 0;
    return (bar_t){.is_on = can_return && isatty(STDERR_FILENO), .drawn_at = -1};
}

/* Asked every time: the window may have been resized. One column stays free: a terminal wraps after the last. */
static int columns(void) {
    struct winsize size;
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    return (columns > WIDEST_LINE ? WIDEST_LINE : columns) - 1;
}

void bar_draw(bar_t *bar, const char *doing, uint64_t bytes, uint64_t all_bytes, uint64_t words) {
    double now = seconds_now();
    if (!bar->is_on || now - bar->drawn_at < 0.1) return;
    bar->drawn_at = now;

    double part = all_bytes == 0 ? 0 : (double)bytes / (double)all_bytes;
    char figures[80], line[WIDEST_LINE + 1], cells[WIDEST_BAR + 1];
    snprintf(figures, sizeof figures, "%3.0f %%  %.1f MB  %.1f M words", part * 100, (double)bytes / 1e6,
             (double)words / 1e6);
    int room = columns(), width = room - (int)strlen(doing) - (int)strlen(figures) - 4;
    if (width > WIDEST_BAR) width = WIDEST_BAR;
    if (width >= NARROWEST_BAR) {
        for (int i = 0; i < width; i++) cells[i] = i < (int)(part * width + 0.5) ? '#' : '-';
        cells[width] = '\0';
        snprintf(line, sizeof line, "%s [%s] %s", doing, cells, figures);
    } else {
        snprintf(line, sizeof line, "%s %s", doing, figures);
    }
    fprintf(stderr, "\r%.*s\033[K", room, line);
}

void bar_clear(bar_t *bar) {
    if (bar->is_on && bar->drawn_at >= 0) fputs("\r\033[K", stderr);
    bar->drawn_at = -1;
}
