/* kept_file_test.c: a file of ours that stays open while the program closes and opens what it likes. */
#include "caller.h"
#include "child.h"
#include "platform/file.h"
#include "platform/json.h"
#include "platform/kept_file.h"
#include "platform/message.h"

#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { FSTAT, FLOCK, TRUNCATE, CALLS };
#include "wrapped.h"

WRAP(FSTAT, int, fstat, (int file, struct stat *status), (file, status), (errno = EIO, -1))
static int copy = -1; /* of a descriptor, and with it of the lock, until the next flock */

static int fail_to_lock(void) {
    errno = copy >= 0 ? EWOULDBLOCK : ENOLCK;
    if (copy >= 0) {
        (void)close(copy);
        copy = -1;
        fails_from[FLOCK] = 0;
    }
    return -1;
}

WRAP(FLOCK, int, flock, (int file, int operation), (file, operation), fail_to_lock())
WRAP(TRUNCATE, int, ftruncate, (int file, off_t length), (file, length), (errno = EIO, -1))

/* What happens just before the next write; 0: nothing. */
static struct {
    int error;     /* with which it fails, once */
    int to_close;  /* -1: nothing */
} next_write = { .to_close = -1 };

ssize_t __real_write(int file, const void *bytes, size_t count);
ssize_t __wrap_write(int file, const void *bytes, size_t count);
ssize_t __wrap_write(int file, const void *bytes, size_t count) {
    int error = next_write.error;
    if (next_write.to_close == file && file >= 0) {
        next_write.to_close = -1;
        close(file);
    }
    if (error != 0) {
        next_write.error = 0;
        errno = error;
        return -1;
    }
    return __real_write(file, bytes, count);
}

static char path[64], other_path[80];

static const char *new_path(void) {
    snprintf(path, sizeof path, "/tmp/sq-kept-test-%d", (int)getpid());
    snprintf(other_path, sizeof other_path, "%s-other", path);
    unlink(path);
    unlink(other_path);
    return path;
}

static void check_content(const char *file, const char *wanted) {
    char text[64] = "";
    int opened = open(file, O_RDONLY | O_CLOEXEC);
    REQUIRE(opened >= 0);
    CHECK_EQUAL(read(opened, text, sizeof text - 1), (ssize_t)strlen(wanted));
    CHECK_STRING(text, wanted);
    close(opened);
}

static sq__kept_file_t kept_with(const char *text) {
    sq__kept_file_t file;
    REQUIRE(sq__kept_file_open(&file, new_path()) == 0);
    CHECK_EQUAL(sq__kept_file_write(&file, text, strlen(text)), 0);
    return file;
}

