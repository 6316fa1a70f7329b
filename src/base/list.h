/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of the public headers, X(identifier, word, ...) for each value of an enumeration, from which all tables are made. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#define LIST_ONE(...) +1
/* A value that is missing from its list would have no row in any table. */
#define LIST_IS_WHOLE(LIST, COUNT) _Static_assert((0 LIST(LIST_ONE)) == (COUNT), "each value of the enumeration has its row in " #LIST)

#endif
