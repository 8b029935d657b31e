// SPDX-License-Identifier: Apache-2.0
// Which test exercises which form of PTX: every row of gpu/ptx/ptx_forms.def
// with the files of tests/ptx that use it. Fails when a row, or a modifier of a
// row, has none, or when real code's instruction (tests/fixtures/
// ptx-opcodes.txt) is neither known nor refused by name (ptx-refused.txt).
//
// A file counts for an instruction when it uses it and says so: "// op: ADD".
//
//   ptx_coverage          prints the table
//   ptx_coverage --quiet  only what is missing
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "gpu/ptx/ptx.h"
#include "gpu/ptx/ptx_form.h"

static int file_count;

static const char *const op_names[] = {
#define OP(name, ...) #name,
#include "gpu/ptx/ptx_ops.def"
#undef OP
};

// One row: a form with one alternative of each of its {keys}.
struct row {
  uint32_t seen[PTX_FORM_GROUPS]; // alternatives of each group, by bits
  struct str files;
  const char *last; // file that was added last
};

static struct row *rows_of[1024]; // of each form
static struct str op_files[PTX_OP_COUNT];
static const char *op_last[PTX_OP_COUNT];

static int choices(const struct ptx_form_group *g) {
  const char *text;
  int n = 0;
  while (ptx_form_choice(g, n, &text))
    n++;
  return n;
}

static int row_count(const struct ptx_form *f) {
  const char *at = f->pattern;
  struct ptx_form_group g;
  int n = 1;
  while (ptx_form_next(&at, &g))
    n *= g.kind == '{' ? choices(&g) : 1;
  return n;
}

// The row that the picks belong to.
static int row_of(const struct ptx_form *f, const uint8_t *picks) {
  const char *at = f->pattern;
  struct ptx_form_group g;
  int row = 0;
  for (int n = 0; ptx_form_next(&at, &g); n++)
    if (g.kind == '{')
      row = row * choices(&g) + picks[n] - 1;
  return row;
}

// The picks of a row's keys; others are 0.
static void keys_of(const struct ptx_form *f, int row, uint8_t *picks) {
  const char *at = f->pattern;
  struct ptx_form_group g;
  int left = row_count(f);
  memset(picks, 0, PTX_FORM_GROUPS);
  for (int n = 0; ptx_form_next(&at, &g); n++)
    if (g.kind == '{') {
      left /= choices(&g);
      picks[n] = (uint8_t)(row / left + 1);
      row %= left;
    }
}

// ---- Reading tests ----

static int op_named(const char *text, size_t bytes) {
  for (int op = 0; op < PTX_OP_COUNT; op++) {
    const char *name = ptx_op_name((enum ptx_op)op);
    if (strlen(name) == bytes && !memcmp(name, text, bytes))
      return op;
  }
  return -1;
}

static void add_file(struct str *list, const char **last, const char *file) {
  if (!list->data)
    str_init(list);
  if (*last != file)
    str_addf(list, " %s", file);
  *last = file;
}

static void note(const char *word, size_t bytes, const bool *said,
                 const char *file) {
  const char *dot = memchr(word, '.', bytes);
  size_t n = dot ? (size_t)(dot - word) : bytes;
  int op = op_named(word, n);
  uint8_t picks[PTX_FORM_GROUPS];
  if (op < 0 || !said[op])
    return;
  int form = ptx_form_find(op, word + n, bytes - n, picks);
  if (form < 0)
    return;
  struct row *r = &rows_of[form][row_of(&ptx_forms[form], picks)];
  for (int g = 0; g < PTX_FORM_GROUPS; g++)
    if (picks[g])
      r->seen[g] |= 1u << (picks[g] - 1);
  add_file(&r->files, &r->last, file);
}

static void read_line(const char *line, bool *said, const char *file) {
  char name[40];
  if (sscanf(line, "// op: %39[A-Z0-9]", name) == 1) {
    for (int op = 0; op < PTX_OP_COUNT; op++)
      if (!strcmp(op_names[op], name)) {
        said[op] = true;
        add_file(&op_files[op], &op_last[op], file);
      }
    return;
  }
  line += strspn(line, " \t{");
  if (*line == '@') {
    line += strcspn(line, " ");
    line += strspn(line, " ");
  }
  note(line, strcspn(line, " ;\n"), said, file);
}

static void read_file(const char *path) {
  struct err_info e;
  char *text;
  size_t bytes;
  if (file_read(path, 1 << 22, &text, &bytes, &e)) {
    fprintf(stderr, "%s\n", e.text);
    exit(1);
  }
  const char *file = strstr(path, "tests/ptx/");
  file = file ? file + strlen("tests/ptx/") : path;
  bool said[PTX_OP_COUNT] = {false};
  for (const char *line = text; line; line = strchr(line, '\n'))
    read_line(line += *line == '\n', said, file);
  free(text);
}

static void read_all(const char *pattern) {
  glob_t files;
  if (glob(pattern, 0, NULL, &files) != 0) {
    fprintf(stderr, "no file is %s: run this in the project's root\n", pattern);
    exit(1);
  }
  // The names stay: rows point to them.
  for (size_t i = 0; i < files.gl_pathc; i++)
    read_file(files.gl_pathv[i]);
  file_count += (int)files.gl_pathc;
}

