// Runs the runtime's operations on a GPU against plain loops on the host: every span, order and
// width.
//
//     nvcc -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -I runtime -o runtime_device_test \
//         test/unit/runtime_device_test.cu && ./runtime_device_test
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda.h>

#include "tk/host/launch.h"
#include "tk/host/tensor_map.h"
#include "tk/ptx/wgmma_n008.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n024.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n040.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n072.cuh"
#include "tk/ptx/wgmma_n096.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n160.cuh"
#include "tk/ptx/wgmma_n192.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

namespace {

// d[M, N] = a b, a as tile [M, K] or [K, M], b as [K, N] or [N, K]; a through registers if Rs;
// tiles are filled by TMA if Tma, else by element copies. The result leaves through shared memory
// and TMA if Tma.
template <class T, int M, int N, int K, bool Ta, bool Tb, bool Rs, bool Tma>
struct product {
    using a_tile = std::conditional_t<Ta, tk::shared_tile<T, K, M>, tk::shared_tile<T, M, K>>;
    using b_tile = std::conditional_t<Tb, tk::shared_tile<T, N, K>, tk::shared_tile<T, K, N>>;
    using d_tile = tk::shared_tile<float, M, N>;
    struct shared_memory {
        a_tile a;
        b_tile b;
        d_tile d;
        tk::pipeline<1> ab;
    };
};

template <class T, int M, int N, int K, bool Ta, bool Tb, bool Rs, bool Tma>
__global__ void __launch_bounds__(128, 1)
    product_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                   const __grid_constant__ CUtensorMap D, const T* a, const T* b, float* d) {
    using P = product<T, M, N, K, Ta, Tb, Rs, Tma>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& smem = *reinterpret_cast<typename P::shared_memory*>(memory);
    if (threadIdx.x == 0) {
        smem.ab.init(Tma ? 1 : 4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    const bool leader = tk::warp_index() == 0 && tk::elect_one();
    tk::cursor<1> at;
    smem.ab.wait_empty(at);
    if constexpr (Tma) {
        if (leader) {
            smem.ab.expect(at, smem.a.bytes + smem.b.bytes);
            tk::tma_load(smem.a, A, smem.ab.full[0], 0, 0);
            tk::tma_load(smem.b, B, smem.ab.full[0], 0, 0);
        }
    } else {
        constexpr int ac = P::a_tile::cols, bc = P::b_tile::cols;
        tk::copy_to_shared(smem.a, tk::global_tile<const T>{a, ac, 1, P::a_tile::rows, ac},
                              tk::warpgroup_thread(), 128);
        tk::copy_to_shared(smem.b, tk::global_tile<const T>{b, bc, 1, P::b_tile::rows, bc},
                              tk::warpgroup_thread(), 128);
        smem.ab.publish(at);
    }
    smem.ab.wait_full(at);
    tk::fragment<float, M, N> acc;
    const auto right = [&](auto run) {
        if constexpr (Tb) run(tk::transposed(smem.b));
        else run(smem.b);
    };
    if constexpr (Rs) {
        tk::fragment<T, M, K> left;
        tk::load_shared(left, smem.a, tk::warpgroup_thread());
        right([&](const auto& y) { tk::mma_async(acc, left, y, tk::accumulate_never{}); });
        tk::mma_wait<0>(acc, left);
    } else if constexpr (Ta) {
        right([&](const auto& y) {
            tk::mma_async(acc, tk::transposed(smem.a), y, tk::accumulate_never{});
        });
        tk::mma_wait<0>(acc);
    } else {
        right([&](const auto& y) { tk::mma_async(acc, smem.a, y, tk::accumulate_never{}); });
        tk::mma_wait<0>(acc);
    }
    smem.ab.release(at);
    if constexpr (Tma) {
        tk::store_shared(smem.d, acc, tk::warpgroup_thread());
        __syncthreads();
        tk::load_shared(acc, smem.d,
                        tk::warpgroup_thread());  // and back, so that both directions agree with TMA's placement
        tk::store_shared(smem.d, acc, tk::warpgroup_thread());
        tk::fence_async();
        __syncthreads();
        if (leader) {
            tk::tma_store(D, smem.d, 0, 0);
            tk::tma_store_wait<0>();
        }
    } else {
        tk::store_global(tk::global_tile<float>{d, N, 1, M, N}, acc, tk::warpgroup_thread());
    }
}

float integer() { return static_cast<float>(std::rand() % 9 - 4); }
uint16_t bits_of(float x, tk::bf16*) {
    uint32_t b;
    std::memcpy(&b, &x, 4);
    return static_cast<uint16_t>(b >> 16);  // small integers are exact
}
uint16_t bits_of(float x, tk::f16*) {
    if (x == 0) return 0;
    int e = 0;
    float m = x < 0 ? -x : x;
    while (m >= 2) m /= 2, ++e;
    return static_cast<uint16_t>((x < 0 ? 0x8000 : 0) | (e + 15) << 10 |
                                 static_cast<int>((m - 1) * 1024));
}

int failures = 0;

template <class T, int M, int N, int K, bool Ta, bool Tb, bool Rs, bool Tma>
void check(const char* type) {
    using P = product<T, M, N, K, Ta, Tb, Rs, Tma>;
    std::vector<float> a(M * K), b(K * N);
    std::vector<uint16_t> ha(M * K), hb(K * N);
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < K; ++k)
            ha[Ta ? k * M + i : i * K + k] =
                bits_of(a[i * K + k] = integer(), static_cast<T*>(nullptr));
    for (int k = 0; k < K; ++k)
        for (int j = 0; j < N; ++j)
            hb[Tb ? j * K + k : k * N + j] =
                bits_of(b[k * N + j] = integer(), static_cast<T*>(nullptr));
    T *da, *db;
    float* dd;
    cudaMalloc(&da, M * K * 2);
    cudaMalloc(&db, K * N * 2);
    cudaMalloc(&dd, M * N * 4);
    cudaMemcpy(da, ha.data(), M * K * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(db, hb.data(), K * N * 2, cudaMemcpyHostToDevice);
    cudaMemset(dd, 0xff, M * N * 4);
    constexpr int ar = P::a_tile::rows, ac = P::a_tile::cols, br = P::b_tile::rows,
                  bc = P::b_tile::cols;
    CUtensorMap ma{}, mb{}, md{};
    tk::status s;
    if (Tma) {
        s = tk::encode_tile_map<typename P::a_tile>(ma, {"a", da, 2, {ar, ac}, {ac, 1}});
        if (s.ok())
            s = tk::encode_tile_map<typename P::b_tile>(mb, {"b", db, 2, {br, bc}, {bc, 1}});
        if (s.ok()) s = tk::encode_tile_map<typename P::d_tile>(md, {"d", dd, 2, {M, N}, {N, 1}});
    }
    static tk::kernel_handle kernel{
        reinterpret_cast<const void*>(&product_kernel<T, M, N, K, Ta, Tb, Rs, Tma>),
        static_cast<int>(sizeof(typename P::shared_memory)),
        {}};
    void* arguments[] = {&ma, &mb, &md, &da, &db, &dd};
    if (s.ok()) s = tk::launch(kernel, 0, dim3(1), 128, nullptr, arguments);
    if (s.ok()) s = tk::check_cuda(cudaDeviceSynchronize(), "run");
    std::vector<float> d(M * N);
    cudaMemcpy(d.data(), dd, M * N * 4, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float sum = 0;
            for (int k = 0; k < K; ++k) sum += a[i * K + k] * b[k * N + j];
            wrong += !(sum == d[i * N + j]);
        }
    if (!s.ok() || wrong) {
        std::printf("WRONG %s M %d N %d K %d a.T %d b.T %d registers %d tma %d: %d elements %s\n",
                    type, M, N, K, Ta, Tb, Rs, Tma, wrong, s.sentence);
        ++failures;
    }
    cudaFree(da), cudaFree(db), cudaFree(dd);
}

template <int M, int N, int K>
void check_all() {
    check<tk::bf16, M, N, K, false, false, false, true>("bf16");
    check<tk::bf16, M, N, K, false, true, false, true>("bf16");
    check<tk::bf16, M, N, K, true, false, false, true>("bf16");
    check<tk::bf16, M, N, K, true, true, false, false>("bf16");
    check<tk::f16, M, N, K, false, false, false, false>("f16");
    check<tk::bf16, M, N, K, false, false, true, true>("bf16");
    check<tk::f16, M, N, K, false, true, true, true>("f16");
}

// Row statistics, broadcasting, and stores of a fragment with odd bounds and strides.
__global__ void __launch_bounds__(128, 1)
    rows_kernel(const float* x, tk::bf16* y, float* top, int rows, int cols) {
    tk::fragment<float, 64, 48> f;
    tk::load_global(f, tk::global_tile<const float>{x, cols, 1, rows, cols}, tk::warpgroup_thread());
    tk::column_fragment<float, 64> m;
    tk::map(m, tk::warpgroup_thread(), [](int, int) { return -1e30f; });
    tk::reduce_rows(m, f, [](float a, float b) { return tk::max(a, b); });
    tk::finish_rows(m, [](float a, float b) { return tk::max(a, b); });
    tk::row_fragment<float, 48> w;
    tk::load_global(w, tk::global_tile<const float>{x, 0, 1, 1, cols}, tk::warpgroup_thread());
    tk::fragment<tk::bf16, 64, 48> g;
    tk::map(
        g, tk::warpgroup_thread(),
        [](int row, int col, float v, float a, float b) { return v - a + b + float(row == col); },
        f, m, w);
    tk::store_global(tk::global_tile<tk::bf16>{y, 1, 64, rows, cols},
                     g, tk::warpgroup_thread());  // transposed: y[col, row]
    tk::store_global(tk::global_tile<float>{top, 1, 0, rows, 1}, m, tk::warpgroup_thread());
}

void check_rows() {
    const int rows = 51, cols = 41;
    std::vector<float> x(rows * cols), top(64, 7), got_top(64);
    for (auto& v : x) v = integer();
    std::vector<uint16_t> y(64 * 64), want(64 * 64, 0xffff);
    float *dx, *dt;
    tk::bf16* dy;
    cudaMalloc(&dx, x.size() * 4), cudaMalloc(&dt, 256), cudaMalloc(&dy, 64 * 64 * 2);
    cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dt, top.data(), 256, cudaMemcpyHostToDevice);
    cudaMemset(dy, 0xff, 64 * 64 * 2);
    rows_kernel<<<1, 128>>>(dx, dy, dt, rows, cols);
    for (int i = 0; i < rows; ++i) {
        float t = 0;  // columns 41..47 of the tile are zeros
        for (int j = 0; j < cols; ++j) t = std::max(t, x[i * cols + j]);
        top[i] = t;
        for (int j = 0; j < cols; ++j)
            want[j * 64 + i] = bits_of(x[i * cols + j] - t + x[j] + float(i == j),
                                       static_cast<tk::bf16*>(nullptr));
    }
    cudaMemcpy(y.data(), dy, y.size() * 2, cudaMemcpyDeviceToHost);
    cudaMemcpy(got_top.data(), dt, 256, cudaMemcpyDeviceToHost);
    if (y != want || top != got_top || cudaGetLastError() != cudaSuccess)
        std::printf("WRONG rows\n"), ++failures;
}

// Tiles of 8 bits: from memory to a swizzled tile by TMA, into a fragment, widened two at a time
// and one by one, and back by each way. Every byte occurs.
template <class T, int M, int N>
struct bytes_memory {
    tk::shared_tile<T, M, N> in, out;
    tk::pipeline<1> full;
};
template <class T>
__device__ auto narrowed(float x) {
    if constexpr (std::is_integral_v<T>) return tk::saturated<T>(__float2int_rz(x));
    else return x;
}
template <class T, int M, int N>
__global__ void __launch_bounds__(128, 1)
    bytes_kernel(const __grid_constant__ CUtensorMap In, const __grid_constant__ CUtensorMap Out,
                 float* wide, float* single, T* apart, T* copied) {
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& smem = *reinterpret_cast<bytes_memory<T, M, N>*>(memory);
    if (threadIdx.x == 0) {
        smem.full.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    const int thread = tk::warpgroup_thread();
    const bool leader = tk::warp_index() == 0 && tk::elect_one();
    tk::cursor<1> at;
    smem.full.wait_empty(at);
    if (leader) {
        smem.full.expect(at, smem.in.bytes);
        tk::tma_load(smem.in, In, smem.full.full[0], 0, 0);
    }
    smem.full.wait_full(at);
    tk::fragment<T, M, N> x;
    tk::load_shared(x, smem.in, thread);
    tk::fragment<float, M, N> y, z;
    tk::map(y, [](float cell) { return cell; }, x);
    tk::map(z, [](T cell) { return static_cast<float>(cell); }, x);
    tk::store_global(tk::global_tile<float>{wide, N, 1, M, N}, y, thread);
    tk::store_global(tk::global_tile<float>{single, N, 1, M, N}, z, thread);
    tk::fragment<T, M, N> back;
    tk::map(back, [](float cell) { return narrowed<T>(cell); }, y);
    tk::store_shared(smem.out, back, thread);
    tk::fence_async();
    __syncthreads();
    if (leader) {
        tk::tma_store(Out, smem.out, 0, 0);
        tk::tma_store_wait<0>();
    }
    // By lanes, rows one element further apart, so that every other row starts at an odd place; and
    // cell by cell from shared memory.
    tk::store_global(tk::global_tile<T>{apart, N + 1, 1, M, N}, x, thread);
    tk::copy_to_global(tk::global_tile<T>{copied, N, 1, M, N}, smem.in);
}

// The value of a byte; NaN where it is none. `exponent` bits, with infinities or without.
float value_of(uint8_t byte, int exponent, bool infinities) {
    const int mantissa = 7 - exponent, bias = (1 << (exponent - 1)) - 1;
    const int e = byte >> mantissa & ((1 << exponent) - 1), m = byte & ((1 << mantissa) - 1);
    const bool last = e == (1 << exponent) - 1;
    const float sign = byte & 0x80 ? -1.0f : 1.0f;
    if (infinities && last) return m == 0 ? sign * INFINITY : NAN;
    if (last && m == (1 << mantissa) - 1) return NAN;
    const float one = static_cast<float>(1 << mantissa);
    return sign * (e == 0 ? std::ldexp(m / one, 1 - bias) : std::ldexp(1 + m / one, e - bias));
}
float value_of(uint8_t byte, tk::fp8_e4m3*) { return value_of(byte, 4, false); }
float value_of(uint8_t byte, tk::fp8_e5m2*) { return value_of(byte, 5, true); }
float value_of(uint8_t byte, int8_t*) { return static_cast<int8_t>(byte); }
float value_of(uint8_t byte, uint8_t*) { return byte; }

template <class T, int M, int N>
void check_bytes(const char* type) {
    std::vector<uint8_t> in(M * N), out(M * N), apart(M * (N + 1)), copied(M * N);
    for (int i = 0; i < M * N; ++i) in[i] = static_cast<uint8_t>(i * 37 + i / 256);
    std::vector<float> wide(M * N), single(M * N);
    T *di, *dout, *da, *dc;
    float *dw, *ds;
    cudaMalloc(&di, M * N), cudaMalloc(&dout, M * N), cudaMalloc(&dc, M * N);
    cudaMalloc(&da, M * (N + 1));
    cudaMalloc(&dw, M * N * 4), cudaMalloc(&ds, M * N * 4);
    cudaMemcpy(di, in.data(), M * N, cudaMemcpyHostToDevice);
    using tile = tk::shared_tile<T, M, N>;
    const int box[5] = {tk::box_rows(tile::span, M), tk::box_columns(tile::span, N, 1)};
    CUtensorMap mi{}, mo{};
    tk::status s = tk::encode_tensor_map(mi, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1,
                                         {"in", di, 2, {M, N}, {N, 1}}, box, tile::span);
    if (s.ok())
        s = tk::encode_tensor_map(mo, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1,
                                  {"out", dout, 2, {M, N}, {N, 1}}, box, tile::span);
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bytes_kernel<T, M, N>),
                                    static_cast<int>(sizeof(bytes_memory<T, M, N>)),
                                    {}};
    void* arguments[] = {&mi, &mo, &dw, &ds, &da, &dc};
    if (s.ok()) s = tk::launch(kernel, 0, dim3(1), 128, nullptr, arguments);
    if (s.ok()) s = tk::check_cuda(cudaDeviceSynchronize(), "run");
    cudaMemcpy(wide.data(), dw, M * N * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(single.data(), ds, M * N * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(out.data(), dout, M * N, cudaMemcpyDeviceToHost);
    cudaMemcpy(apart.data(), da, M * (N + 1), cudaMemcpyDeviceToHost);
    cudaMemcpy(copied.data(), dc, M * N, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < M * N; ++i) {
        T* const kind = nullptr;
        const float value = value_of(in[i], kind), back = value_of(out[i], kind);
        if (std::isnan(value)) {
            wrong += !(std::isnan(wide[i]) && std::isnan(single[i]) && std::isnan(back));
        } else {
            const float rounded = std::isinf(value) ? std::copysign(57344.0f, value) : value;
            wrong += wide[i] != value || single[i] != value || back != rounded;
        }
        wrong += apart[i / N * (N + 1) + i % N] != in[i] || copied[i] != in[i];
    }
    if (!s.ok() || wrong) {
        std::printf("WRONG %s %d x %d: %d elements %s\n", type, M, N, wrong, s.sentence);
        ++failures;
    }
    cudaFree(di), cudaFree(dout), cudaFree(da), cudaFree(dc), cudaFree(dw), cudaFree(ds);
}

template <int M, int N>
void check_all_bytes() {
    check_bytes<int8_t, M, N>("i8");
    check_bytes<uint8_t, M, N>("u8");
    check_bytes<tk::fp8_e4m3, M, N>("fp8_e4m3");
    check_bytes<tk::fp8_e5m2, M, N>("fp8_e5m2");
}

// f32 on its way to products of tf32 (docs/decisions/0045-tf32-by-warpgroups.md): rounded by the
// copy engine and by threads, and cut off by the product of a tile that nobody rounded. Products
// with the identity give what they read.
struct tf32_memory {
    tk::shared_tile<tk::tf32, 64, 32> by_engine, by_threads, one;
    tk::shared_tile<float, 64, 32> raw;
    tk::pipeline<1> full;
};
__global__ void __launch_bounds__(128, 1)
    tf32_kernel(const __grid_constant__ CUtensorMap Rounding,
                const __grid_constant__ CUtensorMap Raw, const float* in, const float* identity,
                uint32_t* engine, uint32_t* threads, float* of_engine, float* of_raw) {
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& smem = *reinterpret_cast<tf32_memory*>(memory);
    if (threadIdx.x == 0) {
        smem.full.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    const int thread = tk::warpgroup_thread();
    tk::cursor<1> at;
    smem.full.wait_empty(at);
    if (tk::warp_index() == 0 && tk::elect_one()) {
        smem.full.expect(at, smem.by_engine.bytes + smem.raw.bytes);
        tk::tma_load(smem.by_engine, Rounding, smem.full.full[0], 0, 0);
        tk::tma_load(smem.raw, Raw, smem.full.full[0], 0, 0);
    }
    tk::copy_to_shared(smem.by_threads, tk::global_tile<const float>{in, 32, 1, 64, 32}, thread, 128);
    tk::copy_to_shared(smem.one, tk::global_tile<const float>{identity, 32, 1, 64, 32}, thread, 128);
    tk::fence_async();
    __syncthreads();
    smem.full.wait_full(at);
    for (int i = thread; i < 64 * 32; i += 128) {
        engine[i] = tk::get(smem.by_engine, i / 32, i % 32).bits;
        threads[i] = tk::get(smem.by_threads, i / 32, i % 32).bits;
    }
    tk::fragment<float, 64, 64> x, y;
    tk::mma_async(x, smem.by_engine, tk::transposed(smem.one), tk::accumulate_never{});
    tk::mma_async(y, smem.raw, tk::transposed(smem.one), tk::accumulate_never{});
    tk::mma_wait<0>(x, y);
    tk::store_global(tk::global_tile<float>{of_engine, 64, 1, 64, 64}, x, thread);
    tk::store_global(tk::global_tile<float>{of_raw, 64, 1, 64, 64}, y, thread);
}

uint32_t word_of(float x) {
    uint32_t word;
    std::memcpy(&word, &x, 4);
    return word;
}

void check_tf32() {
    constexpr int count = 64 * 32;
    std::vector<float> in(count), one(count), of_engine(64 * 64), of_raw(64 * 64);
    for (int i = 0; i < 32; ++i) one[i * 32 + i] = 1;
    for (int i = 0; i < count; ++i) {
        // Every low part next to a tie, with an even and an odd number below it, and others.
        const uint32_t low = i % 4 < 3 ? 0xfffu + static_cast<uint32_t>(i % 4) : std::rand() & 0x1fff;
        const uint32_t word = static_cast<uint32_t>(100 + std::rand() % 50) << 23 |
                              static_cast<uint32_t>(std::rand() & 0x3ff) << 13 | low |
                              static_cast<uint32_t>(std::rand() & 1) << 31;
        std::memcpy(&in[i], &word, 4);
    }
    // No product reads these: row 0 is left out below.
    const float special[] = {INFINITY, -INFINITY, NAN, 0.0f, -0.0f, 3.4028235e38f, 1e-40f, 1.17e-38f};
    std::copy(std::begin(special), std::end(special), in.begin());
    float *di, *dn, *dx, *dy;
    uint32_t *de, *dt;
    cudaMalloc(&di, count * 4), cudaMalloc(&dn, count * 4), cudaMalloc(&de, count * 4);
    cudaMalloc(&dt, count * 4), cudaMalloc(&dx, 64 * 64 * 4), cudaMalloc(&dy, 64 * 64 * 4);
    cudaMemcpy(di, in.data(), count * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dn, one.data(), count * 4, cudaMemcpyHostToDevice);
    const int box[5] = {64, 32};
    CUtensorMap rounding{}, raw{};
    const tk::tensor_view view{"in", di, 2, {64, 32}, {32, 1}};
    tk::status s = tk::encode_tensor_map(rounding, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, view, box, 128);
    if (s.ok()) s = tk::encode_tensor_map(raw, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, view, box, 128);
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&tf32_kernel),
                                    static_cast<int>(sizeof(tf32_memory)),
                                    {}};
    void* arguments[] = {&rounding, &raw, &di, &dn, &de, &dt, &dx, &dy};
    if (s.ok()) s = tk::launch(kernel, 0, dim3(1), 128, nullptr, arguments);
    if (s.ok()) s = tk::check_cuda(cudaDeviceSynchronize(), "run");
    std::vector<uint32_t> engine(count), threads(count);
    cudaMemcpy(engine.data(), de, count * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(threads.data(), dt, count * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(of_engine.data(), dx, 64 * 64 * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(of_raw.data(), dy, 64 * 64 * 4, cudaMemcpyDeviceToHost);
    int wrong = 0, even = 0, away = 0;
    for (int i = 0; i < count; ++i) {
        const uint32_t word = word_of(in[i]), below = word & ~0x1fffu, tie = word & 0x1fffu;
        if (std::isnan(in[i])) {
            for (const auto& words : {engine, threads})
                wrong += (words[i] & 0x7f800000u) != 0x7f800000u || (words[i] & 0x7fe000u) == 0;
        } else {
            const uint32_t nearest = below + (tie >= 0x1000 && std::isfinite(in[i]) ? 0x2000 : 0);
            const uint32_t to_even = tie == 0x1000 && (below & 0x2000) == 0 ? below : nearest;
            const bool differ = to_even != nearest;
            wrong += threads[i] != nearest || (engine[i] != nearest && engine[i] != to_even);
            even += differ && engine[i] == to_even, away += differ && engine[i] == nearest;
        }
        if (i < 32) continue;
        const int place = i / 32 * 64 + i % 32;
        wrong += word_of(of_engine[place]) != engine[i] || word_of(of_raw[place]) != below;
    }
    if (!s.ok() || wrong) {
        std::printf("WRONG tf32: %d elements %s\n", wrong, s.sentence);
        ++failures;
    }
    std::printf("tf32: the copy engine took the even number %d times, the one away from zero %d\n",
                even, away);
    cudaFree(di), cudaFree(dn), cudaFree(de), cudaFree(dt), cudaFree(dx), cudaFree(dy);
}

}  // namespace

int main() {
    check_all<64, 128, 64>();  // 128-byte spans
    check_all<64, 96, 96>();   // 64-byte spans
    check_all<64, 16, 16>();   // 32-byte spans
    check_all<64, 72, 48>();   // 16-byte spans for N
    check_all<64, 8, 16>();
    check_all<64, 24, 32>();
    check_all<64, 32, 128>();
    check_all<64, 40, 80>();
    check_all<64, 160, 64>();
    check_all<64, 192, 64>();
    check_all<64, 256, 64>();
    check_all<128, 64, 64>();  // two blocks of rows
    check_all<128, 128, 160>();
    check_rows();
    check_all_bytes<64, 256>();  // spans of 128, 64 and 32 bytes
    check_all_bytes<128, 64>();
    check_all_bytes<64, 96>();
    check_tf32();
    std::printf(failures ? "%d failures\n" : "runtime: all exact\n", failures);
    return failures != 0;
}
