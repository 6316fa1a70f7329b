/* SPDX-License-Identifier: Apache-2.0 */
/* Output files: written as PATH.partial under an exclusive lock and renamed to PATH when complete. So no reader ever sees a half-written
 * PATH, and of two writers of one PATH the second is refused.
 *
 * The lock belongs to the open file, not to a name: it is released when the process ends, for whatever reason. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/base.h"

#include <stdio.h>

typedef struct output_file output_file;

/* What the system says about a file as a sentence; its first word is the file's name. `action` is "written" or "read". */
zn_status fail_file(zn_context *context, const char *path, const char *action, int error_number);

/* Control characters in the name of a file to be written are refused: ZN_ERROR_ARGUMENT. */
zn_status output_check_path(zn_context *context, const char *path);
/* Fails when PATH or PATH.partial is the file `input`, also under another name (ZN_ERROR_ARGUMENT). `input` may be NULL or missing. */
zn_status output_check_input(zn_context *context, const char *path, const char *input);

/* Opens an empty PATH.partial. Where PATH is a symbolic link, its target is written. */
zn_status output_open(zn_context *context, const char *path, output_file **output);
/* A second file beside it, named PATH followed by the ending. */
zn_status output_open_beside(const output_file *output, const char *ending, output_file **beside);
/* Renames the PATH.partial that an earlier writer left behind to `name`, replacing a file of that name; *there: whether there was one.
 * Fails while another process writes it. */
zn_status output_set_aside(zn_context *context, const char *path, const char *name, bool *there);
/* Readable and writable. */
int output_descriptor(const output_file *output);
/* Where the content is: the name of PATH.partial, until output_publish that of PATH. */
const char *output_path(const output_file *output);
/* All bytes, or an error. */
zn_status output_write(output_file *output, const void *bytes, size_t count);
/* A stream over it, for fprintf; errors are found by output_publish. NULL: out of memory. */
FILE *output_stream(output_file *output);
/* Flushes to the disk and renames to PATH. On failure PATH.partial stays and PATH is untouched. */
zn_status output_publish(output_file *output);
/* The same with the content of another file; its own is removed. */
zn_status output_publish_instead(output_file *output, output_file *instead);
/* Frees. What is not published stays as PATH.partial (keep), or is removed. */
void output_close(output_file *output, bool keep);

#endif
