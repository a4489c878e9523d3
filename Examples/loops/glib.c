/* glib.c: GLib's sources and the tasks of a main queue share the main thread. */
#include "jobs.h"

#include <glib-unix.h>
#include <glib.h>

static GMainLoop *loop;

static gboolean tick(gpointer jobs) {
    jobs_tick(jobs);
    return G_SOURCE_CONTINUE;
}

static gboolean run(gint fd, GIOCondition condition, gpointer jobs) {
    (void)fd, (void)condition;
    jobs_run(jobs);
    return G_SOURCE_CONTINUE;
}

/* After each of the two. */
static gboolean check(gpointer jobs) {
    if (jobs_are_over(jobs)) {
        g_main_loop_quit(loop);
    }
    return G_SOURCE_CONTINUE;
}

int main(void) {
    jobs_t jobs;
    loop = g_main_loop_new(NULL, FALSE);
    jobs_begin(&jobs);
    guint sources[] = { g_timeout_add(3, tick, &jobs), g_timeout_add(5, check, &jobs),
                        g_unix_fd_add(sq_pool_fd(jobs.loop), G_IO_IN, run, &jobs) };
    g_main_loop_run(loop);
    for (int i = 0; i < 3; i += 1) {
        g_source_remove(sources[i]);
    }
    g_main_loop_unref(loop);
    return jobs_end(&jobs, "glib");
}
