// SPDX-License-Identifier: Apache-2.0
// Keys that send several bytes begin with an escape byte, as the key Esc itself does:
// what follows within a moment tells them apart. Sequences are read as ECMA-48 has
// them (CSI: parameters, then a final byte), so that one that nobody knows is taken
// whole and types nothing.
#include "display/keys.h"

#include <stdlib.h>
#include <string.h>

enum { ESC = 27 };

void keys_init(struct keys *k) {
  memset(k, 0, sizeof *k);
  str_init(&k->in);
  str_init(&k->paste);
}

void keys_free(struct keys *k) {
  str_free(&k->in);
  str_free(&k->paste);
}

void keys_know(struct keys *k, const char *bytes, int key) {
  if (!bytes || bytes[0] != ESC || !bytes[1] ||
      strlen(bytes) >= KEYS_OWN_BYTES || k->own_count == KEYS_OWN)
    return;
  strcpy(k->own[k->own_count].bytes, bytes);
  k->own[k->own_count++].key = key;
}

void keys_add(struct keys *k, const char *bytes, size_t count) {
  str_add_bytes(&k->in, bytes, count);
}

bool keys_has_piece(const struct keys *k) {
  return k->in.len > 0 && !k->is_in_paste;
}

static void drop(struct keys *k, size_t bytes) {
  memmove(k->in.data, k->in.data + bytes, k->in.len - bytes);
  k->in.len -= bytes;
  if (k->in.cap)
    k->in.data[k->in.len] = 0;
}

// ---- Escape sequences ----

static int final_key(char final) {
  static const struct {
    char final;
    int key;
  } finals[] = {
      {'A', DISPLAY_UP},       {'B', DISPLAY_DOWN},   {'C', DISPLAY_RIGHT},
      {'D', DISPLAY_LEFT},     {'H', DISPLAY_HOME},   {'F', DISPLAY_END},
      {'Z', DISPLAY_BACK_TAB}, {'P', DISPLAY_F1},     {'Q', DISPLAY_F1 + 1},
      {'R', DISPLAY_F1 + 2},   {'S', DISPLAY_F1 + 3}, {'M', '\n'},
  };
  for (size_t i = 0; i < sizeof finals / sizeof *finals; i++)
    if (finals[i].final == final)
      return finals[i].key;
  return DISPLAY_UNKNOWN;
}

// "3~": the number says which.
static int tilde_key(int number) {
  static const int keys[] = {
      [1] = DISPLAY_HOME,    [2] = DISPLAY_INSERT,  [3] = DISPLAY_DELETE,
      [4] = DISPLAY_END,     [5] = DISPLAY_PAGE_UP, [6] = DISPLAY_PAGE_DOWN,
      [7] = DISPLAY_HOME,    [8] = DISPLAY_END,     [11] = DISPLAY_F1,
      [12] = DISPLAY_F1 + 1, [13] = DISPLAY_F1 + 2, [14] = DISPLAY_F1 + 3,
      [15] = DISPLAY_F1 + 4, [17] = DISPLAY_F1 + 5, [18] = DISPLAY_F1 + 6,
      [19] = DISPLAY_F1 + 7, [20] = DISPLAY_F1 + 8, [21] = DISPLAY_F10,
  };
  bool is_known = number > 0 && number < (int)(sizeof keys / sizeof *keys);
  return is_known && keys[number] ? keys[number] : DISPLAY_UNKNOWN;
}

// "ESC [ < 0 ; 10 ; 5 M", as xterm's mode 1006 has it: the button, a column and a row,
// from 1, and "m" where it was let go. The wheel is the arrow keys.
static int mouse_key(struct keys *k, char final) {
  enum { LEFT = 0, WHEEL_UP = 64, WHEEL_DOWN = 65, ROWS_A_TURN = 3 };
  char *end;
  long button = strtol(k->in.data + 3, &end, 10),
       column = *end == ';' ? strtol(end + 1, &end, 10) : 0,
       row = *end == ';' ? strtol(end + 1, &end, 10) : 0;
  if (button == WHEEL_UP || button == WHEEL_DOWN) {
    k->turned = button == WHEEL_UP ? DISPLAY_UP : DISPLAY_DOWN;
    k->turns = ROWS_A_TURN - 1;
    return k->turned;
  }
  if (button != LEFT || final != 'M' || row < 1 || column < 1)
    return DISPLAY_NOTHING;
  k->row = (int)row - 1;
  k->column = (int)column - 1;
  return DISPLAY_CLICK;
}

