// SPDX-License-Identifier: Apache-2.0
// Looks words up in glossary.def.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/text/text.h"
#include "repl/command/command.h"

static const struct {
  const char *word, *others, *text;
} terms[] = {
#define TERM(word, others, text) {word, others, text},
#include "repl/command/glossary.def"
#undef TERM
};

// Is `term` one of the names in "a, b, c"?
static bool is_among(const char *names, const char *term) {
  size_t n = strlen(term);
  for (const char *p = names; *p;) {
    size_t bytes = strcspn(p, ",");
    if (bytes == n && !strncasecmp(p, term, n))
      return true;
    p += bytes + strspn(p + bytes, ", ");
  }
  return false;
}

static const char *find(const char *term) {
  for (size_t i = 0; *term && i < sizeof terms / sizeof *terms; i++)
    if (!strcasecmp(terms[i].word, term) || is_among(terms[i].others, term))
      return message(terms[i].text);
  return NULL;
}

// As the word stands in a kernel, too: threadIdx.x, __syncthreads().
const char *glossary_find(const char *term) {
  const char *text = find(term);
  if (text)
    return text;
  char *word = xstrndup(term, strcspn(term, ".("));
  text = find(word);
  free(word);
  return text;
}

const char *glossary_word(int i) {
  size_t count = sizeof terms / sizeof *terms;
  return (size_t)i < count ? terms[i].word : NULL;
}

void glossary_try(struct nearest *near) {
  for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
    nearest_try(near, terms[i].word, strlen(terms[i].word));
}
