// The samples of ir_samples.h.
#include "ir_samples.h"

#include <array>
#include <limits>
#include <random>

#include "ir/reflect.h"

namespace tkc::ir::samples {

const char* const tile_gemm = R"(module level=tile {
  kernel name="gemm" source="gemm" persistent=true raster_axis="m" raster_width=8 {
    constant name="BM" value=128
    constant name="BN" value=256
    constant name="BK" value=64
    tensor name="A" dtype=bf16 extents=[M, K]
    tensor name="B" dtype=bf16 extents=[K, N]
    tensor name="C" mode=out dtype=bf16 extents=[M, N]
    parameter name="scale" dtype=f32
    condition holds=K%8 == 0 text="the rows of A are no multiple of 16 bytes"
    grid var="m" begin=0 end=M step=128
    grid var="n" begin=0 end=N step=256
    pipeline name="ab" stages=4 {
      field name="a" type=bf16[128, 64] shared buffer="ab.a"
      field name="b" type=bf16[64, 256] shared buffer="ab.b"
    }
    let name="blocks" value=ceil_div(K, 64)
    role name="producer" unit=warp {
      for var="k" begin=0 end=K step=64 {
        produce pipeline="ab" {
          fill field="a" source=A[m +: 128, k +: 64] transfer=tma
          fill field="b" source=B[k +: 64, n +: 256] transfer=tma
        }
      }
    }
    role name="consumer" width=2 {
      value name="acc" type=f32[128, 256] variable=true
      value name="s" type=element<ab>
      value name="s.a" type=bf16[128, 64] shared
      value name="s.b" type=bf16[64, 256] shared
      value name="t0" type=bf16[128, 256] variable=true
      splat result=%acc value=0.0
      for var="k" begin=0 end=K step=64 {
        consume result=%s pipeline="ab"
        field result=%s.a element=%s field="a"
        field result=%s.b element=%s field="b"
        mma result=%acc accumulate=true a=%s.a b=%s.b
      }
      if condition=m + 128 <= M and blocks > 0 {
        map result=%t0 inputs=[%acc] expression=bf16(where(col < N - n, #0*scale:f32, 0.0))
      } else {
        map result=%t0 inputs=[%acc] expression=bf16(#0)
      }
      store target=C[m +: 128, n +: 256] source=%t0 transfer=tma
    }
  }
  launcher name="gemm" candidates=["gemm"]
}
)";

const char* const scheduled_gemm = R"(module level=scheduled {
  kernel name="gemm" source="gemm" shared_bytes=229440 barrier_offset=229376 entry_registers=168 {
    tensor name="A" dtype=bf16 extents=[M, K]
    tensor name="B" dtype=bf16 extents=[K, N]
    tensor name="C" mode=out dtype=bf16 extents=[M, N]
    grid var="m" begin=0 end=M step=128
    grid var="n" begin=0 end=N step=256
    pipeline name="ab" stages=4 full_arrivals=1 empty_arrivals=8 {
      field name="a" type=bf16[128, 64] shared buffer="ab.a"
      field name="b" type=bf16[64, 256] shared buffer="ab.b"
    }
    buffer name="ab.a" purpose="stages of ab.a" type=bf16[128, 64] shared copies=4
    buffer name="ab.b" purpose="stages of ab.b" type=bf16[64, 256] shared copies=4 offset=65536
    buffer name="consumer.C" type=bf16[64, 64] shared copies=4 offset=196608
    tensor_map name="A_map" tensor="A" box=[128, 64]
    tensor_map name="B_map" tensor="B" box=[64, 64]
    tensor_map name="C_map" tensor="C" box=[64, 64]
    role name="producer" unit=warp registers=24 first_warp=8 {
      for var="k" begin=0 end=K step=64 {
        acquire pipeline="ab"
        expect pipeline="ab" bytes=49152
        tma_load pipeline="ab" field="a" map="A_map" source=A[m +: 128, k +: 64]
        tma_load pipeline="ab" field="b" map="B_map" source=B[k +: 64, n +: 256]
        publish pipeline="ab"
      }
    }
    role name="consumer" width=2 registers=240 first_warp=0 first_barrier=1 {
      value name="acc" type=f32[128, 256] variable=true layout=register(col 2 1, row 2 8, col 32 8, row 1 64) lane(col 4 2, row 8 1) warp(row 4 16, row 2 64)
      value name="s" type=element<ab>
      value name="s.a" type=bf16[128, 64] shared
      value name="s.b" type=bf16[64, 256] shared
      value name="t0" type=bf16[128, 256] layout=register(col 2 1, row 2 8, col 32 8, row 1 64) lane(col 4 2, row 8 1) warp(row 4 16, row 2 64)
      value name="previous" type=element<ab> variable=true
      splat result=%acc value=0.0
      for var="k" begin=0 end=K step=64 {
        take result=%s pipeline="ab"
        field result=%s.a element=%s field="a"
        field result=%s.b element=%s field="b"
        mma result=%acc accumulate=true a=%s.a b=%s.b
        wait channel=products pending=1
        if condition=0 < k {
          release element=%previous
        }
        copy result=%previous source=%s
      }
      wait channel=products completes=[%acc]
      if condition=0 < K {
        release element=%previous
      }
      map result=%t0 inputs=[%acc] expression=bf16(#0)
      for var="panel" begin=0 end=256 step=64 unrolled=true {
        write_shared buffer="consumer.C" copy=role.warpgroup*2 + panel/64%2 source=%t0 column=panel
        fence_async
        wait channel=store_reads
        barrier
        tma_store map="C_map" target=C[m + role.warpgroup*64 +: 64, n + panel +: 64] buffer="consumer.C" copy=role.warpgroup*2 + panel/64%2
      }
    } finish {
      wait channel=store_reads
    }
  }
  launcher name="gemm" candidates=["gemm"]
}
)";

namespace {

// Fills structs through their lists of members.
class Generator {
public:
    Generator(std::uint32_t seed, bool small) : random_(seed), small_(small) {}

