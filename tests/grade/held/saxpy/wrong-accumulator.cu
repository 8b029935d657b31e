// wrong: the product is kept in a sum that is never reset, so it grows from element to element
// verdict: fail
// says: the products of a thread are added up on its way
__global__ void saxpy(float a, const float *x, float *y, int n) {
  float result = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    result += a * x[i];
    y[i] = result + y[i];
  }
}
