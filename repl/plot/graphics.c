// SPDX-License-Identifier: Apache-2.0
// An image in pixels: kitty's graphics protocol is base64 in pieces of 4096 bytes
// (https://sw.kovidgoyal.net/kitty/graphics-protocol), and needs no library; sixels need
// colours chosen and runs packed, which libsixel does, where it is installed.
#include "repl/plot/graphics.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repl/plot/shown.h"

// ---- Pixels ----

// An element of a small array is a square of at most so many pixels.
enum { MOST_SQUARE = 32 };

static int square_of(const struct shown *s, int width, int height) {
  int by_width = width / s->columns, by_height = height / s->rows;
  int side = by_width < by_height ? by_width : by_height;
  return side < 1 ? 1 : side > MOST_SQUARE ? MOST_SQUARE : side;
}

static void fill(const struct shown *s, int side, unsigned char *rgb) {
  int width = s->columns * side;
  for (int y = 0; y < s->rows * side; y++)
    for (int x = 0; x < width; x++, rgb += 3) {
      int colour = s->colours[y / side * s->columns + x / side];
      rgb[0] = (unsigned char)(colour >> 16);
      rgb[1] = (unsigned char)(colour >> 8);
      rgb[2] = (unsigned char)colour;
    }
}

static bool is_finite(const struct shown *s) {
  for (int i = 0; i < s->rows * s->columns; i++)
    if (s->colours[i] < 0)
      return false;
  return true;
}

// ---- Kitty's protocol ----

static void add_base64(const unsigned char *bytes, size_t count,
                       struct str *out) {
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    unsigned n = (unsigned)bytes[i] << 16;
    n |= i + 1 < count ? (unsigned)bytes[i + 1] << 8 : 0;
    n |= i + 2 < count ? bytes[i + 2] : 0;
    char four[4] = {digits[n >> 18], digits[n >> 12 & 63],
                    i + 1 < count ? digits[n >> 6 & 63] : '=',
                    i + 2 < count ? digits[n & 63] : '='};
    str_add_bytes(out, four, sizeof four);
  }
}

void graphics_kitty(const unsigned char *rgb, int width, int height,
                    int columns, struct str *out) {
  enum { PIECE = 3072 }; // 4096 of base64
  size_t all = 3 * (size_t)width * (size_t)height;
  for (size_t at = 0; at < all; at += PIECE) {
    size_t n = all - at < PIECE ? all - at : PIECE;
    int is_more = at + n < all;
    if (at)
      str_addf(out, "\x1b_Gm=%d;", is_more);
    else
      str_addf(out, "\x1b_Ga=T,f=24,q=2,s=%d,v=%d,c=%d,m=%d;", width, height,
               columns, is_more);
    add_base64(rgb + at, n, out);
    str_add(out, "\x1b\\");
  }
  str_add(out, "\n");
}

// ---- Sixels ----

// What is used of libsixel (1.8 or newer), with declarations of our own.
struct sixel {
  int (*output_new)(void **out, int (*write)(char *, int, void *), void *to,
                    void *allocator);
  void (*output_unref)(void *);
  int (*dither_new)(void **out, int colours, void *allocator);
  void (*dither_unref)(void *);
  int (*dither_initialize)(void *, unsigned char *, int width, int height,
                           int format, int largest, int representative,
                           int quality);
  int (*encode)(unsigned char *, int width, int height, int depth, void *dither,
                void *output);
};

static bool load(struct sixel *out) {
  static const char *const names[] = {
      "sixel_output_new",   "sixel_output_unref",      "sixel_dither_new",
      "sixel_dither_unref", "sixel_dither_initialize", "sixel_encode"};
  void *library = dlopen("libsixel.so.1", RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *call = library ? dlsym(library, names[i]) : NULL;
    if (!call)
      return false;
    memcpy((char *)out + i * sizeof call, &call, sizeof call);
  }
  return true;
}

static int write_sixels(char *data, int size, void *to) {
  str_add_bytes(to, data, (size_t)size);
  return 0;
}

bool graphics_sixel(unsigned char *rgb, int width, int height,
                    struct str *out) {
  enum { COLOURS = 256, RGB888 = 3, DEPTH = 3, FAILED = 0x1000 };
  struct sixel six;
  void *dither = NULL, *output = NULL;
  struct str image = STR_INIT;
  if (!load(&six))
    return false;
  int status = six.output_new(&output, write_sixels, &image, NULL);
  if (!(status & FAILED))
    status = six.dither_new(&dither, COLOURS, NULL);
  if (!(status & FAILED))
    status = six.dither_initialize(dither, rgb, width, height, RGB888, 0, 0, 0);
  if (!(status & FAILED))
    status = six.encode(rgb, width, height, DEPTH, dither, output);
  if (!(status & FAILED))
    str_addf(out, "%s\n", image.data);
  if (dither)
    six.dither_unref(dither);
  if (output)
    six.output_unref(output);
  str_free(&image);
  return !(status & FAILED);
}

// ---- Both ----

bool pixels_paint(const struct pixels *p, const struct pixel_screen *on,
                  struct str *out) {
  int width = on->columns * on->cell_width, height = on->rows * on->cell_height;
  struct shown s = pixels_shown(p, width, height);
  int side = square_of(&s, width, height), w = s.columns * side,
      h = s.rows * side;
  bool is_fine = is_finite(&s); // else "?" stands there, in characters
  unsigned char *rgb = xcalloc(3 * (size_t)w, (size_t)h);
  fill(&s, side, rgb);
  if (is_fine && on->is_kitty)
    graphics_kitty(rgb, w, h, (w + on->cell_width - 1) / on->cell_width, out);
  else if (is_fine)
    is_fine = graphics_sixel(rgb, w, h, out);
  free(rgb);
  shown_free(&s);
  return is_fine;
}

void pixels_paint_caption(const struct pixels *p, const struct pixel_screen *on,
                          struct str *out) {
  struct canvas as = {.columns = on->columns * on->cell_width,
                      .rows = on->rows * on->cell_height / 2};
  pixels_caption(p, &as, out);
}
