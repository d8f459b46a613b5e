// The hand-written GEMM as a library: one C function that runs any variant, for gemm_hand.py.
#include <algorithm>
#include <cstring>

#include "gemm.cuh"
#include "gemm_plain.cuh"
#include "tk/host/launch.h"
#include "tk/host/tensor_map.h"

namespace {

struct request {
    void *a, *b, *c;
    int m, n, k, band, blocks, promotion;
    cudaStream_t stream;
};

template <class G>
tk::status run(const request& r) {
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&gemm_kernel<G>),
                                    static_cast<int>(sizeof(typename G::shared_memory)),
                                    {},
                                    {},
                                    G::cluster};
    static_assert(sizeof(typename G::shared_memory) <= 232448, "227 KiB a block");
    int device = 0;
    TK_RETURN_IF_FAILED(tk::current_device(device));
    const int64_t m = r.m, n = r.n, k = r.k;
    // Multicast boxes are parts of a tile; the others are the tile's own.
    using a_part = tk::shared_tile<tk::bf16, G::bm / G::cluster_n, G::bk>;
    using b_part = std::conditional_t<G::nt, tk::shared_tile<tk::bf16, G::bn / G::cluster_m, G::bk>,
                                      tk::shared_tile<tk::bf16, G::bk, G::bn>>;
    const auto promotion = static_cast<CUtensorMapL2promotion>(r.promotion);
    CUtensorMap a, b, c;
    TK_RETURN_IF_FAILED(
        tk::encode_tile_map<a_part>(a, {"A", r.a, 2, {m, k}, {k, 1}}, r.c, promotion));
    const tk::tensor_view nt{"B", r.b, 2, {n, k}, {k, 1}}, nn{"B", r.b, 2, {k, n}, {n, 1}};
    TK_RETURN_IF_FAILED(tk::encode_tile_map<b_part>(b, G::nt ? nt : nn, r.c, promotion));
    TK_RETURN_IF_FAILED(tk::encode_tile_map<typename G::c_panel>(c, {"C", r.c, 2, {m, n}, {n, 1}}));
    const int rows = tk::tiles(r.m, G::bm * G::cluster_m);
    const int cols = tk::tiles(r.n, G::bn * G::cluster_n);
    int blocks = 0;
    TK_RETURN_IF_FAILED(tk::resident_blocks(kernel, device, G::threads, blocks));
    if (r.blocks > 0) blocks = std::min(blocks, r.blocks);
    blocks = std::min(blocks / G::cluster, rows * cols) * G::cluster;
    int M = r.m, N = r.n, K = r.k, band = r.band;
    void* arguments[] = {&a, &b, &c, &M, &N, &K, &band};
    return tk::launch(kernel, device, dim3(static_cast<unsigned>(blocks)), G::threads, r.stream,
                      arguments);
}

// name, configuration without the order of B
#define VARIANTS(X)                                       \
    X("128x256", 128, 256, 64, 4, 2)                      \
    X("128x256 flag", 128, 256, 64, 4, 2, 1, 1, 1, true)  \
    X("128x256 cluster 2x1", 128, 256, 64, 4, 2, 1, 2, 1) \
    X("128x256 cluster 2x2", 128, 256, 64, 4, 2, 1, 2, 2) \
    X("128x256 cluster 4x1", 128, 256, 64, 4, 2, 1, 4, 1) \
    X("256x128", 256, 128, 64, 4, 2)                      \
    X("256x128 cluster 1x2", 256, 128, 64, 4, 2, 1, 1, 2) \
    X("128x128", 128, 128, 64, 6, 2)                      \
    X("128x128 cluster 2x1", 128, 128, 64, 6, 2, 1, 2, 1) \
    X("128x64", 128, 64, 64, 7, 2)

struct variant {
    const char* name;
    tk::status (*nn)(const request&);
    tk::status (*nt)(const request&);
};
template <bool Nt, int Bm, int Bn, int Bk, int S, int W, int InFlight = 1, int ClusterM = 1,
          int ClusterN = 1, bool Flag = false>
