// SPDX-License-Identifier: Apache-2.0
#include "repl/plot/paint.h"

#include <stdlib.h>

// Of different brightness, too; far from red beside green.
static const int of_series[CHART_MAX] = {0x00cdcd, 0xcdcd00, 0xcd00cd,
                                         0x5c5cff, 0x00cd00, 0xcd0000,
                                         0xe5e5e5, 0x7f7f7f};

// What xterm shows for its first 16.
static const int first_16[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00,
                                 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
                                 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};

int paint_series(int i) {
  return of_series[i];
}

// ---- The nearest ----

static int distance(int a, int b) {
  int sum = 0;
  for (int shift = 0; shift <= 16; shift += 8) {
    int d = (a >> shift & 0xff) - (b >> shift & 0xff);
    sum += d * d;
  }
  return sum;
}

// A level of the 6 x 6 x 6 cube: 0, 95, 135, ... 255.
static int cube_level(int i) {
  return i ? 55 + 40 * i : 0;
}

static int nearest_level(int v) {
  int best = 0;
  for (int i = 1; i < 6; i++)
    if (abs(cube_level(i) - v) < abs(cube_level(best) - v))
      best = i;
  return best;
}

static int nearest_256(int colour) {
  int r = colour >> 16 & 0xff, g = colour >> 8 & 0xff, b = colour & 0xff;
  int i = nearest_level(r), j = nearest_level(g), k = nearest_level(b);
  int cube = cube_level(i) << 16 | cube_level(j) << 8 | cube_level(k);
  int grey = ((r + g + b) / 3 - 8 + 5) / 10; // 24 greys: 8, 18, ... 238
  grey = grey < 0 ? 0 : grey > 23 ? 23 : grey;
  int level = 8 + 10 * grey;
  bool is_grey = distance(level * 0x010101, colour) < distance(cube, colour);
  return is_grey ? 232 + grey : 16 + 36 * i + 6 * j + k;
}

int paint_nearest(int colour, bool has_256) {
  int best = 0;
  if (has_256)
    return nearest_256(colour);
  for (int i = 1; i < 16; i++)
    if (distance(first_16[i], colour) < distance(first_16[best], colour))
      best = i;
  return best;
}

// ---- Sequences ----

struct paint paint_begin(enum canvas_colour colour) {
  return (struct paint){colour, -1, -1};
}

static void set(const struct paint *p, bool is_back, int colour,
                struct str *out) {
  int ground = is_back ? 10 : 0;
  int n = paint_nearest(colour, p->colour == PICTURE_256);
  if (colour < 0)
    str_addf(out, "\033[%dm", 39 + ground);
  else if (p->colour == PICTURE_TRUE)
    str_addf(out, "\033[%d;2;%d;%d;%dm", 38 + ground, colour >> 16 & 0xff,
             colour >> 8 & 0xff, colour & 0xff);
  else if (p->colour == PICTURE_256)
    str_addf(out, "\033[%d;5;%dm", 38 + ground, n);
  else
    str_addf(out, "\033[%dm", (n < 8 ? 30 : 82) + n + ground);
}

static void change(const struct paint *p, bool is_back, int *now, int colour,
                   struct str *out) {
  if (p->colour == PICTURE_NONE || *now == colour)
    return;
  *now = colour;
  set(p, is_back, colour, out);
}

void paint_front(struct paint *p, int colour, struct str *out) {
  change(p, false, &p->front, colour, out);
}

void paint_back(struct paint *p, int colour, struct str *out) {
  change(p, true, &p->back, colour, out);
}

void paint_end(struct paint *p, struct str *out) {
  if (p->front >= 0 || p->back >= 0)
    str_add(out, "\033[0m");
  p->front = p->back = -1;
}

void paint_add_character(unsigned c, struct str *out) {
  if (c < 0x80) {
    str_add_char(out, (char)c);
  } else if (c < 0x800) {
    str_add_char(out, (char)(0xC0 | c >> 6));
    str_add_char(out, (char)(0x80 | (c & 0x3F)));
  } else {
    str_add_char(out, (char)(0xE0 | c >> 12));
    str_add_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
    str_add_char(out, (char)(0x80 | (c & 0x3F)));
  }
}
