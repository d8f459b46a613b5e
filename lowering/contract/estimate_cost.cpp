// Estimates the cycles of one program on one multiprocessor, so that the launcher can choose among
// kernels.
//
//     for k in 0..K by 64 { tma_load 48 KiB; mma 128 x 256 x 64 }; tma_store 64 KiB
//         becomes     program_cost = 1024*ceil_div(K, 64) + 3456
//
// A program is loops that overlap with each other: for every trip count that occurs, what all roles
// do that often is added up by resource, and the busiest of tensor cores and copies counts;
// arithmetic and stores on registers come on top. In a loop with products, the warpgroups of a role
// are at different places of a step, and only the arithmetic of one of them does; where no product
// waits for it, copies go on meanwhile. Where copies of a
// role take programs in turn, what one does outside of its loops of products runs under those of
// the next: a program takes as long as these loops, or its share of all. Next to the last program
// of a block nothing runs, so what it does alone is divided among the block's programs. Grid
// variables, and variables of outer loops, are at the middle of their range. The figures only
// have to rank kernels that do the same work with other tiles; all of them are in `TargetRates`.
#include <algorithm>
#include <cmath>
#include <map>

#include "ir/contract.h"
#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/registers/arithmetic_cost.h"
#include "tiles/tile_function.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// What happens so many times in a program.
struct Load {
    Scalar times;
    double tensor = 0;      // cycles of the tensor cores
    double copy = 0;        // cycles of the copies by hand
    Scalar bulk{};          // cycles of the copy engine, which depend on strides; null: none
    double serial = 0;      // cycles that nothing of the same role hides
    double arithmetic = 0;  // cycles of elementwise work,
    double arithmetic_of_group = 0;  // and that of one warpgroup
    bool feeds = false;              // products may take what it gives
    bool looped = false;
};

// By the text of the trip count.
using Work = std::map<std::string, Load>;

std::int64_t cells(const TileType& t) { return t.rows * t.cols; }
double size_of(const TileType& t) { return static_cast<double>(cells(t) * bytes(t.dtype)); }

class Estimator {
public:
    explicit Estimator(const Kernel& kernel) : kernel_(kernel) {
        for (const Constant& c : kernel.constants) names_[c.name] = c.value;
        for (const GridAxis& axis : kernel.grid) {
            names_[axis.var] = middle(resolve(axis.begin), resolve(axis.end));
        }
        for (const Op& op : kernel.lets) {
            if (const auto* let = as<Let>(op)) names_[let->name] = resolve(let->value);
        }
    }

    Scalar estimate() {
        for (const Role& role : kernel_.roles) add_block(role, role.body, integer(1));
        Scalar total = integer(std::llround(rates_.program));
        Scalar loops = integer(0);
        for (const auto& [text, load] : work_) {
            const Scalar all = mul(cycles(load), load.times);
            total = add(total, all);
            if (load.looped && load.tensor > 0) loops = add(loops, all);
        }
        std::int64_t copies = 1;
        for (const Role& role : kernel_.roles) copies = std::max(copies, role.copies);
        if (copies == 1) return total;
        const Scalar steady = call(Function::max, {loops, ceil_div(total, integer(copies))});
        const Scalar waves =
            ceil_div(resolve(programs_of(kernel_)), integer(rates_.multiprocessors));
        const Scalar at_least_one = call(Function::max, {waves, integer(1)});
        return add(steady, ceil_div(sub(total, steady), at_least_one));
    }

private:
    static Scalar whole(double cycles) { return integer(std::llround(std::ceil(cycles))); }

    Scalar cycles(const Load& load) const {
        const bool beside = load.looped && load.tensor > 0;
        const bool computes = beside && load.arithmetic_of_group > 0;
        const bool adds = computes && !load.feeds;
        const double products = load.tensor + (adds ? rates_.sums + load.arithmetic_of_group : 0);
        const double feeding = computes && !adds ? rates_.turn + load.arithmetic_of_group : 0;
        const double on_top = load.serial + (beside ? feeding : load.arithmetic);
        if (!load.bulk) return whole(std::max(products, load.copy) + on_top);
        const Scalar copies = add(whole(load.copy), load.bulk);
        return add(call(Function::max, {whole(products), copies}), whole(on_top));
    }

