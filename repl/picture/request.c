// SPDX-License-Identifier: Apache-2.0
// One request drawn: the sectors of global memory that it touches, the passes over
// the banks of shared memory that it takes. The rules stand in
// gpu/vgpu/count/count.c, which counts; what is drawn here is worked out from the
// addresses alone, so that the two can be held beside each other.
#include <stdlib.h>
#include <string.h>

#include "repl/picture/picture.h"

enum { SECTOR = 32, BANKS = 32, WORD = 4, LANES = GPU_REQUEST_LANES };

const char *picture_plural(uint64_t n) {
  return n == 1 ? "" : "s";
}

char picture_lane(int lane) {
  return "0123456789ABCDEFGHIJKLMNOPQRSTUV"[lane & 31];
}

const char *picture_word(int access, bool third) {
  switch (access) {
  case GPU_READ: return third ? "reads" : "read";
  case GPU_WRITE: return third ? "writes" : "write";
  default: return third ? "updates" : "atomic";
  }
}

static bool takes_part(const struct gpu_request *r, int lane) {
  return r->lanes >> lane & 1;
}

uint64_t picture_bytes(const struct gpu_request *r) {
  uint64_t seen[LANES], count = 0;
  for (int l = 0; l < LANES; l++) {
    bool is_new = takes_part(r, l);
    for (uint64_t n = 0; n < count && is_new; n++)
      is_new = seen[n] != r->at[l];
    if (is_new)
      seen[count++] = r->at[l];
  }
  return count * r->bytes;
}

// ---- Sectors ----

static struct picture_sector *sector_at(struct picture_sector *all, int *count,
                                        uint64_t at, int cells) {
  for (int n = 0; n < *count; n++)
    if (all[n].at == at)
      return &all[n];
  struct picture_sector *s = &all[(*count)++];
  s->at = at;
  s->used = 0;
  memset(s->cells, '.', (size_t)cells);
  s->cells[cells] = 0;
  return s;
}

static int by_address(const void *x, const void *y) {
  const struct picture_sector *a = x, *b = y;
  return (a->at > b->at) - (a->at < b->at);
}

int picture_sectors(const struct gpu_request *r, int *unit,
                    struct picture_sector out[PICTURE_SECTORS]) {
  int count = 0;
  *unit = r->bytes && r->bytes < WORD ? r->bytes : WORD;
  for (int l = 0; l < LANES; l++) {
    if (!takes_part(r, l))
      continue;
    for (uint32_t b = 0; b < r->bytes; b += (uint32_t)*unit) {
      uint64_t at = r->at[l] + b;
      struct picture_sector *s =
          sector_at(out, &count, at - at % SECTOR, SECTOR / *unit);
      char *cell = &s->cells[at % SECTOR / (uint64_t)*unit];
      s->used += *cell == '.' ? *unit : 0;
      *cell = *cell == '.' ? picture_lane(l) : '*';
    }
  }
  qsort(out, (size_t)count, sizeof *out, by_address);
  return count;
}

// ---- Passes ----

// Of the lanes `part`: each bank serves one word in a pass.
static int add_passes(const struct gpu_request *r, uint32_t part,
                      char out[][BANKS + 1]) {
  uint64_t words[BANKS][LANES];
  int count[BANKS] = {0}, most = 0;
  for (; part; part &= part - 1) {
    int l = __builtin_ctz(part);
    for (uint64_t w = r->at[l] / WORD; w <= (r->at[l] + r->bytes - 1) / WORD;
         w++) {
      int bank = (int)(w % BANKS), n = 0;
      while (n < count[bank] && words[bank][n] != w)
        n++;
      if (n == most) {
        memset(out[most], '.', BANKS);
        out[most++][BANKS] = 0;
      }
      out[n][bank] = n < count[bank] ? '*' : picture_lane(l);
      words[bank][n] = w;
      count[bank] += n == count[bank];
    }
  }
  return most;
}

static bool is_paired(const struct gpu_request *r, int bit) {
  for (int l = 0; l < LANES; l++)
    if (takes_part(r, l) && takes_part(r, l ^ bit) &&
        r->at[l] != r->at[l ^ bit])
      return false;
  return true;
}

int picture_passes(const struct gpu_request *r,
                   char out[PICTURE_PASSES][BANKS + 1]) {
  int groups = r->bytes <= 4 ? 1 : r->bytes <= 8 ? 2 : 4, passes = 0;
  if (groups > 1 && r->access == GPU_READ &&
      (is_paired(r, 1) || is_paired(r, 2)))
    groups /= 2;
  int lanes = LANES / groups;
  uint32_t all = lanes == LANES ? UINT32_MAX : (1u << lanes) - 1;
  for (int g = 0; g < groups; g++)
    passes +=
        add_passes(r, r->lanes & all << (g * lanes % LANES), out + passes);
  return passes;
}
