// Verifies modules: the tables of a kernel here, roles, expressions and the plan in verify_*.cpp.
#include "verify/verify.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "ir/contract.h"
#include "ir/print.h"
#include "ir/reflect.h"
#include "ir/target_features.h"
#include "ir/walk.h"
#include "verify/verify_internal.h"

namespace tkc::ir {

namespace verifier {

std::string Report::where() const {
    std::string text;
    if (kernel != nullptr) text = fmt::format("kernel `{}`: ", kernel->name);
    if (role != nullptr) text = fmt::format("kernel `{}`, role `{}`: ", kernel->name, role->name);
    if (op != nullptr) text += fmt::format("`{}`: ", print_line(*op, role));
    return text;
}

bool is_name(std::string_view text) {
    bool start = true;  // of a word
    bool first = true;  // of the name
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool digit = c >= '0' && c <= '9';
        if (c == '.' ? start : !(letter || (digit && !first))) return false;
        start = c == '.';
        first = false;
    }
    return !start;
}

std::optional<Dtype> Symbols::find(std::string_view name) const {
    const auto found = std::find_if(list_.rbegin(), list_.rend(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found == list_.rend()) return std::nullopt;
    return found->second;
}

void Symbols::declare_new(const std::string& name, Dtype dtype, Report& report) {
    if (!is_name(name)) report.add("`{}` cannot be a name", name);
    if (contains(name)) report.add("the name `{}` is already declared here", name);
    declare(name, dtype);
}

namespace {

template <class T>
void check_unique(const std::vector<T>& list, std::string_view what, Report& report) {
    std::set<std::string> seen;
    for (const T& item : list) {
        if (!seen.insert(item.name).second) report.add("two {} are called `{}`", what, item.name);
    }
}

// Extents: a symbol that is the whole of one is bound by it, or one that is in none alone and
// somewhere with a constant; all others must be bound elsewhere.
void declare_extents(const Context& c, Symbols& symbols) {
    for (const Tensor& t : c.kernel.tensors) {
        for (const Scalar& extent : t.extents) {
            if (!extent) continue;
            const auto* name = std::get_if<Symbol>(&extent->node);
            if (name == nullptr || symbols.contains(name->name)) continue;
            symbols.declare(name->name, Dtype::i32);
        }
    }
    for (const Binding& b : bindings(c.kernel)) {
        if (!symbols.contains(b.name)) symbols.declare(b.name, Dtype::i32);
    }
}

void check_tensors(const Context& c, const Symbols& symbols) {
    for (const Tensor& t : c.kernel.tensors) {
        if (!is_name(t.name)) c.report.add("`{}` cannot be the name of a tensor", t.name);
        if (t.extents.empty()) c.report.add("tensor `{}` has no axes", t.name);
        for (const Scalar& extent : t.extents) {
            if (!extent) {
                c.report.add("an extent of `{}` is missing", t.name);
                continue;
            }
            verify_scalar(extent, {c, symbols, true});
        }
    }
}

void check_counters(const Context& c, const Symbols& symbols) {
    check_unique(c.kernel.counters, "counters", c.report);
    for (const Counter& counter : c.kernel.counters) {
        if (!is_name(counter.name))
            c.report.add("`{}` cannot be the name of a counter", counter.name);
        if (counter.extents.empty()) c.report.add("counter `{}` has no axes", counter.name);
        for (const Scalar& extent : counter.extents) {
            if (extent) verify_scalar(extent, {c, symbols, true});
            else c.report.add("an extent of `{}` is missing", counter.name);
        }
    }
}

void check_conditions(const Context& c, const Symbols& symbols) {
    for (const Condition& condition : c.kernel.conditions) {
        if (!condition.holds) {
            c.report.add("the condition `{}` is missing", condition.text);
            continue;
        }
        verify_scalar(condition.holds, {c, symbols, true});
        if (!is_boolean(condition.holds->dtype)) {
            c.report.add("the condition `{}` is not a bool", to_string(condition.holds));
        }
        if (condition.text.empty()) {
            c.report.add("the condition `{}` has no message", to_string(condition.holds));
        }
    }
}

void check_grid(const Context& c, Symbols& symbols) {
    std::vector<std::string> axes;
    for (const GridAxis& axis : c.kernel.grid) {
        if (axis.step <= 0) c.report.add("grid axis `{}` has step {}", axis.var, axis.step);
        if (axis.cluster < 1 || axis.cluster > target_of(c.kernel).limits.blocks_of_cluster)
            c.report.add("clusters of {} along `{}`", axis.cluster, axis.var);
        if (axis.reversed && axis.cluster > 1)
            c.report.add("clusters along `{}`, which is traversed in reverse", axis.var);
        if (axis.dealt && (&axis != &c.kernel.grid.front() || !c.kernel.persistent ||
                           !c.kernel.raster_axis.empty() || cluster_size(c.kernel) > 1))
            c.report.add(
                "programs are assigned along `{}`, which is not the first axis of a persistent "
                "kernel",
                axis.var);
        if (axis.cluster > 1 && &axis != cluster_axis(c.kernel))
            c.report.add("clusters along two axes");
        for (const Scalar& bound : {axis.begin, axis.end}) {
            if (!bound) {
                c.report.add("a bound of grid axis `{}` is missing", axis.var);
                continue;
            }
            verify_scalar(bound, {c, symbols});
            if (bound->dtype != Dtype::i32) {
                c.report.add("the bound `{}` of grid axis `{}` is not an i32", to_string(bound),
                             axis.var);
            }
        }
    }
    if (c.kernel.raster_width) verify_scalar(c.kernel.raster_width, {c, symbols});
    for (const GridAxis& axis : c.kernel.grid) {
        symbols.declare_new(axis.var, Dtype::i32, c.report);
        axes.push_back(axis.var);
    }
    if (c.kernel.dynamic && (!c.kernel.persistent || cluster_blocks(c.kernel) > 1))
        c.report.add("dynamic scheduling needs a persistent kernel without clusters");
    if (!walks_clusters(c.kernel)) c.report.add("the programs of a cluster are not consecutive");
    if (c.kernel.spills < 0) c.report.add("spills is {}, must be at least 0", c.kernel.spills);
    if (c.kernel.blocks_at_most < 0)
        c.report.add("blocks_at_most is {}, must be at least 0", c.kernel.blocks_at_most);
    const std::string& raster = c.kernel.raster_axis;
    if (!raster.empty() && std::find(axes.begin(), axes.end(), raster) == axes.end()) {
        c.report.add("the raster runs along `{}`, which is not a grid axis", raster);
    }
    if (raster.empty()) return;
    std::int64_t width = 1;
    if (!c.kernel.raster_width) {
        c.report.add("the raster band width is missing");
    } else if (is_constant(c.kernel.raster_width, &width) && width <= 0) {
        c.report.add("the raster bands are {} wide", width);
    }
}

void check_lets(const Context& c, Symbols& symbols) {
    for (const Op& op : c.kernel.lets) {
        c.report.op = &op;
        const Let* let = as<Let>(op);
        if (let == nullptr) {
            c.report.add("only `let` is allowed outside of roles");
        } else if (!let->value) {
            c.report.add("its value is missing");
        } else {
            verify_scalar(let->value, {c, symbols});
            symbols.declare_new(let->name, let->value->dtype, c.report);
        }
    }
    c.report.op = nullptr;
}

void check_pipelines(const Context& c) {
    check_unique(c.kernel.pipelines, "pipelines", c.report);
    if (std::count_if(c.kernel.pipelines.begin(), c.kernel.pipelines.end(), holds_program_numbers) >
        1)
        c.report.add("several pipelines hold program numbers");
    for (const Pipeline& p : c.kernel.pipelines) {
        if (!is_name(p.name)) c.report.add("`{}` cannot be the name of a pipeline", p.name);
        if (p.stages < 1) c.report.add("pipeline `{}` has {} stages", p.name, p.stages);
        if (holds_program_numbers(p) && (!c.kernel.dynamic || c.level == Level::tile))
            c.report.add("pipeline `{}` has no fields", p.name);
        check_unique(p.fields_, fmt::format("fields of pipeline `{}`", p.name), c.report);
        for (const PipelineField& f : p.fields_) {
            if (f.type.space != Space::shared) {
                c.report.add("field `{}` of pipeline `{}` is not shared", f.name, p.name);
            }
            if (f.type.rows < 1 || f.type.cols < 1) {
                c.report.add("field `{}` of pipeline `{}` is {}", f.name, p.name,
                             to_string(f.type));
            }
        }
    }
}

bool same_parameters(const Kernel& a, const Kernel& b) {
    const auto text = [](const auto& item) {
        std::string out = item.name;
        if constexpr (requires { item.extents; }) {
            out += fmt::format(" {} {}", enum_name(item.mode), item.extents.size());
        }
        return out + " " + std::string(name(item.dtype));
    };
    const auto same_list = [&](const auto& x, const auto& y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                          [&](const auto& p, const auto& q) { return text(p) == text(q); });
    };
    return same_list(a.tensors, b.tensors) && same_list(a.parameters, b.parameters);
}

// Kernels by name. Modules have many, and each is asked for often.
using KernelsByName = std::unordered_map<std::string_view, const Kernel*>;

KernelsByName kernels_by_name(const Module& module) {
    KernelsByName kernels;
    for (const Kernel& kernel : module.kernels) kernels.emplace(kernel.name, &kernel);
    return kernels;
}

const Kernel* find_kernel(const KernelsByName& kernels, const std::string& name) {
    const auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : found->second;
}

// The kernels among which a launcher, or a call of an entry, chooses.
void check_candidates(const KernelsByName& kernels, const std::string& who,
                      const std::vector<std::string>& candidates, Report& report) {
    if (candidates.empty()) {
        report.add("{} has no kernel", who);
        return;
    }
    const Kernel* first = find_kernel(kernels, candidates.front());
    for (const std::string& name : candidates) {
        const Kernel* kernel = find_kernel(kernels, name);
        if (kernel == nullptr) {
            report.add("{} runs `{}`, which is not a kernel", who, name);
        } else if (first != nullptr && first != kernel && !same_parameters(*first, *kernel)) {
            report.add("{} runs `{}` and `{}`, whose parameters differ", who, first->name, name);
        }
    }
}

void check_launchers(const Module& module, const KernelsByName& kernels, Report& report) {
    check_unique(module.kernels, "kernels", report);
    check_unique(module.launchers, "launchers", report);
    check_unique(module.entries, "entries", report);
    for (const Kernel& kernel : module.kernels) {
        if (!kernel.general_of.empty() && find_kernel(kernels, kernel.general_of) == nullptr)
            report.add("kernel `{}` is the general variant of `{}`, which is not a kernel",
                       kernel.name, kernel.general_of);
    }
    for (const Launcher& launcher : module.launchers) {
        check_candidates(kernels, fmt::format("launcher `{}`", launcher.name), launcher.candidates,
                         report);
    }
}

void check_entry(const KernelsByName& kernels, const Entry& entry, Report& report) {
    for (const EntryCall& call : entry.calls) {
        const std::string who = fmt::format("entry `{}`", entry.name);
        check_candidates(kernels, who, call.candidates, report);
        const Kernel* kernel =
            call.candidates.empty() ? nullptr : find_kernel(kernels, call.candidates.front());
        if (kernel == nullptr) continue;
        if (call.tensors.size() != kernel->tensors.size() ||
            call.scalars.size() != kernel->parameters.size()) {
            report.add("{} calls `{}` with {} tensors and {} scalars, but it expects {} and {}",
                       who, kernel->name, call.tensors.size(), call.scalars.size(),
                       kernel->tensors.size(), kernel->parameters.size());
            continue;
        }
        for (std::size_t i = 0; i < call.tensors.size(); ++i) {
            const Tensor* given = find_tensor(entry, call.tensors[i]);
            const Tensor& taken = kernel->tensors[i];
            if (given == nullptr) {
                report.add("{} has no tensor `{}`", who, call.tensors[i]);
            } else if (given->dtype != taken.dtype ||
                       given->extents.size() != taken.extents.size()) {
                report.add("{} passes `{}` as `{}` of `{}`, which has another type", who,
                           given->name, taken.name, kernel->name);
            }
        }
        for (const Scalar& s : call.scalars) {
            if (!s)
                report.add("{} calls `{}`, but a scalar argument is missing", who, kernel->name);
        }
    }
}

// Numbers so large that arithmetic on sizes could overflow; no kernel has any.
void check_sizes(AnyStruct s, Report& report) {
    constexpr std::int64_t limit = std::int64_t{1} << 24;
    const auto check = [&](std::string_view name, std::int64_t n, std::int64_t most) {
        if (n < -most || n > most) report.add("`{}` of a `{}` is {}", name, s.info->kind, n);
    };
    const auto check_tile = [&](std::string_view name, const TileType& t) {
        check(name, t.rows, 1 << 18);
        check(name, t.cols, 1 << 18);
    };
    for_each_member(s, [&](std::string_view name, auto& member) {
        using T = std::decay_t<decltype(member)>;
        if constexpr (std::is_same_v<T, std::int64_t>) {
            check(name, member, limit);
        } else if constexpr (std::is_same_v<T, TileType>) {
            check_tile(name, member);
        } else if constexpr (std::is_same_v<T, Type>) {
            if (const auto* tile = std::get_if<TileType>(&member)) check_tile(name, *tile);
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
            for (const std::int64_t n : member) check(name, n, limit);
        } else if constexpr (std::is_same_v<T, Slice>) {
            for (const Range& r : member.ranges) check(name, r.length, limit);
        } else if constexpr (std::is_same_v<T, Block>) {
            for (Op& op : member) check_sizes(any_struct(op), report);
        } else if constexpr (std::is_same_v<T, AnyList>) {
            for (std::size_t i = 0; i < member.size(); ++i) check_sizes(member[i], report);
        }
    });
}

// Numbers that roles read from tiles: proofs compare roles by names.
void check_numbers(const Context& c) {
    std::map<std::string, const Role*> readers;
    for (const Role& role : c.kernel.roles) {
        walk_only<ReadNumber>(role.body, [&](const ReadNumber& read) {
            const auto [known, fresh] = readers.emplace(read.name, &role);
            if (!fresh && known->second != &role)
                c.report.add("roles `{}` and `{}` both declare a scalar `{}`", known->second->name,
                             role.name, read.name);
        });
    }
}

void verify_kernel(const Context& c) {
    const std::size_t before = c.report.sentences.size();
    if (find_target(c.kernel.target) == nullptr)
        c.report.add("there is no target `{}`", c.kernel.target);
    check_sizes(any_struct(const_cast<Kernel&>(c.kernel)), c.report);
    if (c.report.sentences.size() > before) return;
    for (const MissingFeature& missing : missing_features(c.kernel))
        c.report.add("{} is not available on {}", missing.what, c.kernel.target);
    if (c.report.sentences.size() > before) return;
    Symbols symbols;
    verify_declarations(c, symbols);
    check_unique(c.kernel.roles, "roles", c.report);
    for (const Role& role : c.kernel.roles) {
        c.report.role = &role;
        const std::size_t outside = symbols.size();
        verify_role(c, role, symbols);
        symbols.drop_to(outside);
    }
    c.report.role = nullptr;
    check_numbers(c);
    verify_plan(c);
}

}  // namespace

void verify_declarations(const Context& c, Symbols& symbols) {
    if (!is_name(c.kernel.name)) c.report.add("`{}` cannot be the name of a kernel", c.kernel.name);
    check_unique(c.kernel.tensors, "tensors", c.report);
    for (const Parameter& p : c.kernel.parameters) {
        symbols.declare_new(p.name, p.dtype, c.report);
    }
    declare_extents(c, symbols);
    check_tensors(c, symbols);
    check_counters(c, symbols);
    check_conditions(c, symbols);
    check_grid(c, symbols);
    check_lets(c, symbols);
    if (c.kernel.weight) {
        verify_scalar(c.kernel.weight, {c, symbols});
        if (!is_integer(c.kernel.weight->dtype)) c.report.add("the weight is not an integer");
    }
    if (c.kernel.program_cost) verify_scalar(c.kernel.program_cost, {c, symbols, true});
    check_pipelines(c);
}

}  // namespace verifier

std::vector<std::string> verify(const Module& module, Plan plan) {
    verifier::Report report;
    const verifier::KernelsByName kernels = verifier::kernels_by_name(module);
    verifier::check_launchers(module, kernels, report);
    for (const Entry& entry : module.entries) verifier::check_entry(kernels, entry, report);
    for (const Kernel& kernel : module.kernels) {
        report.kernel = &kernel;
        verifier::verify_kernel({kernel, module.level, plan, report});
    }
    return std::move(report.sentences);
}

}  // namespace tkc::ir
