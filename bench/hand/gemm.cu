// The hand-written GEMM as a library: one C function that runs any variant, for gemm_hand.py.
#include <algorithm>

#include "gemm.cuh"
#include "tk/host/launch.h"
#include "tk/host/tensor_map.h"

namespace {

struct request {
    void *a, *b, *c;
    int m, n, k, band, blocks;
    cudaStream_t stream;
};

template <class G>
tk::status run(const request& r) {
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&gemm_kernel<G>),
                                    static_cast<int>(sizeof(typename G::shared_memory)), {}};
    static_assert(sizeof(typename G::shared_memory) <= 232448, "227 KiB a block");
    int device = 0;
    TK_RETURN_IF_FAILED(tk::current_device(device));
    const int64_t m = r.m, n = r.n, k = r.k;
    // Multicast boxes are parts of a tile; the others are the tile's own.
    using a_part = tk::shared_tile<tk::bf16, G::share_a ? G::bm / G::cluster : G::bm, G::bk>;
    using b_part = std::conditional_t<G::nt, tk::shared_tile<tk::bf16, G::share_b ? G::bn / G::cluster : G::bn, G::bk>,
                                      tk::shared_tile<tk::bf16, G::bk, G::bn>>;
    CUtensorMap a, b, c;
    TK_RETURN_IF_FAILED(tk::encode_tile_map<a_part>(a, {"A", r.a, 2, {m, k}, {k, 1}}, r.c));
    const tk::tensor_view nt{"B", r.b, 2, {n, k}, {k, 1}}, nn{"B", r.b, 2, {k, n}, {n, 1}};
    TK_RETURN_IF_FAILED(tk::encode_tile_map<b_part>(b, G::nt ? nt : nn, r.c));
    TK_RETURN_IF_FAILED(tk::encode_tile_map<typename G::c_panel>(c, {"C", r.c, 2, {m, n}, {n, 1}}));
    int rows = tk::tiles(r.m, G::bm * (G::share_b ? G::cluster : 1));
    int cols = tk::tiles(r.n, G::bn * (G::share_a ? G::cluster : 1));
    int blocks = r.blocks > 0 ? r.blocks : tk::multiprocessors(device);
    blocks = std::min(blocks / G::cluster, rows * cols) * G::cluster;
    int M = r.m, N = r.n, K = r.k, band = r.band;
    void* arguments[] = {&a, &b, &c, &M, &N, &K, &band};
    return tk::launch(kernel, device, dim3(static_cast<unsigned>(blocks)), G::threads, r.stream, arguments,
                      G::cluster);
}

// name, configuration without the order of B
#define VARIANTS(X)                              \
    X("128x256", 128, 256, 64, 4, 2)             \
    X("128x256 wait 0", 128, 256, 64, 4, 2, 0)   \
    X("128x256 flag", 128, 256, 64, 4, 2, 1, 1, 'm', true) \
    X("128x256 cluster m", 128, 256, 64, 4, 2, 1, 2, 'm') \
    X("256x128", 256, 128, 64, 4, 2)             \
    X("256x128 cluster n", 256, 128, 64, 4, 2, 1, 2, 'n') \
    X("192x192", 192, 192, 64, 4, 3)             \
    X("128x192", 128, 192, 64, 4, 2)             \
    X("128x128", 128, 128, 64, 6, 2)

struct variant {
    const char* name;
    tk::status (*nn)(const request&);
    tk::status (*nt)(const request&);
};
template <bool Nt, int Bm, int Bn, int Bk, int S, int W, int InFlight = 1, int Cluster = 1, char Axis = 'm', bool Flag = false>
constexpr auto run_of = &run<gemm_config<Bm, Bn, Bk, S, W, Nt, InFlight, Cluster, Axis, Flag>>;
const variant variants[] = {
#define X(name, ...) {name, run_of<false, __VA_ARGS__>, run_of<true, __VA_ARGS__>},
    VARIANTS(X)
#undef X
};

}  // namespace

extern "C" int gemm_variants() { return sizeof variants / sizeof variants[0]; }
extern "C" const char* gemm_name(int i) { return variants[i].name; }
extern "C" int gemm_run(int i, int nt, void* a, void* b, void* c, int m, int n, int k, int band, int blocks,
                        void* stream, char* message, size_t bytes) {
    const request r{a, b, c, m, n, k, band, blocks, static_cast<cudaStream_t>(stream)};
    return tk::report(nt ? variants[i].nt(r) : variants[i].nn(r), message, bytes);
}
