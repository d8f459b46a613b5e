// Makes everything that a kernel relies on a condition of its launch, with a sentence for who
// breaks it.
//
//     kernel A bf16[M, K], B bf16[K, N], tensor_map of B         gains
//         condition B.shape.0 == K            "`K` is {K} in axis 1 of `A`, but axis 0 of `B` is
//         .." condition B.stride.0 % 8 == 0       "the rows of `B` start .. bytes apart; .."
//         selects? condition ceil_div(M, 128)*ceil_div(N, 256) < 2147483648
//
// What the author required stays where it is, between what makes it safe to evaluate (extents
// agree, divisors are positive) and what follows from how the kernel runs (tensor maps, 32-bit
// positions, the grid). `selects` marks what the general variant of the kernel does without.
// Running it again adds nothing.
#include <fmt/format.h>

#include <algorithm>

#include "checks/tile/elements.h"
#include "facts/facts.h"
#include "facts/launch_facts.h"
#include "facts/value_range.h"
#include "ir/contract.h"
#include "ir/walk.h"
#include "lowering/contract/launch_arithmetic.h"
#include "lowering/passes.h"
#include "lowering/shared_memory_plan.h"
#include "lowering/vector_access.h"

namespace tkc::lowering {

namespace {

using namespace ir;

Scalar equal(Scalar a, Scalar b) { return call(Function::eq, {std::move(a), std::move(b)}); }
Scalar at_most(Scalar a, Scalar b) { return call(Function::le, {std::move(a), std::move(b)}); }
Scalar both(Scalar a, Scalar b) {
    return call(Function::logical_and, {std::move(a), std::move(b)});
}

// ---- extents -----------------------------------------------------------------------------------

// `K` is 64 where the author wrote a constant: its name, if one of the constants is meant by it.
std::string constant_words(const Signature& called, const Scalar& extent) {
    if (const auto* name = std::get_if<Symbol>(&extent->node)) {
        return fmt::format("`{}` = {}", name->name, to_string(with_constants(called, extent)));
    }
    return to_string(extent);
}

const Binding* binding_of(const std::vector<Binding>& list, const std::string& name) {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const Binding& b) { return b.name == name; });
    return found == list.end() ? nullptr : &*found;
}

// Axes that name a constant, or an extent that an earlier axis bound.
void require_agreement(const Signature& called, const std::vector<Binding>& bound,
                       Contract& contract) {
    for (const Tensor& t : called.tensors) {
        for (std::size_t axis = 0; axis < t.extents.size(); ++axis) {
            const Scalar& extent = t.extents[axis];
            const Scalar given = shape_of(t.name, axis);
            const auto* name = std::get_if<Symbol>(&extent->node);
            if (is_constant(with_constants(called, extent))) {
                contract.require(
                    equal(given, extent),
                    fmt::format("axis {} of `{}` is {}; this kernel is made for {}", axis, t.name,
                                hole(given), constant_words(called, extent)),
                    t.span);
            } else if (const Binding* b = name ? binding_of(bound, name->name) : nullptr) {
                if (b->tensor == t.name && b->axis == axis) continue;
                contract.require(
                    equal(given, extent),
                    fmt::format("`{}` is {} in axis {} of `{}`, but {} in axis {} of `{}`", b->name,
                                hole(extent), b->axis, b->tensor, hole(given), axis, t.name),
                    t.span);
            }
        }
    }
}

void require_ranges(const Signature& called, const std::vector<Binding>& bound,
                    Contract& contract) {
    for (const Binding& b : bound) {
        const Scalar extent = symbol(b.name);
        const Tensor* tensor = find_tensor(called, b.tensor);
        if (b.offset > 0) {
            contract.require(at_most(integer(0), extent),
                             fmt::format("axis {} of `{}` is {}; it is `{}`, at least {}", b.axis,
                                         b.tensor, hole(shape_of(b.tensor, b.axis)),
                                         to_string(tensor->extents[b.axis]), b.offset),
                             tensor->span);
        }
        contract.require(less(extent, integer(extent_limit)),
                         fmt::format("`{}` is {}; extents must be less than {}", b.name,
                                     hole(extent), extent_limit),
                         tensor->span);
    }
}

