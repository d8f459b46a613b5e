// The order of global memory: what the emulators find, and what makes it right.
#include <gtest/gtest.h>

#include <functional>

#include "emulator/number.h"
#include "ir/walk.h"
#include "test/unit/emulator_sample.h"

namespace tkc::emulator {
namespace {

constexpr std::uint64_t seeds = 16;
using End = Outcome::End;

// Operations to be put somewhere.
template <class... T>
std::vector<ir::Op> ops(T... nodes) {
    std::vector<ir::Op> list;
    (list.push_back(ir::at(Span{}, nodes)), ...);
    return list;
}

using Predicate = bool (*)(const ir::Op&);
template <class... T>
bool is_any(const ir::Op& op) {
    return ((ir::as<T>(op) != nullptr) || ...);
}

// Puts operations before or after those for which `is` holds.
enum class Side : std::uint8_t { before, behind };
void put(ir::Module& module, Predicate is, Side side, const std::vector<ir::Op>& added) {
    for (ir::Kernel& kernel : module.kernels) {
        for (ir::Role& role : kernel.roles) {
            ir::rebuild(role.body, [&](ir::Op op, ir::Block& out) {
                const bool here = is(op);
                if (!here || side == Side::behind) out.push_back(op);
                if (here) out.insert(out.end(), added.begin(), added.end());
                if (here && side == Side::before) out.push_back(op);
            });
        }
    }
}

// Takes operations out of the first kernel's role `name`.
void take_out(ir::Module& module, const std::string& name, Predicate goes) {
    for (ir::Role& role : module.kernels[0].roles) {
        if (role.name != name) continue;
        ir::rebuild(role.body, [&](ir::Op op, ir::Block& out) {
            if (!goes(op)) out.push_back(std::move(op));
        });
    }
}

// The kernel for every seed: how it ends, always the same way.
Outcome run_all_seeds(const ir::Module& module, const Arguments& arguments,
                      const std::function<void(const Arguments&)>& look = nullptr) {
    Outcome last;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Arguments call = arguments;
        Outcome outcome =
            run(module.kernels[0], ir::Level::scheduled, call, RunOptions{seed, 1, {}});
        if (seed > 0) {
            EXPECT_EQ(outcome.end, last.end) << "seed " << seed << ": " << outcome.text;
        }
        if (look && outcome.end == End::finished) look(call);
        last = std::move(outcome);
    }
    return last;
}

Arguments arguments_of(const std::vector<std::pair<std::string, Tensor>>& tensors) {
    Arguments arguments;
    for (const auto& [name, tensor] : tensors) arguments.tensors[name] = tensor;
    return arguments;
}

double cell(const Tensor& t, std::int64_t row, std::int64_t col) {
    return read_real(t.dtype, t.at(t.origin + row * t.strides[0] + col));
}

const ir::Barrier role_barrier{ir::Scope::role};

// ---- where bulk copies begin -------------------------------------------------------------------

// From a place within 16 bytes a bulk tensor copy is an illegal instruction.
TEST(EmulatorOrder, BulkCopiesBeginAtMultiplesOf16Bytes) {
    const std::string text = R"(
kernel k(X: f32[R, C], out Z: f32[R, 64]) {
    grid (r in R by 64);
    pipeline xs[1]: f32[64, 64];
    role producer(1 warp) { produce xs = tma_load(X[r, 0 +: 64]); }
    role consumer(1 warpgroup) { let x = consume xs; store(Z[r, :], x * 2); }
}
)";
    for (const std::int64_t first : {0, 1, 4, 6, 8}) {
        ir::Module module = sample::compile_text(text, ir::Level::scheduled);
        for (ir::Role& role : module.kernels[0].roles) {
            ir::walk_only<ir::TmaLoad>(role.body, [&](ir::TmaLoad& load) {
                load.source.ranges.back().base = ir::integer(first);
            });
        }
        Arguments call = arguments_of({{"X", sample::matrix(Dtype::f32, 64, 72, 1)},
                                       {"Z", sample::unwritten(Dtype::f32, 64, 64)}});
        const Outcome outcome =
            run(module.kernels[0], ir::Level::scheduled, call, RunOptions{0, 1, {}});
        EXPECT_EQ(outcome.end, first % 4 == 0 ? End::finished : End::hazard)
            << first << ": " << outcome.text;
    }
}

