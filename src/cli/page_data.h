/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a page as JSON. */
#ifndef CLI_PAGE_DATA_H
#define CLI_PAGE_DATA_H

#include "result/result.h"

#include <stdio.h>

typedef struct page_data {
    zn_context *context;
    result_file *result;
    const char *path;    /* of the result */
    const char *title;   /* NULL: the result's */
    const char *results; /* of a study: the folder of results of its runs; NULL: none */
} page_data;

enum {
    PAGE_MOST_ROWS = 4000,      /* more are thinned out evenly */
    PAGE_LEAST_ROWS = 200,      /* stay whatever the number of columns */
    PAGE_MOST_VALUES = 1200000, /* rows times columns: about 6.5 MB of page */
    PAGE_MOST_EVENTS = 20000
};

/* Every `every`-th row, and the last one. */
typedef struct page_rows {
    long rows, kept, every;
} page_rows;
long page_row_of(const page_rows *, long k);

void page_put_base64(FILE *to, const unsigned char *bytes, size_t count);
/* Little-endian, 8 bytes or 4, whatever this machine is. */
void page_store(double value, bool wide, unsigned char *to);
/* page_contacts.c: nothing where the result has no such table. */
zn_status page_put_contacts(FILE *to, const page_data *, const page_rows *);
/* page_events.c: the same of contact events. */
zn_status page_put_events(FILE *to, const page_data *);

const char *page_title(const page_data *);
/* One JSON object in ASCII or UTF-8 without '<', so that it may stand inside a script element. */
zn_status page_put_data(FILE *to, const page_data *);
/* page_study.c: the same of a study. */
zn_status page_put_study(FILE *to, const page_data *);

#endif
