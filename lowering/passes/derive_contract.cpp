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
#include <set>
#include <unordered_map>

#include "base/function_ref.h"
#include "checks/elements.h"
#include "ir/contract.h"
#include "ir/facts.h"
#include "ir/launch_facts.h"
#include "ir/number_names.h"
#include "ir/value_range.h"
#include "ir/walk.h"
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

// The conditions under construction; those that hold always or stand already are dropped.
class Contract {
public:
    explicit Contract(const Signature& called) : called_(called) {}
    explicit Contract(const Kernel& kernel) : called_(kernel) {
        for (const GridAxis& axis : kernel.grid) {
            if (axis.step > 1) tiles_.insert(axis.var);
        }
        for (const Role& role : kernel.roles) {
            walk_only<For>(role.body, [&](const For& loop) {  // unrolled ones are the compiler's
                if (loop.step > 1 && !loop.unrolled) tiles_.insert(loop.var);
            });
        }
    }

    // The expression in the author's words: `m.start` for the variable of a range of tiles.
    std::string words_of(const Scalar& s) const {
        return to_string(rewrite(as_written(s), [&](const Scalar& node) -> Scalar {
            if (std::holds_alternative<ir::Row>(node->node)) return symbol("row_index");
            if (std::holds_alternative<ir::Column>(node->node)) return symbol("col_index");
            const auto* name = std::get_if<Symbol>(&node->node);
            const bool tile = name != nullptr && tiles_.contains(name->name);
            return tile ? symbol(name->name + ".start", node->dtype) : nullptr;
        }));
    }

    void require(Scalar holds, const std::string& text, Span span, bool selects = false) {
        require_with(
            std::move(holds), [&] { return text; }, span, selects);
    }
    // The same, with a sentence that is only made where it is needed.
    void require_with(Scalar holds, FunctionRef<std::string()> text, Span span,
                      bool selects = false) {
        holds = with_constants(called_, holds);
        std::int64_t known = 0;
        if (is_constant(holds, &known) && known != 0) return;
        // Scalars that are the same print alike; few that print alike differ.
        std::vector<std::size_t>& alike = by_text_[to_string(holds)];
        const bool stands = std::any_of(alike.begin(), alike.end(),
                                        [&](std::size_t i) { return same(list_[i].holds, holds); });
        if (stands) return;
        alike.push_back(list_.size());
        list_.push_back({holds, text(), selects, span});
    }
    void append(const std::vector<Condition>& conditions) {
        for (const Condition& c : conditions) require(c.holds, c.text, c.span, c.selects);
    }
    std::vector<Condition> take() { return std::move(list_); }

private:
    const Signature& called_;
    std::set<std::string> tiles_;  // variables that stand for ranges
    std::vector<Condition> list_;
    std::unordered_map<std::string, std::vector<std::size_t>> by_text_;  // places in the list
};

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

// ---- arithmetic --------------------------------------------------------------------------------

// What a launch must keep for this step to come out as on paper.
void require_step(const Scalar& s, const Step& step, Span span, Contract& contract,
                  const Bindings* bindings) {
    if (step.fit != Fit::at_launch) return;
    if (bindings != nullptr && fits(normal_form(s, *bindings), s->dtype, *bindings->ranges)) return;
    const auto bounded = [&](const Scalar& bound, const Scalar& holds) {
        const auto text = [&] {
            return fmt::format("`{}` reaches {}; it must fit in {} bits", contract.words_of(s),
                               hole(bound), info(s->dtype).bits);
        };
        contract.require_with(holds, text, span);
    };
    if (step.high) bounded(step.high, less(step.high, integer(most_at_launch(s->dtype) + 1)));
    if (step.low) bounded(step.low, at_most(integer(least_at_launch(s->dtype)), step.low));
}

// What makes `s` safe to evaluate in 32 bits: divisors are positive and every step fits. `names`
// has the ranges of its names; `bindings`: the forms of names, where they may show that a step
// fits.
void require_arithmetic(const Scalar& s, RangeFinder& names, Span span, Contract& contract,
                        const Bindings* bindings) {
    const auto* c = std::get_if<Call>(&s->node);
    if (const auto* k = std::get_if<Cast>(&s->node)) {
        require_arithmetic(k->argument, names, span, contract, bindings);
        if (is_integer(s->dtype) && is_integer(k->argument->dtype))
            require_step(s, names.step_of(s), span, contract, bindings);
    }
    if (const auto* load = std::get_if<ElementLoad>(&s->node)) {
        for (const Scalar& position : load->position)
            require_arithmetic(position, names, span, contract, bindings);
    }
    if (c == nullptr) return;
    for (const Scalar& argument : c->arguments) {
        require_arithmetic(argument, names, span, contract, bindings);
    }
    if (!is_integer(s->dtype)) return;
    if (c->function == Function::div || c->function == Function::mod ||
        c->function == Function::ceil_div) {
        const Scalar& divisor = c->arguments[1];
        const ValueRange range = names.range_of(divisor);
        if (range.least < 1 && range.low) {
            contract.require(
                at_most(integer(1), range.low),
                fmt::format("`{}` divides by `{}`, which is {}: it must be at least 1",
                            contract.words_of(s), contract.words_of(divisor), hole(range.low)),
                span);
        }
    }
    require_step(s, names.step_of(s), span, contract, bindings);
}

