/* SPDX-License-Identifier: Apache-2.0 */
/* PATH.at-work: a page of 4096 bytes with the study's hash and the runs that were lost so far, then one for each worker (machines that
 * share a file share it page by page). */
#include "study/lost.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, HASH = 64, ENDING = 16 };
static const char ending[ENDING] = ".at-work";

typedef struct lost_page {
    char hash[HASH];
    int64_t count;
    struct {
        int64_t run, times;
    } of[STUDY_LOST_KEPT];
} lost_page;
_Static_assert(sizeof(lost_page) <= PAGE, "the first page has room for them");

struct study_lost {
    zn_context *context;
    char *path;
    lost_page now;
};

static char *path_of(const char *path) {
    size_t length = strlen(path) + sizeof ending;
    char *text = malloc(length);
    if (text) snprintf(text, length, "%s%s", path, ending);
    return text;
}

static void count_run(lost_page *p, int64_t run) {
    for (int64_t i = 0; i < p->count; i++)
        if (p->of[i].run == run) {
            p->of[i].times++;
            return;
        }
    if (p->count < STUDY_LOST_KEPT) p->of[p->count].run = run, p->of[p->count++].times = 1;
}

/* The state that an earlier process of the same study left. */
static void read_pages(int file, const char *hash, long first_missing, lost_page *now) {
    lost_page before;
    int64_t run;
    if (pread(file, &before, sizeof before, 0) != (ssize_t)sizeof before || strncmp(before.hash, hash, HASH) != 0) return;
    if (before.count < 0 || before.count > STUDY_LOST_KEPT) return;
    for (int64_t i = 0; i < before.count; i++)
        if (before.of[i].run >= first_missing) now->of[now->count++] = before.of[i];
    for (off_t at = PAGE; pread(file, &run, sizeof run, at) == (ssize_t)sizeof run; at += PAGE)
        if (run > first_missing) count_run(now, run - 1);
}

study_lost *study_lost_begin(zn_context *context, const char *path, const char *hash, long first_missing) {
    study_lost *l = MEM_ARRAY(context, study_lost, 1);
    if (!l || !(l->path = path_of(path))) {
        mem_free(context, l);
        return NULL;
    }
    l->context = context;
    snprintf(l->now.hash, sizeof l->now.hash, "%s", hash);
    int file = open(l->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return l;
    read_pages(file, hash, first_missing, &l->now);
    /* Writes the new first page before the old places are cleared: a kill in between counts a run twice rather than never. */
    const lost_page page = l->now;
    bool good = pwrite(file, &page, sizeof page, 0) == (ssize_t)sizeof page && ftruncate(file, PAGE) == 0;
    close(file);
    if (!good) unlink(l->path);
    return l;
}

void study_lost_end(study_lost *l, bool done) {
    if (!l) return;
    if (done) unlink(l->path);
    free(l->path);
    mem_free(l->context, l);
}

int study_lost_times(const study_lost *l, long run) {
    for (int64_t i = 0; l && i < l->now.count; i++)
        if (l->now.of[i].run == run) return (int)l->now.of[i].times;
    return 0;
}

void study_lost_row(const study_shared *s, long run, study_row *row) {
    int n = s->plan.n_axes, kept = s->keep.width;
    for (int i = 0; i < n; i++) row->numbers[i] = study_plan_value(&s->plan, i, run);
    for (int i = 0; i < kept; i++) row->numbers[n + i] = NAN;
    row->numbers[n + kept] = ZN_ERROR_INTERNAL;
    row->numbers[n + kept + 1] = NAN;
    row->events.count = 0;
    snprintf(row->message, sizeof row->message, "the process that computed this run was killed, twice");
}

void study_place_take(study_place *place, const char *path, int worker) {
    *place = (study_place){0};
    char *text = path_of(path);
    int file = text ? open(text, O_RDWR | O_CLOEXEC) : -1;
    off_t at = (off_t)PAGE * (worker + 1);
    static const char zeros[PAGE];
    if (file >= 0 && pwrite(file, zeros, PAGE, at) == PAGE) { /* not ftruncate: stores must not fail on a full disk */
        void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, at);
        if (page != MAP_FAILED) place->page = page, place->run = page;
    }
    if (file >= 0) close(file);
    free(text);
}

void study_place_leave(study_place *place) {
    if (!place->page) return;
    if (place->run) *place->run = 0; /* NULL: its run is no longer counted */
    munmap(place->page, PAGE);
    *place = (study_place){0};
}
