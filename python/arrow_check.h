// SPDX-License-Identifier: Apache-2.0
// What a producer says of its columns, looked through before its memory is read: lengths,
// counts, buffers that must be there, offsets. How long a buffer is, no producer says:
// it is believed to have as many elements as rows, and a text's as the last offset.
#ifndef PYTHON_ARROW_CHECK_H
#define PYTHON_ARROW_CHECK_H

#include "lua/bind/frame/frame.h"
#include "python/arrow_c.h"

// All are ERR_ARGUMENT, and name the column and the batch.
enum err arrow_check_schema(const struct c_schema *s, struct err_info *e);
// A batch: its rows, and of a struct its children, which are the schema's. On a GPU no
// memory is looked at.
enum err arrow_check_batch(const struct c_array *a, const struct c_schema *s,
                           int batch, bool is_on_gpu, struct err_info *e);
// A column's lengths and how many buffers it has; no memory of theirs is looked at.
enum err arrow_check_lengths(const struct c_array *a,
                             const struct arrow_field *f, int batch,
                             struct err_info *e);
// A column of a batch, or its dictionary: f->codes then is DTYPE_COUNT.
enum err arrow_check_column(const struct c_array *a,
                            const struct arrow_field *f, int batch,
                            struct err_info *e);

#endif
