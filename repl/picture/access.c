// SPDX-License-Identifier: Apache-2.0
// :access: what each line asks of memory, and one of its requests drawn sector by
// sector or pass by pass.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repl/picture/picture.h"

enum {
  MOST_ROWS = 8,
  SECTOR_BYTES = 32,
  MOST_THREADS = 1 << 22,
  KINDS = 6,
  MOST_ACROSS = 4,
  GAP = 2
};

// What a line does to an array in one way.
struct use {
  int line, array;
  uint8_t file, access, space;
  uint64_t requests, sectors, needed, bytes, passes, conflicts;
  struct gpu_request worst; // the first of those that cost most
};

struct uses {
  struct use *list;
  int count, capacity;
};

// ---- Sums ----

static struct use *use_of(struct uses *u, const struct gpu_request *q,
                          int array) {
  for (int i = 0; i < u->count; i++) {
    struct use *x = &u->list[i];
    if (x->line == q->line && x->file == q->file && x->access == q->access &&
        x->space == q->space && x->array == array)
      return x;
  }
  if (u->count == u->capacity) {
    u->capacity = u->capacity ? 2 * u->capacity : 16;
    u->list = xrealloc(u->list, (size_t)u->capacity * sizeof *u->list);
  }
  u->list[u->count] = (struct use){.line = q->line,
                                   .array = array,
                                   .file = q->file,
                                   .access = q->access,
                                   .space = q->space};
  return &u->list[u->count++];
}

static uint32_t cost_of(const struct gpu_request *q) {
  return q->space == GPU_SPACE_SHARED ? q->conflicts + 1
         : q->sectors > q->needed     ? q->sectors - q->needed + 1
                                      : 1;
}

static void add(struct use *x, const struct gpu_request *q) {
  if (!x->requests || cost_of(q) > cost_of(&x->worst))
    x->worst = *q;
  x->requests++;
  x->sectors += q->sectors;
  x->needed += q->needed;
  x->passes += q->passes;
  x->conflicts += q->conflicts;
  x->bytes += picture_bytes(q);
}

static int by_place(const void *p, const void *q) {
  const struct use *a = p, *b = q;
  if (a->file != b->file)
    return a->file < b->file ? -1 : 1;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  if (a->space != b->space)
    return a->space < b->space ? -1 : 1;
  if (a->access != b->access)
    return a->access < b->access ? -1 : 1;
  return (a->array > b->array) - (a->array < b->array);
}

static struct uses collect(const struct lrequests *r) {
  struct uses u = {0};
  struct gpu_request q;
  for (size_t at = 0; gpu_request_next(r->packed, r->what.bytes, &at, &q);)
    add(use_of(&u, &q, picture_array(r, &q)), &q);
  if (u.count)
    qsort(u.list, (size_t)u.count, sizeof *u.list, by_place);
  return u;
}

static bool is_own(const struct lrequests *r, const struct use *x) {
  return !strcmp(r->what.files[x->file], r->file);
}

// ---- The most of one thread ----

static uint64_t count_threads(const uint32_t v[3]) {
  return (uint64_t)v[0] * v[1] * v[2];
}

static int kind_of(const struct gpu_request *q) {
  int access = q->access == GPU_READ ? 0 : q->access == GPU_WRITE ? 1 : 2;
  return access + (q->space == GPU_SPACE_SHARED ? KINDS / 2 : 0);
}

// How often a thread reads, writes and updates global and shared memory at most;
// of one line alone unless it is 0. False: there are too many threads.
static bool find_most(const struct lrequests *r, int line,
                      uint32_t most[KINDS]) {
  uint64_t block = count_threads(r->what.block),
           threads = block * count_threads(r->what.grid);
  memset(most, 0, KINDS * sizeof *most);
  if (!threads || threads > MOST_THREADS)
    return false;
  uint32_t(*of)[KINDS] = xcalloc(threads, sizeof *of);
  struct gpu_request q;
  for (size_t at = 0; gpu_request_next(r->packed, r->what.bytes, &at, &q);) {
    if (line && (q.line != line || strcmp(r->what.files[q.file], r->file)))
      continue;
    for (uint32_t left = q.lanes; left; left &= left - 1) {
      uint64_t t = q.block * block + q.warp * GPU_REQUEST_LANES +
                   (uint64_t)__builtin_ctz(left);
      uint32_t n = t < threads ? ++of[t][kind_of(&q)] : 0;
      most[kind_of(&q)] = n > most[kind_of(&q)] ? n : most[kind_of(&q)];
    }
  }
  free(of);
  return true;
}

