// SPDX-License-Identifier: Apache-2.0
// Changes a PTX text where changes tell: whole lines move, and a word gives way
// to another of its kind (register, number, suffix) from the same text or from
// what PTX has.
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct span {
  size_t at, bytes;
};

struct mutation {
  uint8_t *data;
  size_t size, max;
  uint64_t state;
};

static uint32_t draw(struct mutation *m, uint32_t n) {
  m->state = m->state * 6364136223846793005u + 1442695040888963407u;
  return n ? (uint32_t)(m->state >> 33) % n : 0;
}

static void replace(struct mutation *m, struct span old, const uint8_t *text,
                    size_t bytes) {
  if (m->size - old.bytes + bytes > m->max)
    return;
  memmove(m->data + old.at + bytes, m->data + old.at + old.bytes,
          m->size - old.at - old.bytes);
  memcpy(m->data + old.at, text, bytes);
  m->size += bytes - old.bytes;
}

// The line around a place, with its newline.
static struct span line_around(const uint8_t *data, size_t size, size_t at) {
  size_t from = at, to = at;
  while (from > 0 && data[from - 1] != '\n')
    from--;
  while (to < size && data[to++] != '\n')
    ;
  return (struct span){from, to - from};
}

static bool is_word(int c) {
  return isalnum(c) || c == '_' || c == '%' || c == '$';
}

// The first word at or behind a place; of no bytes at the end.
static struct span word_from(const uint8_t *data, size_t size, size_t at) {
  while (at < size && !is_word(data[at]))
    at++;
  size_t to = at;
  while (to < size && is_word(data[to]))
    to++;
  return (struct span){at, to - at};
}

enum kind { REGISTER, NUMBER, SUFFIX, NAME };

static enum kind kind_of(const uint8_t *data, struct span s) {
  if (data[s.at] == '%')
    return REGISTER;
  if (isdigit(data[s.at]))
    return NUMBER;
  return s.at > 0 && data[s.at - 1] == '.' ? SUFFIX : NAME;
}

static void change_number(struct mutation *m, struct span s) {
  static const char *const numbers[] = {"0",
                                        "1",
                                        "-1",
                                        "2",
                                        "31",
                                        "32",
                                        "33",
                                        "64",
                                        "255",
                                        "4096",
                                        "65536",
                                        "2147483647",
                                        "2147483648",
                                        "4294967295",
                                        "0x7fffffffffffffff",
                                        "0xffffffffffffffff",
                                        "0f7FC00000",
                                        "0f00000001",
                                        "0dFFF0000000000000",
                                        "1048576",
                                        "99999999999999999999"};
  const char *n = numbers[draw(m, sizeof numbers / sizeof *numbers)];
  replace(m, s, (const uint8_t *)n, strlen(n));
}

static void change_suffix(struct mutation *m, struct span s) {
  static const char *const suffixes[] = {
      "u8",       "s8",      "b8",      "u16",     "s16",    "b16",   "f16",
      "bf16",     "u32",     "s32",     "b32",     "f32",    "u64",   "s64",
      "b64",      "f64",     "b128",    "f16x2",   "pred",   "v2",    "v4",
      "v8",       "global",  "shared",  "local",   "const",  "param", "lo",
      "hi",       "wide",    "rn",      "rz",      "rm",     "rp",    "rni",
      "ftz",      "sat",     "approx",  "full",    "sync",   "uni",   "to",
      "volatile", "relaxed", "acquire", "release", "cta",    "gpu",   "sys",
      "add",      "min",     "max",     "inc",     "cas",    "exch",  "and",
      "eq",       "lt",      "nan",     "up",      "bfly",   "idx",   "all",
      "cc",       "clamp",   "wrap",    "nc",      "aligned"};
  const char *n = suffixes[draw(m, sizeof suffixes / sizeof *suffixes)];
  replace(m, s, (const uint8_t *)n, strlen(n));
}

