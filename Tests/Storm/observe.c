/* observe.c: dumps and traces of everything, while it happens. A dump must be whole, and so must a trace that was not cut. */
#include "storm.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static atomic_bool ends;
static pthread_t dumper, tracer;
static bool has_dumper, has_tracer;
static char folder[] = "/tmp/storm.XXXXXX";

static void rest(uint64_t nanoseconds) { nanosleep(&(struct timespec){ .tv_nsec = (long)nanoseconds }, NULL); }

static void check_dump(int file) {
    char begin[32] = "", end[128] = "";
    off_t size = lseek(file, 0, SEEK_END), at = size > (off_t)sizeof end - 1 ? size - (off_t)sizeof end + 1 : 0;
    MUST(pread(file, begin, sizeof begin - 1, 0) > 0 && pread(file, end, sizeof end - 1, at) > 0, "a dump cannot be read");
    MUST(strncmp(begin, "SERIALQUEUE DUMP", 16) == 0, "a dump begins with \"%s\"", begin);
    MUST(strstr(end, "END OF THE DUMP") != NULL, "a dump ends with \"%s\"", end);
}

static void *dump(void *unused) {
    self_t *me = self();
    int file = memfd_create("dump", MFD_CLOEXEC);
    MUST(file >= 0, "no memory file for the storm itself");
    while (!ends) {
        MUST(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0, "the memory file cannot be emptied");
        int error = sq_dump(file);
        MUST(error == 0, "a dump returned %d", error);
        check_dump(file);
        totals.dumps += 1;
        if (below(&me->chance, 8) == 0) {
            rest(below(&me->chance, 5000) * MICROSECOND);
        }
    }
    close(file);
    return unused;
}

/* A Perfetto trace is a sequence of packets: the byte 0x0a, a length, as many bytes. */
static void check_packets(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    MUST(file >= 0 && fstat(file, &info) == 0 && info.st_size > 0, "there is no trace at %s", path);
    const unsigned char *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    MUST(bytes != MAP_FAILED, "a trace cannot be read");
    size_t size = (size_t)info.st_size, at = 0;
    while (at < size) {
        size_t length = 0;
        unsigned shift = 0;
        MUST(bytes[at] == 0x0a, "a trace of %zu bytes has no packet at %zu", size, at);
        do {
            at += 1;
            MUST(at < size, "a trace ends in the length of a packet");
            length |= (size_t)(bytes[at] & 0x7f) << shift;
            shift += 7;
        } while (bytes[at] & 0x80);
        at += 1;
        MUST(length <= size - at, "a trace ends in a packet");
        at += length;
    }
    munmap((void *)bytes, size);
    close(file);
}

static void empty_folder(void) {
    DIR *files = opendir(folder);
    MUST(files != NULL, "the folder of the traces is gone");
    for (struct dirent *entry; (entry = readdir(files)) != NULL;) {
        if (entry->d_name[0] != '.') {
            unlinkat(dirfd(files), entry->d_name, 0);
        }
    }
    closedir(files);
}

static void *trace(void *unused) {
    self_t *me = self();
    while (!ends) {
        char options[120], path[64];
        bool is_flight = below(&me->chance, 2);
        snprintf(path, sizeof path, "%s/trace", folder);
        snprintf(options, sizeof options, "%s%s,buffer=%dK", path, is_flight ? ",last=1s" : "", 4 << below(&me->chance, 6));
        int error = sq_trace_start(options);
        MUST(error == 0, "sq_trace_start returned %d", error);
        for (uint64_t i = below(&me->chance, 4); i > 0; i -= 1) {
            rest(below(&me->chance, 10) * MILLISECOND);
            sq_trace_write();
        }
        error = sq_trace_stop();
        MUST(error == 0, "sq_trace_stop returned %d", error);
        if (!is_flight) {
            check_packets(path);
        }
        empty_folder();
        totals.traces += 1;
        rest(below(&me->chance, 3) * MILLISECOND);
    }
    return unused;
}

void observers_begin(void) {
    ends = false;
    has_dumper = takes_part(DUMP);
    has_tracer = takes_part(TRACE);
    if (has_dumper) {
        MUST(pthread_create(&dumper, NULL, dump, NULL) == 0, "no thread for the storm itself");
    }
    if (has_tracer) {
        strcpy(folder + strlen(folder) - 6, "XXXXXX");
        MUST(mkdtemp(folder) != NULL, "no folder for the storm itself");
        MUST(pthread_create(&tracer, NULL, trace, NULL) == 0, "no thread for the storm itself");
    }
}

void observers_end(void) {
    ends = true;
    if (has_dumper) {
        pthread_join(dumper, NULL);
    }
    if (has_tracer) {
        pthread_join(tracer, NULL);
        empty_folder();
        rmdir(folder);
    }
}