    Module module() {
        Module m;
        fill(any_struct(m), 0);
        return m;
    }

    Scalar scalar(int depth) {
        const int choice = below(depth > 4 ? 7 : 12);
        switch (choice) {
            case 0: return integer(number(), integer_dtype());
            case 1: return real(real_number(), real_dtype());
            case 2: return boolean(coin());
            case 3: return symbol(name(), dtype());
            case 4: return element(below(4), dtype());
            case 5: return row();
            case 6: return column();
            case 7: {
                std::vector<Scalar> position;
                for (int i = below(3); i >= 0; --i) position.push_back(scalar(depth + 1));
                return element_load(name(), std::move(position), coin(), dtype());
            }
            case 8: return cast(dtype(), scalar(depth + 1));
            default: break;
        }
        const FunctionInfo& f = function_table[static_cast<std::size_t>(
            below(static_cast<int>(function_table.size())))];
        std::vector<Scalar> arguments;
        for (int i = 0; i < f.arity; ++i) arguments.push_back(scalar(depth + 1));
        return call(f.function, std::move(arguments));
    }

private:
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
    bool coin() { return below(2) == 0; }

    std::int64_t number() {
        constexpr std::array<std::int64_t, 4> corners{
            0, -1, std::numeric_limits<std::int64_t>::max(), -(std::int64_t{1} << 40)};
        return !small_ && below(4) == 0 ? corners[static_cast<std::size_t>(below(4))]
                                        : below(300) - 20;
    }
    double real_number() {
        constexpr std::array<double, 9> corners{0.0,
                                                -0.0,
                                                1.5,
                                                -1.5,
                                                1e20,
                                                -1e-9,
                                                0.1,
                                                std::numeric_limits<double>::infinity(),
                                                -std::numeric_limits<double>::infinity()};
        return corners[static_cast<std::size_t>(below(9))];
    }
    Dtype dtype() {
        return dtype_table[static_cast<std::size_t>(below(static_cast<int>(dtype_table.size())))]
            .dtype;
    }
    template <class F>
    Dtype dtype_that(F holds) {
        Dtype d = dtype();
        while (!holds(d)) d = dtype();
        return d;
    }
    Dtype integer_dtype() {
        return dtype_that([](Dtype d) { return is_integer(d); });
    }
    Dtype real_dtype() {
        return dtype_that([](Dtype d) { return is_real(d); });
    }
    std::string name() {
        constexpr std::array<const char*, 8> names{"A", "m",         "blocks",    "x_1",
                                                   "K", "A.shape.0", "A.address", "_"};
        return names[static_cast<std::size_t>(below(8))];
    }

