/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* for locks that belong to an open file */
#include "base/output.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct output_file {
    zn_context *context;
    char *path, *partial;
    int descriptor;
    FILE *stream;
    bool published;
};

zn_status fail_file(zn_context *context, const char *path, const char *action, int error_number) {
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    bool reading = strcmp(action, "read") == 0;
    const char *reason = NULL;
    switch (error_number) {
    case ENOENT: reason = reading ? "there is no such file" : "its directory does not exist"; break;
    case ENOTDIR: reason = "a part of its path is not a directory"; break;
    case EACCES:
    case EPERM: reason = "permission denied"; break;
    case EROFS: reason = "the file system is read-only"; break;
    case EISDIR: reason = "it is a directory"; break;
    case ELOOP: reason = "it is a symbolic link to a file that does not exist"; break;
    case ENOSPC:
    case EDQUOT: reason = "the disk is full"; break;
    case EFBIG: reason = "it would become larger than this system allows"; break;
    case ENAMETOOLONG: reason = "its name is too long"; break;
    case EMFILE:
    case ENFILE: reason = "too many files are open"; break;
    case EBADF: reason = "it is closed"; break;
    case EIO: reason = "the device reports an error"; break;
    default: reason = error_number ? strerror(error_number) : "the reason is unknown";
    }
    return fail_at(context, ZN_ERROR_FILE, &place, "cannot be %s: %s", action, reason);
}

zn_status output_check_path(zn_context *context, const char *path) {
    for (const char *c = path; *c;)
        if (text_is_control(text_next(&c)))
            return fail(context, ZN_ERROR_ARGUMENT,
                        "the name of a file to be written must not contain control characters, such as line breaks");
    return ZN_OK;
}

static bool same_file(const char *a, const char *b) {
    struct stat info_a, info_b;
    return stat(a, &info_a) == 0 && stat(b, &info_b) == 0 && info_a.st_dev == info_b.st_dev && info_a.st_ino == info_b.st_ino;
}

zn_status output_check_input(zn_context *context, const char *path, const char *input) {
    if (!input) return ZN_OK;
    char *real = realpath(path, NULL), *partial = mem_format(context, "%s.partial", real ? real : path);
    free(real);
    if (!partial) return ZN_ERROR_MEMORY;
    const char *same = same_file(path, input) ? path : same_file(partial, input) ? partial : NULL;
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    zn_status status = ZN_OK;
    if (same && strcmp(same, input) == 0)
        status = fail_at(context, ZN_ERROR_ARGUMENT, &place, "this would overwrite %s, which is read; choose another name", same);
    else if (same)
        status = fail_at(context, ZN_ERROR_ARGUMENT, &place,
                         "%s is the same file as %s, which is read and would be overwritten; choose another name", same, input);
    mem_free(context, partial);
    return status;
}

/* ---- opening ---- */

/* The file that is meant: PATH, or the target of a symbolic link of that name. Renaming would replace anything that is not a regular
 * file. */
static zn_status find_target(zn_context *context, const char *path, char **target) {
    struct stat info;
    *target = NULL;
    if (lstat(path, &info) != 0 && errno != ENOENT) return fail_file(context, path, "written", errno);
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        char *real = realpath(path, NULL);
        if (!real) return fail_file(context, path, "written", errno == ENOENT ? ELOOP : errno);
        *target = mem_text(context, real);
        free(real);
    } else *target = mem_text(context, path);
    if (!*target) return ZN_ERROR_MEMORY;
    zn_status status = ZN_OK;
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    if (stat(*target, &info) != 0) return ZN_OK;
    if (S_ISDIR(info.st_mode)) status = fail_file(context, path, "written", EISDIR);
    else if (!S_ISREG(info.st_mode))
        status = fail_at(context, ZN_ERROR_FILE, &place,
                         "cannot be written: it is a device or a pipe; only a file can be replaced when the new one is complete");
    else if (access(*target, W_OK) != 0) status = fail_file(context, path, "written", errno);
    return status;
}

static bool try_lock(int descriptor) {
#ifdef F_OFD_SETLK
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int result = fcntl(descriptor, F_OFD_SETLK, &all);
#else
    int result = flock(descriptor, LOCK_EX | LOCK_NB);
#endif
    return result == 0 || (errno != EAGAIN && errno != EACCES && errno != EWOULDBLOCK); /* file systems without locks do without */
}