// Extents that are computed from others, or are parameters.
void require_derived(const Signature& called, const std::vector<Binding>& bindings,
                     const Ranges& names, Contract& contract) {
    for (const Tensor& t : called.tensors) {
        for (std::size_t axis = 0; axis < t.extents.size(); ++axis) {
            const Scalar extent = with_constants(called, t.extents[axis]);
            const auto* name = std::get_if<Symbol>(&extent->node);
            const bool bound = name != nullptr && binding_of(bindings, name->name) != nullptr;
            const bool binds = std::any_of(bindings.begin(), bindings.end(), [&](const Binding& x) {
                return x.tensor == t.name && x.axis == axis;
            });
            if (bound || binds || is_constant(extent)) continue;
            require_arithmetic(extent, names, t.span, contract);
            const Scalar given = shape_of(t.name, axis);
            contract.require(
                equal(given, extent),
                fmt::format("axis {} of `{}` is {}; it must be `{}`, which is {}", axis, t.name,
                            hole(given), to_string(extent), hole(extent)),
                t.span);
        }
    }
}

void require_grid(const Kernel& kernel, Ranges& names, Contract& contract) {
    Scalar programs = integer(1);
    const std::int64_t blocks = blocks_of_program(kernel);  // the launch has so many times more
    // Blocks of a persistent kernel step once past the last program, by as many as run at once.
    constexpr std::int64_t most_resident = 65'536;
    const std::int64_t more = kernel.persistent ? most_resident : cluster_size(kernel) - 1;
    const std::int64_t limit = (i32_limit - more) / blocks;
    for (const GridAxis& axis : kernel.grid) {
        const Scalar begin = with_constants(kernel, axis.begin);
        const Scalar end = with_constants(kernel, axis.end);
        require_arithmetic(begin, names, kernel.span, contract);
        // Programs that only pad the last cluster begin past the end.
        const Scalar past = add(end, integer(axis.step * steps_past_end(kernel, axis)));
        require_arithmetic(add(past, integer(axis.step - 1)), names, kernel.span, contract);
        programs = mul(programs, programs_of(kernel, axis));
        if (&axis == &kernel.grid.back()) programs = programs_of(kernel);
        if (!RangeFinder(names).always_fits(mul(programs, integer(blocks)))) {
            contract.require(less(programs, integer(limit)),
                             fmt::format("the grid has {} programs; it must have less than {}",
                                         hole(programs), limit),
                             kernel.span);
        }
        names[axis.var] = variable_range(range_of(begin, names), range_of(past, names));
    }
}

// ---- tensor maps -------------------------------------------------------------------------------

// How the sentences speak of a tensor that has a map.
struct MapWords {
    std::string who;      // `tma_load`
    std::string instead;  // ", or use `load`"
};

MapWords words_for(const Kernel& kernel, const Tensor& tensor, bool selects) {
    bool stored = false;
    for (const Role& role : kernel.roles) {
        walk_only<TmaStore>(role.body, [&](const TmaStore& op) {
            stored = stored || op.target.tensor == tensor.name;
        });
    }
    if (selects) return {"the fast kernel", ""};
    const char* plain = stored ? "store" : "load";
    return {fmt::format("`tma_{}`", plain), fmt::format(", or use `{}`", plain)};
}

// What a caller can do about rows whose distance is not a multiple of `elements`.
std::string padding_advice(const Tensor& tensor, std::int64_t elements) {
    const auto* name = std::get_if<Symbol>(&tensor.extents.back()->node);
    return name != nullptr ? fmt::format("pad `{}` to a multiple of {}", name->name, elements)
                           : fmt::format("pad its rows to a multiple of {} elements", elements);
}