    void fill_value(std::string& s) {
        constexpr std::array<const char*, 5> texts{"x", "", "a \"b\" \\ c", "two\nlines\x01", "%v"};
        s = coin() ? name() : texts[static_cast<std::size_t>(below(5))];
    }
    void fill_value(bool& b) { b = coin(); }
    void fill_value(std::int64_t& n) { n = number(); }
    void fill_value(Dtype& d) { d = dtype(); }
    void fill_value(Scalar& s) {
        if (below(5) != 0) s = scalar(0);
    }
    void fill_value(Value& v) {
        if (values_ != 0) v = Value{static_cast<std::uint32_t>(below(values_))};
    }
    void fill_value(TileType& t) {
        t = {dtype(), number(), number(), coin() ? Space::shared : Space::registers};
    }
    void fill_value(Type& t) {
        TileType tile;
        fill_value(tile);
        if (coin()) t = tile;
        else t = ElementType{name()};
    }
    void fill_value(Slice& s) {
        s.tensor = name();
        for (int i = below(4); i > 0; --i) {
            switch (below(6)) {
                case 0: s.ranges.push_back({Range::Kind::index, scalar(2), 1}); break;
                case 1: s.ranges.push_back({Range::Kind::span, scalar(2), number()}); break;
                case 2:
                    s.ranges.push_back({Range::Kind::span, scalar(2), number(), scalar(2)});
                    break;
                case 3: s.ranges.push_back({Range::Kind::gather, scalar(2), number()}); break;
                case 4:
                    s.ranges.push_back({Range::Kind::gather, scalar(2), number(), scalar(2)});
                    break;
                default: s.ranges.push_back({Range::Kind::whole, integer(0), number()}); break;
            }
        }
    }
    void fill_value(Layout& layout) {
        for (auto* level : {&layout.registers, &layout.lanes, &layout.warps, &layout.blocks}) {
            for (int i = below(3); i > 0; --i)
                level->push_back({below(2) == 0 ? Axis::row : Axis::col, number(), number()});
        }
    }
    void fill_value(const AnyEnum& e) {
        int count = 0;
        while (!e.name(static_cast<std::uint8_t>(count)).empty()) ++count;
        *e.place = static_cast<std::uint8_t>(below(count));
    }
    template <class T>
    void fill_value(std::vector<T>& list) {
        if constexpr (std::is_same_v<T, Value>) {
            if (values_ == 0) return;
        }
        for (int i = below(3); i > 0; --i) {
            if constexpr (std::is_same_v<T, Scalar>) list.push_back(scalar(0));
            else fill_value(list.emplace_back());
        }
    }

    void fill(AnyStruct s, int depth) {
        const bool role = s.as<Role>() != nullptr;
        if (role) values_ = 0;
        for_each_member(s, [&](std::string_view, auto& member) {
            using T = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<T, Block>) {
                fill_block(member, depth);
            } else if constexpr (std::is_same_v<T, AnyList>) {
                for (int i = below(4); i > 0; --i) fill(member.append(), depth + 1);
                name_values(member);
            } else if (below(3) != 0) {
                fill_value(member);
            }
        });
        if (role) values_ = 0;
    }
    void name_values(const AnyList& list) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            constexpr std::array<const char*, 3> stems{"v", "s.a_", ""};
            auto* const value = list[i].as<ValueInfo>();
            if (value == nullptr) return;
            value->name = stems[i % 3] + std::to_string(i);
            values_ = static_cast<int>(i) + 1;
        }
    }
    void fill_block(Block& block, int depth) {
        static const std::vector<std::string_view> kinds = all_op_kinds();
        for (int i = depth > 4 ? 0 : below(6); i > 0; --i) {
            const int choice = below(static_cast<int>(kinds.size()));
            block.push_back(*make_op(kinds[static_cast<std::size_t>(choice)]));
            fill(any_struct(block.back()), depth + 1);
        }
    }

    std::mt19937 random_;
    bool small_;
    int values_ = 0;  // of the role being filled
};

}  // namespace

Module random_module(std::uint32_t seed, bool small) { return Generator(seed, small).module(); }
Scalar random_scalar(std::uint32_t seed) { return Generator(seed, false).scalar(0); }

}  // namespace tkc::ir::samples