/* 1: locked and empty; 0: the name belongs to another file by now, try again; -1: an error is left. */
static int open_partial(output_file *o) {
    struct stat mine, named;
    error_place place = ERROR_PLACE_NONE;
    place.file = o->path;
    o->descriptor = open(o->partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (o->descriptor < 0) {
        int reason = errno;
        if (reason == ELOOP) fail_at(o->context, ZN_ERROR_FILE, &place, "cannot be written: %s is a symbolic link", o->partial);
        else fail_file(o->context, o->partial, "written", reason);
        return -1;
    }
    if (!try_lock(o->descriptor)) {
        fail_at(o->context, ZN_ERROR_FILE, &place,
                "another process is writing it at this moment (%s); choose another name, or wait for its end", o->partial);
        return -1;
    }
    /* Its writer may have renamed it between our opening and locking: then we hold a finished file. */
    if (fstat(o->descriptor, &mine) != 0 || lstat(o->partial, &named) != 0 || mine.st_dev != named.st_dev || mine.st_ino != named.st_ino) {
        close(o->descriptor);
        o->descriptor = -1;
        return 0;
    }
    if (!S_ISREG(mine.st_mode)) {
        fail_at(o->context, ZN_ERROR_FILE, &place, "cannot be written: %s is a device or a pipe", o->partial);
        return -1;
    }
    if (ftruncate(o->descriptor, 0) == 0) return 1;
    fail_file(o->context, o->partial, "written", errno);
    return -1;
}

static void free_output(output_file *o) {
    if (o->stream) fclose(o->stream);
    if (o->descriptor >= 0) close(o->descriptor);
    mem_free(o->context, o->path);
    mem_free(o->context, o->partial);
    mem_free(o->context, o);
}

zn_status output_open(zn_context *context, const char *path, output_file **output) {
    enum { MOST_TRIES = 100 };
    *output = NULL;
    zn_status status = output_check_path(context, path);
    if (status != ZN_OK) return status;
    output_file *o = MEM_ARRAY(context, output_file, 1);
    if (!o) return ZN_ERROR_MEMORY;
    o->context = context;
    o->descriptor = -1;
    status = find_target(context, path, &o->path);
    if (status == ZN_OK && !(o->partial = mem_format(context, "%s.partial", o->path))) status = ZN_ERROR_MEMORY;
    int opened = 0;
    for (int i = 0; i < MOST_TRIES && status == ZN_OK && !opened; i++) opened = open_partial(o);
    if (status == ZN_OK && !opened) status = fail_file(context, o->partial, "written", EIO);
    if (status == ZN_OK && opened < 0) status = ZN_ERROR_FILE;
    if (status == ZN_OK) *output = o;
    else free_output(o);
    return status;
}

zn_status output_open_beside(const output_file *o, const char *ending, output_file **beside) {
    char *path = mem_format(o->context, "%s%s", o->path, ending);
    zn_status status = path ? output_open(o->context, path, beside) : ZN_ERROR_MEMORY;
    mem_free(o->context, path);
    return status;
}

zn_status output_set_aside(zn_context *context, const char *path, const char *name, bool *there) {
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    *there = false;
    char *target = NULL, *partial = NULL;
    zn_status status = find_target(context, path, &target);
    if (status == ZN_OK && !(partial = mem_format(context, "%s.partial", target))) status = ZN_ERROR_MEMORY;
    int descriptor = status == ZN_OK ? open(partial, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (descriptor >= 0 && !try_lock(descriptor))
        status = fail_at(context, ZN_ERROR_FILE, &place,
                         "another process is writing it at this moment (%s); choose another name, or wait for its end", partial);
    else if (descriptor >= 0 && rename(partial, name) != 0) status = fail_file(context, name, "written", errno);
    else *there = descriptor >= 0;
    if (descriptor >= 0) close(descriptor);
    mem_free(context, partial);
    mem_free(context, target);
    return status;
}

/* ---- writing ---- */

int output_descriptor(const output_file *output) { return output->descriptor; }

const char *output_path(const output_file *output) { return output->published ? output->path : output->partial; }

zn_status output_write(output_file *o, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        ssize_t written = write(o->descriptor, next, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return fail_file(o->context, o->partial, "written", written == 0 ? ENOSPC : errno);
        next += written;
        count -= (size_t)written;
    }
    return ZN_OK;
}

FILE *output_stream(output_file *o) {
    if (o->stream) return o->stream;
    int copy = fcntl(o->descriptor, F_DUPFD_CLOEXEC, 0);
    o->stream = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!o->stream && copy >= 0) close(copy);
    if (!o->stream) fail(o->context, ZN_ERROR_MEMORY, "no stream can be opened for %s", o->partial);
    return o->stream;
}

static zn_status end_stream(output_file *o) {
    if (!o->stream) return ZN_OK;
    errno = 0;
    bool failed = fflush(o->stream) != 0 || ferror(o->stream) != 0;
    int reason = errno ? errno : ENOSPC; /* an error of an earlier flush has lost its number */
    if (fclose(o->stream) != 0 && !failed) failed = true, reason = errno;
    o->stream = NULL;
    return failed ? fail_file(o->context, o->partial, "written", reason) : ZN_OK;
}

/* To the disk before the renaming, so that a power cut cannot leave an empty file under the final name. */
static zn_status publish_as(output_file *o, const char *path) {
    zn_status status = end_stream(o);
    if (status != ZN_OK) return status;
    if (fsync(o->descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
        return fail_file(o->context, o->partial, "written", errno);
    if (rename(o->partial, path) != 0) return fail_file(o->context, path, "written", errno);
    o->published = true;
    return ZN_OK;
}

zn_status output_publish(output_file *o) { return publish_as(o, o->path); }

zn_status output_publish_instead(output_file *o, output_file *instead) {
    zn_status status = publish_as(instead, o->path);
    if (status != ZN_OK) return status;
    unlink(o->partial); /* the lock is still held: it is ours */
    o->published = true;
    return ZN_OK;
}

void output_close(output_file *o, bool keep) {
    if (!o) return;
    if (!keep && !o->published) unlink(o->partial); /* the lock is still held: it is ours */
    free_output(o);
}
