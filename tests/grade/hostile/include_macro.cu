// expect: vector-add compile-error not root:
#define PLACE <../../../../../../../../etc/passwd>
#include PLACE