// Another word of the same kind from the text in place of this one.
static void change_word(struct mutation *m) {
  struct span s = word_from(m->data, m->size, draw(m, (uint32_t)m->size));
  if (!s.bytes)
    return;
  enum kind kind = kind_of(m->data, s);
  if (kind == NUMBER && draw(m, 2)) {
    change_number(m, s);
    return;
  }
  if (kind == SUFFIX && draw(m, 2)) {
    change_suffix(m, s);
    return;
  }
  for (int tries = 0; tries < 16; tries++) {
    struct span o = word_from(m->data, m->size, draw(m, (uint32_t)m->size));
    uint8_t text[64];
    if (!o.bytes || o.bytes > sizeof text || kind_of(m->data, o) != kind)
      continue;
    memcpy(text, m->data + o.at, o.bytes);
    replace(m, s, text, o.bytes);
    return;
  }
}

// A line of the text, or of the other one, put in, put in place of one, or
// taken out.
static void change_lines(struct mutation *m, const uint8_t *other,
                         size_t other_size) {
  uint8_t text[512];
  bool lends = other_size && draw(m, 2);
  const uint8_t *from = lends ? other : m->data;
  size_t size = lends ? other_size : m->size;
  struct span s = line_around(from, size, draw(m, (uint32_t)size));
  if (s.bytes > sizeof text)
    return;
  memcpy(text, from + s.at, s.bytes);
  struct span to = line_around(m->data, m->size, draw(m, (uint32_t)m->size));
  switch (draw(m, 4)) {
  case 0: replace(m, to, text, 0); break;
  case 1: replace(m, to, text, s.bytes); break;
  default: to.bytes = 0; replace(m, to, text, s.bytes);
  }
}

// How the text is run (fuzz.h): another number in place of the one it has, or a
// command for the debugger in front.
static void change_run(struct mutation *m) {
  static const char *const commands[] = {"break 5 if i > 3 && x[1] != 2.5",
                                         "watch out[3]",
                                         "condition 1 n == 1",
                                         "print/x *(&s.x + 1)",
                                         "print (float)tile[2][3] / -n",
                                         "print sum < 0 ? 'a' : 1e9",
                                         "shared tile 1:40",
                                         "values p->next",
                                         "declare tile float[4][4]",
                                         "break 2 block 1 thread 0,1",
                                         "breakpoints",
                                         "delete 1",
                                         "warp 1",
                                         "lane 31",
                                         "frame 1",
                                         "down",
                                         "start",
                                         "continue",
                                         "run",
                                         "step",
                                         "next 3",
                                         "stepi 50",
                                         "finish",
                                         "back 2",
                                         "back-continue",
                                         "until 9",
                                         "locals",
                                         "where"};
  static const char run[] = "// run: ";
  char line[FUZZ_COMMAND_BYTES];
  struct span to = {0, 0};
  if (draw(m, 3)) {
    to = line_around(m->data, m->size, 0);
    if (to.bytes < sizeof run || memcmp(m->data, run, sizeof run - 1) != 0)
      to.bytes = 0;
    snprintf(line, sizeof line, "%s%u\n", run, draw(m, 1u << 30));
  } else {
    snprintf(line, sizeof line, "// debug: %s\n",
             commands[draw(m, sizeof commands / sizeof *commands)]);
  }
  replace(m, to, (const uint8_t *)line, strlen(line));
}

size_t fuzz_mutate(uint8_t *data, size_t size, size_t max, const uint8_t *other,
                   size_t other_size, unsigned seed) {
  struct mutation m = {data, size, max, seed * 2654435761u + 1};
  if (!size)
    return 0;
  for (uint32_t n = 1 + draw(&m, 4); n > 0 && m.size; n--) {
    uint32_t what = draw(&m, 18);
    if (what >= 16)
      change_run(&m);
    else if (what < 9)
      change_word(&m);
    else if (what < 15)
      change_lines(&m, other, other_size);
    else
      m.data[draw(&m, (uint32_t)m.size)] = (uint8_t)draw(&m, 256);
  }
  return m.size;
}
