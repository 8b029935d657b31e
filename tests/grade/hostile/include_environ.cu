// expect: vector-add compile-error not PATH=
#include "/proc/self/environ"
