// right: all threads in one row by cooperative groups, an element each at a time
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void outer_sum(const float *a, const float *b, float *out, int rows,
                          int columns) {
  cg::grid_group grid = cg::this_grid();
  unsigned long long count = (unsigned long long)rows * columns;
  for (unsigned long long k = grid.thread_rank(); k < count; k += grid.size()) {
    int r = k / columns;
    int c = k - (unsigned long long)r * columns;
    out[k] = a[r] + b[c];
  }
}
