// right: a tile of cooperative groups for each row, reduced by cg::reduce
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void spmv(const int *start, const int *column, const float *value,
                     const float *x, float *y, int rows) {
  auto row = cg::tiled_partition<32>(cg::this_thread_block());
  int warps = gridDim.x * row.meta_group_size();
  for (int r = blockIdx.x * row.meta_group_size() + row.meta_group_rank();
       r < rows; r += warps) {
    int end = start[r + 1];
    float sum = 0;
    for (int k = start[r] + row.thread_rank(); k < end; k += row.size())
      sum = fmaf(value[k], x[column[k]], sum);
    sum = cg::reduce(row, sum, cg::plus<float>());
    if (row.thread_rank() == 0) y[r] = sum;
  }
}