// ---- who does what of a tile -------------------------------------------------------------------

TEST(EmulatorOrder, EveryWarpMovesItsOwnCells) {
    const std::string text = R"(
kernel k(inout Z: f32[R, C]) { grid (r in R by 4, c in C by 64) warps(4); store(Z[r, c], load(Z[r, c]) + 1); }
)";
    const ir::Module module = sample::compile_text(text, ir::Level::scheduled);
    const Arguments call = arguments_of({{"Z", sample::matrix(Dtype::f32, 13, 100, 1)}});
    const Outcome outcome = run_all_seeds(module, call, [&](const Arguments& after) {
        for (std::int64_t r = 0; r < 13; ++r) {
            for (std::int64_t c = 0; c < 100; ++c) {
                ASSERT_EQ(cell(after.tensors.at("Z"), r, c), cell(call.tensors.at("Z"), r, c) + 1);
            }
        }
    });
    EXPECT_EQ(outcome.end, End::finished) << outcome.text;
}

// Rows over several warps, columns of all of them, running sums.
TEST(EmulatorOrder, WarpsExchangeWhatOthersHold) {
    const std::string text = R"(
kernel k(inout Z: f32[R, 1024], out S: f32[R, 1024], out V: f32[ceil_div(R, 4), 1024])
{
    grid (r in R by 4) warps(8);
    let z = load(Z[r, :]);
    let centred = z - sum(z, axis = 1);
    store(Z[r, :], centred);
    store(S[r, :], cumsum(z, axis = 1));
    store(V[r.index, :], sum(z, axis = 0));
}
)";
    const ir::Module module = sample::compile_text(text, ir::Level::scheduled);
    const Tensor z = sample::matrix(Dtype::f32, 20, 1024, 3);
    const Arguments call = arguments_of({{"Z", z},
                                         {"S", sample::unwritten(Dtype::f32, 20, 1024)},
                                         {"V", sample::unwritten(Dtype::f32, 5, 1024)}});
    const Outcome outcome = run_all_seeds(module, call, [&](const Arguments& after) {
        std::vector<double> columns(1024);
        for (std::int64_t r = 0; r < 20; ++r) {
            double sum = 0;
            for (std::int64_t c = 0; c < 1024; ++c) {
                sum += cell(z, r, c);
                if (r < 4) columns[static_cast<std::size_t>(c)] += cell(z, r, c);
                ASSERT_EQ(cell(after.tensors.at("S"), r, c), sum);
            }
            ASSERT_EQ(cell(after.tensors.at("Z"), r, 5), cell(z, r, 5) - sum);
        }
        for (std::int64_t c = 0; c < 1024; ++c) {
            ASSERT_EQ(cell(after.tensors.at("V"), 0, c), columns[static_cast<std::size_t>(c)]);
        }
    });
    EXPECT_EQ(outcome.end, End::finished) << outcome.text;
}

// ---- programs ----------------------------------------------------------------------------------

TEST(EmulatorOrder, ProgramsRaceInEitherOrder) {
    for (const char* row : {"r.start + 4", "r.start - 4"}) {
        const std::string text = std::string("kernel k(inout X: f32[R, C]) { ") +
                                 "grid (r in R by 4, c in C by 64) warps(1); " +
                                 "store(X[r, c], load(X[" + row + " +: 4, c])); }";
        for (const ir::Level level : {ir::Level::tile, ir::Level::scheduled}) {
            const ir::Module module = sample::compile_text(text, level);
            Arguments call = arguments_of({{"X", sample::matrix(Dtype::f32, 12, 64, 1)}});
            const Outcome outcome = run(module.kernels[0], level, call, {});
            EXPECT_EQ(outcome.end, End::hazard) << row << ": " << outcome.text;
            EXPECT_NE(outcome.text.find("reads `X`["), std::string::npos) << outcome.text;
            EXPECT_NE(outcome.text.find("which program"), std::string::npos) << outcome.text;
        }
    }
}