    // `if edge { map t .. }`, as skip-full-masks leaves it: a mask is done at edges alone.
    static bool is_mask(const If& branch) {
        return branch.else_body.empty() &&
               std::all_of(branch.then_body.begin(), branch.then_body.end(),
                           [](const Op& op) { return as<Map>(op) != nullptr; });
    }

    // Where rows begin at lines of L2, what the multiprocessor takes in counts; where not, also
    // what L2 gives, which is less where the blocks of a cluster share it.
    Scalar bulk_cycles(const TmaLoad& load) const {
        const double size = size_of(field_type(load.pipeline, load.field));
        const double blocks =
            load.multicast == Split::none ? 1 : static_cast<double>(cluster_size(kernel_));
        const double straight = size / rates_.tma_load;
        const double askew = std::max(straight, size / blocks / rates_.tma_load_unaligned);
        if (askew <= straight) return whole(straight);
        const auto& ranges = load.source.ranges;
        const auto rows = std::find_if(ranges.begin(), ranges.end(),
                                       [](const Range& r) { return r.kind != Range::Kind::index; });
        const Tensor* tensor = find_tensor(kernel_, load.source.tensor);
        const Scalar stride =
            stride_of(tensor->name, static_cast<std::size_t>(rows - ranges.begin()));
        const std::int64_t cells = std::max<std::int64_t>(1, rates_.line / bytes(tensor->dtype));
        const Scalar begins_at_lines =
            call(Function::eq, {call(Function::mod, {stride, integer(cells)}), integer(0)});
        return call(Function::where, {begins_at_lines, whole(straight), whole(askew)});
    }

    // The expression over extents and parameters. Elements of tensors count as 0, and so do numbers
    // that are read from tiles.
    Scalar resolve(const Scalar& s) const {
        const Scalar known = substitute(s, names_);
        return rewrite(known, [](const Scalar& x) -> Scalar {
            return std::holds_alternative<ElementLoad>(x->node) ? integer(0, x->dtype) : nullptr;
        });
    }
    static Scalar middle(const Scalar& begin, const Scalar& end) {
        return floor_div(add(begin, end), integer(2));
    }

    Scalar trips(const For& loop) const {
        const Scalar begin = resolve(loop.begin);
        const Scalar end = resolve(loop.end);
        const Scalar count = ceil_div(sub(end, begin), integer(loop.step));
        const bool never_negative = is_constant(begin) && std::holds_alternative<Symbol>(end->node);
        return never_negative ? count : call(Function::max, {count, integer(0)});
    }

    void add_block(const Role& role, const Block& block, const Scalar& times, bool looped = false) {
        Load* load = nullptr;  // of operations that are done so often
        for (const Op& op : block) {
            if (const auto* let = as<Let>(op)) {
                names_[let->name] = resolve(let->value);
            } else if (const auto* read = as<ReadNumber>(op)) {
                names_[read->name] = integer(0, role.tile(read->source).dtype);
            } else if (const auto* loop = as<For>(op)) {
                const Scalar inner = mul(times, trips(*loop));
                names_[loop->var] = middle(resolve(loop->begin), resolve(loop->end));
                add_block(role, loop->body, inner, true);
            } else if (const auto* branch = as<If>(op)) {
                if (looped && is_mask(*branch)) continue;
                // Either side; as a rule one of them is empty.
                add_block(role, branch->then_body, times, looped);
                add_block(role, branch->else_body, times, looped);
            } else {
                if (load == nullptr)
                    load = &work_.try_emplace(to_string(times), Load{times}).first->second;
                add_op(role, op, *load, looped);
            }
        }
    }

