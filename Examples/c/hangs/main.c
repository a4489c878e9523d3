/* main.c: the classic ways to hang a program with queues, and what this library says about them.
 *
 * Examples/Hangs has the same in Swift. In C nothing traps: a call that would never return returns EDEADLK, and
 * sq_deadlock_report says why. So no child process is needed, and each scene ends with its queues released. */
#include "hangs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const scene_t *const lists[] = { queue_scenes, many_scenes };
enum { LISTS = sizeof lists / sizeof lists[0] };

static void play_one(const scene_t *scene) {
    printf("%s: %s\n", scene->name, scene->summary);
    scene->play();
    if (scene->dispatch != NULL) {
        say("libdispatch: %s", scene->dispatch);
    }
    printf("\n");
}

/* Plays the scene of that name, or all of them; returns how many there were. NULL: lists them. */
static int play(const char *name) {
    int played = 0;
    for (int i = 0; i < LISTS; i += 1) {
        for (const scene_t *scene = lists[i]; scene->name != NULL; scene += 1) {
            if (name == NULL) {
                printf("%-16s  %s\n", scene->name, scene->summary);
            } else if (strcmp(name, "all") == 0 || strcmp(name, scene->name) == 0) {
                play_one(scene);
                played += 1;
            }
        }
    }
    return played;
}

int main(int count, char **words) {
    for (int i = 1; i < count; i += 1) {
        bool wants_help = strcmp(words[i], "--help") == 0;
        if (wants_help || play(words[i]) == 0) {
            fprintf(wants_help ? stdout : stderr, "Usage: hangs [all | NAME ...]\n\nWithout a NAME it lists them.\n");
            return wants_help ? 0 : 2;
        }
    }
    if (count == 1) {
        play(NULL);
    }
    must("the output cannot be written", fflush(stdout) != 0 ? errno : 0);
    return 0;
}
