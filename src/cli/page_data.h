/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a page as JSON. */
#ifndef CLI_PAGE_DATA_H
#define CLI_PAGE_DATA_H

#include "result/result.h"

#include <stdio.h>

typedef struct page_data {
    zn_context *context;
    result_file *result;
    const char *path;  /* of the result */
    const char *title; /* NULL: the result's */
} page_data;

enum {
    PAGE_MOST_ROWS = 4000,     /* more are thinned out evenly */
    PAGE_LEAST_ROWS = 200,     /* stay whatever the number of columns */
    PAGE_MOST_VALUES = 1200000 /* rows times columns: about 6.5 MB of page */
};

const char *page_title(const page_data *);
/* One JSON object in ASCII or UTF-8 without '<', so that it may stand inside a script element. */
zn_status page_put_data(FILE *to, const page_data *);

#endif
