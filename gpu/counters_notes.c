// SPDX-License-Identifier: Apache-2.0
// A sentence for each number that stands out, and the way out.
#include "gpu/counters_notes.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/counters_text.h"
#include "gpu/occupancy.h"

// What is worth a sentence.
#define WASTED_SECTORS 1.5  // times what would do
#define MANY_CONFLICTS 0.5  // passes more, for each request
#define FEW_LANES      24.0 // of 32
#define CONTENTION     4.0  // threads on one address
#define LOW_OCCUPANCY  50.0
#define FEW_UNIFORM    90.0 // % of branches

struct notes {
  struct gpu_count_note *list;
  int count;
};

__attribute__((format(printf, 4, 5))) static void
add(struct notes *n, const char *code, int line, const char *format, ...) {
  if (n->count == GPU_MAX_COUNT_NOTES)
    return;
  struct gpu_count_note *note = &n->list[n->count++];
  va_list args;
  note->code = code;
  note->line = line;
  va_start(args, format);
  vsnprintf(note->text, sizeof note->text, format, args);
  va_end(args);
}

static double value(const uint64_t *count, enum gpu_metric m) {
  return gpu_metric_value(m, count);
}
#define VALUE(count, name) value(count, GPU_METRIC_##name)
#define COUNT(row, name)   ((row)->count[GPU_COUNT_##name])

// The row for which `cost` is highest, NULL when it is nowhere above 0.
typedef double (*cost_of)(const struct gpu_line_counts *row);

static const struct gpu_line_counts *worst(const struct gpu_count_view *v,
                                           cost_of cost) {
  const struct gpu_line_counts *found = NULL;
  for (uint32_t n = 0; n < v->counts->line_count; n++)
    if (cost(&v->lines[n]) > (found ? cost(found) : 0))
      found = &v->lines[n];
  return found;
}

// ---- Global memory ----

static double needed(uint64_t bytes, uint64_t requests) {
  return requests ? ceil((double)bytes / (double)requests / 32) : 0;
}

static double wasted_loads(const struct gpu_line_counts *r) {
  double best = needed(COUNT(r, GLOBAL_LD_BYTES), COUNT(r, GLOBAL_LD));
  double sectors = (double)COUNT(r, GLOBAL_LD_SECTORS);
  double least = best * (double)COUNT(r, GLOBAL_LD);
  return sectors > WASTED_SECTORS * least ? sectors - least : 0;
}

static double wasted_stores(const struct gpu_line_counts *r) {
  double best = needed(COUNT(r, GLOBAL_ST_BYTES), COUNT(r, GLOBAL_ST));
  double sectors = (double)COUNT(r, GLOBAL_ST_SECTORS);
  double least = best * (double)COUNT(r, GLOBAL_ST);
  return sectors > WASTED_SECTORS * least ? sectors - least : 0;
}

// One direction, and where it is counted.
struct traffic {
  const char *what;
  cost_of wasted;
  enum gpu_counter bytes, requests, sectors;
};

static const struct traffic loads = {
    "load", wasted_loads, GPU_COUNT_GLOBAL_LD_BYTES, GPU_COUNT_GLOBAL_LD,
    GPU_COUNT_GLOBAL_LD_SECTORS};
static const struct traffic stores = {
    "store", wasted_stores, GPU_COUNT_GLOBAL_ST_BYTES, GPU_COUNT_GLOBAL_ST,
    GPU_COUNT_GLOBAL_ST_SECTORS};

static void note_sectors(const struct gpu_count_view *v, struct notes *n,
                         const struct traffic *t) {
  const struct gpu_line_counts *r = worst(v, t->wasted);
  if (!r)
    return;
  uint64_t requests = r->count[t->requests];
  double each = (double)r->count[t->sectors] / (double)requests;
  add(n, "uncoalesced", r->line,
      "each %s touches %.3g sectors of 32 bytes; %.0f would do, if threads "
      "side by side used addresses side by side.",
      t->what, each, needed(r->count[t->bytes], requests));
}

// ---- Shared memory, atomics, branches ----

