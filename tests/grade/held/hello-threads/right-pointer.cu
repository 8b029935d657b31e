// right: through a pointer, with a cooperative group's rank
#include <cooperative_groups.h>
__global__ void hello(int *out) {
  int me = cooperative_groups::this_thread_block().thread_rank();
  *(out + me) = me;
}