// "2 global reads, 1 global write, 1 shared read".
static void add_most(const struct lrequests *r, int line, struct str *out) {
  static const char *const words[KINDS] = {"global read",   "global write",
                                           "global atomic", "shared read",
                                           "shared write",  "shared atomic"};
  const char *between = line ? "A thread here at most: " : "A thread at most: ";
  uint32_t most[KINDS];
  if (!find_most(r, line, most))
    return;
  for (int k = 0; k < KINDS; k++) {
    if (!most[k])
      continue;
    str_addf(out, "%s%u %s%s", between, most[k], words[k],
             most[k] == 1 ? "" : "s");
    between = ", ";
  }
  str_add(out, ".\n");
}

// ---- All lines ----

static double each(uint64_t n, uint64_t requests) {
  return requests ? (double)n / (double)requests : 0;
}

// Where columns are few: "4.0 sectors, best 4.0", "32.0 passes, 992 over".
static void add_short_cost(const struct use *x, struct str *out) {
  if (x->space == GPU_SPACE_SHARED)
    str_addf(out, "%.1f passes, %" PRIu64 " over", each(x->passes, x->requests),
             x->conflicts);
  else
    str_addf(out, "%.1f sectors", each(x->sectors, x->requests));
  if (x->space != GPU_SPACE_SHARED && x->access != GPU_ATOMIC)
    str_addf(out, ", best %.1f", each(x->needed, x->requests));
}

// "4.0 sectors each, 4.0 would do", "32.0 passes each, 992 conflicts".
static void add_cost(const struct use *x, struct str *out) {
  if (x->space == GPU_SPACE_SHARED)
    str_addf(out, "%.1f passes each, %" PRIu64 " conflict%s",
             each(x->passes, x->requests), x->conflicts,
             x->conflicts == 1 ? "" : "s");
  else if (x->access == GPU_ATOMIC)
    str_addf(out, "%.1f sectors each", each(x->sectors, x->requests));
  else
    str_addf(out, "%.1f sectors each, %.1f would do",
             each(x->sectors, x->requests), each(x->needed, x->requests));
}

static void add_head(const struct lrequests *r, struct str *out) {
  const uint32_t *g = r->what.grid, *b = r->what.block;
  str_addf(out, "%s: %" PRIu64 " block%s of %" PRIu64 " thread%s\n", r->kernel,
           count_threads(g), count_threads(g) == 1 ? "" : "s", count_threads(b),
           count_threads(b) == 1 ? "" : "s");
}

static bool is_narrow(const struct picture_place *place) {
  return place->columns < 78;
}

static int name_columns(const struct picture_place *place) {
  return is_narrow(place) ? 13 : 20;
}

static void add_use(const struct lrequests *r, const struct use *x,
                    const struct picture_place *place, struct str *out) {
  struct str name = STR_INIT;
  picture_array_name(r, x->array, &name);
  if (place->is_plain) {
    str_addf(out, "Line %d %s %s: %" PRIu64 " request%s, ", x->line,
             picture_word(x->access, true), name.data, x->requests,
             picture_plural(x->requests));
    add_cost(x, out);
    str_add(out, ".\n");
  } else {
    str_addf(out, "%5d  %-6s  %-*s %8" PRIu64 "  ", x->line,
             picture_word(x->access, false), name_columns(place), name.data,
             x->requests);
    is_narrow(place) ? add_short_cost(x, out) : add_cost(x, out);
    str_add(out, "\n");
  }
  str_free(&name);
}

static int first_own(const struct lrequests *r, const struct uses *u) {
  int worst = 0;
  uint32_t cost = 0;
  for (int i = 0; i < u->count; i++)
    if (is_own(r, &u->list[i]) && u->list[i].line &&
        cost_of(&u->list[i].worst) > cost) {
      cost = cost_of(&u->list[i].worst);
      worst = u->list[i].line;
    }
  return worst;
}

