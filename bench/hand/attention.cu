// The hand-written attention as a library: one C function that runs any variant, for
// attention_hand.py.
#include "attention.cuh"

#include <algorithm>

#include "tk/host/launch.h"
#include "tk/host/tensor_map.h"

namespace {

struct request {
    void *q, *k, *v, *o;
    float* lse;
    float scale;
    int batches, heads, kv_heads, m, n;
    cudaStream_t stream;
};

template <class C>
tk::status run(const request& r) {
    static tk::kernel_handle kernel{
        reinterpret_cast<const void*>(&attention::attention_kernel<C>),
        static_cast<int>(sizeof(typename C::shared_memory)),
        {},
        {}};
    int device = 0;
    TK_RETURN_IF_FAILED(tk::current_device(device));
    CUtensorMap q, k, v, o;
    const auto view = [](const char* name, void* data, int64_t b, int64_t h, int64_t n) {
        return tk::tensor_view{
            name, data, 4, {b, h, n, C::d}, {h * n * C::d, n * C::d, C::d, 1}};
    };
    using rows = tk::shared_tile<tk::bf16, C::bm, C::d>;
    using keys = tk::shared_tile<tk::bf16, C::bn, C::d>;
    using part = tk::shared_tile<tk::bf16, 64, C::d>;
    TK_RETURN_IF_FAILED(
        tk::encode_tile_map<rows>(q, view("Q", r.q, r.batches, r.heads, r.m), r.o));
    TK_RETURN_IF_FAILED(
        tk::encode_tile_map<keys>(k, view("K", r.k, r.batches, r.kv_heads, r.n), r.o));
    TK_RETURN_IF_FAILED(
        tk::encode_tile_map<keys>(v, view("V", r.v, r.batches, r.kv_heads, r.n), r.o));
    TK_RETURN_IF_FAILED(
        tk::encode_tile_map<part>(o, view("O", r.o, r.batches, r.heads, r.m), r.o));
    float* lse = r.lse;
    float scale = r.scale;
    int B = r.batches, H = r.heads, HKV = r.kv_heads, M = r.m, N = r.n;
    void* arguments[] = {&q, &k, &v, &o, &lse, &scale, &B, &H, &HKV, &M, &N};
    const int programs = tk::tiles(M, C::bm) * H * B;
    const int blocks = std::min(programs, tk::multiprocessors(device));
    return tk::launch(kernel, device, dim3(static_cast<unsigned>(blocks)), C::threads, r.stream,
                      arguments);
}

using attention::turns;

// name, D, configuration; full and causal
#define VARIANTS(X)                                                                       \
    X("64 128x128 q2", 64, 128, 128, 2, turns::products, 2, true)                         \
    X("64 192x128 q2", 64, 192, 128, 2, turns::products, 2, true)                         \
    X("128 128x128 q2", 128, 128, 128, 2, turns::products, 2, true, true)                 \
    X("128 128x160 q2", 128, 128, 160, 2, turns::products, 2, true)                       \
    X("128 128x128 registers", 128, 128, 128, 1, turns::none, 2, true, true, true)        \
    X("256 128x80", 256, 128, 80, 1, turns::products, 2, true)

struct variant {
    const char* name;
    int d;
    tk::status (*full)(const request&);
    tk::status (*causal)(const request&);
};
const variant variants[] = {
#define X(name, d, bm, bn, ...)                                          \
    {name, d, &run<attention::config<d, bm, bn, false, __VA_ARGS__>>, \
     &run<attention::config<d, bm, bn, true, __VA_ARGS__>>},
    VARIANTS(X)
#undef X
};
constexpr int count = static_cast<int>(sizeof(variants) / sizeof(variants[0]));

}  // namespace

extern "C" int attention_variants() { return count; }
extern "C" const char* attention_name(int i) { return variants[i].name; }
extern "C" int attention_head_dimension(int i) { return variants[i].d; }

// Q, O: [B, H, M, D], K, V: [B, HKV, N, D], LSE: [B, H, M], dense. Returns a status code and a
// message of up to 256 bytes.
extern "C" int attention_run(int i, int causal, void* q, void* k, void* v, void* o, void* lse,
                             float scale, int batches, int heads, int kv_heads, int m, int n, void* stream, char* message) {
    const request r{q, k, v, o, static_cast<float*>(lse), scale, batches, heads, kv_heads, m, n, static_cast<cudaStream_t>(stream)};
    return tk::report(causal != 0 ? variants[i].causal(r) : variants[i].full(r), message, 256);
}
