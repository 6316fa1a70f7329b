/* SPDX-License-Identifier: Apache-2.0 */
/* A file from which a run is continued:
 *
 *     head      what it is, number of rows, lengths and hash of what follows
 *     snapshot  of the simulation, which knows its model, settings and version
 *     account, recorder   their state between steps (sim/account.c, sim/recorder.c)
 *
 * The rows stay in OUT.partial, where the run has left them. A continued run sets them aside as OUT.partial.old and copies those that the
 * checkpoint counts, so that its file has the bytes of a run that was not interrupted; if that is killed too, the rows set aside are still
 * there. A run that was killed after it had renamed its file to OUT, but before it ended, has left its rows there. */
#include "cli/checkpoint.h"
#include "base/bytes.h"
#include "base/output.h"
#include "result/result.h"
#include "sim/simulation.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char what[8] = "zenorun";

bool checkpoint_parse(const char *text, checkpoint *c) {
    const char *comma = strrchr(text, ',');
    size_t length = strlen(text);
    if (comma) {
        char *end;
        if (strncmp(comma, ",every=", 7) != 0) comma = NULL;
        else {
            c->every = strtod(comma + 7, &end);
            if (end == comma + 7 || *end || !(c->every > 0) || !isfinite(c->every)) {
                fprintf(stderr, "error: --checkpoint %s: every=SECONDS needs a positive number\n", text);
                return false;
            }
            length = (size_t)(comma - text);
        }
    }
    if (length == 0) {
        fprintf(stderr, "error: --checkpoint needs a file: --checkpoint FILE[,every=SECONDS]\n");
        return false;
    }
    c->path = calloc(length + 1, 1);
    if (c->path) memcpy(c->path, text, length);
    return c->path;
}

void checkpoint_free(checkpoint *c) { free(c->path); }

/* Account and recorder. */
static void carry(const checkpoint_of *of, byte_stream *b) {
    if (of->account) sim_account_carry(of->account, b);
    if (of->recorder) sim_recorder_carry(of->recorder, b);
}

zn_status checkpoint_write(const char *path, const checkpoint_of *of) {
    zn_context *context = of->context;
    byte_stream count = {.way = BYTES_COUNT};
    size_t snapshot = 0;
    output_file *file = NULL;
    zn_status status = of->recorder ? zn_recorder_flush(of->recorder) : ZN_OK;
    if (status == ZN_OK) status = zn_simulation_save(of->simulation, NULL, 0, &snapshot);
    carry(of, &count);
    checkpoint_head head = {.rows = of->rows, .recorder = of->recorder != NULL, .snapshot = snapshot, .length = snapshot + count.count};
    memcpy(head.what, what, sizeof what);
    unsigned char *content = MEM_ARRAY(context, unsigned char, head.length);
    if (status == ZN_OK && !content) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = zn_simulation_save(of->simulation, content, snapshot, &snapshot);
    if (status == ZN_OK) {
        byte_stream b = {.way = BYTES_WRITE, .at = content + snapshot, .room = count.count};
        carry(of, &b);
        head.content = bytes_hash(BYTES_HASH, content, head.length);
        status = output_open(context, path, &file);
    }
    if (status == ZN_OK) status = output_write(file, &head, sizeof head);
    if (status == ZN_OK) status = output_write(file, content, head.length);
    if (status == ZN_OK) status = output_publish(file);
    if (file) output_close(file, false);
    mem_free(context, content);
    return status;
}

/* ---- continuing ---- */

static zn_status read_file(zn_context *context, const char *path, checkpoint_content *c) {
    FILE *file = fopen(path, "rb");
    size_t room = 0, got = 1;
    if (!file) return fail_file(context, path, "read", errno);
    while (got > 0) {
        got = 0;
        if (!mem_grow(context, (void **)&c->bytes, &room, c->size + 65536, 1)) break;
        c->size += got = fread(c->bytes + c->size, 1, room - c->size, file);
    }
    bool good = !ferror(file);
    fclose(file);
    return good ? ZN_OK : fail(context, ZN_ERROR_FILE, "%s cannot be read", path);
}

