// SPDX-License-Identifier: Apache-2.0
// A learner's compiler options against the table of those that are allowed.
#include "gpu/nvrtc/worker/worker.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

enum value { NONE, DEFINE, NAME, BOOL, NUMBER, STD };

static const struct option {
  const char *text;
  enum value value;
} options_known[] = {
#define OPTION(text, value) {text, value},
#include "gpu/nvrtc/worker/nvrtc_options.def"
#undef OPTION
};

enum { KNOWN = sizeof options_known / sizeof *options_known };

static size_t name_bytes(const char *p) {
  size_t n = 0;
  if (isdigit((unsigned char)*p))
    return 0;
  while (isalnum((unsigned char)p[n]) || p[n] == '_')
    n++;
  return n;
}

static bool is_std(const char *p) {
  static const char *const known[] = {"c++11", "c++14", "c++17", "c++20"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(p, known[i]))
      return true;
  return false;
}

// `p` is what follows the option's text.
static bool is_value(enum value kind, const char *p) {
  size_t n = name_bytes(p);
  switch (kind) {
  case NONE: return !*p;
  case DEFINE: return n && (!p[n] || p[n] == '=');
  case NAME: return n && !p[n];
  case BOOL: return !strcmp(p, "true") || !strcmp(p, "false");
  case NUMBER: return *p && strspn(p, "0123456789") == strlen(p);
  case STD: return is_std(p);
  }
  return false;
}

static bool is_allowed(const char *option) {
  for (int i = 0; i < KNOWN; i++)
    if (str_starts(option, options_known[i].text) &&
        is_value(options_known[i].value,
                 option + strlen(options_known[i].text)))
      return true;
  return false;
}

static void list_allowed(struct str *s) {
  static const char *const shown[] = {
      [NONE] = "",     [DEFINE] = "NAME[=VALUE]",
      [NAME] = "NAME", [BOOL] = "true|false",
      [NUMBER] = "N",  [STD] = "c++11|14|17|20"};
  for (int i = 0; i < KNOWN; i++)
    if (!str_starts(options_known[i].text, "--") ||
        options_known[i].value == NONE)
      str_addf(s, "%s%s%s", s->len ? ", " : "", options_known[i].text,
               shown[options_known[i].value]);
}

enum err nvrtc_check_options(const char *const *options, int count,
                             struct err_info *e) {
  if (count < 0 || count > NVRTC_MAX_OPTIONS)
    return err_set(e, ERR_ARGUMENT, "%d options; at most %d are taken", count,
                   NVRTC_MAX_OPTIONS);
  for (int i = 0; i < count; i++) {
    if (strlen(options[i]) <= NVRTC_MAX_OPTION_BYTES && is_allowed(options[i]))
      continue;
    struct str list = STR_INIT;
    list_allowed(&list);
    err_set(e, ERR_ARGUMENT,
            "option \"%.80s\" is not allowed here; these are: %s", options[i],
            list.data);
    str_free(&list);
    return ERR_ARGUMENT;
  }
  return ERR_OK;
}
