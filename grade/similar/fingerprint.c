// SPDX-License-Identifier: Apache-2.0
// Winnowing over the tokens of a source and the instructions of PTX.
#include "grade/similar/fingerprint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/input/input.h"

// Tokens (instructions) in a hash, hashes in a window: what is shared is found
// from GRAM + WINDOW - 1 tokens on, some two statements.
enum { GRAM = 10, WINDOW = 6 };

// What is read, token by token.
struct stream {
  int count, capacity;
  struct item {
    uint64_t hash;
    int line;
  } * items;
};

static uint64_t hash_bytes(const char *text, size_t n) {
  uint64_t h = 14695981039346656037u; // FNV-1a
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)text[i]) * 1099511628211u;
  return h;
}

static void push(struct stream *s, const char *text, size_t n, int line) {
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 256;
    s->items = xrealloc(s->items, (size_t)s->capacity * sizeof *s->items);
  }
  s->items[s->count++] = (struct item){hash_bytes(text, n), line};
}

// ---- Winnowing ----

static int by_hash(const void *a, const void *b) {
  const struct fingerprint *x = a, *y = b;
  if (x->hash != y->hash)
    return x->hash < y->hash ? -1 : 1;
  return x->first - y->first;
}

static void sort(struct fingerprints *f) {
  int kept = 0;
  qsort(f->list, (size_t)f->count, sizeof *f->list, by_hash);
  for (int i = 0; i < f->count; i++)
    if (!kept || f->list[kept - 1].hash != f->list[i].hash)
      f->list[kept++] = f->list[i];
  f->count = kept;
}

// Mixed once more, so that the least of a window is as good as any.
static uint64_t hash_gram(const struct stream *s, int at, int n) {
  uint64_t h = 0;
  for (int i = at; i < at + n; i++)
    h = (h ^ s->items[i].hash) * 0x9e3779b97f4a7c15u + (h >> 29);
  return h ^ h >> 32;
}

// A stream shorter than a gram is one.
static void winnow(struct stream *s, struct fingerprints *out) {
  int gram = s->count < GRAM ? s->count : GRAM;
  int grams = s->count ? s->count - gram + 1 : 0, last = -1;
  uint64_t *hashes = xcalloc((size_t)grams + 1, sizeof *hashes);
  *out = (struct fingerprints){
      .list = xcalloc((size_t)grams + 1, sizeof *out->list)};
  for (int i = 0; i < grams; i++)
    hashes[i] = hash_gram(s, i, gram);
  for (int from = 0; from < grams; from++) {
    int end = from + WINDOW < grams ? from + WINDOW : grams, least = from;
    for (int i = from; i < end; i++)
      if (hashes[i] <= hashes[least])
        least = i;
    if (least == last)
      continue;
    last = least;
    out->list[out->count++] = (struct fingerprint){
        hashes[least], s->items[least].line, s->items[least + gram - 1].line};
  }
  free(hashes);
  free(s->items);
  sort(out);
}

// ---- Sources ----

// Names that say what a program does; all others are somebody's choice.
static bool is_languages(const struct tokens *t, int i) {
  static const char cuda[] =
      " __global__ __device__ __shared__ __restrict__ __constant__ if else for "
      "while do return break continue switch case default int float double "
      "unsigned char short long void const bool struct threadIdx blockIdx "
      "blockDim gridDim x y z __syncthreads __syncwarp __shfl_down_sync "
      "__shfl_sync __shfl_up_sync __shfl_xor_sync atomicAdd atomicMax "
      "atomicMin "
      "atomicCAS min max sqrtf expf ";
  static const char lua[] = " and break do else elseif end false for function "
                            "goto if in local nil not or repeat return then "
                            "true until while np jnp jax cuda frame ";
  return token_is_any(t, i, t->is_lua ? lua : cuda);
}

void fingerprints_of_source(const char *text, bool is_lua,
                            struct fingerprints *out) {
  struct stream s = {0};
  struct tokens t;
  tokens_read(text, is_lua, &t);
  for (int i = 0; i < t.count; i++) {
    const struct token *k = &t.list[i];
    bool is_own = k->kind == TOKEN_NAME && !is_languages(&t, i);
    if (is_own || k->kind == TOKEN_NUMBER || k->kind == TOKEN_TEXT)
      push(&s, is_own ? "n" : "0", 1, k->line);
    else
      push(&s, text + k->offset, k->bytes, k->line);
  }
  tokens_free(&t);
  winnow(&s, out);
}

// ---- PTX ----

// "ld.global.f32 %f1, [%rd4+8];" is "ld.global.f32": what it does and on which
// types. Directives, labels and names say nothing.
static const char *find_opcode(const char *line, size_t *n) {
  line += strspn(line, " \t");
  if (*line == '@') { // under a predicate
    line += strcspn(line, " \t\n");
    line += strspn(line, " \t");
  }
  *n = strcspn(line, " \t;\n");
  return islower((unsigned char)*line) ? line : NULL;
}

void fingerprints_of_ptx(const char *ptx, struct fingerprints *out) {
  struct stream s = {0};
  int line = 1;
  for (const char *at = ptx; *at; line++) {
    size_t n;
    const char *opcode = find_opcode(at, &n);
    if (opcode)
      push(&s, opcode, n, line);
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  winnow(&s, out);
}

// ---- Sets ----

void fingerprints_free(struct fingerprints *f) {
  free(f->list);
  *f = (struct fingerprints){0};
}

bool fingerprints_have(const struct fingerprints *f, uint64_t hash) {
  int low = 0, high = f->count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (f->list[middle].hash < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return low < f->count && f->list[low].hash == hash;
}

void fingerprints_drop(struct fingerprints *f,
                       const struct fingerprints *given) {
  int kept = 0;
  for (int i = 0; i < f->count; i++)
    if (!fingerprints_have(given, f->list[i].hash))
      f->list[kept++] = f->list[i];
  f->count = kept;
}

int fingerprints_shared(const struct fingerprints *a,
                        const struct fingerprints *b) {
  int shared = 0;
  for (int i = 0; i < a->count; i++)
    shared += fingerprints_have(b, a->list[i].hash);
  return shared;
}
