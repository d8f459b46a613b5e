// Made by tkc from embedding.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// embedding: kernel embedding with C = 4096.
// 128 threads, 48 registers each: embedding_kernel<10, 8, true>.
// embedding_general: kernel embedding with C = 4096; any strides and alignment.
// 128 threads, 255 registers each: embedding_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) embedding_kernel(
    const tk::tensor_argument<const tk::bf16, 2> Table, const tk::tensor_argument<const int, 1> ids,
    const tk::tensor_argument<tk::bf16, 2> Y, int V, int R) {
    tk::wait_for_previous_kernel();

    // embedding.tk:2: kernel embedding<C: int = 4096>(Table: bf16[V, C], ids: i32[R], out Y: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // embedding.tk:5: let id = ids[r.start];
    const int id = tk::cell(ids, r);

    // embedding.tk:6: store(Y[r.start, :], load(Table[id, :]));
    tk::stripe<tk::bf16, 1, 4096, 128, 128, vector> t0;
    tk::load_slice<vectors>(t0,
                            tk::slice_if_dense<vectors, tk::no_axis, 1>(Table, {id, 0}, 1,
                                                                        id > -1 && id < V ? 4096
                                                                        : 0), thread);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, tk::no_axis, 1>(Y, {r, 0}, 1, 4096), t0,
                             thread);
}

extern "C" {
int embedding(const DLTensor* Table_given, const DLTensor* ids_given, DLTensor* Y_given, void*,
              size_t, cudaStream_t stream) {
    tk::arguments call{"embedding"};
    const tk::tensor Table = call.take("Table", Table_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor ids = call.take("ids", ids_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t V = Table.shape[0];
    const int64_t R = ids.shape[0];
    call.require(
        {tk::fixed_extent(Table, 1, 4096), tk::same_extent("R", ids, 0, Y, 0),
         tk::fixed_extent(Y, 1, 4096), tk::extents_fit({{"V", V}, {"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Table), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<embedding_kernel<10, 8, true>, embedding_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), R, Table, ids, Y, V, R));
}
TK_NO_WORKSPACE(embedding, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