zn_status checkpoint_read(const char *path, const checkpoint_of *of, checkpoint_content *c) {
    *c = (checkpoint_content){.path = path};
    zn_status status = read_file(of->context, path, c);
    checkpoint_head *head = &c->head;
    if (status != ZN_OK) return status;
    if (c->size < sizeof *head || memcmp(c->bytes, what, sizeof what) != 0)
        return fail(of->context, ZN_ERROR_ARGUMENT, "%s is not a checkpoint: 'zeno run --checkpoint FILE' writes one", path);
    memcpy(head, c->bytes, sizeof *head);
    const unsigned char *content = c->bytes + sizeof *head;
    if (head->length != c->size - sizeof *head || head->snapshot > head->length ||
        head->content != bytes_hash(BYTES_HASH, content, head->length))
        return fail(of->context, ZN_ERROR_ARGUMENT, "the checkpoint %s is damaged: its checksum is wrong", path);
    if (of->out && !head->recorder)
        return fail(of->context, ZN_ERROR_ARGUMENT, "the run of %s had no --out, so there are no rows to continue", path);
    return zn_simulation_restore(of->simulation, content, head->snapshot);
}

void checkpoint_forget(zn_context *context, checkpoint_content *c) {
    result_close(c->rows);
    mem_free(context, c->old);
    mem_free(context, c->bytes);
    *c = (checkpoint_content){0};
}

/* Whether OUT is the complete file of this checkpoint's run: it is younger than the checkpoint, whose rows end at the time of the
 * checkpoint. */
static bool is_complete(const checkpoint_of *of, checkpoint_content *c) {
    struct stat out, point;
    long rows = c->head.rows;
    double now = zn_simulation_time(of->simulation);
    if (stat(of->out, &out) != 0 || stat(c->path, &point) != 0 || rows < 1) return false;
    if (out.st_mtim.tv_sec < point.st_mtim.tv_sec ||
        (out.st_mtim.tv_sec == point.st_mtim.tv_sec && out.st_mtim.tv_nsec < point.st_mtim.tv_nsec))
        return false;
    int time;
    const double *t;
    if (result_open(of->context, of->out, &c->rows) != ZN_OK || result_rows(c->rows) < rows) return false;
    if (result_find(c->rows, "t", &time) != ZN_OK || result_column(c->rows, time, &t) != ZN_OK) return false;
    return t[rows - 1] <= now && (result_rows(c->rows) == rows || t[rows] >= now);
}

zn_status checkpoint_find_rows(const checkpoint_of *of, checkpoint_content *c) {
    zn_context *context = of->context;
    bool there = false;
    if (!of->out) return ZN_OK;
    if (!(c->old = mem_format(context, "%s.partial.old", of->out))) return ZN_ERROR_MEMORY;
    if (access(c->old, R_OK) == 0 && result_open(context, c->old, &c->rows) == ZN_OK) {
        if (result_rows(c->rows) >= c->head.rows) return ZN_OK; /* copied by an earlier, interrupted attempt */
        result_close(c->rows);
        c->rows = NULL;
    }
    zn_error_clear(context);
    zn_status status = output_set_aside(context, of->out, c->old, &there);
    if (status != ZN_OK) return status;
    status = there ? result_open(context, c->old, &c->rows) : ZN_OK;
    if (there && status == ZN_OK && result_rows(c->rows) >= c->head.rows) return ZN_OK;
    result_close(c->rows); /* rows of a copy of the complete result that was not finished, or none at all */
    c->rows = NULL;
    if (is_complete(of, c)) {
        if (there) unlink(c->old);
        mem_free(context, c->old);
        c->old = NULL;
        zn_error_clear(context);
        return ZN_OK;
    }
    if (status != ZN_OK) return status;
    zn_error_clear(context);
    return fail(context, ZN_ERROR_FILE,
                "%s.partial, which has the first %ld rows of the run, %s; without --out the run continues without rows", of->out,
                c->head.rows, there ? "has fewer" : "is missing");
}

zn_status checkpoint_go_on(checkpoint_of *of, checkpoint_content *c) {
    const checkpoint_head *head = &c->head;
    byte_stream b = {.way = BYTES_READ, .at = c->bytes + sizeof *head + head->snapshot, .room = (size_t)(head->length - head->snapshot)};
    carry(of, &b);
    if (b.missing) return fail(of->context, ZN_ERROR_ARGUMENT, "the checkpoint is not complete");
    of->rows = of->recorder ? head->rows : 0;
    zn_status status = c->rows ? sim_recorder_copy(of->recorder, c->rows, head->rows) : ZN_OK;
    if (status == ZN_OK && of->recorder) status = zn_recorder_flush(of->recorder);
    if (status == ZN_OK && c->old) unlink(c->old);
    return status;
}
