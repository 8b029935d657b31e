// SPDX-License-Identifier: Apache-2.0
// The structures of Arrow's C data, stream and device interfaces (arrow.apache.org,
// "The Arrow C data interface"), which are laid out as there for good.
#ifndef PYTHON_ARROW_C_H
#define PYTHON_ARROW_C_H

#include <stdint.h>

#define C_SCHEMA_NAME        "arrow_schema"
#define C_ARRAY_NAME         "arrow_array"
#define C_STREAM_NAME        "arrow_array_stream"
#define C_DEVICE_ARRAY_NAME  "arrow_device_array"
#define C_DEVICE_STREAM_NAME "arrow_device_array_stream"

enum { C_NULLABLE = 2, C_ON_CPU = 1, C_ON_CUDA = 2, C_ON_PINNED = 3 };

struct c_schema {
  const char *format, *name, *metadata;
  int64_t flags, child_count;
  struct c_schema **children, *dictionary;
  void (*release)(struct c_schema *s); // NULL: there is nothing (any more)
  void *own;
};

struct c_array {
  int64_t rows, missing, first, buffer_count, child_count;
  const void **buffers;
  struct c_array **children, *dictionary;
  void (*release)(struct c_array *a);
  void *own;
};

struct c_stream {
  int (*get_schema)(struct c_stream *s, struct c_schema *out);
  int (*get_next)(struct c_stream *s, struct c_array *out);
  const char *(*get_last_error)(struct c_stream *s);
  void (*release)(struct c_stream *s);
  void *own;
};

struct c_device_array {
  struct c_array array;
  int64_t device;
  int32_t kind;
  void *event; // of CUDA's a pointer to one, or NULL: it is there
  int64_t reserved[3];
};

struct c_device_stream {
  int32_t kind;
  int (*get_schema)(struct c_device_stream *s, struct c_schema *out);
  int (*get_next)(struct c_device_stream *s, struct c_device_array *out);
  const char *(*get_last_error)(struct c_device_stream *s);
  void (*release)(struct c_device_stream *s);
  void *own;
};

#endif