TEST(EmulatorOrder, ScratchHoldsAnything) {
    const std::string text = R"(
kernel k(X: f32[M, 64], scratch S: f32[M, 64], out Y: f32[M, 64])
{
    grid (m in M by 64) warps(4);
    let old = load(S[m, :]);
    store(S[m, :], load(X[m, :]));
    store(Y[m, :], old);
}
)";
    for (const ir::Level level : {ir::Level::tile, ir::Level::scheduled}) {
        const ir::Module module = sample::compile_text(text, level);
        Arguments call = arguments_of({{"X", sample::matrix(Dtype::f32, 70, 64, 1)},
                                       {"S", sample::matrix(Dtype::f32, 70, 64, 2)},
                                       {"Y", sample::unwritten(Dtype::f32, 70, 64)}});
        const Outcome outcome = run(module.kernels[0], level, call, {});
        EXPECT_EQ(outcome.end, End::fault);
        EXPECT_NE(outcome.text.find("which this program has not written"), std::string::npos)
            << outcome.text;
    }
}

// ---- one program -------------------------------------------------------------------------------

// Stored as a row, loaded as a column by other threads.
TEST(EmulatorOrder, OtherThreadsMeetFirst) {
    const std::string text = R"(
kernel k(X: f32[M, 64], inout V: f32[M], out Y: f32[M, 64])
{
    grid (m in M by 64) warps(4);
    let x = load(X[m, :]);
    store(V[m], sum(x, axis = 1));
    store(Y[m, :], x + column(load(V[m])));
}
)";
    Tensor v{Dtype::f32, {100}, {1}, 0, {}};
    v.storage.resize(400);
    const Arguments call = arguments_of({{"X", sample::matrix(Dtype::f32, 100, 64, 1)},
                                         {"V", v},
                                         {"Y", sample::unwritten(Dtype::f32, 100, 64)}});
    ir::Module module = sample::compile_text(text, ir::Level::scheduled);
    take_out(module, module.kernels[0].roles[0].name, is_any<ir::Barrier>);
    const Outcome without = run_all_seeds(module, call);
    EXPECT_EQ(without.end, End::hazard);
    EXPECT_NE(without.text.find("nothing orders it after"), std::string::npos) << without.text;
    put(module, is_any<ir::StoreCells>, Side::behind, ops(role_barrier));
    const Outcome with = run_all_seeds(module, call);
    EXPECT_EQ(with.end, End::finished) << with.text;
}

// The operations needed between stores by threads and a bulk load of the same cells.
Outcome store_then_load_in_bulk(const std::vector<ir::Op>& between) {
    const std::string text = R"(
kernel k(X: f32[M, 64], scratch S: f32[M, 64], out Y: f32[M, 64])
{
    grid (m in M by 64);
    pipeline p[2]: f32[64, 64];
    role a(4 warps) { store(S[m, :], load(X[m, :]) * 2); produce p = tma_load(S[m, :]); }
    role b(1 warpgroup) { consume p as x { let v: f32[64, 64] = x; store(Y[m, :], v); } }
}
)";
    const Arguments call = arguments_of({{"X", sample::matrix(Dtype::f32, 100, 64, 1)},
                                         {"S", sample::unwritten(Dtype::f32, 100, 64)},
                                         {"Y", sample::unwritten(Dtype::f32, 100, 64)}});
    ir::Module module = sample::compile_text(text, ir::Level::scheduled);
    take_out(module, "a", is_any<ir::Barrier, ir::FenceAsync>);
    put(module, is_any<ir::TmaLoad>, Side::before, between);
    return run_all_seeds(module, call);
}