static void add_lines(const struct lrequests *r, const struct uses *u,
                      const struct picture_place *place, struct str *out) {
  int others = 0, line = first_own(r, u);
  add_head(r, out);
  if (!place->is_plain && u->count)
    str_addf(out, " line  access  %-*s requests\n", name_columns(place),
             "array");
  for (int i = 0; i < u->count; i++)
    if (is_own(r, &u->list[i]))
      add_use(r, &u->list[i], place, out);
    else
      others++;
  if (!u->count)
    str_add(out, "It reaches neither global nor shared memory.\n");
  if (others)
    str_addf(out, "and %d of lines in other files (headers)\n", others);
  if (u->count)
    add_most(r, 0, out);
  picture_add_missing(r, out);
  if (line)
    str_addf(out, ":access %d draws a request of line %d.\n", line, line);
}

// ---- One request ----

static void add_place(const struct lrequests *r, const struct gpu_request *q,
                      struct str *out) {
  const uint32_t *g = r->what.grid;
  int lanes = __builtin_popcount(q->lanes);
  str_addf(out, "block (%u,%u,%u) warp %u, %d lane%s x %u byte%s",
           q->block % g[0], q->block / g[0] % g[1], q->block / g[0] / g[1],
           q->warp, lanes, lanes == 1 ? "" : "s", q->bytes,
           q->bytes == 1 ? "" : "s");
}

// As many beside each other as fit.
static void add_sectors(const struct lrequests *r, const struct use *x,
                        int columns, struct str *out) {
  struct picture_sector sectors[PICTURE_SECTORS];
  const struct gpu_request *q = &x->worst;
  int unit, count = picture_sectors(q, &unit, sectors), widest = 0;
  uint32_t cell =
      x->array < 0 ? q->bytes : picture_cell_bytes(&r->arrays[x->array], q);
  struct str name = STR_INIT;
  for (int n = 0; n < count; n++) {
    str_clear(&name);
    picture_cell_name(r, x->array, sectors[n].at, cell, &name);
    widest = (int)name.len > widest ? (int)name.len : widest;
  }
  int each = widest + 1 + 2 + SECTOR_BYTES / unit,
      across = (columns - 4 - 1 + GAP) / (each + GAP);
  across = across < 1 ? 1 : across > MOST_ACROSS ? MOST_ACROSS : across;
  int most = MOST_ROWS * across;
  if (most < GPU_REQUEST_LANES &&
      across > 2) // a word for each lane is seen whole
    most = GPU_REQUEST_LANES;
  for (int n = 0; n < count && n < most; n++) {
    bool ends = n % across == across - 1 || n == count - 1;
    str_clear(&name);
    picture_cell_name(r, x->array, sectors[n].at, cell, &name);
    str_addf(out, "%*s%-*s |%s|%s", n % across ? GAP : 4, "", widest, name.data,
             sectors[n].cells, ends ? "\n" : "");
  }
  if (count > most)
    str_addf(out, "    ... and %d sector%s more\n", count - most,
             picture_plural((uint64_t)(count - most)));
  str_free(&name);
}

static void add_passes(const struct use *x, struct str *out) {
  char passes[PICTURE_PASSES][33];
  int count = picture_passes(&x->worst, passes);
  str_add(out, "    bank      0        8        16       24     31\n");
  for (int n = 0; n < count && n < MOST_ROWS; n++)
    str_addf(out, "    pass %2d   %.8s %.8s %.8s %.8s\n", n + 1, passes[n],
             passes[n] + 8, passes[n] + 16, passes[n] + 24);
  if (count > MOST_ROWS)
    str_addf(out, "    ... and %d pass%s more\n", count - MOST_ROWS,
             count - MOST_ROWS == 1 ? "" : "es");
}

// What the lanes use of what is fetched, in per cent.
static double share(uint64_t bytes, uint64_t sectors) {
  return sectors ? 100.0 * (double)bytes / (double)(sectors * SECTOR_BYTES) : 0;
}

