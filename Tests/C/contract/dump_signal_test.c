/* dump_signal_test.c: SQ_DUMP, and a signal for a trace, in the environment of a program of its own. */
#include "caller.h"
#include "child.h"
#include "dump.h"
#include "pools.h"

#include <poll.h>

/* Two threads that wait for each other's condition: no thread can call sq_dump any more, so only a signal can cause a dump. */
static void sleep_forever(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, 1);
}

static int be_stuck(void) {
    static hold_t hold = HOLD_INIT;
    sq_queue_t *queue = make_queue_of("stuck", 0);
    caller_t waiter;
    CHECK_EQUAL(sq_async(queue, sleep_forever, &hold), 0);
    latch_wait(&hold.entered, 1);
    caller_start(&waiter, BY_SYNC, queue, SQ_FOREVER, do_nothing, NULL);
    wait_until_asleep(&waiter.thread_id);
    (void)!write(STDOUT_FILENO, "ready\n", 6);
    latch_wait(&hold.leave, 1);
    return 0;
}

static void ignore(int number) { (void)number; }

/* Reads what the library writes to stderr until it has the message. */
static int handle_the_signal(void) {
    char text[1000] = "";
    int ends[2];
    REQUIRE(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    signal(SIGUSR1, ignore);
    size_t used = 0;
    for (ssize_t got = 1; got > 0 && strchr(text, '\n') == NULL; used += got > 0 ? (size_t)got : 0) {
        got = read(ends[0], text + used, sizeof text - 1 - used);
    }
    return strstr(text, "SQ_DUMP=USR1: the program has installed a handler of its own for this signal. Name another one") != NULL ? 7 : 1;
}

/* The signal comes meanwhile: the call returns for the byte that follows, and for nothing else. */
static int rest_until_told(void) {
    sq_queue_t *queue = make_queue_of("resting", 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    drain(queue);
    (void)!write(STDOUT_FILENO, "ready\n", 6);
    struct pollfd told = { .fd = STDIN_FILENO, .events = POLLIN };
    int found = poll(&told, 1, -1);
    sq_queue_release(queue);
    return found == 1 ? 7 : 1;
}

/* As a daemon: what rests is the child of a fork. */
static int rest_in_child(void) {
    pid_t child = fork();
    if (child == 0) {
        char line[32];
        snprintf(line, sizeof line, "%d\n", (int)getpid());
        (void)!write(STDOUT_FILENO, line, strlen(line));
        _exit(rest_until_told());
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* As libdispatch's main thread does: an empty mask, for as long as this call lasts. The signal is for this thread alone. */
_Noreturn static void sleep_in_sigsuspend(void) {
    sigset_t none;
    sigemptyset(&none);
    raise(SIGUSR1);
    (void)!write(STDOUT_FILENO, "ready\n", 6);
    for (;;) {
        sigsuspend(&none);
    }
}

static int ask_and_exit(const char *how) {
    if (strcmp(how, "raise") == 0) {
        raise(SIGUSR1); /* for this thread, which blocks it */
    } else {
        kill(getpid(), SIGUSR1);
    }
    exit(7);
}

int child_main(int count, char **words) {
    if (strcmp(words[0], "rests") == 0) {
        return rest_until_told();
    }
    if (strcmp(words[0], "rests in a child") == 0) {
        return rest_in_child();
    }
    if (strcmp(words[0], "suspends") == 0) {
        sleep_in_sigsuspend();
    }
    if (strcmp(words[0], "asks") == 0) {
        return ask_and_exit(words[1]);
    }
    if (strcmp(words[0], "handles") == 0) {
        return handle_the_signal();
    }
    if (strcmp(words[0], "stuck") == 0) {
        return be_stuck();
    }
    if (strcmp(words[0], "blocks") == 0) { /* no thread of the program takes the signal */
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
        return be_stuck();
    }
    (void)count;
    return sq_version() != 0 ? 7 : 0; /* it continues */
}

/* This program again, as PROGRAM --child WORD, with a variable. */
typedef struct asked {
    pid_t child;
    int in, out, err;
    char text[65536]; /* what it wrote to stderr */
} asked_t;

static void start(asked_t *asked, const char *word, const char *variable, const char *value) {
    int in[2], out[2], err[2];
    command_t command;
    char *const *words = command_for(&command, (const char *const[]){ "/proc/self/exe", "--child", word, NULL });
    REQUIRE(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
    asked->child = fork();
    REQUIRE(asked->child >= 0);
    if (asked->child == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        setenv(variable, value, 1);
        execvp(words[0], words);
        _exit(99);
    }
    close(in[0]);
    close(out[1]);
    close(err[1]);
    asked->in = in[1];
    asked->out = out[0];
    asked->err = err[0];
}

/* Reads up to a line that is "ready". Returns the number in the line before, or that of the child. */
static pid_t await_ready(asked_t *asked) {
    char text[64] = "";
    for (size_t used = 0; strstr(text, "ready\n") == NULL; used += 1) {
        REQUIRE(used < sizeof text - 1 && read(asked->out, text + used, 1) == 1);
    }
    int number = atoi(text);
    return number > 0 ? number : asked->child;
}

enum { MANY = 50 }; /* while the handler runs, and while a dump is written */

/* Sends the signal, and reads stderr until it has `end`. */
static void ask(asked_t *asked, pid_t process, int number, int times, const char *end) {
    for (int i = 0; i < times; i += 1) {
        CHECK_EQUAL(kill(process, number), 0);
    }
    size_t used = 0;
    ssize_t part;
    asked->text[0] = '\0';
    while (strstr(asked->text, end) == NULL && used < sizeof asked->text - 1
           && (part = read(asked->err, asked->text + used, sizeof asked->text - 1 - used)) > 0) {
        used += (size_t)part;
        asked->text[used] = '\0';
    }
}

/* Returns the status of its end. */
static int finish(asked_t *asked) {
    int status = 0;
    waitpid(asked->child, &status, 0);
    close(asked->in);
    close(asked->out);
    close(asked->err);
    return status;
}

static const char *dump_by_signal_to(const char *word, const char *variable, int number, int times, const char *end) {
    static asked_t asked;
    start(&asked, word, "SQ_DUMP", variable);
    ask(&asked, await_ready(&asked), number, times, end);
    kill(asked.child, SIGKILL);
    finish(&asked);
    return asked.text;
}

static const char *dump_by_signal(const char *word, const char *variable, int number, int times) {
    return dump_by_signal_to(word, variable, number, times, "END OF THE DUMP");
}

TEST(a_signal_shows_what_stuck_threads_wait_for) {
    const char *const words[] = { "stuck", "blocks" };
    for (size_t i = 0; i < 2; i += 1) {
        const char *text = dump_by_signal(words[i], "USR1", SIGUSR1, MANY);
        CHECK_LINE(text, "has waited", "its turn in queue \"stuck\"", "runs it");
        CHECK_LINE(text, "runs sleep_forever", "in queue \"stuck\"", "for at least");
    }
    CHECK(strstr(dump_by_signal("stuck", "USR1,lines=2", SIGUSR1, 1), "has waited") != NULL);
    CHECK_LINE(dump_by_signal("stuck", "USR1,lines=1", SIGUSR1, 1), "lines were left out", NULL, NULL);
    const char *json = dump_by_signal_to("stuck", "USR1,json", SIGUSR1, 1, "took_nanoseconds");
    CHECK_LINE(json, "\"label\": \"stuck\", \"waiting\": 1", NULL, NULL);
    CHECK_LINE(dump_by_signal("stuck", "SIGRTMIN+3", SIGRTMIN + 3, MANY), "its turn in queue \"stuck\"", NULL, NULL);
}

TEST(a_signal_for_the_library_interrupts_no_call_of_the_program) {
    static asked_t asked;
    const struct { const char *word, *variable, *value; int number; const char *end; } ways[] = {
        { "rests", "SQ_DUMP", "USR1", SIGUSR1, "END OF THE DUMP" },
        { "rests in a child", "SQ_DUMP", "USR1", SIGUSR1, "END OF THE DUMP" },
        { "rests", "SQ_TRACE", "/tmp/sq-dump-signal-test,last=60s,signal=USR2", SIGUSR2, "the last 60000 ms of this process are in" },
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i += 1) {
        if (UNDER_TSAN && strcmp(ways[i].word, "rests in a child") == 0) {
            continue;
        }
        start(&asked, ways[i].word, ways[i].variable, ways[i].value);
        ask(&asked, await_ready(&asked), ways[i].number, MANY, ways[i].end);
        CHECK(strstr(asked.text, ways[i].end) != NULL);
        CHECK(write(asked.in, "x", 1) == 1);
        char rest[4096]; /* it may write more dumps */
        while (read(asked.err, rest, sizeof rest) > 0) {
        }
        int status = finish(&asked);
        if (!CHECK_EQUAL(status, 7 << 8)) {
            note("%s with %s=%s", ways[i].word, ways[i].variable, ways[i].value);
        }
    }
    WHATEVER(system("rm -f /tmp/sq-dump-signal-test*"));
}

TEST(a_signal_that_another_thread_accepts_all_the_same_writes_a_dump) {
    const char *text = dump_by_signal("suspends", "USR1", SIGUSR1, 0);
    CHECK(strstr(text, "END OF THE DUMP") != NULL);
}

TEST(a_dump_that_was_asked_for_is_written_before_the_process_exits) {
    setenv("SQ_DUMP", "USR1", 1);
    for (int i = 0; i < 20; i += 1) {
        ending_t ending = run_captured("asks", i % 2 == 0 ? "kill" : "raise");
        CHECK(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 7);
        CHECK(strstr(ending.text, "END OF THE DUMP") != NULL);
    }
    unsetenv("SQ_DUMP");
}

TEST(an_unknown_signal_or_option_is_reported_and_the_program_continues) {
    const char *const unknown[] = { "KILL", "SEGV", "USR3", "RTMIN+99", "10", "USR1,", "USR1,line=5", "USR1,jso", "USR1,jsonx", "USR1,lines=", "USR1,lines=0", "USR1,lines=5x",
                                    "USR1,lines=99999999999999999999", "USR1,lines=5," };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i += 1) {
        setenv("SQ_DUMP", unknown[i], 1);
        const char *const words[] = { "continue", NULL };
        CHECK_EQUAL(run_child(words), 7);
    }
    unsetenv("SQ_DUMP");
}

/* An ignored signal is inherited by the program that is executed. */
TEST(a_signal_that_the_program_ignores_is_not_taken) {
    signal(SIGUSR2, SIG_IGN);
    setenv("SQ_DUMP", "USR2", 1);
    const char *const words[] = { "continue", NULL };
    CHECK_EQUAL(run_child(words), 7);
    unsetenv("SQ_DUMP");
    signal(SIGUSR2, SIG_DFL);
}

/* The library has taken the signal before main begins. */
TEST(a_signal_that_the_program_handles_later_is_reported) {
    setenv("SQ_DUMP", "USR1", 1);
    const char *const words[] = { "handles", NULL };
    CHECK_EQUAL(run_child(words), 7);
    unsetenv("SQ_DUMP");
}