void require_stride(const Tensor& tensor, std::size_t axis, const MapWords& words, bool selects,
                    Contract& contract) {
    const std::int64_t size = bytes(tensor.dtype);
    const std::int64_t elements = map_alignment / size;
    const Scalar stride = stride_of(tensor.name, axis);
    const std::string apart = hole(mul(stride, integer(size)));
    const bool rows = axis + 2 == tensor.extents.size();
    const std::string found =
        rows ? fmt::format("the rows of `{}` start {} bytes apart", tensor.name, apart)
             : fmt::format("neighbours along axis {} of `{}` are {} bytes apart", axis, tensor.name,
                           apart);
    const Scalar multiple = equal(call(Function::mod, {stride, integer(elements)}), integer(0));
    const Scalar positive = less(integer(0), stride);
    const Scalar small = less(stride, integer(map_stride_limit / size));
    contract.require(both(both(multiple, positive), small),
                     fmt::format("{}; {} needs a positive multiple of {}: {}{}", found, words.who,
                                 map_alignment, padding_advice(tensor, elements), words.instead),
                     tensor.span, selects);
}

void require_map(const Kernel& kernel, const Tensor& tensor, bool selects, Contract& contract) {
    const MapWords words = words_for(kernel, tensor, selects);
    const std::size_t last = tensor.extents.size() - 1;
    const Scalar inner = stride_of(tensor.name, last);
    contract.require(
        equal(inner, integer(1)),
        fmt::format("neighbours in a row of `{}` are {} elements apart; {} needs 1: pass a copy "
                    "with dense rows{}",
                    tensor.name, hole(inner), words.who, words.instead),
        tensor.span, selects);
    const Scalar rest = call(Function::mod, {address_of(tensor.name), integer(map_alignment)});
    contract.require(equal(rest, integer(0)),
                     fmt::format("`{}` begins {} bytes past a multiple of {}; {} needs a multiple: "
                                 "pass a copy{}",
                                 tensor.name, hole(rest), map_alignment, words.who, words.instead),
                     tensor.span, selects);
    for (std::size_t axis = last; axis-- > 0;) {
        require_stride(tensor, axis, words, selects, contract);
    }
}

// Rows end with a vector: code that moves the cells of one apart takes registers, and with them
// loads in flight. Rows that are not multiples of 16 bytes rarely begin at one.
void require_whole_rows(const Kernel& kernel, const Tensor& tensor, std::int64_t vector,
                        bool selects, Contract& contract) {
    const Scalar extent = with_constants(kernel, tensor.extents.back());
    if (vector <= 1 || is_constant(extent)) return;
    const Scalar rest = call(Function::mod, {extent, integer(vector)});
    contract.require(
        equal(rest, integer(0)),
        fmt::format("the rows of `{}` have {} elements; {} needs a multiple of {}", tensor.name,
                    hole(extent), words_for(kernel, tensor, selects).who, vector),
        tensor.span, selects);
}

bool has_general_variant(const Module& module, const Kernel& kernel) {
    return std::any_of(module.kernels.begin(), module.kernels.end(),
                       [&](const Kernel& k) { return k.general_of == kernel.name; });
}

// What the arguments owe to the parameters, and what the author required.
void require_arguments(const Signature& called, const Ranges& names, Contract& contract) {
    const std::vector<Binding> bound = bindings(called);
    require_agreement(called, bound, contract);
    require_ranges(called, bound, contract);
    require_derived(called, bound, names, contract);
    for (const Condition& c : called.conditions) {
        require_arithmetic(with_constants(called, c.holds), names, c.span, contract);
    }
    contract.append(called.conditions);
}