enum { WHOLE_PASTE_BEGIN = 200 };

// "ESC [ 1 ; 5 A". Sets `bytes`; 0: not whole.
static int csi_key(struct keys *k, size_t *bytes) {
  const char *p = k->in.data;
  size_t n = k->in.len, i = 2;
  if (n > 2 && p[2] == '[') { // Linux's console: F1 is ESC [ [ A
    *bytes = 4;
    return n < 4                        ? 0
           : p[3] >= 'A' && p[3] <= 'E' ? DISPLAY_F1 + p[3] - 'A'
                                        : DISPLAY_UNKNOWN;
  }
  while (i < n && p[i] >= 0x20 && p[i] < 0x40)
    i++;
  if (i == n)
    return 0;
  *bytes = i + 1;
  if (p[i] < 0x40 || p[i] > 0x7E) { // broken off by another key
    *bytes = i;
    return DISPLAY_UNKNOWN;
  }
  if (p[2] == '<' && (p[i] == 'M' || p[i] == 'm'))
    return mouse_key(k, p[i]);
  int number = atoi(p + 2);
  if (p[i] == '~' && number == WHOLE_PASTE_BEGIN) {
    k->is_in_paste = true;
    str_clear(&k->paste);
    return DISPLAY_PASTED;
  }
  return p[i] == '~' ? tilde_key(number) : final_key(p[i]);
}

// ---- What a terminal answers ----
//
// It was asked at the prompt whether it shows images (repl/tui/graphics.c), and a slow
// line may bring the answer when a screen is open: "ESC _ G i=31;OK ESC \\", and
// "ESC [ ? 62 ; 4 c". It is no key, and nobody types its beginning within a moment; so
// its rest is waited for some moments more than that of a key.

enum { MOST_WAITS = 20, MOST_ANSWER = 256 };

// The bytes of an answer that begins here; 0: none does. `*is_whole`: its end has come.
static size_t answer_bytes(const char *p, size_t n, bool *is_whole) {
  bool is_image = n > 2 && !memcmp(p, "\033_G", 3),
       is_attributes = n > 2 && !memcmp(p, "\033[?", 3);
  size_t i = 3;
  if (!is_image && !is_attributes)
    return 0;
  while (i < n && i < MOST_ANSWER &&
         (is_image ? p[i] >= ' ' && p[i] < 127 : p[i] >= ' ' && p[i] < 0x40))
    i++;
  size_t end = is_image ? 2 : 1;
  *is_whole = i + end <= n && (is_image ? !memcmp(p + i, "\033\\", 2)
                                        : p[i] >= 0x40 && p[i] < 127);
  bool may_be = i == n || (is_image && i + 1 == n && p[i] == ESC);
  return *is_whole ? i + end : may_be ? n : 0;
}

// DISPLAY_NOTHING of one that is whole, or of which no more came; 0: it is not whole;
// -1: it is none.
static int answer_key(struct keys *k, bool is_over, size_t *bytes) {
  bool is_whole = false;
  *bytes = answer_bytes(k->in.data, k->in.len, &is_whole);
  if (!*bytes || *bytes >= MOST_ANSWER)
    return -1;
  k->waits += is_over;
  if (!is_whole && k->waits < MOST_WAITS)
    return 0;
  k->waits = 0;
  return DISPLAY_NOTHING;
}