// ---- What is there ----

static void add_choice(struct str *out, const struct ptx_form_group *g, int n) {
  const char *text;
  size_t bytes = ptx_form_choice(g, n, &text);
  str_addf(out, ".%.*s", (int)bytes, text);
}

// "add.f32", then the modifiers that were seen; those that were not go to
// `missing`.
static void describe(const struct ptx_form *f, int row, const struct row *r,
                     struct str *name, struct str *mods, struct str *missing) {
  uint8_t keys[PTX_FORM_GROUPS];
  const char *at = f->pattern;
  struct ptx_form_group g;
  keys_of(f, row, keys);
  str_addf(name, "%s", ptx_op_name((enum ptx_op)f->op));
  for (int n = 0; ptx_form_next(&at, &g); n++) {
    if (g.kind == '.' || g.kind == '{') {
      add_choice(name, &g, g.kind == '.' ? 0 : keys[n] - 1);
      continue;
    }
    for (int k = 0; k < choices(&g); k++)
      add_choice(r->seen[n] >> k & 1 ? mods : missing, &g, k);
  }
}

static int print_form(int form, bool is_quiet) {
  const struct ptx_form *f = &ptx_forms[form];
  int gaps = 0;
  for (int n = 0; n < row_count(f); n++) {
    const struct row *r = &rows_of[form][n];
    struct str name = STR_INIT, mods = STR_INIT, missing = STR_INIT;
    describe(f, n, r, &name, &mods, &missing);
    bool is_gap = !r->last || missing.len;
    gaps += is_gap;
    if (is_gap)
      printf("MISSING %s: %s%s\n", name.data,
             r->last ? "no test of " : "no test", r->last ? missing.data : "");
    else if (!is_quiet)
      printf("%s%s%s:%s\n", name.data, mods.len ? " " : "", mods.data,
             r->files.data);
    str_free(&name);
    str_free(&mods);
    str_free(&missing);
  }
  return gaps;
}

// Their effect ends the launch, or cannot be seen: tests/unit/vgpu_engine.c.
static bool is_seen_elsewhere(int op) {
  return op == PTX_OP_TRAP || op == PTX_OP_BRKPT || op == PTX_OP_BRX;
}

static bool has_forms(int op) {
  uint8_t picks[PTX_FORM_GROUPS];
  return ptx_form_find(op, "", 0, picks) != -2;
}

static int print_op(int op, bool is_quiet) {
  if (has_forms(op) || is_seen_elsewhere(op))
    return 0;
  if (!op_last[op]) {
    printf("MISSING %s: no test\n", ptx_op_name((enum ptx_op)op));
    return 1;
  }
  if (!is_quiet)
    printf("%s:%s\n", ptx_op_name((enum ptx_op)op), op_files[op].data);
  return 0;
}

// ---- What real code contains ----

static bool is_listed(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *at = list; (at = strstr(at, word)) != NULL; at += n)
    if ((at == list || at[-1] == '\n') && (at[n] == ' ' || at[n] == '\n'))
      return true;
  return false;
}

static char *read_fixture(const char *path) {
  struct err_info e;
  char *text;
  size_t bytes;
  if (file_read(path, 1 << 20, &text, &bytes, &e)) {
    fprintf(stderr, "%s\n", e.text);
    exit(1);
  }
  return text;
}

static int compare_real(bool is_quiet) {
  char *real = read_fixture("tests/fixtures/ptx-opcodes.txt");
  char *refused = read_fixture("tests/fixtures/ptx-refused.txt");
  int known = 0, named = 0, unknown = 0;
  for (char *word = strtok(real, "\n"); word; word = strtok(NULL, "\n")) {
    size_t n = strcspn(word, ". ");
    int op = op_named(word, n);
    uint8_t picks[PTX_FORM_GROUPS];
    size_t end = strcspn(word, " ");
    if (is_listed(refused, word)) {
      named++;
    } else if (op >= 0 && ptx_form_find(op, word + n, end - n, picks) != -1) {
      known++;
    } else {
      printf("MISSING %s: real code has it\n", word);
      unknown++;
    }
  }
  if (!is_quiet)
    printf("# of %d instructions of real code %d are executed, %d refused by "
           "name\n",
           known + named + unknown, known, named);
  free(real);
  free(refused);
  return unknown;
}

int main(int argc, char **argv) {
  bool is_quiet = argc > 1 && !strcmp(argv[1], "--quiet");
  int gaps = 0, rows = 0;
  for (int n = 0; n < ptx_form_count; n++) {
    rows_of[n] = xcalloc((size_t)row_count(&ptx_forms[n]), sizeof **rows_of);
    rows += row_count(&ptx_forms[n]);
  }
  read_all("tests/ptx/*.ptx");
  read_all("tests/ptx/made/*.ptx");
  for (int n = 0; n < ptx_form_count; n++)
    gaps += print_form(n, is_quiet);
  for (int op = 0; op < PTX_OP_COUNT; op++)
    gaps += print_op(op, is_quiet);
  gaps += compare_real(is_quiet);
  if (!is_quiet || gaps)
    printf("# total: %d rows of %d forms, %d files, %d gaps\n", rows,
           ptx_form_count, file_count, gaps);
  return gaps != 0;
}