void require_arithmetic(const Scalar& s, const Ranges& names, Span span, Contract& contract,
                        const Bindings* bindings = nullptr) {
    RangeFinder finder(names);
    require_arithmetic(s, finder, span, contract, bindings);
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

// Whether each step of a place fits at its ends, when what cancels there does: N - M + (M - 1).
bool ends_fit(const Scalar& place, const Ranges& names) {
    RangeFinder finder(names);
    bool fit = true;
    rewrite(place, [&](const Scalar& s) -> Scalar {
        const Step step = finder.step_of(s);
        for (const Scalar& end : {step.low, step.high})
            fit = fit && (!end || fits(normal_form(end), s->dtype, names));
        const auto* c = std::get_if<Call>(&s->node);
        const bool divides =
            c != nullptr && (c->function == Function::div || c->function == Function::mod ||
                             c->function == Function::ceil_div);
        fit = fit && (!divides || finder.range_of(c->arguments[1]).least >= 1);
        return nullptr;
    });
    return fit;
}

// Bounds and positions of a block. Loop variables and `let`s are added to the ranges as they are
// met: names are unique within a role.
void require_positions(const Kernel& kernel, const ir::Block& block, Ranges& names,
                       Bindings bindings, Contract& contract) {
    const auto range = [&](const Scalar& s) { return range_of(with_constants(kernel, s), names); };
    const auto require = [&](const Scalar& s, Span span) {
        require_arithmetic(with_constants(kernel, s), names, span, contract, &bindings);
    };
    const auto require_list = [&](const Scalar& positions, std::int64_t length, Span span) {
        for (const std::int64_t number : {std::int64_t{0}, length - 1}) {
            require(rewrite(positions,
                            [&](const Scalar& s) -> Scalar {
                                return std::holds_alternative<ir::Row>(s->node) ? integer(number)
                                                                                : nullptr;
                            }),
                    span);
        }
    };
    for (const Op& op : block) {
        // Cells may wrap, but for the places that they compare.
        if (as<Splat>(op) != nullptr) continue;
        if (const auto* map = as<Map>(op)) {
            for (const Scalar& place : compared_places(map->expression)) {
                if (!ends_fit(with_constants(kernel, place), names)) require(place, op.span);
            }
            continue;
        }
        std::map<const Scalar*, std::int64_t> lists;  // positions of gathers, and how many
        for_each_slice(op, [&](const Slice& slice) {
            for (const Range& r : slice.ranges) {
                if (r.kind == Range::Kind::gather) lists[&r.base] = r.length;
            }
        });
        for_each_scalar(op, [&](const Scalar& s) {
            const auto list = lists.find(&s);
            if (list == lists.end()) require(s, op.span);
            else require_list(s, list->second, op.span);
        });
        // What is read from a tile has no entry: it may be anything that its type holds.
        if (const auto* let = as<Let>(op)) names[let->name] = range(let->value);
        if (names_number(op)) bindings = bindings_of({op}, std::move(bindings));
        if (const auto* loop = as<For>(op)) {
            // The variable steps once past its end.
            require(add(loop->end, integer(loop->step - 1)), op.span);
            if (loop->reversed) {  // past its begin, from a last number that its length gives
                require(sub(loop->begin, integer(loop->step)), op.span);
                require(sub(loop->end, loop->begin), op.span);
            }
            names[loop->var] = variable_range(range(loop->begin), range(loop->end));
        }
        for_each_block(op, [&](const ir::Block& inner) {
            require_positions(kernel, inner, names, bindings, contract);
        });
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
        // Programs that only fill up the last cluster begin behind the end.
        const Scalar past = add(end, integer(axis.step * steps_behind_end(kernel, axis)));
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

// What a caller can do about rows that are no multiple of `elements` apart.
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
// loads in flight. Rows that are no multiple of 16 bytes rarely begin at one.
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
    const Bindings bindings = bindings_of(kernel);
    Bindings of_lets;  // without the `let`s, which are looked at one by one
    of_lets.ranges = bindings.ranges;
    require_positions(kernel, kernel.lets, names, of_lets, contract);
    for (const Role& role : kernel.roles) {
        Ranges own = names;
        require_positions(kernel, role.body, own, bindings, contract);
    }
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