static double conflicts(const struct gpu_line_counts *r) {
  uint64_t requests = COUNT(r, SHARED_LD) + COUNT(r, SHARED_ST);
  double all = VALUE(r->count, BANK_CONFLICTS);
  return all > MANY_CONFLICTS * (double)requests ? all : 0;
}

static void note_conflicts(const struct gpu_count_view *v, struct notes *n) {
  const struct gpu_line_counts *r = worst(v, conflicts);
  if (!r)
    return;
  double requests = (double)(COUNT(r, SHARED_LD) + COUNT(r, SHARED_ST));
  double passes =
      (double)(COUNT(r, SHARED_LD_WAVEFRONTS) + COUNT(r, SHARED_ST_WAVEFRONTS));
  double best = passes - VALUE(r->count, BANK_CONFLICTS);
  add(n, "bank-conflicts", r->line,
      "each access to shared memory takes %.3g passes; %.3g would do: threads "
      "of a warp want different words of one bank. Where a row has a "
      "multiple of 32 words, one more element in each row helps.",
      passes / requests, best / requests);
}

static double atomic_waits(const struct gpu_line_counts *r) {
  double c = VALUE(r->count, ATOMIC_CONTENTION);
  return c >= CONTENTION ? (double)COUNT(r, ATOMIC_WAITS) : 0;
}

static void note_atomics(const struct gpu_count_view *v, struct notes *n) {
  const struct gpu_line_counts *r = worst(v, atomic_waits);
  if (r)
    add(n, "atomic-contention", r->line,
        "%.3g threads of a warp want the same address with one atomic, and "
        "wait for each other: add up within the warp or block first.",
        VALUE(r->count, ATOMIC_CONTENTION));
}

static double divergent(const struct gpu_line_counts *r) {
  return (double)COUNT(r, DIVERGENT);
}

static void note_divergence(const struct gpu_count_view *v, struct notes *n) {
  const uint64_t *all = v->counts->count;
  const struct gpu_line_counts *r = worst(v, divergent);
  if (!r || VALUE(all, ACTIVE_LANES) > FEW_LANES ||
      VALUE(all, BRANCH_EFFICIENCY) > FEW_UNIFORM)
    return;
  add(n, "divergence", r->line,
      "threads of a warp part here %llu times of %llu, and each way is run for "
      "itself: %.1f of 32 threads take part in an instruction, on average.",
      (unsigned long long)COUNT(r, DIVERGENT),
      (unsigned long long)COUNT(r, BRANCHES), VALUE(all, ACTIVE_LANES));
}

// ---- Doubles ----

const char *gpu_source_line(const char *source, int line, size_t *bytes) {
  const char *at = source;
  for (int n = 1; at && n < line; n++) {
    at = strchr(at, '\n');
    at = at ? at + 1 : NULL;
  }
  if (!at || line < 1)
    return NULL;
  *bytes = strcspn(at, "\n");
  return at;
}

// A constant such as 3.0 or 1e-3 without its f; returns its length.
static size_t double_constant(const char *at, const char *end) {
  const char *p = at;
  bool is_double = false;
  while (p < end && isdigit((unsigned char)*p))
    p++;
  if (p < end && *p == '.') {
    is_double = true;
    for (p++; p < end && isdigit((unsigned char)*p); p++)
      ;
  }
  if (p - at < 1 + (*at == '.'))
    return 0;
  if (p < end && (*p == 'e' || *p == 'E')) {
    const char *q = p + 1;
    if (q < end && (*q == '+' || *q == '-'))
      q++;
    if (q < end && isdigit((unsigned char)*q)) {
      is_double = true;
      for (p = q; p < end && isdigit((unsigned char)*p); p++)
        ;
    }
  }
  bool ends = p == end || (!isalnum((unsigned char)*p) && *p != '_');
  return is_double && ends ? (size_t)(p - at) : 0;
}

