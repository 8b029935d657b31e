// SPDX-License-Identifier: Apache-2.0
// warpshop class book: which command, its options, the book it is about.
#include "class/book/book_main.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "class/book/book.h"
#include "class/book/rule.h"
#include "grade/command.h"
#include "grade/input/input.h"

static const struct command {
  const char *name;
  int (*run)(const struct book_call *call);
  int least, most;
  const char *options, *args, *what;
} commands[] = {
#define COMMAND(name, function, least, most, options, args, what)              \
  {name, function, least, most, options, args, what},
#include "class/book/command.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct option options[] = {
#define OPTION(letter, name, has_value)                                        \
  {name, has_value ? required_argument : no_argument, NULL, letter},
#include "class/book/option.def"
#undef OPTION
    {NULL, 0, NULL, 0},
};

static const char about[] = "A gradebook is one file on your own disk (--book "
                            "FILE, else $WARPSHOP_BOOK,\n"
                            "else book.sqlite in this folder). What happens is "
                            "added to it with its author\n"
                            "and reason and never changed; a mark is what "
                            "follows, and says how. Commands\n"
                            "that write take --author NAME, --reason TEXT, and "
                            "--dry-run, which shows what\n"
                            "would change and changes nothing. "
                            "docs/teaching.md goes through a course.\n";

// ---- What the commands share ----

int book_call_fail(enum err err, const struct err_info *e) {
  return command_say(err == ERR_IO || err == ERR_NOT_READY ? EXIT_NO_MACHINE
                                                           : EXIT_WRONG_USAGE,
                     e->text);
}

void book_call_print(const char *text) {
  char *clean = text_clean(text, strlen(text), SIZE_MAX, 0);
  puts(clean);
  free(clean);
}

static void add_mark(struct str *s, const json_t *mark) {
  char value[MARK_TEXT], of[MARK_TEXT];
  if (!mark)
    str_add(s, "none");
  else
    str_addf(
        s, "%s of %s",
        rule_show_points(value,
                         json_integer_value(json_object_get(mark, "mark"))),
        rule_show_points(of, json_integer_value(json_object_get(mark, "of"))));
}

static bool is_computed_anew(const struct mark_change *c) {
  return c->from && c->to && json_object_get(c->to, "override") &&
         !json_equal(json_object_get(c->from, "computed"),
                     json_object_get(c->to, "computed"));
}

static void add_computed(struct str *s, const json_t *mark) {
  const json_t *value = json_object_get(mark, "computed");
  char text[MARK_TEXT];
  str_add(s,
          value ? rule_show_points(text, json_integer_value(value)) : "none");
}

void book_call_changed(void *context, const struct mark_change *change) {
  struct book_changes *changes = context;
  struct str s = STR_INIT;
  if (!change->is_other && !is_computed_anew(change))
    return;
  str_addf(&s, "  %-16s %-20s ", change->learner, change->exercise);
  if (change->is_other) {
    changes->count++;
    add_mark(&s, change->from);
    str_add(&s, " -> ");
    add_mark(&s, change->to);
  } else {
    add_mark(&s, change->to);
    str_add(&s, " stays, an instructor's own; computed: ");
    add_computed(&s, change->from);
    str_add(&s, " -> ");
    add_computed(&s, change->to);
  }
  book_call_print(s.data);
  str_free(&s);
}

int book_call_write(const struct book_call *call,
                    void (*work)(const struct book_call *call)) {
  struct err_info e;
  bool is_dry = call->options['n'] != NULL;
  book_begin(call->book, true);
  work(call);
  enum err err = is_dry ? book_undo(call->book, &e) : book_end(call->book, &e);
  if (err)
    return book_call_fail(err, &e);
  if (is_dry)
    puts("Nothing was changed (--dry-run).");
  return 0;
}

// ---- Which command ----

static int usage(const struct command *c, const char *text) {
  fprintf(stderr, "warpshop: %s\n", text);
  if (c)
    fprintf(stderr, "usage: warpshop class book %s %s\n", c->name, c->args);
  else
    fprintf(stderr, "usage: warpshop class book COMMAND [--book FILE]; "
                    "--help lists the commands\n");
  return EXIT_WRONG_USAGE;
}

// In lines of 78 columns; those behind the first begin `hang` columns later.
static void print_wrapped(const char *text, int indent, int hang) {
  int column = indent;
  printf("%*s", indent, "");
  for (bool is_first = true; *text; is_first = false) {
    int n = (int)strcspn(text, " ");
    if (!is_first && column + 1 + n > 78)
      column = printf("\n%*s", indent + hang, "") - 1;
    else if (!is_first)
      column += printf(" ");
    column += printf("%.*s", n, text);
    text += n + strspn(text + n, " ");
  }
  putchar('\n');
}

static int help(void) {
  puts("usage: warpshop class book COMMAND [--book FILE]\n");
  for (int i = 0; i < COMMANDS; i++) {
    char *line = xasprintf("%s %s", commands[i].name, commands[i].args);
    print_wrapped(line, 2, 4);
    print_wrapped(commands[i].what, 10, 0);
    free(line);
  }
  printf("\n%s", about);
  return 0;
}

static const struct command *find(const char *name) {
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i].name, name))
      return &commands[i];
  return NULL;
}

static bool takes(const struct command *c, int letter) {
  bool is_writing = strchr(c->options, 'w') != NULL;
  return letter == 'b' || strchr(c->options, letter) ||
         (is_writing && strchr("Arn", letter));
}

// 0, or an exit code.
static int read_options(const struct command *c, int argc, char **argv,
                        struct book_call *call) {
  char text[200];
  optind = 0;
  opterr = 0;
  for (int o; (o = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
    if (o == ':' || o == '?' || !takes(c, o)) {
      snprintf(text, sizeof text, "book %s: %s %s", c->name, argv[optind - 1],
               o == ':' ? "needs a value" : "is no option of it");
      return usage(c, text);
    }
    call->options[o] = optarg ? optarg : "";
  }
  call->count = argc - optind;
  call->words = argv + optind;
  if (call->count < c->least || (c->most >= 0 && call->count > c->most)) {
    snprintf(text, sizeof text, "book %s: too %s words", c->name,
             call->count < c->least ? "few" : "many");
    return usage(c, text);
  }
  return 0;
}

static int run(const struct command *c, struct book_call *call) {
  const char *path = call->options['b'], *own = getenv("WARPSHOP_BOOK");
  struct err_info e;
  struct book_open q = {.path = path  ? path
                                : own ? own
                                      : "book.sqlite",
                        .author = call->options['A'],
                        .is_new = !strcmp(c->name, "new")};
  enum err err = book_open(&q, &call->book, &e);
  if (err)
    return book_call_fail(err, &e);
  int code = c->run(call);
  book_close(call->book);
  // What was to be read is not there where the output is full.
  if (fflush(stdout) || ferror(stdout))
    return command_say(EXIT_NO_MACHINE, "the output cannot be written");
  return code;
}

int book_main(int argc, char **argv, const struct book_return *back) {
  const char *name = argc > 1 ? argv[1] : "--help";
  struct book_call call = {.back = back};
  if (!strcmp(name, "--help") || !strcmp(name, "-h"))
    return help();
  const struct command *c = find(name);
  if (!c) {
    char text[200];
    snprintf(text, sizeof text, "class book has no command \"%.100s\"", name);
    return usage(NULL, text);
  }
  for (int i = 2; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      printf("usage: warpshop class book %s %s\n%s\n", c->name, c->args,
             c->what);
      return 0;
    }
  int code = read_options(c, argc - 1, argv + 1, &call);
  return code ? code : run(c, &call);
}