void derive(Entry& entry) {
    const Ranges names = ranges_of(entry);
    Contract contract(entry);
    require_arguments(entry, names, contract);
    for (const EntryCall& call : entry.calls) {
        for (const Scalar& s : call.scalars) {
            const Scalar number = with_constants(entry, s);
            const bool given = std::holds_alternative<Symbol>(number->node) || is_constant(number);
            if (!given && number->dtype == Dtype::i32) {
                const std::string text =
                    fmt::format("`{}`, which `{}` is called with, is {}; it must fit in 32 bits",
                                to_string(number), call.callee, hole(number));
                contract.require(at_most(integer(-i32_limit), number), text, call.span);
                contract.require(less(number, integer(i32_limit)), text, call.span);
            }
            require_arithmetic(number, names, call.span, contract);
        }
    }
    entry.conditions = contract.take();
}

// Their places are computed in 32 bits.
void require_counters(const Kernel& kernel, Contract& contract) {
    constexpr std::int64_t most = std::int64_t{1} << 28;
    if (kernel.counters.empty()) return;
    const Facts facts = facts_of_launch(kernel, bindings_of(kernel));
    for (const Counter& counter : kernel.counters) {
        for (std::size_t axis = 0; axis < counter.extents.size(); ++axis) {
            const Scalar extent = with_constants(kernel, counter.extents[axis]);
            if (facts.prove_at_least(normal_form(extent), 0)) continue;
            contract.require(at_most(integer(0), extent),
                             fmt::format("axis {} of counter `{}` is {}, and cannot be negative",
                                         axis, counter.name, hole(extent)),
                             counter.span);
        }
    }
    const Scalar cells = cells_of_counters(kernel);
    contract.require(at_most(cells, integer(most)),
                     fmt::format("the kernel has {} counters, and can have 2^28", hole(cells)),
                     kernel.counters.front().span);
}

void derive(const Module& module, Kernel& kernel) {
    Ranges names = ranges_at_launch(kernel);
    Contract contract(kernel);
    require_arguments(kernel, names, contract);
    const bool selects = has_general_variant(module, kernel);
    for (const Tensor& tensor : kernel.tensors) {
        const bool mapped =
            std::any_of(kernel.maps.begin(), kernel.maps.end(),
                        [&](const TensorMap& m) { return m.tensor == tensor.name; });
        const bool vectors = moves_vectors(kernel, tensor);
        const bool copies = copies_vectors(kernel, tensor);
        if (mapped || vectors || copies) require_map(kernel, tensor, selects, contract);
        for (const Role& role : kernel.roles) {
            if (vectors && tensor.extents.size() > 1)
                require_whole_rows(kernel, tensor, vector_of(role), selects, contract);
        }
        if (copies)
            require_whole_rows(kernel, tensor, widest_access / bytes(tensor.dtype), selects,
                               contract);
    }
    require_counters(kernel, contract);
    require_grid(kernel, names, contract);
    require_positions(kernel, names, bindings_of(kernel), contract);
    contract.append(checks::conditions_of_elements(kernel));
    kernel.conditions = contract.take();
}

// What a launch hands to the GPU; every tensor counts as one that is touched cell by cell too.
void check_parameter_bytes(PassContext& context, const Kernel& kernel) {
    const std::int64_t limit = target_of(kernel).limits.parameter_bytes;
    constexpr std::int64_t map_bytes = 128;
    std::int64_t bytes = map_bytes * static_cast<std::int64_t>(kernel.maps.size());
    for (const Tensor& tensor : kernel.tensors)
        bytes += 8 + 8 * static_cast<std::int64_t>(tensor.extents.size());
    bytes += 4 * static_cast<std::int64_t>(bindings(kernel).size());
    bytes += 8 * static_cast<std::int64_t>(kernel.parameters.size());
    if (bytes <= limit) return;
    context.diag
        .error(kernel.span, msg::too_many_parameter_bytes, lowering::words_for(kernel), bytes,
               limit)
        .note("{} tensor maps of {} B are the most of it", kernel.maps.size(), map_bytes);
}

}  // namespace

void derive_contract(PassContext& context, Module& module) {
    for (Kernel& kernel : module.kernels) {
        derive(module, kernel);
        check_parameter_bytes(context, kernel);
    }
    for (Entry& entry : module.entries) derive(entry);
}

}  // namespace tkc::lowering
