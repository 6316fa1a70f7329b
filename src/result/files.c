/* SPDX-License-Identifier: Apache-2.0 */
/* What the system says about files, in sentences. */
#include "result/internal.h"

#include <errno.h>

zn_status result_fail_file(zn_context *context, const char *path, const char *action, int error_number) {
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    bool reading = strcmp(action, "read") == 0;
    const char *reason = NULL;
    char system_text[128] = "";
    switch (error_number) {
    case ENOENT: reason = reading ? "there is no such file" : "its directory does not exist"; break;
    case ENOTDIR: reason = "a part of its path is not a directory"; break;
    case EACCES:
    case EPERM: reason = "permission denied"; break;
    case EROFS: reason = "the file system is read-only"; break;
    case EISDIR: reason = "it is a directory"; break;
    case ENOSPC:
    case EDQUOT: reason = "the disk is full"; break;
    case EFBIG: reason = "it would become larger than this system allows"; break;
    case EAGAIN: reason = "another process is writing it"; break;
    case ENAMETOOLONG: reason = "its name is too long"; break;
    case EMFILE:
    case ENFILE: reason = "too many files are open"; break;
    default:
        if (error_number == 0 || strerror_r(error_number, system_text, sizeof system_text) != 0)
            strcpy(system_text, "the reason is unknown");
        reason = system_text;
    }
    return fail_at(context, ZN_FILE, &place, "cannot be %s: %s", action, reason);
}
