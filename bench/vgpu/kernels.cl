// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.cu for OpenCL.
kernel void saxpy(float a, global const float *x, global float *y, int n) {
  int i = get_global_id(0);
  if (i < n)
    y[i] = a * x[i] + y[i];
}

kernel void naive(global const float *a, global const float *b, global float *c,
                  int n) {
  int r = get_global_id(1), q = get_global_id(0);
  if (r >= n || q >= n)
    return;
  float s = 0;
  for (int k = 0; k < n; k++)
    s += a[r * n + k] * b[k * n + q];
  c[r * n + q] = s;
}

kernel void tiled(global const float *a, global const float *b, global float *c,
                  int n) {
  local float ta[16][16], tb[16][16];
  int tx = get_local_id(0), ty = get_local_id(1);
  int r = get_group_id(1) * 16 + ty, q = get_group_id(0) * 16 + tx;
  float s = 0;
  for (int p = 0; p < n / 16; p++) {
    ta[ty][tx] = a[r * n + p * 16 + tx];
    tb[ty][tx] = b[(p * 16 + ty) * n + q];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++)
      s += ta[ty][k] * tb[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[r * n + q] = s;
}

float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float c = 0.39894228f * exp(-0.5f * d * d) *
            (k * (0.31938153f +
                  k * (-0.356563782f +
                       k * (1.781477937f +
                            k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}

kernel void black_scholes(global const float *s_, global const float *x_,
                          global const float *t_, global float *call,
                          global float *put, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float r = 0.02f, v = 0.3f, s = s_[i], x = x_[i], t = t_[i];
  float q = sqrt(t), d1 = (log(s / x) + (r + 0.5f * v * v) * t) / (v * q);
  float n1 = normal(d1), n2 = normal(d1 - v * q), e = exp(-r * t);
  call[i] = s * n1 - x * e * n2;
  put[i] = x * e * (1.0f - n2) - s * (1.0f - n1);
}

kernel void reduce(global const float *x, global float *out, int n) {
  local float t[256];
  int i = get_global_id(0), l = get_local_id(0);
  t[l] = i < n ? x[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 128; s > 0; s >>= 1) {
    if (l < s)
      t[l] += t[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = t[0];
}
