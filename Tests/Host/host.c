/* host.c: programs with a life of their own that use the library: the hosts of Tests/Host/run.
 *
 * host HOST FEATURE: becomes the host, opens files of its own, uses queues and the feature, rests, and ends. It runs in a folder of its own, and
 * leaves there: its own files, own-0, own-1, ..., which contain OWN_TEXT if nobody else wrote into them; rest, the milliseconds of
 * processor time that all threads used while it rested; problem, if something that it checks itself is wrong. The hosts:
 *     plain                       nothing special
 *     closing                     closes all descriptors that it does not know, twice
 *     daemon                      forks, begins a session, closes all descriptors
 *     closed                      is started without the standard files; its own files have their numbers
 *     mainless                    its main thread has ended by pthread_exit
 *     fsize, nofile, memory       is started under ulimit -f, -n, -v
 *     forked, executed, spawned   has a child that uses the library
 *     setuid                      a set-user-ID program: is started by a user with fewer rights, if the suite runs as root */
#include <serial_queue.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OWN_TEXT "the host's own\n"
enum { TASKS = 300, OWN_FILES = 8, REST = 300 /* milliseconds */, LIMIT = 30000 /* milliseconds: only ends a hang */ };

extern char **environ;
static const char *program, *kind, *feature;

static bool is(const char *text, const char *word) { return strcmp(text, word) == 0; }
static bool host_is(const char *word) { return is(kind, word); }
static bool uses(const char *word) { return is(feature, word); }

