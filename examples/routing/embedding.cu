// Made by tkc from embedding.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// embedding: kernel embedding of embedding.tk with C = 4096.
//
// Roles:
//   embedding    4 warps (warps 0 to 3), 48 registers a thread
// 128 threads a block, launched with 48 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct embedding_shared {
};

__global__ void __launch_bounds__(128, 10) embedding_kernel(
    const tk::tensor_argument<const tk::bf16, 2> Table, const tk::tensor_argument<const int, 1> ids,
    const tk::tensor_argument<tk::bf16, 2> Y, int V, int R) {
    // embedding.tk:2: kernel embedding<C: int = 4096>(Table: bf16[V, C], ids: i32[R], out Y:
    // bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // embedding.tk:5: let id = ids[r.start];
    const int id = tk::cell(ids, r);

    // embedding.tk:6: store(Y[r.start, :], load(Table[id, :]));
    tk::stripe<tk::bf16, 1, 4096, 128, 128, 8> t0;
    const tk::global_tile<const tk::bf16> Table_tile{tk::address(Table, id, 0), 0, 1, 1,
                                                     id > -1 && id < V ? 4096 : 0};
    tk::load_vectors(t0, Table_tile, thread);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), 0, 1, 1, 4096};
    tk::store_vectors(Y_tile, t0, thread);
}

// embedding_general: kernel embedding of embedding.tk with C = 4096, for tensors of any strides and
// alignment.
//
// Roles:
//   embedding    4 warps (warps 0 to 3), 255 registers a thread
// 128 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct embedding_general_shared {
};

__global__ void __launch_bounds__(128, 1) embedding_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> Table, const tk::tensor_argument<const int, 1> ids,
    const tk::tensor_argument<tk::bf16, 2> Y, int V, int R) {
    // embedding.tk:2: kernel embedding<C: int = 4096>(Table: bf16[V, C], ids: i32[R], out Y:
    // bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // embedding.tk:5: let id = ids[r.start];
    const int id = tk::cell(ids, r);

    // embedding.tk:6: store(Y[r.start, :], load(Table[id, :]));
    tk::stripe<tk::bf16, 1, 4096, 128, 128, 2> t0;
    const tk::global_tile<const tk::bf16> Table_tile{tk::address(Table, id, 0), 0, Table.stride[1],
                                                     1, id > -1 && id < V ? 4096 : 0};
    tk::load_global(t0, Table_tile, thread);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), 0, Y.stride[1], 1, 4096};
    tk::store_global(Y_tile, t0, thread);
}

#include "tk/host/launcher.h"

namespace {
// embedding: C = 4096
tk::status launch_embedding(const tk::launch_site& site, const tk::tensor& Table,
                            const tk::tensor& ids, const tk::tensor& Y, int64_t V, int64_t R) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&embedding_kernel),
                                    static_cast<int>(sizeof(embedding_shared)), {}, {}};
    return tk::launch_kernel(kernel, embedding_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 2>(Table), tk::cells<const int, 1>(ids),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(V), static_cast<int>(R));
}

// embedding_general: C = 4096
tk::status launch_embedding_general(const tk::launch_site& site, const tk::tensor& Table,
                                    const tk::tensor& ids, const tk::tensor& Y, int64_t V,
                                    int64_t R) {
    const int64_t programs = R;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&embedding_general_kernel),
                                    static_cast<int>(sizeof(embedding_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, embedding_general_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 2>(Table), tk::cells<const int, 1>(ids),
                             tk::cells<tk::bf16, 2>(Y), static_cast<int>(V), static_cast<int>(R));
}

tk::status run_embedding(const DLTensor* Table_given, const DLTensor* ids_given, DLTensor* Y_given,
                         cudaStream_t stream) {
    tk::arguments call{"embedding"};
    const tk::tensor Table = call.take("Table", Table_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor ids = call.take("ids", ids_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t V = Table.shape[0];
    const int64_t R = ids.shape[0];

    call.require(Table.shape[1] == 4096, "axis 1 of `Table` is {}; this kernel is made for 4096",
                 {Table.shape[1]});
    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `ids`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == 4096, "axis 1 of `Y` is {}; this kernel is made for 4096",
                 {Y.shape[1]});
    call.require(V < 2147221504, "`V` is {}; extents must be less than 2147221504", {V});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // embedding
    choice.prefer(Table.stride[1] == 1);
    choice.prefer(Table.address % 16 == 0);
    choice.prefer(Table.stride[0] % 8 == 0 && 0 < Table.stride[0] &&
                  Table.stride[0] < 549755813888);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(R, 2524);
    choice.candidate(true);  // embedding_general
    choice.offer(R, 2524);
    if (choice.best() == 0) return launch_embedding(site, Table, ids, Y, V, R);
    if (choice.best() == 1) return launch_embedding_general(site, Table, ids, Y, V, R);
    return choice.result();
}

}  // namespace

extern "C" {
int embedding(const DLTensor* Table_given, const DLTensor* ids_given, DLTensor* Y_given, void*,
              size_t, cudaStream_t stream) {
    return tk::finish(run_embedding(Table_given, ids_given, Y_given, stream));
}

size_t embedding_workspace(const DLTensor*, const DLTensor*, DLTensor*) {
    return 0;
}

const char* embedding_error() {
    return tk::last_sentence;
}
}  // extern "C"
