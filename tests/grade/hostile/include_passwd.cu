// expect: vector-add compile-error not root:
#include "/etc/passwd"
