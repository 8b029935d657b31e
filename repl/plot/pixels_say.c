// SPDX-License-Identifier: Apache-2.0
// An image as sentences: its ends and where they are, and the means of nine parts.
#include <math.h>

#include "repl/plot/shown.h"

enum { PARTS = 3 }; // across, and down

static void add_place(const struct pixels *p, int64_t i, struct str *out) {
  int64_t cell = i / p->channels;
  static const char *const channels[] = {"red", "green", "blue", "alpha"};
  number_add(p->at[i], out);
  str_addf(out, " at row %lld, column %lld", (long long)(cell / p->columns),
           (long long)(cell % p->columns));
  if (p->channels > 1)
    str_addf(out, " (%s)", channels[i % p->channels]);
}

static void add_ends(const struct pixels *p, struct str *out) {
  int64_t low = -1, high = -1, count = 0;
  double mean = 0;
  for (int64_t i = 0; i < p->rows * p->columns * p->channels; i++) {
    double v = p->at[i];
    if (!isfinite(v))
      continue;
    low = low < 0 || v < p->at[low] ? i : low;
    high = high < 0 || v > p->at[high] ? i : high;
    count++;
    mean += v / (double)count - mean / (double)count;
  }
  str_add(out, " Smallest ");
  add_place(p, low, out);
  str_add(out, ", largest ");
  add_place(p, high, out);
  str_add(out, ", mean ");
  number_add(mean, out);
  str_add(out, ".");
}

// Row by row from the top; an image with fewer rows or columns has fewer.
static void add_parts(const struct pixels *p, struct str *out) {
  int64_t down = p->rows < PARTS ? p->rows : PARTS;
  int64_t across = p->columns < PARTS ? p->columns : PARTS;
  str_addf(out, " Means of its %s, from the left to the right:",
           down * across == 1 ? "one part" : "parts");
  for (int64_t i = 0; i < down; i++) {
    int64_t top = i * p->rows / down, below = (i + 1) * p->rows / down;
    str_addf(out, "%s %s", i ? ";" : "",
             i == 0          ? "at the top"
             : i == down - 1 ? "at the bottom"
                             : "in the middle");
    for (int64_t k = 0; k < across; k++) {
      int64_t left = k * p->columns / across;
      struct block b = {top, left, below - top,
                        (k + 1) * p->columns / across - left};
      str_add(out, k ? ", " : " ");
      number_add(pixels_mean(p, b), out);
    }
  }
  str_add(out, ".");
}

void pixels_say(const struct pixels *p, struct str *out) {
  struct range r = pixels_range(p);
  str_addf(out, "%s: %lld rows x %lld columns", p->name, (long long)p->rows,
           (long long)p->columns);
  if (p->channels > 1)
    str_addf(out, " of %s",
             p->channels == 3 ? "red, green and blue"
                              : "red, green, blue and alpha");
  if (r.nans)
    str_addf(out, ", %lld NaN left out", (long long)r.nans);
  if (r.infinite)
    str_addf(out, ", %lld infinite left out", (long long)r.infinite);
  if (!r.count) {
    str_add(out, "; there is nothing to show.\n");
    return;
  }
  if (r.low == r.high) {
    str_add(out, ": all are ");
    number_add(r.low, out);
    str_add(out, ".\n");
    return;
  }
  str_add(out, ".");
  add_ends(p, out);
  if (p->channels == 1)
    add_parts(p, out);
  str_add(out, "\n");
}
