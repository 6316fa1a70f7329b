/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdio.h>

enum { REPLACEMENT = 0xfffd };

/* UTF-8 of RFC 3629: neither overlong forms nor surrogates, nor beyond U+10FFFF; and none of the "noncharacters", which XML forbids. */
uint32_t text_next(const char **text) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *c = (const unsigned char *)*text;
    int n = *c < 0x80 ? 1 : *c >= 0xc2 && *c < 0xe0 ? 2 : *c >= 0xe0 && *c < 0xf0 ? 3 : *c >= 0xf0 && *c < 0xf5 ? 4 : 0;
    (*text)++;
    if (n <= 1) return n ? *c : REPLACEMENT;
    uint32_t character = *c & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80) return REPLACEMENT;
        character = character << 6 | (c[i] & 0x3fu);
    }
    bool surrogate = character >= 0xd800 && character < 0xe000, none = (character & 0xfffe) == 0xfffe;
    if (character < least[n] || character > 0x10ffff || surrogate || none) return REPLACEMENT;
    *text += n - 1;
    return character;
}

bool text_is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

static void encode(uint32_t c, char *to) {
    int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = n - 1; i > 0; i--, c >>= 6) to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(heads[n] | c);
    to[n] = '\0';
}

void text_plain(const char **text, char piece[TEXT_PIECE]) {
    uint32_t c = text_next(text);
    encode(text_is_control(c) ? ' ' : c, piece);
}

void text_json(const char **text, char piece[TEXT_PIECE]) {
    uint32_t c = text_next(text);
    if (c == '"' || c == '\\') snprintf(piece, TEXT_PIECE, "\\%c", (char)c);
    else if (c == '<' || text_is_control(c)) snprintf(piece, TEXT_PIECE, "\\u%04x", (unsigned)c);
    else encode(c, piece);
}
