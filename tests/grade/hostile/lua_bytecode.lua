-- expect: exercises/no-loops compile-error "compile-error"
Lua