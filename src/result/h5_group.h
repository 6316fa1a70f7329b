/* SPDX-License-Identifier: Apache-2.0 */
/* Object headers and groups, for the files of the reader of HDF5. */
#ifndef RESULT_H5_GROUP_H
#define RESULT_H5_GROUP_H

#include "result/h5_file.h"

/* Types of messages. */
enum {
    H5_NOTHING = 0x00,
    H5_DATASPACE = 0x01,
    H5_LINK_INFO = 0x02,
    H5_DATATYPE = 0x03,
    H5_LINK = 0x06,
    H5_EXTERNAL_FILES = 0x07,
    H5_LAYOUT = 0x08,
    H5_FILTERS = 0x0b,
    H5_ATTRIBUTE = 0x0c,
    H5_CONTINUATION = 0x10,
    H5_SYMBOL_TABLE = 0x11,
    H5_ATTRIBUTE_INFO = 0x15,
    H5_SHARED = 2, /* flag of a message: its content is elsewhere */
};

uint64_t h5_root(const h5_file *file);
/* The header at an address. */
zn_status h5_header(h5_file *file, uint64_t at, h5_object *object);
/* The first message of a type, or NULL. */
const h5_message *h5_message_of(const h5_object *object, int type);

enum { H5_MOST_DIMENSIONS = 4 };
typedef struct h5_space {
    int rank; /* 0: a scalar */
    uint64_t extent[H5_MOST_DIMENSIONS];
} h5_space;
zn_status h5_dataspace(h5_file *file, const unsigned char *data, size_t size, h5_space *space);

/* The attributes or links that an H5_ATTRIBUTE_INFO or H5_LINK_INFO refers to, one after the other as if they were in the header. */
typedef zn_status h5_take_message(void *user, const h5_message *message);
zn_status h5_dense(h5_file *file, const h5_message *info, h5_take_message *take, void *user);

#endif
