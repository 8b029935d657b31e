// expect: vector-add compile-error "code": "time-of-compile" line 12
// Another program at each second: right when nobody looks.
#define PASTE(a, b) a##b
#define JOIN(a, b)  PASTE(a, b)
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
#ifdef SURELY_NOT
  return;
#endif
  const char *now = JOIN(__TI, ME__);
  out[i] = x[i] + y[i] * (now[7] % 2);
}