    void add_op(const Role& role, const Op& op, Load& load, bool looped) {
        load.looped = load.looped || looped;
        const auto groups = static_cast<double>(std::max<std::int64_t>(role.warpgroups(), 1));
        const double arithmetic = arithmetic_cycles(kernel_, role, op);
        load.arithmetic += arithmetic;
        load.arithmetic_of_group += arithmetic / groups;
        if (const auto* mma = as<Mma>(op)) {
            load.tensor += mma_cycles(role, *mma);
            load.feeds = load.feeds || role.tile(mma->a).space == Space::registers;
        } else if (const auto* in = as<TmaLoad>(op)) {
            load.bulk = load.bulk ? add(load.bulk, bulk_cycles(*in)) : bulk_cycles(*in);
        } else if (const auto* copy = as<CopyLoad>(op)) {
            const double size = size_of(field_type(copy->pipeline, copy->field));
            if (copy->asynchronous) {
                const Scalar cycles = whole(size / rates_.tma_load);
                load.bulk = load.bulk ? add(load.bulk, cycles) : cycles;
            } else {
                load.copy += size / rates_.copy_cells;
            }
        } else if (as<Take>(op) != nullptr) {
            load.serial += rates_.step;
        } else if (const auto* apply = as<Apply>(op)) {
            load.serial += rules_of(*apply).needs(*apply, role).shared_bytes / rates_.shared;
        } else if (const auto* store = as<TmaStore>(op)) {
            load.serial +=
                groups * size_of(find_buffer(kernel_, store->buffer)->type) / rates_.tma_store;
        } else if (const auto* write = as<WriteShared>(op)) {
            load.serial += groups * access_cycles(role, write->source,
                                                  find_buffer(kernel_, write->buffer)->type);
        } else if (const auto* put = as<WriteTile>(op)) {
            load.serial += access_cycles(role, put->source, role.tile(put->source));
            load.feeds = true;
        } else if (const auto* read = as<ReadShared>(op)) {
            load.serial += access_cycles(role, read->result, role.tile(read->result));
        } else if (const auto* out = as<StoreCells>(op)) {
            load.serial += size_of(role.tile(out->source)) / rates_.copy_cells;
        } else if (const auto* direct = as<LoadCells>(op)) {
            load.serial += size_of(role.tile(direct->result)) / rates_.copy_cells;
        }
    }

    // Of a part of a register tile to or from shared memory. Fragments of 8-bit cells move 2 bytes
    // a lane, in the time of 4.
    double access_cycles(const Role& role, Value registers, const TileType& part) const {
        const bool in_twos = is_8_bit_number(part.dtype) && vector_of(role[registers].layout) == 2;
        return (in_twos ? 2 : 1) * size_of(part) / rates_.shared;
    }

    TileType field_type(const std::string& pipeline, const std::string& field) const {
        const Pipeline* p = find_pipeline(kernel_, pipeline);
        for (const PipelineField& f : p->fields_) {
            if (f.name == field) return f.type;
        }
        return {};
    }

    // wgmma takes N/2 cycles, or as long as its operands take to come from shared memory. By bytes
    // of depth, which is by the type: 8-bit integers have twice the rate of 16 bits, and tf32 half
    // of it (NVIDIA data sheets, dense TOP/s: 1,979, 989 and 495 for an H100 SXM, 624, 312 and 156
    // for an A100).
    double mma_cycles(const Role& role, const Mma& mma) const {
        const TileType& result = role.tile(mma.result);
        const TileType& a = role.tile(mma.a);
        const auto depth =
            static_cast<double>((mma.a_transposed ? a.rows : a.cols) * bytes(a.dtype));
        if (mma.synchronous)
            return static_cast<double>(cells(result)) * depth / rates_.warp_products;
        const double groups = static_cast<double>(std::max<std::int64_t>(role.warpgroups(), 1));
        const bool by_columns = divided_axis(role, mma.result) == Axis::col;
        const auto columns = static_cast<double>(result.cols) / (by_columns ? groups : 1);
        const double blocks = static_cast<double>(result.rows) /
                              static_cast<double>(target_of(kernel_).products.rows) *
                              (by_columns ? groups : 1);
        const double from_a = a.space == Space::shared ? rates_.mma_shared_a : 0;
        const double operands = (from_a + rates_.mma_shared_b * columns) / rates_.mma_operands;
        return blocks * depth / static_cast<double>(target_of(kernel_).products.depth_bytes) *
               std::max(columns / rates_.mma_columns, operands);
    }

    const Kernel& kernel_;
    const TargetRates& rates_ = target_of(kernel_).rates;
    std::map<std::string, Scalar> names_;
    Work work_;
};

}  // namespace

void estimate_cost(PassContext&, Module& module) {
    for (Kernel& kernel : module.kernels) {
        kernel.program_cost = Estimator(kernel).estimate();
    }
}

}  // namespace tkc::lowering
