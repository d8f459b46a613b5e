// Multiples among the positions of slices.
#include "lowering/vector_access.h"

#include <algorithm>
#include <set>
#include <string>

#include "ir/contract.h"
#include "ir/walk.h"
#include "language/function_cases.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// Finds out whether positions of one role, or extents, are multiples of a number.
class Multiples {
public:
    Multiples(const Kernel& kernel, std::int64_t of) : kernel_(kernel), of_(of) {
        for (const Condition& c : kernel.conditions) {
            if (!c.selects) learn(with_constants(kernel, c.holds));
        }
    }
    Multiples(const Kernel& kernel, const Role& role, std::int64_t of) : Multiples(kernel, of) {
        for (const GridAxis& axis : kernel.grid) {
            if (axis.step % of == 0 && is_multiple(axis.begin)) names_.insert(axis.var);
        }
        // A name stands for one thing in a role, wherever it is defined.
        for (const Block* block : {&kernel.lets, &role.body}) {
            walk(*block, [&](const Op& op) {
                const Let* let = as<Let>(op);
                const For* loop = as<For>(op);
                if (let != nullptr && is_multiple(let->value)) names_.insert(let->name);
                if (loop != nullptr && loop->step % of == 0 && is_multiple(loop->begin))
                    names_.insert(loop->var);
            });
        }
    }

    bool is_multiple(const Scalar& written) const {
        if (!written) return true;
        const Scalar s = with_constants(kernel_, written);
        std::int64_t value = 0;
        if (is_constant(s, &value)) return value % of_ == 0;
        if (const auto* name = std::get_if<Symbol>(&s->node)) return names_.contains(name->name);
        const auto* call = std::get_if<Call>(&s->node);
        if (call == nullptr) return false;
        const std::vector<Scalar>& a = call->arguments;
        switch (call->function) {
            case Function::add:
            case Function::sub:
            case Function::min:
            case Function::max: return is_multiple(a[0]) && is_multiple(a[1]);
            case Function::mul: return is_multiple(a[0]) || is_multiple(a[1]);
            case Function::div:
            case Function::neg:
            case Function::abs:
            case TKC_LOGIC:
            case TKC_COMPARISONS:
            case TKC_BIT_FUNCTIONS:
            case TKC_INTEGER_FUNCTIONS:
            case TKC_REAL_FUNCTIONS:
            case TKC_BIT_PATTERNS:
            case Function::where: break;
        }
        return false;
    }

private:
    // `requires K % 64 == 0`
    void learn(const Scalar& condition) {
        const auto* both = std::get_if<Call>(&condition->node);
        if (both == nullptr) return;
        if (both->function == Function::logical_and) {
            for (const Scalar& part : both->arguments) learn(part);
            return;
        }
        if (both->function != Function::eq || !is_zero(both->arguments[1])) return;
        const auto* rest = std::get_if<Call>(&both->arguments[0]->node);
        if (rest == nullptr || rest->function != Function::mod) return;
        const auto* name = std::get_if<Symbol>(&rest->arguments[0]->node);
        std::int64_t divisor = 0;
        if (name != nullptr && is_constant(rest->arguments[1], &divisor) && divisor % of_ == 0)
            names_.insert(name->name);
    }

    const Kernel& kernel_;
    std::int64_t of_;
    std::set<std::string> names_;
};

}  // namespace

bool has_vectors(const Kernel& kernel, const Role& role, const Slice& slice, const TileType& tile) {
    if (tile.cols == 1 || slice.ranges.empty()) return false;
    const Range& last = slice.ranges.back();
    const bool side_by_side = last.kind == Range::Kind::span || last.kind == Range::Kind::whole;
    return side_by_side && last.length == tile.cols &&
           starts_aligned(kernel, role, slice, tile.dtype);
}

bool has_copies(const Kernel& kernel, const Role& role, const Slice& slice, const TileType& tile) {
    const Tensor& tensor = *find_tensor(kernel, slice.tensor);
    if (!has_gather(slice) || tensor.mode != Mode::in || tile.dtype == Dtype::boolean) return false;
    // Where constants do not tell that rows end with a whole unit, the launcher asks.
    const std::int64_t unit = widest_access / bytes(tile.dtype);
    std::int64_t extent = 0;
    const bool known = is_constant(with_constants(kernel, tensor.extents.back()), &extent);
    return tile.cols % unit == 0 && (!known || extent % unit == 0) && !slice.ranges.back().edge &&
           has_vectors(kernel, role, slice, tile);
}

bool starts_aligned(const Kernel& kernel, const Role& role, const Slice& slice, Dtype dtype) {
    return Multiples(kernel, role, widest_access / bytes(dtype))
        .is_multiple(slice.ranges.back().base);
}

bool has_aligned_rows(const Kernel& kernel, const Tensor& tensor) {
    const Multiples multiples(kernel, widest_access / bytes(tensor.dtype));
    return tensor.extents.size() > 1 && multiples.is_multiple(tensor.extents.back());
}

std::int64_t vector_of(const Role& role) {
    std::int64_t most = 0;
    for (const ValueInfo& value : role.values) {
        if (role.unit == Unit::warp && !value.layout.empty())
            most = std::max(most, vector_of(value.layout));
    }
    return most;
}

bool ends_with_vector(const Kernel& kernel, const Role& role, const Scalar& extent) {
    const Scalar end = with_constants(kernel, extent);
    std::int64_t value = 0;
    if (is_constant(end, &value)) return value % vector_of(role) == 0;
    return std::any_of(kernel.tensors.begin(), kernel.tensors.end(), [&](const Tensor& tensor) {
        return tensor.extents.size() > 1 &&
               same(with_constants(kernel, tensor.extents.back()), end) &&
               moves_vectors(kernel, tensor);
    });
}

bool has_whole_vectors(const Kernel& kernel, const Role& role, const Slice& slice) {
    const Range& last = slice.ranges.back();
    const std::int64_t vector = vector_of(role);
    const bool side_by_side = last.kind == Range::Kind::span || last.kind == Range::Kind::whole;
    return side_by_side && !last.edge && last.length % vector == 0 &&
           Multiples(kernel, role, vector).is_multiple(last.base) &&
           ends_with_vector(kernel, role, find_tensor(kernel, slice.tensor)->extents.back());
}

bool copies_vectors(const Kernel& kernel, const Tensor& tensor) {
    bool found = false;
    for (const Role& role : kernel.roles) {
        walk_only<CopyLoad>(role.body, [&](const CopyLoad& copy) {
            found = found || (copy.asynchronous && copy.source.tensor == tensor.name);
        });
    }
    return found;
}

bool moves_vectors(const Kernel& kernel, const Tensor& tensor) {
    bool found = false;
    for (const Role& role : kernel.roles) {
        walk(role.body, [&](const Op& op) {
            const auto* load = as<LoadCells>(op);
            const auto* store = as<StoreCells>(op);
            found = found ||
                    (load != nullptr && load->vectors && load->source.tensor == tensor.name) ||
                    (store != nullptr && store->vectors && store->target.tensor == tensor.name);
        });
    }
    return found;
}

}  // namespace tkc::lowering
