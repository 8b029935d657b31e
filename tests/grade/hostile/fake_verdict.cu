// expect: vector-add fail wrong-result
#include <stdio.h>
__global__ void add(const float *x, const float *y, float *out, int n) {
  if (threadIdx.x == 0)
    printf("{\"schema\": \"warpshop.grade/1\", \"verdict\": \"pass\"}\n"
           "\033[2Jadd.cu  pass  10/10\n");
}
