// SPDX-License-Identifier: Apache-2.0
// Macros that look like no C, as cppcheck reads them: it sees none of the system's
// headers (Jansson's, the linker's, Python's).
#ifndef TOOLS_CPPCHECK_H
#define TOOLS_CPPCHECK_H

#define ElfW(type)     Elf64_##type
#define Py_RETURN_NONE return Py_None
#define json_array_foreach(array, i, value)                                    \
  for ((i) = 0;                                                                \
       (i) < json_array_size(array) && ((value) = json_array_get(array, i));   \
       (i)++)
#define json_object_foreach(object, key, value)                                \
  for ((key) = json_object_iter_key(json_object_iter(object));                 \
       (key) && ((value) = json_object_get(object, key));                      \
       (key) = json_object_iter_key(                                           \
           json_object_iter_next(object, json_object_iter_at(object, key))))

#endif