// "Lane 0 goes to out[0], lane 1 to out[96], lane 31 to out[2976]."
static void say_lanes(const struct lrequests *r, const struct use *x,
                      struct str *out) {
  static const int lanes[] = {0, 1, GPU_REQUEST_LANES - 1};
  const struct gpu_request *q = &x->worst;
  uint32_t cell =
      x->array < 0 ? q->bytes : picture_cell_bytes(&r->arrays[x->array], q);
  const char *between = "  Lane ";
  for (int k = 0; k < 3; k++) {
    if (!(q->lanes >> lanes[k] & 1))
      continue;
    str_addf(out, "%s%d %s ", between, lanes[k], k ? "to" : "goes to");
    picture_cell_name(r, x->array, q->at[lanes[k]], cell, out);
    between = ", lane ";
  }
  str_add(out, *between == ',' ? ".\n" : "");
}

static void add_request(const struct lrequests *r, const struct use *x,
                        const struct picture_place *place, struct str *out) {
  const struct gpu_request *q = &x->worst;
  bool is_shared = x->space == GPU_SPACE_SHARED;
  str_add(out, cost_of(q) > 1 ? "  the dearest: " : "  one of them: ");
  add_place(r, q, out);
  if (is_shared)
    str_addf(out, ": %u pass%s\n", q->passes, q->passes == 1 ? "" : "es");
  else
    str_addf(out, ": %u sector%s, %.0f%% used\n", q->sectors,
             q->sectors == 1 ? "" : "s", share(picture_bytes(q), q->sectors));
  if (place->is_plain)
    say_lanes(r, x, out);
  else if (is_shared)
    add_passes(x, out);
  else
    add_sectors(r, x, place->columns, out);
}

static void add_title(const struct lrequests *r, const struct use *x,
                      struct str *out) {
  str_addf(out, "%s of ", picture_word(x->access, false));
  picture_array_name(r, x->array, out);
  str_addf(out, ": %" PRIu64 " request%s, ", x->requests,
           x->requests == 1 ? "" : "s");
  add_cost(x, out);
  if (x->space != GPU_SPACE_SHARED)
    str_addf(out, "; %.0f%% of bytes used", share(x->bytes, x->sectors));
  str_add(out, "\n");
}

// Thread-local arrays are the hardware's business: how often, and no picture.
static uint64_t count_local(const struct lrequests *r,
                            const struct gpu_counts *counts,
                            const struct gpu_line_counts *lines, int line) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < counts->line_count; i++)
    if (lines[i].line == line && !strcmp(lines[i].file, r->file))
      n += lines[i].count[GPU_COUNT_LOCAL_LD] +
           lines[i].count[GPU_COUNT_LOCAL_ST];
  return n;
}

static int add_line(const struct lrequests *r, const struct uses *u, int line,
                    const struct picture_place *place, struct str *out) {
  int found = 0;
  bool has_sectors = false;
  str_addf(out, "%s:%d   ", r->file, line);
  picture_source_line(r, line, out);
  str_add(out, "\n");
  for (int i = 0; i < u->count; i++) {
    const struct use *x = &u->list[i];
    if (x->line != line || !is_own(r, x))
      continue;
    add_title(r, x, out);
    add_request(r, x, place, out);
    has_sectors |= x->space != GPU_SPACE_SHARED;
    found++;
  }
  if (has_sectors && !place->is_plain)
    str_add(out, "Between bars: 32 bytes, a sector. ");
  if (found && !place->is_plain)
    str_add(out, "A character is a lane: 0 to 9, then A is 10 ... V is 31; * "
                 "several, . none.\n");
  return found;
}

bool picture_access(const struct lrequests *r, const struct gpu_counts *counts,
                    const struct gpu_line_counts *lines, int line,
                    const struct picture_place *place, struct str *out) {
  struct uses u = collect(r);
  bool is_there = true;
  if (!line) {
    add_lines(r, &u, place, out);
  } else {
    uint64_t local = count_local(r, counts, lines, line);
    is_there = add_line(r, &u, line, place, out) || local;
    if (local)
      str_addf(out,
               "%" PRIu64 " request%s of local memory, each thread's own\n",
               local, picture_plural(local));
    if (is_there) {
      add_most(r, line, out);
      picture_add_missing(r, out);
    } else {
      str_clear(out);
      str_addf(out,
               "Line %d of %s reaches no memory. :access lists those that do.",
               line, r->file);
    }
  }
  free(u.list);
  return is_there;
}
