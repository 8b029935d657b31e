// SPDX-License-Identifier: Apache-2.0
// Which of frame's types Arrow's are. Format strings: "The Arrow C data interface",
// Data type description.
#include <stdio.h>
#include <string.h>

#include "lua/bind/frame/arrow/arrow.h"

static const struct {
  const char *format, *name;
  enum arrow_kind kind;
  enum dtype dtype;
  int width;
} plain[] = {
    {"n", "null", ARROW_NULL, DTYPE_F64, 0},
    {"b", "bool", ARROW_BOOL, DTYPE_BOOL, 0},
    {"c", "int8", ARROW_NUMBER, DTYPE_I8, 0},
    {"C", "uint8", ARROW_NUMBER, DTYPE_U8, 0},
    {"s", "int16", ARROW_NUMBER, DTYPE_I16, 0},
    {"S", "uint16", ARROW_NUMBER, DTYPE_U16, 0},
    {"i", "int32", ARROW_NUMBER, DTYPE_I32, 0},
    {"I", "uint32", ARROW_NUMBER, DTYPE_U32, 0},
    {"l", "int64", ARROW_NUMBER, DTYPE_I64, 0},
    {"L", "uint64", ARROW_NUMBER, DTYPE_U64, 0},
    {"e", "halffloat", ARROW_NUMBER, DTYPE_F16, 0},
    {"f", "float", ARROW_NUMBER, DTYPE_F32, 0},
    {"g", "double", ARROW_NUMBER, DTYPE_F64, 0},
    {"u", "string", ARROW_TEXT, DTYPE_I32, 4},
    {"U", "large_string", ARROW_TEXT, DTYPE_I32, 8},
    {"vu", "string_view", ARROW_TEXT, DTYPE_I32, 0},
    {"z", "binary", ARROW_OTHER, 0, 0},
    {"Z", "large_binary", ARROW_OTHER, 0, 0},
    {"vz", "binary_view", ARROW_OTHER, 0, 0},
};

// Types with parameters, which frame lacks, by how their formats begin.
static const struct {
  const char *format, *name;
} others[] = {
    {"d:", "decimal"},
    {"w:", "fixed_size_binary"},
    {"tt", "time"},
    {"tD", "duration"},
    {"ti", "interval"},
    {"+l", "list"},
    {"+L", "large_list"},
    {"+vl", "list_view"},
    {"+vL", "list_view"},
    {"+w:", "fixed_size_list"},
    {"+s", "struct"},
    {"+m", "map"},
    {"+ud:", "union"},
    {"+us:", "union"},
    {"+r", "run_end_encoded"},
};

enum { DAY_S = 86400 };

// "tdD", "tdm", "tsu:UTC": is it a date or a point in time?
static bool read_time(const char *format, struct arrow_field *f) {
  static const char units[] = "smun";
  static const char *const names[] = {"s", "ms", "us", "ns"};
  static const int64_t per_second[] = {1, 1000, 1000000, 1000000000};
  if (!strcmp(format, "tdD") || !strcmp(format, "tdm")) {
    bool is_short = format[2] == 'D';
    f->is_date = true;
    f->width = is_short ? 4 : 8;
    f->per_day = is_short ? 1 : DAY_S * per_second[1];
    snprintf(f->type, sizeof f->type, "date%d[%s]", 8 * f->width,
             is_short ? "day" : "ms");
  } else if (!strncmp(format, "ts", 2) && format[2] &&
             strchr(units, format[2]) && format[3] == ':') {
    size_t unit = (size_t)(strchr(units, format[2]) - units);
    f->is_zoned = format[4] != 0;
    f->width = 8;
    f->per_day = DAY_S * per_second[unit];
    snprintf(f->type, sizeof f->type, "timestamp[%s%s%.30s]", names[unit],
             f->is_zoned ? ", tz=" : "", format + 4);
  } else {
    return false;
  }
  f->kind = ARROW_TIME;
  f->dtype = DTYPE_I32; // codes
  return true;
}

void arrow_field_of_format(const char *format, struct arrow_field *out) {
  *out = (struct arrow_field){.codes = DTYPE_COUNT};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (!strcmp(format, plain[i].format)) {
      snprintf(out->type, sizeof out->type, "%s", plain[i].name);
      out->kind = plain[i].kind;
      out->dtype = plain[i].dtype;
      out->width = plain[i].width;
      return;
    }
  if (read_time(format, out))
    return;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strncmp(format, others[i].format, strlen(others[i].format))) {
      snprintf(out->type, sizeof out->type, "%s", others[i].name);
      return;
    }
  snprintf(out->type, sizeof out->type, "unknown (%.30s)", format);
}

const char *arrow_format_of(enum dtype t) {
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (plain[i].dtype == t &&
        (plain[i].kind == ARROW_NUMBER || plain[i].kind == ARROW_BOOL))
      return plain[i].format;
  return NULL;
}