static void must(bool ok, const char *what) {
    if (!ok) {
        char text[256]; /* not to stderr, which may be one of its own files */
        int length = snprintf(text, sizeof text, "%s %s: %s (errno %d)\n", kind, feature, what, errno);
        int file = open("problem", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (file < 0 || write(file, text, (size_t)length) != length) {
            _exit(8);
        }
        _exit(9);
    }
}

static void sleep_for(long milliseconds) {
    struct timespec rest = { .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000 };
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

static long processor_time(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* Its own files */

static int own[OWN_FILES];

static void open_own_files(void) {
    for (int i = 0; i < OWN_FILES; i += 1) {
        char name[] = "own-0";
        name[4] = (char)('0' + i);
        own[i] = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644); /* from its beginning, each time */
        must(own[i] >= 0 || host_is("nofile"), "a file of its own cannot be opened");
    }
}

static void write_own_files(void) {
    for (int i = 0; i < OWN_FILES; i += 1) {
        const ssize_t length = sizeof OWN_TEXT - 1;
        must(own[i] < 0 || pwrite(own[i], OWN_TEXT, (size_t)length, 0) == length, "a file of its own cannot be written");
    }
}

/* As daemons do: also what it does not know. */
static void close_all(void) {
    for (int file = 3; file < 256; file += 1) {
        (void)close(file);
    }
}

/* What it uses of the library */

static void add_one(void *count) { *(int *)count += 1; }

/* Where memory is scarce a submission may be refused, and then does nothing. */
static void work(const char *label) {
    int ran = 0, accepted = 0;
    sq_queue_t *queue = sq_queue_create(label, NULL);
    must(queue != NULL, "a queue cannot be made");
    for (int i = 0; i < TASKS; i += 1) {
        int error = sq_async(queue, add_one, &ran);
        must(error == 0 || (error == ENOMEM && host_is("memory")), "a submission failed");
        accepted += error == 0;
    }
    must(sq_sync(queue, add_one, &ran) == 0, "a sync failed");
    must(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER) == 0, "a shutdown failed");
    sq_queue_release(queue);
    must(ran == accepted + 1, "a task did not run once");
}

static void use_loop(void) {
    int ran = 0;
    sq_pool_t *pool = sq_pool_create_loop("loop");
    if (pool == NULL) {
        must(host_is("nofile") && errno == EMFILE, "a loop cannot be made");
        return;
    }
    struct stat status;
    must(sq_pool_fd(pool) > STDERR_FILENO, "the loop's descriptor is that of a standard file");
    must(fcntl(sq_pool_fd(pool), F_GETFD) & FD_CLOEXEC, "programs that are executed inherit the loop's descriptor");
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *queue = sq_queue_create("of the loop", &options);
    must(queue != NULL && sq_async(queue, add_one, &ran) == 0, "a submission to the loop failed");
    while (ran == 0) {
        (void)sq_pool_run_some(pool, 1, SQ_NOW);
    }
    sq_queue_release(queue);
    int file = sq_pool_fd(pool);
    sq_pool_release(pool);
    must(fstat(file, &status) != 0, "the loop's descriptor stays open");
}

static void write_dump(void) {
    int file = host_is("nofile") ? STDERR_FILENO : open("dump", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    must(file >= 0, "no file for the dump");
    int error = sq_dump(file);
    must(error == 0 || (host_is("fsize") && error == EFBIG) || (host_is("memory") && error == ENOMEM), "the dump failed");
}

/* Until the file has something in it. */
static void await_file(const char *name) {
    struct stat status;
    for (int waited = 0; stat(name, &status) != 0 || status.st_size == 0; waited += 10) {
        must(waited < LIMIT, "a flight recorder wrote no file");
        sleep_for(10);
    }
}

static bool has_trace(void) { return !host_is("nofile") && !host_is("memory") && !host_is("fsize") && !host_is("daemon"); }

static void begin_feature(void) {
    if (uses("calls")) {
        int error = sq_trace_start("t.trace");
        must(error == 0 || (host_is("nofile") && error == EMFILE) || (host_is("memory") && error == ENOMEM), "sq_trace_start failed");
    }
}

static void *send_signal(void *unused) {
    sleep_for(50);
    must(kill(getpid(), SIGUSR1) == 0, "no signal");
    return unused;
}

/* By the signal, while it sleeps: its call does not return early. */
static void ask_for_dump(void) {
    struct timespec rest = { .tv_nsec = 200000000 };
    pthread_t sender;
    if (pthread_create(&sender, NULL, send_signal, NULL) != 0) {
        must(host_is("memory"), "no thread");
        return;
    }
    must(nanosleep(&rest, NULL) == 0, "the signal for a dump interrupts a call");
    must(pthread_join(sender, NULL) == 0, "no end of a thread");
}

static void use_feature(void) {
    if (uses("flight") && has_trace()) {
        must(kill(getpid(), SIGUSR2) == 0, "no signal");
        await_file("t.trace");
    } else if (uses("dump")) {
        write_dump();
    } else if (uses("asked")) {
        ask_for_dump();
    } else if (uses("loop")) {
        use_loop();
    }
}

static void end_feature(void) {
    if (uses("calls")) {
        int error = sq_trace_stop();
        must(error == 0 || (host_is("fsize") && error == EFBIG) || (error == EINVAL && (host_is("nofile") || host_is("memory"))), "sq_trace_stop failed");
    }
}

/* Children */

static void await_child(pid_t child) {
    int status;
    must(child > 0 && waitpid(child, &status, 0) == child, "no child");
    must(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child failed");
}

static void have_children(void) {
    char *words[] = { (char *)program, "child", (char *)feature, NULL };
    pid_t child = -1;
    if (host_is("spawned")) {
        must(posix_spawn(&child, program, NULL, NULL, words, environ) == 0, "posix_spawn failed");
    } else {
        child = fork();
        if (child == 0 && host_is("executed")) {
            execv(program, words);
            _exit(7);
        } else if (child == 0) {
            work("child");
            use_feature();
            exit(0);
        }
    }
    await_child(child);
}

/* The host's life */

static void rest(void) {
    char text[32];
    long before = processor_time();
    sleep_for(REST);
    int length = snprintf(text, sizeof text, "%ld\n", processor_time() - before), file = open("rest", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    must(host_is("nofile") || (file >= 0 && write(file, text, (size_t)length) == length && close(file) == 0), "no file");
}

static int live(void) {
    open_own_files();
    begin_feature();
    work("host");
    use_feature();
    if (host_is("closing")) { /* in the middle of its work, too */
        close_all();
        open_own_files();
    }
    if (host_is("forked") || host_is("executed") || host_is("spawned")) {
        have_children();
    }
    work("host");
    write_own_files();
    rest();
    end_feature();
    if (uses("asked")) { /* it is written before the process ends */
        must(kill(getpid(), SIGUSR1) == 0, "no signal");
    }
    return 0;
}

static void *live_without_main(void *main_thread) {
    must(pthread_join(*(pthread_t *)main_thread, NULL) == 0, "main's thread does not end");
    sleep_for(20); /* until the system, too, has seen its end */
    exit(live());
}

int main(int count, char **words) {
    must(count == 3, "HOST FEATURE");
    program = words[0];
    kind = words[1];
    feature = words[2];
    if (host_is("child")) {
        work("child");
        return 0;
    } else if (host_is("daemon")) {
        work("host");
        pid_t child = fork();
        if (child > 0) {
            await_child(child);
            return 0;
        }
        must(child == 0 && setsid() > 0, "no daemon");
        close_all();
    } else if (host_is("closing")) {
        close_all();
    } else if (host_is("mainless")) {
        static pthread_t self, other;
        self = pthread_self();
        must(pthread_create(&other, NULL, live_without_main, &self) == 0, "no thread");
        pthread_exit(NULL);
    } else if (host_is("setuid")) {
        must(geteuid() != getuid(), "it has no other rights than its user");
        for (int number = SIGUSR1; number <= SIGUSR2; number += SIGUSR2 - SIGUSR1) {
            struct sigaction action;
            must(sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_DFL, "its user's variable has installed a signal handler");
        }
        work("host");
        return 0;
    }
    return live();
}