// The key that this terminal sends so, or 0; -1: it may become one.
static int own_key(const struct keys *k, size_t *bytes) {
  int found = 0;
  for (int i = 0; i < k->own_count; i++) {
    size_t n = strlen(k->own[i].bytes);
    size_t same = n < k->in.len ? n : k->in.len;
    if (memcmp(k->own[i].bytes, k->in.data, same))
      continue;
    if (same == n) {
      *bytes = n;
      return k->own[i].key;
    }
    found = -1;
  }
  return found;
}

// An escape byte is first. 0: not whole.
static int escape_key(struct keys *k, bool is_over, size_t *bytes) {
  int key = own_key(k, bytes);
  if (key > 0)
    return key;
  if (key < 0 && !is_over)
    return 0;
  key = answer_key(k, is_over, bytes);
  if (key >= 0)
    return key;
  *bytes = 1;
  if (k->in.len == 1)
    return is_over ? DISPLAY_ESCAPE : 0;
  char second = k->in.data[1];
  if (second == '_' && k->in.len == 2 && !is_over)
    return 0; // of an answer
  if (second == '[') {
    key = csi_key(k, bytes);
  } else if (second == 'O') {
    *bytes = 3;
    key = k->in.len < 3 ? 0 : final_key(k->in.data[2]);
  } else {
    return DISPLAY_ESCAPE; // and then another key
  }
  if (key || !is_over)
    return key;
  *bytes = 1; // Esc, and then what was typed
  return DISPLAY_ESCAPE;
}

// ---- Characters ----

// UTF-8; 0: not whole. What is none is U+FFFD.
static int character_key(const struct keys *k, bool is_over, size_t *bytes) {
  const unsigned char *p = (const unsigned char *)k->in.data;
  size_t n = p[0] < 0x80   ? 1
             : p[0] < 0xC2 ? 0
             : p[0] < 0xE0 ? 2
             : p[0] < 0xF0 ? 3
             : p[0] < 0xF5 ? 4
                           : 0;
  *bytes = 1;
  if (n == 1)
    return p[0] == '\r' ? '\n'
           : p[0] == 8  ? DISPLAY_BACKSPACE
           : p[0]       ? p[0]
                        : DISPLAY_UNKNOWN; // Ctrl-Space
  if (!n)
    return 0xFFFD;
  int c = p[0] & (0xFF >> (n + 1));
  for (size_t i = 1; i < n; i++) {
    if (i == k->in.len)
      return is_over ? 0xFFFD : 0;
    if ((p[i] & 0xC0) != 0x80)
      return 0xFFFD;
    c = c << 6 | (p[i] & 0x3F);
  }
  *bytes = n;
  return c;
}

// ---- Pasted text ----

// Up to "ESC [ 201 ~", however it is cut; a paste without an end is one without.
static int take_paste(struct keys *k) {
  static const char end[] = "\033[201~";
  char *found = k->in.len ? memmem(k->in.data, k->in.len, end, 6) : NULL;
  size_t n = found ? (size_t)(found - k->in.data) : k->in.len;
  if (!found) // a piece of the end may be there
    for (size_t keep = 5; keep > 0; keep--)
      if (n >= keep && !memcmp(k->in.data + n - keep, end, keep)) {
        n -= keep;
        break;
      }
  size_t room = KEYS_MOST_PASTE - k->paste.len;
  str_add_bytes(&k->paste, k->in.data, n < room ? n : room);
  drop(k, found ? n + 6 : n);
  if (!found)
    return 0;
  k->is_in_paste = false;
  return DISPLAY_PASTED;
}

int keys_next(struct keys *k, bool is_over) {
  size_t bytes = 0;
  if (k->turns) {
    k->turns--;
    return k->turned;
  }
  if (k->is_in_paste)
    return take_paste(k);
  if (!k->in.len)
    return 0;
  int key = k->in.data[0] == ESC ? escape_key(k, is_over, &bytes)
                                 : character_key(k, is_over, &bytes);
  if (!key)
    return 0;
  drop(k, bytes);
  return k->is_in_paste ? take_paste(k) : key;
}
