// SPDX-License-Identifier: Apache-2.0
// What a person reads: how wide it is, and how it is said to who hears it.
#ifndef BASE_TEXT_TEXT_H
#define BASE_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "base/err.h"
#include "base/str.h"

// ---- width.c: how much room text takes on a terminal ----
//
// The one place that knows. Text is UTF-8; the C library's wcwidth has the tables, and
// the locale's character type must be one of UTF-8 for it (screen_open sees to that).

// A character with all that is drawn in its place: accents that combine with it and
// what U+200D joins to it, as terminals have it that know of that (tmux among them).
struct width_char {
  size_t bytes; // 1 or more
  int columns; // -1: it controls something, turns the direction of text, or is none
  wchar_t first; // its first code point; 0: a byte that is no UTF-8
};
struct width_char width_next(const char *text, size_t bytes);

// Columns of a text; what is no character takes one.
int width_of(const char *text, size_t bytes);
// The bytes that fit into so many columns, whole characters alone.
size_t width_bytes(const char *text, size_t bytes, size_t columns);
// As much of it as so many columns show, and blanks up to them.
void width_pad(struct str *out, const char *text, int columns);

// ---- plain.c: for whoever hears the screen, or cannot see its pictures ----

// WARPSHOP_PLAIN is set, and not to 0. The option --plain and `:set plain on` set it, so
// that programs which this one starts know it, too.
bool plain_is_wanted(void);
void plain_want(bool is_wanted);

// Adds text with its pictures as sentences: a line of source ("  3 | int i = blokIdx.x;")
// is named, carets below it become "column 9, at blokIdx", and each row of a Markdown
// table says its columns' names. Everything else stays as it is.
void plain_spell(const char *text, struct str *out);

// ---- message.c, sentence.c: what is said, in the reader's language ----
//
// language/README.md tells of the catalogues. JSON, reports, journals and records stay
// English, and so do numbers: whoever makes those does not ask here.

// From here on what is said is in that language: "de", or a locale's name ("de_DE.UTF-8";
// "en" and "C" are English). ERR_NOT_FOUND where there is no catalogue, and then all stays
// as it was.
enum err message_choose(const char *language, struct err_info *e);
// Likewise, as LANGUAGE, LC_ALL, LC_MESSAGES and LANG say; English where they name no
// language that is there.
void message_choose_wanted(void);
const char *message_language(void); // "en", "de"
// The text in the reader's language; itself where the catalogue lacks it. A format has
// the same directives. It stays.
const char *message(const char *english) __attribute__((format_arg(1)));
// Marks a text of a table, for which message() is asked when it is said.
#define MESSAGE(english) (english)
// The one, or where there are more (or none) the other.
const char *message_of(long count, const char *one, const char *many)
    __attribute__((format_arg(2), format_arg(3)));
// Adds a report of findings (gpu/finding/finding.h) in the reader's language, line by
// line; a line that has no translation stays as it is.
void message_report(const char *text, struct str *out);

#endif