constexpr auto run_of = &run<gemm_config<Bm, Bn, Bk, S, W, Nt, InFlight, ClusterM, ClusterN, Flag>>;
// The concrete text of gemm_plain.cuh.
tk::status run_plain(const request& r) {
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&gemm::gemm_kernel),
                                    static_cast<int>(sizeof(gemm::shared_memory)),
                                    {},
                                    {}};
    int device = 0;
    TK_RETURN_IF_FAILED(tk::current_device(device));
    const int64_t m = r.m, n = r.n, k = r.k;
    CUtensorMap a, b, c;
    using c_panel = tk::shared_tile<tk::bf16, 64, 64>;
    TK_RETURN_IF_FAILED(tk::encode_tile_map<tk::shared_tile<tk::bf16, 128, 64>>(
        a, {"A", r.a, 2, {m, k}, {k, 1}}, r.c));
    TK_RETURN_IF_FAILED(tk::encode_tile_map<tk::shared_tile<tk::bf16, 64, 256>>(
        b, {"B", r.b, 2, {k, n}, {n, 1}}, r.c));
    TK_RETURN_IF_FAILED(tk::encode_tile_map<c_panel>(c, {"C", r.c, 2, {m, n}, {n, 1}}));
    int M = r.m, N = r.n, K = r.k;
    void* arguments[] = {&a, &b, &c, &M, &N, &K};
    const int programs = tk::tiles(M, 128) * tk::tiles(N, 256);
    const int blocks = std::min(programs, tk::multiprocessors(device));
    return tk::launch(kernel, device, dim3(static_cast<unsigned>(blocks)), 384, r.stream,
                      arguments);
}
tk::status no_nt(const request&) {
    return tk::failure(tk::status_bad_argument, "B [N, K] is not written out");
}

const variant variants[] = {
#define X(name, ...) {name, run_of<false, __VA_ARGS__>, run_of<true, __VA_ARGS__>},
    VARIANTS(X)
#undef X
        {"plain", &run_plain, &no_nt},
};

}  // namespace

// The variant a launcher would take: the fewest steps of the slowest multiprocessor, weighted by
// how well a tile shape keeps the tensor cores fed; clusters where rows do not start at lines of L2
// (multiples of 128 bytes).
extern "C" int gemm_pick(int nt, int m, int n, int k) {
    const int sm = 132;
    const auto waves = [&](int bm, int bn, int places) {
        return (tk::tiles(m, bm) * tk::tiles(n, bn) + places - 1) / places;
    };
    const bool aligned = k % 64 == 0 && (nt || n % 64 == 0);
    const double wide =
        aligned ? waves(128, 256, sm) * 32768.0 : waves(256, 256, sm / 2) * 32768.0 * 1.01;
    const double square = waves(128, 128, sm) * 16384.0 / (aligned ? 0.93 : 0.5);
    const double narrow = waves(128, 64, sm) * 8192.0 / (aligned ? 0.75 : 0.4);
    const char* name = narrow < square && narrow < wide ? "128x64"
                       : square < wide                  ? "128x128"
                       : aligned                        ? "128x256"
                                                        : "128x256 cluster 2x1";
    for (int i = 0;; ++i)
        if (std::strcmp(variants[i].name, name) == 0) return i;
}

extern "C" int gemm_variants() { return sizeof variants / sizeof variants[0]; }
extern "C" const char* gemm_name(int i) { return variants[i].name; }
extern "C" int gemm_run(int i, int nt, void* a, void* b, void* c, int m, int n, int k, int band,
                        int blocks, int promotion, void* stream, char* message, size_t bytes) {
    const request r{a, b, c, m, n, k, band, blocks, promotion, static_cast<cudaStream_t>(stream)};
    return tk::report(nt ? variants[i].nt(r) : variants[i].nn(r), message, bytes);
}
