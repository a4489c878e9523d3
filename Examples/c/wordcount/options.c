/* options.c: see options.h. */
#define _DEFAULT_SOURCE 1
#include "options.h"

#include "die.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_FOLDER "/usr/share/common-licenses"
enum { MOST_READERS = 256 };

static const char help[] =
    "Usage: wordcount [--readers N] [--top N] [--] [FILE ...]\n"
    "\n"
    "Counts the words of the files with several threads that share one table through a serial\n"
    "queue, counts them again with one thread, and fails if the two differ. Without a FILE it\n"
    "counts the licence texts in " DEFAULT_FOLDER "; - is standard input.\n"
    "\n"
    "  --readers N  threads that read (1 to 256; else one per processor, but at least 2)\n"
    "  --top N      how many of the most frequent words to print (else 20)\n"
    "  --help       print this\n"
    "\n"
    "A word is a run of ASCII letters, digits and bytes from 0x80 up; A-Z count as a-z; of a\n"
    "longer word the first 255 bytes count.\n"
    "\n"
    "Exit status: 0; 1 if a file could not be counted (the others are) or the results not be\n"
    "printed; 2 for a wrong command line; 3 if the two counts differ.\n";

static void wrong(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void wrong(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("wordcount: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\nTry wordcount --help.\n", stderr);
    va_end(arguments);
    exit(2);
}

static unsigned long number(const char *option, const char *text, unsigned long least, unsigned long most) {
    char *end;
    if (text == NULL) wrong("%s needs a number", option);
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    bool is_digit = text[0] >= '0' && text[0] <= '9';
    if (!is_digit || *end != '\0' || errno != 0 || value < least || value > most)
        wrong("%s needs a number from %lu to %lu, not \"%s\"", option, least, most, text);
    return value;
}

static int by_name(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Symbolic links are left out: they repeat another file of the same folder (GPL is GPL-3). */
static void find_default_files(options_t *options) {
    DIR *folder = opendir(DEFAULT_FOLDER);
    if (folder == NULL)
        wrong("no FILE given, and the default, %s, cannot be read: %s", DEFAULT_FOLDER, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_type != DT_REG) continue;
        size_t size = strlen(DEFAULT_FOLDER) + strlen(entry->d_name) + 2;
        char **paths = realloc(options->paths, (options->path_count + 1) * sizeof *paths), *path = malloc(size);
        if (paths == NULL || path == NULL) die("not enough memory for the list of files");
        snprintf(path, size, "%s/%s", DEFAULT_FOLDER, entry->d_name);
        options->paths = paths;
        options->paths[options->path_count++] = path;
    }
    closedir(folder);
    options->owns_paths = true;
    if (options->path_count == 0) wrong("no FILE given, and there is none in %s", DEFAULT_FOLDER);
    qsort(options->paths, options->path_count, sizeof *options->paths, by_name);
}

/* If the argument is `name VALUE` or `name=VALUE`, finds its value, NULL if that is missing; else returns false. */
static bool is_option(const char *name, char ***argument, const char **value) {
    size_t length = strlen(name);
    if (strncmp(**argument, name, length) != 0) return false;
    const char *rest = **argument + length;
    if (*rest == '=') *value = rest + 1;
    else if (*rest == '\0') *value = *(*argument + 1) == NULL ? NULL : *++*argument;
    else return false;
    return true;
}

options_t options_read(char *arguments[]) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned readers = processors < 2 ? 2 : processors > MOST_READERS ? MOST_READERS : (unsigned)processors;
    options_t options = {.readers = readers, .top = 20};
    bool only_files = false;
    char **files = arguments; /* moved to the front of the same array: never more of them than were read */
    for (char **argument = arguments + 1; *argument != NULL; argument++) {
        const char *value;
        if (only_files || (*argument)[0] != '-' || strcmp(*argument, "-") == 0)
            files[options.path_count++] = *argument;
        else if (strcmp(*argument, "--") == 0)
            only_files = true;
        else if (strcmp(*argument, "--help") == 0)
            exit(fputs(help, stdout) < 0 || fflush(stdout) != 0);
        else if (is_option("--readers", &argument, &value))
            options.readers = (unsigned)number("--readers", value, 1, MOST_READERS);
        else if (is_option("--top", &argument, &value))
            options.top = number("--top", value, 0, 1000000000);
        else
            wrong("there is no option %s", *argument);
    }
    options.paths = files;
    if (options.path_count == 0) {
        options.paths = NULL;
        find_default_files(&options);
    }
    return options;
}

void options_free(options_t *options) {
    if (!options->owns_paths) return;
    for (size_t i = 0; i < options->path_count; i++) free(options->paths[i]);
    free(options->paths);
}
