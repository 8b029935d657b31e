// expect: vector-add compile-error
#define A(x) x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x
#define B(x) A(A(x))
#define C(x) B(B(x))
int v[] = {C(C(1,))};