TEST(EmulatorOrder, BulkLoadsNeedAFenceAndThenABarrier) {
    const ir::FenceAsync all{true};
    EXPECT_EQ(store_then_load_in_bulk(ops(all, role_barrier)).end, End::finished);
    EXPECT_EQ(store_then_load_in_bulk(ops()).end, End::hazard);
    EXPECT_EQ(store_then_load_in_bulk(ops(role_barrier)).end, End::hazard);
    EXPECT_EQ(store_then_load_in_bulk(ops(all)).end, End::hazard);
    EXPECT_EQ(store_then_load_in_bulk(ops(role_barrier, all)).end, End::hazard);
    EXPECT_EQ(store_then_load_in_bulk(ops(ir::FenceAsync{false}, role_barrier)).end, End::hazard);
}

TEST(EmulatorOrder, BulkStoresToOnePlaceAreComplete) {
    const std::string text = R"(
kernel k(X: f32[M, N], out Y: f32[M, N])
{
    grid (m in M by 64, n in N by 64);
    role w(1 warpgroup) { let x = load(X[m, n]); for i in 4 { tma_store(Y[m, n], x * f32(i)); } }
}
)";
    const Arguments call = arguments_of({{"X", sample::matrix(Dtype::f32, 100, 72, 1)},
                                         {"Y", sample::unwritten(Dtype::f32, 100, 72)}});
    const auto with = [&](const std::vector<ir::Op>& behind) {
        ir::Module module = sample::compile_text(text, ir::Level::scheduled);
        take_out(module, "w", [](const ir::Op& op) {
            const auto* wait = ir::as<ir::Wait>(op);
            return wait != nullptr && wait->channel == ir::Channel::store_writes;
        });
        put(module, is_any<ir::TmaStore>, Side::behind, behind);
        return run_all_seeds(module, call).end;
    };
    EXPECT_EQ(with(ops()), End::hazard);
    EXPECT_EQ(with(ops(ir::Wait{ir::Channel::store_reads, 0, {}})), End::hazard);
    EXPECT_EQ(with(ops(ir::Wait{ir::Channel::store_writes, 2, {}})), End::hazard);
    EXPECT_EQ(with(ops(ir::Wait{ir::Channel::store_writes, 0, {}})), End::finished);
}

TEST(EmulatorOrder, BulkLoadsAreOverBeforeTheirSourceIsWritten) {
    const std::string text = R"(
kernel k(inout Z: f32[M, 64], out Y: f32[M, 64])
{
    grid (m in M by 64);
    pipeline p[2]: f32[64, 64];
    role a(4 warps) { let z = load(Z[m, :]); produce p = tma_load(Z[m, :]); store(Z[m, :], z * 2); }
    role b(1 warpgroup) { consume p as x { let v: f32[64, 64] = x; store(Y[m, :], v); } }
}
)";
    const Arguments call = arguments_of({{"Z", sample::matrix(Dtype::f32, 100, 64, 1)},
                                         {"Y", sample::unwritten(Dtype::f32, 100, 64)}});
    const auto with = [&](const std::vector<ir::Op>& behind) {
        ir::Module module = sample::compile_text(text, ir::Level::scheduled);
        take_out(module, "a", is_any<ir::Barrier, ir::AwaitCopies>);
        put(module, is_any<ir::Publish>, Side::behind, behind);
        return run_all_seeds(module, call, [&](const Arguments& after) {
            EXPECT_EQ(cell(after.tensors.at("Y"), 70, 9), cell(call.tensors.at("Z"), 70, 9));
        });
    };
    EXPECT_EQ(with(ops()).end, End::hazard);
    EXPECT_EQ(with(ops(role_barrier)).end, End::hazard);
    EXPECT_EQ(with(ops(ir::AwaitCopies{"p"})).end, End::hazard);
    const Outcome outcome = with(ops(ir::AwaitCopies{"p"}, role_barrier));
    EXPECT_EQ(outcome.end, End::finished) << outcome.text;
}

}  // namespace
}  // namespace tkc::emulator