/* The program closes the number of the file, and opens a file of its own, which gets it. */
static int take_number(const sq__kept_file_t *file) {
    int number = file->number;
    close(number);
    int own = open(other_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(own >= 0);
    if (own != number) {
        REQUIRE(dup2(own, number) == number);
        close(own);
    }
    return number;
}

/* It has what it had, and is open. */
static void check_own(int own) {
    CHECK_EQUAL(write(own, "own", 3), 3);
    CHECK_EQUAL(close(own), 0);
    check_content(other_path, "own");
    unlink(other_path);
}

TEST(a_file_whose_number_the_program_has_taken_is_written_on) {
    sq__kept_file_t file = kept_with("one ");
    int own = take_number(&file);
    CHECK_EQUAL(sq__kept_file_write(&file, "two", 3), 0);
    CHECK(file.number != own && !file.is_lost);
    CHECK_EQUAL(sq__kept_file_settle(&file), 0);
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    check_content(path, "one two");
    check_own(own);
    unlink(path);
}

TEST(a_number_that_the_program_has_taken_is_not_closed) {
    sq__kept_file_t file = kept_with("one");
    int own = take_number(&file);
    CHECK_EQUAL(sq__kept_file_settle(&file), 0);
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    CHECK_EQUAL(sq__kept_file_close(&file), 0); /* none is open */
    check_own(own);
    check_content(path, "one");
    unlink(path);
}

/* Device and inode are ours. */
TEST(a_number_under_which_the_program_has_opened_the_same_file_is_the_programs) {
    sq__kept_file_t file = kept_with("one ");
    int number = file.number;
    close(number);
    int own = open(path, O_WRONLY | O_CLOEXEC);
    REQUIRE(own >= 0 && (own == number || dup2(own, number) == number));
    CHECK_EQUAL(sq__kept_file_write(&file, "two", 3), 0);
    CHECK(file.number != number);
    CHECK_EQUAL(lseek(number, 0, SEEK_CUR), 0);
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    check_content(path, "one two");
    CHECK_EQUAL(close(number), 0);
    if (own != number) {
        close(own);
    }
    unlink(path);
}

TEST(a_file_that_is_gone_or_another_one_is_lost) {
    enum { GONE, MOVED, REPLACED, SHORTER, WAYS };
    for (int way = 0; way < WAYS; way += 1) {
        sq__kept_file_t file = kept_with("text");
        char aside[80];
        snprintf(aside, sizeof aside, "%s-aside", path);
        if (way == GONE) {
            unlink(path);
        } else if (way == SHORTER) {
            CHECK_EQUAL(truncate(path, 3), 0);
        } else {
            CHECK_EQUAL(rename(path, aside), 0);
        }
        int own = take_number(&file);
        if (way == REPLACED) {
            int other = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
            CHECK_EQUAL(write(other, "another", 7), 7);
            close(other);
        }
        CHECK_EQUAL(sq__kept_file_write(&file, "more", 4), ENOENT);
        CHECK(file.is_lost);
        CHECK_EQUAL(sq__kept_file_empty(&file), ENOENT);
        CHECK_EQUAL(sq__kept_file_close(&file), 0);
        if (way == REPLACED || way == SHORTER) {
            check_content(path, way == REPLACED ? "another" : "tex");
        }
        check_own(own);
        unlink(aside);
        unlink(path);
    }
}

/* Between the question and the write. */
TEST(a_number_that_is_closed_at_the_last_moment_is_opened_again) {
    sq__kept_file_t file = kept_with("one ");
    next_write.to_close = file.number;
    CHECK_EQUAL(sq__kept_file_write(&file, "two ", 4), 0);
    unlink(path);
    next_write.to_close = file.number;
    CHECK_EQUAL(sq__kept_file_write(&file, "three", 5), ENOENT);
    CHECK(file.is_lost);
}

TEST(a_write_that_is_interrupted_or_fails) {
    sq__kept_file_t file = kept_with("one ");
    next_write.error = EINTR;
    CHECK_EQUAL(sq__kept_file_write(&file, "two", 3), 0);
    next_write.error = EIO;
    CHECK_EQUAL(sq__kept_file_write(&file, "three", 5), EIO);
    CHECK(!file.is_lost);
    next_write.error = EINTR;
    CHECK_EQUAL(sq__file_write(file.number, "!", 1), 0);
    check_content(path, "one two!");
    fails_from[TRUNCATE] = 1;
    CHECK_EQUAL(sq__kept_file_empty(&file), EIO);
    fails_from[TRUNCATE] = 0;
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    unlink(path);
}

/* Of a program with a signal whose handler does not restart system calls. */
TEST(a_message_and_a_report_are_written_although_a_signal_interrupts_the_write) {
    char bytes[64];
    sq__json_t json = { .size = sizeof bytes, .bytes = bytes };
    int before = dup(STDERR_FILENO), own = open(new_path(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(before >= 0 && own >= 0 && dup2(own, STDERR_FILENO) == STDERR_FILENO);
    next_write.error = EINTR;
    sq__report("a line");
    next_write.error = EINTR;
    sq__json_add(&json, "{");
    sq__json_write(&json);
    REQUIRE(dup2(before, STDERR_FILENO) == STDERR_FILENO);
    check_content(path, "SerialQueue: a line\n{}\n");
    close(before);
    close(own);
    unlink(path);
}

/* A lock of another open file keeps others off; a file system without locks does not. */
TEST(a_file_that_is_kept_open_is_EAGAIN_for_others) {
    sq__kept_file_t file = kept_with("text"), other;
    CHECK_EQUAL(sq__kept_file_open(&other, path), EAGAIN);
    CHECK_EQUAL(other.number, -1);
    fails_from[FLOCK] = 1;
    CHECK_EQUAL(sq__kept_file_open(&other, path), 0);
    fails_from[FLOCK] = 0;
    CHECK_EQUAL(sq__kept_file_close(&other), 0);
    fails_from[FSTAT] = 1;
    CHECK_EQUAL(sq__kept_file_open(&other, path), EIO);
    fails_from[FSTAT] = 0;
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    CHECK_EQUAL(sq__kept_file_open(&other, path), 0);
    CHECK_EQUAL(sq__kept_file_close(&other), 0);
    unlink(path);
    CHECK_EQUAL(sq__kept_file_open(&other, "/tmp/no such folder/file"), ENOENT);
    CHECK_EQUAL(sq__kept_file_open(&file, "/dev/null"), 0);
    CHECK_EQUAL(sq__kept_file_open(&other, "/dev/null"), 0);
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    CHECK_EQUAL(sq__kept_file_close(&other), 0);
}

/* Such as that of a child between its fork and its exec. */
TEST(a_file_that_was_closed_is_free_although_a_copy_is_open) {
    sq__kept_file_t file = kept_with("text"), other;
    int of_child = fcntl(file.number, F_DUPFD_CLOEXEC, 0);
    REQUIRE(of_child >= 0);
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    REQUIRE(sq__kept_file_open(&other, path) == 0);
    CHECK_EQUAL(sq__kept_file_close(&other), 0);
    close(of_child);
    unlink(path);
}

/* The same copy, when the program has closed the file. */
TEST(a_file_is_written_on_when_a_child_with_a_copy_has_executed_another_program) {
    sq__kept_file_t file = kept_with("one ");
    copy = fcntl(file.number, F_DUPFD_CLOEXEC, 0);
    REQUIRE(copy >= 0);
    int own = take_number(&file);
    fails_from[FLOCK] = 1;
    CHECK_EQUAL(sq__kept_file_write(&file, "two", 3), 0);
    CHECK_EQUAL(copy, -1);
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    check_content(path, "one two");
    check_own(own);
    unlink(path);
}

TEST(a_file_that_another_process_has_taken_is_lost) {
    sq__kept_file_t file = kept_with("one"), other;
    int own = take_number(&file);
    REQUIRE(sq__kept_file_open(&other, path) == 0);
    CHECK_EQUAL(sq__kept_file_write(&file, "two", 3), EAGAIN);
    CHECK(file.is_lost);
    CHECK_EQUAL(sq__kept_file_close(&other), 0);
    check_content(path, "one");
    check_own(own);
    unlink(path);
}

/* As a program that starts containers. */
static int fork_into_namespace(void) {
    sq__kept_file_t file = kept_with("text"), other;
    int status, wrong = 0;
    if (!SQ__LINUX || (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)) {
        note("left out: no namespace can be made here, or the mark is a number of a process (PLATFORM=posix)");
    } else {
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            int number = file.number;
            _exit(sq__kept_file_close_copy(&file) != 0 || fcntl(number, F_GETFD) >= 0);
        }
        REQUIRE(waitpid(child, &status, 0) == child);
        wrong += !CHECK_EQUAL(status, 0);
        wrong += !CHECK_EQUAL(sq__kept_file_open(&other, path), EAGAIN); /* the parent has the lock */
    }
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    wrong += !CHECK_EQUAL(sq__kept_file_open(&other, path), 0);
    CHECK_EQUAL(sq__kept_file_close(&other), 0);
    unlink(path);
    return wrong;
}

TEST(the_child_of_a_fork_closes_its_copy_also_in_another_namespace_of_processes) {
    CHECK_EQUAL(run_child((const char *const[]){ "namespace", NULL }), 0);
}

int child_main(int count, char **words) {
    REQUIRE(count == 1 && strcmp(words[0], "namespace") == 0);
    int wrong = fork_into_namespace();
    if (SANITIZED) { /* LeakSanitizer makes a process at exit, which would be in the other namespace */
        fflush(NULL);
        _exit(wrong);
    }
    return wrong;
}

enum { MANY = 1 << 18 };

static void *read_pipe(void *reads) {
    static char bytes[4096];
    size_t count = 0;
    for (ssize_t part; (part = read(*(int *)reads, bytes, sizeof bytes)) > 0;) {
        count += (size_t)part;
    }
    CHECK_EQUAL(count, MANY);
    return NULL;
}

/* The program has made the descriptor one that does not block. */
TEST(a_pipe_is_written_as_its_reader_takes_it) {
    static const char many[MANY];
    sq__kept_file_t file;
    REQUIRE(mkfifo(new_path(), 0600) == 0);
    int reads = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(reads >= 0 && sq__kept_file_open(&file, path) == 0);
    CHECK_EQUAL(fcntl(file.number, F_GETFL) & O_NONBLOCK, 0);
    sq__kept_file_t other;
    REQUIRE(sq__kept_file_open(&other, path) == EAGAIN); /* the bytes of two processes would be mixed */
    CHECK_EQUAL(sq__kept_file_empty(&file), 0);
    REQUIRE(fcntl(reads, F_SETFL, 0) == 0 && fcntl(file.number, F_SETFL, O_NONBLOCK) == 0);
    pthread_t reader = spawn(read_pipe, &reads);
    CHECK_EQUAL(sq__kept_file_write(&file, many, sizeof many), 0);
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    join(reader);
    close(reads);
    unlink(path);
}

/* A fork copies the descriptors first and the memory then, and the close may come between the two. */
TEST(a_child_whose_memory_says_that_the_file_is_closed_closes_its_copy) {
    sq__kept_file_t file = SQ__KEPT_FILE_NONE;
    CHECK_EQUAL(sq__kept_file_open(&file, new_path()), 0);
    int number = file.number, in_child = dup(number);
    REQUIRE(number >= 0 && in_child >= 0);
    CHECK_EQUAL(sq__kept_file_close(&file), 0);
    REQUIRE(dup2(in_child, number) == number);
    close(in_child);
    CHECK_EQUAL(sq__kept_file_close_copy(&file), 0);
    CHECK(fcntl(number, F_GETFD) == -1 && errno == EBADF);
    unlink(path);
}
