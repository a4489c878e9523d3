/* file_test.c: writes of ours, of which the program must notice nothing. */
#include "caller.h"
#include "child.h"
#include "platform/event.h"
#include "platform/file.h"
#include "platform/message.h"
#include "platform/program.h"

#include <sys/stat.h>

static bool is_pending(int number) {
    sigset_t pending;
    REQUIRE(sigpending(&pending) == 0);
    return sigismember(&pending, number);
}

static bool is_blocked(int number) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    return sigismember(&mask, number);
}

/* The writing end of a pipe that nobody reads. */
static int closed_pipe(void) {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    close(ends[0]);
    return ends[1];
}

TEST(a_write_to_a_pipe_that_nobody_reads_is_EPIPE_and_no_signal) {
    int pipe = closed_pipe();
    for (int blocks = 0; blocks < 2; blocks += 1) {
        sigset_t mine, before;
        sigemptyset(&mine);
        sigaddset(&mine, SIGPIPE);
        pthread_sigmask(blocks ? SIG_BLOCK : SIG_UNBLOCK, &mine, &before);
        errno = 99;
        CHECK_EQUAL(sq__file_write(pipe, "text", 4), EPIPE);
        CHECK_EQUAL(errno, 99);
        CHECK(!is_pending(SIGPIPE));
        CHECK_EQUAL(is_blocked(SIGPIPE), blocks);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    close(pipe);
}

TEST(a_dump_into_a_pipe_that_nobody_reads_is_EPIPE_and_no_signal) {
    int pipe = closed_pipe();
    CHECK_EQUAL(sq_dump(pipe), EPIPE);
    CHECK(!is_pending(SIGPIPE));
    close(pipe);
}

TEST(a_signal_that_was_pending_before_a_write_stays) {
    sigset_t mine, before;
    int pipe = closed_pipe(), number = 0;
    sigemptyset(&mine);
    sigaddset(&mine, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &mine, &before);
    raise(SIGPIPE);
    CHECK_EQUAL(sq__file_write(pipe, "text", 4), EPIPE);
    CHECK(is_pending(SIGPIPE));
    REQUIRE(sigwait(&mine, &number) == 0 && number == SIGPIPE);
    CHECK(!is_pending(SIGPIPE));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(pipe);
}

static void *write_cancelled(void *pipe) {
    REQUIRE(pthread_cancel(pthread_self()) == 0);
    CHECK_EQUAL(sq__file_write(*(int *)pipe, "text", 4), EPIPE);
    *(int *)pipe = -1;
    return NULL;
}

TEST(a_write_is_not_cancelled) {
    int pipe = closed_pipe(), cancelled = pipe;
    join(spawn(write_cancelled, &cancelled));
    CHECK_EQUAL(cancelled, -1);
    close(pipe);
}

enum { MANY = 1 << 20 };

static void *read_all(void *reads) {
    static char bytes[4096];
    size_t count = 0;
    for (ssize_t part; (part = read(*(int *)reads, bytes, sizeof bytes)) > 0;) {
        count += (size_t)part;
    }
    CHECK_EQUAL(count, MANY);
    return NULL;
}

TEST(a_write_into_a_full_pipe_that_does_not_block_waits_for_its_reader) {
    static const char many[MANY];
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    pthread_t reader = spawn(read_all, &ends[0]);
    CHECK_EQUAL(sq__file_write(ends[1], many, sizeof many), 0);
    close(ends[1]);
    join(reader);
    close(ends[0]);
}

/* The program was started without its standard files. */
static int open_without_standard_files(void) {
    int file = -1;
    sq__event_fd_t event, pipe;
    for (int low = 0; low <= STDERR_FILENO; low += 1) {
        close(low);
    }
    if (sq__file_open("/dev/null", false, &file) != 0 || sq__event_open(&event) != 0 || sq__event_fd_open_pipe(&pipe) != 0) {
        return 1;
    }
    const int ours[] = { file, event.reads, event.writes, pipe.reads, pipe.writes };
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i += 1) {
        if (ours[i] <= STDERR_FILENO || !(fcntl(ours[i], F_GETFD) & FD_CLOEXEC)) {
            return 2;
        }
    }
    for (int low = 0; low <= STDERR_FILENO; low += 1) {
        if (fcntl(low, F_GETFD) >= 0) {
            return 3;
        }
    }
    return 0;
}

/* There is one number left, and it is that of a standard file. Then it stays free. */
static int open_with_low_numbers_only(void) {
    int file = -1, wrong = 0;
    sq__event_fd_t event;
    struct rlimit before, limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    limit = before;
    limit.rlim_cur = STDERR_FILENO + 1;
    for (int low = 0; low < STDERR_FILENO; low += 1) {
        close(low);
    }
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    wrong += !CHECK_EQUAL(sq__file_open("/dev/null", false, &file), EMFILE);
    wrong += !CHECK_EQUAL(sq__event_open(&event), EMFILE);
    wrong += !CHECK_EQUAL(sq__event_fd_open_pipe(&event), EMFILE);
    wrong += !CHECK(fcntl(0, F_GETFD) < 0) + !CHECK(fcntl(1, F_GETFD) < 0);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0); /* LeakSanitizer opens files at exit */
    return wrong;
}

TEST(descriptors_of_ours_are_above_those_of_the_standard_files_and_not_inherited) {
    CHECK_EQUAL(run_child((const char *const[]){ "low", NULL }), 0);
    CHECK_EQUAL(run_child((const char *const[]){ "low only", NULL }), 0);
}

/* The number of the standard error is that of a file of the program. */
static int report_into_nothing(void) {
    sq__report("a line");
    struct stat status;
    return fstat(STDERR_FILENO, &status) == 0 && status.st_size == 0 ? 0 : 1;
}

TEST(a_program_that_began_without_a_standard_error_gets_no_lines_into_its_files) {
    char name[] = "/tmp/sq-file-test-XXXXXX", command[128];
    int file = mkstemp(name);
    REQUIRE(file >= 0);
    close(file);
    snprintf(command, sizeof command, "exec 2>&-; exec \"$0\" --child report %s", name);
    char self[256] = "";
    REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, self, (char *)NULL);
        _exit(99);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_EQUAL(status, 0);
    unlink(name);
}

static int name_folders(void) {
    char text[32], folder[] = "/tmp/sq-file-test-XXXXXX";
    REQUIRE(chdir("/") == 0);
    int wrong = !CHECK_EQUAL(sq__program_folder(text, sizeof text), 1) + !CHECK_STRING(text, "/");
    REQUIRE(chdir("/tmp") == 0);
    wrong += !CHECK_EQUAL(sq__program_folder(text, sizeof text), 5) + !CHECK_STRING(text, "/tmp/");
    wrong += !CHECK_EQUAL(sq__program_folder(text, 5), 0);
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0 && rmdir(folder) == 0);
    wrong += !CHECK_EQUAL(sq__program_folder(text, sizeof text), 0);
    return wrong;
}

TEST(the_working_folder_has_a_slash_at_its_end_or_is_not_known) {
    CHECK_EQUAL(run_child((const char *const[]){ "folders", NULL }), 0);
}

int child_main(int count, char **words) {
    if (strcmp(words[0], "folders") == 0) {
        return name_folders();
    }
    if (strcmp(words[0], "report") == 0) {
        REQUIRE(count == 2 && open(words[1], O_WRONLY) == STDERR_FILENO);
        return report_into_nothing();
    }
    return strcmp(words[0], "low only") == 0 ? open_with_low_numbers_only() : open_without_standard_files();
}