static bool find_constant(const char *text, size_t bytes, char *out,
                          size_t size) {
  const char *end = text + bytes;
  for (const char *p = text; p < end; p++) {
    if (p + 1 < end && p[0] == '/' && p[1] == '/')
      return false;
    bool begins = isdigit((unsigned char)*p) || *p == '.';
    if (!begins || (p > text && (isalnum((unsigned char)p[-1]) ||
                                 p[-1] == '_' || p[-1] == '.')))
      continue;
    size_t n = double_constant(p, end);
    if (n) {
      snprintf(out, size, "%.*s", (int)n, p);
      return true;
    }
  }
  return false;
}

static double doubles(const struct gpu_line_counts *r) {
  return (double)COUNT(r, FP64);
}

// Functions of CUDA's own library stand in no line: the line that gives them
// their doubles is the one to change.
static double doubles_in_source(const struct gpu_line_counts *r) {
  return r->line ? doubles(r) : 0;
}

static void note_doubles(const struct gpu_count_view *v, struct notes *n) {
  const struct gpu_line_counts *r = worst(v, doubles_in_source);
  r = r ? r : worst(v, doubles);
  if (!r || v->takes_doubles)
    return;
  size_t bytes;
  const char *text =
      v->source ? gpu_source_line(v->source, r->line, &bytes) : NULL;
  char constant[40];
  unsigned long long count = COUNT(r, FP64),
                     all = v->counts->count[GPU_COUNT_FP64];
  if (text && find_constant(text, bytes, constant, sizeof constant))
    add(n, "double", r->line,
        "%s is a double, and so is what it meets (%llu instructions on "
        "doubles): write %sf.",
        constant, count, constant);
  else
    add(n, "double", r->line,
        "%llu instructions on doubles, where the kernel takes none: a function "
        "without f at its end (sqrt, not sqrtf), a variable or a constant.",
        all);
}

// ---- The launch ----

static void note_spills(const struct gpu_count_view *v, struct notes *n) {
  if (!v->occupancy)
    return;
  double bytes = gpu_occupancy_value(v->occupancy, GPU_METRIC_SPILL_BYTES);
  if (bytes > 0)
    add(n, "local-memory", 0,
        "each thread keeps %.0f bytes in local memory, which is device memory: "
        "arrays with a computed index, or more values than it has registers.",
        bytes);
}

static void note_warps(const struct gpu_count_view *v, struct notes *n) {
  const uint32_t *b = v->counts->block;
  uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
  if (threads % 32)
    add(n, "partial-warp", 0,
        "blocks of %llu threads: their last warp has %llu of 32.",
        (unsigned long long)threads, (unsigned long long)(threads % 32));
}

static void note_occupancy(const struct gpu_count_view *v, struct notes *n) {
  if (!v->occupancy)
    return;
  double percent = gpu_occupancy_value(v->occupancy, GPU_METRIC_OCCUPANCY);
  double blocks = gpu_occupancy_value(v->occupancy, GPU_METRIC_BLOCKS);
  if (percent < LOW_OCCUPANCY)
    add(n, "occupancy", 0,
        "a multiprocessor holds %.0f %% of the warps that it could: %s limit%s "
        "it to %.0f of these blocks at a time.",
        percent, v->occupancy->limiter,
        !strcmp(v->occupancy->limiter, "registers") ? "" : "s",
        gpu_occupancy_value(v->occupancy, GPU_METRIC_BLOCKS_PER_SM));
  if (blocks < v->multiprocessors)
    add(n, "few-blocks", 0, "%.0f block%s cannot keep %u multiprocessors busy.",
        blocks, blocks == 1 ? "" : "s", v->multiprocessors);
}

int gpu_count_notes(const struct gpu_count_view *v,
                    struct gpu_count_note out[GPU_MAX_COUNT_NOTES]) {
  struct notes n = {.list = out};
  note_sectors(v, &n, &loads);
  note_sectors(v, &n, &stores);
  note_conflicts(v, &n);
  note_divergence(v, &n);
  note_atomics(v, &n);
  note_doubles(v, &n);
  note_spills(v, &n);
  note_warps(v, &n);
  note_occupancy(v, &n);
  return n.count;
}
