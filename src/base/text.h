/* SPDX-License-Identifier: Apache-2.0 */
/* Untrusted texts, made safe to pass on. Each byte that is not UTF-8 becomes U+FFFD. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { TEXT_PIECE = 16 }; /* room that a piece needs, with the 0 at its end */

/* The character at *text, which advances past it; not to be called at the end of the text. */
uint32_t text_next(const char **text);
/* Control characters, line ends of every kind and marks that reverse the direction of writing. */
bool text_is_control(uint32_t character);
/* The next character as it may stand in a line of text: controls become a space. */
void text_plain(const char **text, char piece[TEXT_PIECE]);
/* The next character as it may stand in a string of JSON, also of JSON within a page ('<' is escaped). */
void text_json(const char **text, char piece[TEXT_PIECE]);

#endif
