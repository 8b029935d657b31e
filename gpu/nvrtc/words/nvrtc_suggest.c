// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the nearest name by edit distance, among CUDA's own names
// and those of the source.
#include "gpu/nvrtc/words/nvrtc_suggest.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "gpu/nvrtc/words/nvrtc_log.h"

static const char *const names[] = {
#define NAME(name) #name,
#include "gpu/nvrtc/words/nvrtc_names.def"
#undef NAME
};

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

char *nvrtc_suggest(const char *word, const char *source) {
  struct nearest b = nearest_to(word);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    nearest_try(&b, names[i], strlen(names[i]));
  for (const char *p = source; *p;) {
    const char *from = p;
    while (is_word(*p))
      p++;
    if (p - from > 1 && !isdigit((unsigned char)*from))
      nearest_try(&b, from, (size_t)(p - from));
    p += p == from;
  }
  return b.name ? xstrndup(b.name, b.bytes) : NULL;
}
