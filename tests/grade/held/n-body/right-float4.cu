// right: x, y and m of a body side by side in a float4 on the desk, with a body of no mass behind the end
__device__ void add_pull(float dx, float dy, float m, float *ax, float *ay) {
  float near = rsqrtf(dx * dx + dy * dy + 1);
  float by = m * near * near * near;
  *ax += by * dx;
  *ay += by * dy;
}
__global__ void pull(const float *x, const float *y, const float *m, float *ax, float *ay, int n) {
  __shared__ float4 body[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float2 me = i < n ? make_float2(x[i], y[i]) : make_float2(0, 0), sum = {0, 0};
  for (int first = 0; first < n; first += blockDim.x) {
    int j = first + t;
    body[t] = j < n ? make_float4(x[j], y[j], m[j], 0) : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < blockDim.x; k++) {
      float4 b = body[k];
      add_pull(b.x - me.x, b.y - me.y, b.z, &sum.x, &sum.y);
    }
    __syncthreads();
  }
  if (i < n) ax[i] = sum.x, ay[i] = sum.y;
}
