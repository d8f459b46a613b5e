// Follows what positions are made of backward: from each position through names, variables, tiles,
// fields of pipelines and memory that the kernel itself writes, until nothing is added. Each step
// on the way that may wrap, as `step_of` decides for the proofs too, is asserted to fit:
//
//     let at = table[b]*page                       let at = table[b]*page
//     x = load X[at + 8*i +: 8]          becomes   assert -2^31 <= f64(table[b])*f64(page) < 2^31
//                                                  assert .. at + 8*i ..
//                                                  x = load X[at + 8*i +: 8]
//
// The steps of a `let` are asserted where a position uses it, because an `if` may guard the use;
// those of variables and tiles where they are computed. Unsigned steps are left out where only a
// remainder, a quotient or some bits of the result reach the position, as in hashes: there,
// wrapping is meant.
#include "checks/tile/place_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arithmetic/guards.h"
#include "arithmetic/number_names.h"
#include "base/overloaded.h"
#include "facts/value_range.h"
#include "frontend/check/asserted.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

// What of a number reaches a position: nothing, a part of it (a remainder, some bits), or all.
enum class Reach : std::uint8_t { none, part, whole };

// A step on the way to a position, and the condition under which its result is the one that is
// chosen; null: always.
struct StepOfPlace {
    ir::Scalar step;
    ir::Scalar chosen;
};

// A shift up is a product, unless it makes a mask: `1 << n`.
bool is_bit_operation(const ir::Call& c) {
    if (info(c.function).kind != FunctionKind::bits) return false;
    return c.function != Function::shift_left || ir::is_constant(c.arguments[0]);
}

// The nodes that the value of an expression is made of, without the conditions that choose.
class Ways {
public:
    explicit Ways(FunctionRef<void(const ir::Scalar&, Reach, const ir::Scalar&)> see) : see_(see) {}

    void follow(const ir::Scalar& s, Reach use, const ir::Scalar& chosen = nullptr) {
        if (is_boolean(s->dtype) || seen_.contains({s.get(), use, nullptr}) ||
            !seen_.insert({s.get(), use, chosen.get()}).second)
            return;
        see_(s, use, chosen);
        if (const auto* k = std::get_if<ir::Cast>(&s->node))
            return follow(k->argument, use, chosen);
        if (const auto* f = std::get_if<ir::External>(&s->node))
            return follow(f->meaning, use, chosen);
        const auto* c = std::get_if<ir::Call>(&s->node);
        if (c == nullptr) return;
        if (c->function == Function::where) {
            const auto& [yes, no] = branches_of(s, c->arguments[0], chosen);
            follow(c->arguments[1], use, yes);
            follow(c->arguments[2], use, no);
            return;
        }
        const Reach inner = takes_part(*c, s->dtype) ? Reach::part : use;
        for (const ir::Scalar& a : c->arguments) follow(a, inner, chosen);
    }

private:
    static bool takes_part(const ir::Call& c, Dtype dtype) {
        const bool divides = c.function == Function::div || c.function == Function::mod ||
                             c.function == Function::ceil_div;
        return is_bit_operation(c) || (divides && info(dtype).kind == DtypeClass::natural);
    }

    // The conditions of the two branches. Made once, so that `seen_` recognizes them.
    const std::pair<ir::Scalar, ir::Scalar>& branches_of(const ir::Scalar& s,
                                                         const ir::Scalar& condition,
                                                         const ir::Scalar& chosen) {
        auto& made = branches_[{s.get(), chosen.get()}];
        if (!made.first) {
            made = {checker::both_hold(chosen, condition),
                    checker::both_hold(chosen, ir::call(Function::logical_not, {condition}))};
        }
        return made;
    }

    FunctionRef<void(const ir::Scalar&, Reach, const ir::Scalar&)> see_;
    std::set<std::tuple<const ir::ScalarNode*, Reach, const ir::ScalarNode*>> seen_;
    std::map<std::pair<const ir::ScalarNode*, const ir::ScalarNode*>,
             std::pair<ir::Scalar, ir::Scalar>>
        branches_;
};

// Whether the step comes out as on paper, computed in f64. That is exact where a 32-bit step fits;
// a 64-bit one must stay below 2^62, as at launch.
ir::Scalar fits_on_paper(const ir::Scalar& step) {
    const Dtype dtype = step->dtype;
    const auto in_f64 = [](const ir::Scalar& s) {
        std::int64_t known = 0;
        return ir::is_constant(s, &known) ? ir::real(static_cast<double>(known), Dtype::f64)
                                          : ir::cast(Dtype::f64, s);
    };
    ir::Scalar paper;
    if (const auto* k = std::get_if<ir::Cast>(&step->node)) {
        paper = in_f64(k->argument);
    } else {
        const ir::Call& c = std::get<ir::Call>(step->node);
        if (c.function == Function::shift_left) {  // shifted back, it is what it was
            const ir::Scalar back = ir::call(Function::shift_right, {step, c.arguments[1]});
            return ir::call(Function::eq, {back, c.arguments[0]});
        }
        std::vector<ir::Scalar> arguments;
        for (const ir::Scalar& a : c.arguments) arguments.push_back(in_f64(a));
        paper = ir::call(c.function, std::move(arguments));
    }
    const auto bound = [](std::int64_t x) { return ir::real(static_cast<double>(x), Dtype::f64); };
    return checker::both_hold(ir::call(Function::le, {bound(ir::least_at_launch(dtype)), paper}),
                              ir::call(Function::le, {paper, bound(ir::most_at_launch(dtype))}));
}

class PlaceChecks {
public:
    explicit PlaceChecks(ir::Kernel& kernel) : kernel_(kernel), uses_(kernel.roles.size()) {}

    void run() {
        for (changed_ = true; changed_;) {
            changed_ = false;
            for (number_ = 0; number_ < kernel_.roles.size(); ++number_) {
                follow(kernel_.roles[number_].body, "");
                for (const ir::Op& op : kernel_.lets) follow(op, "");
            }
        }
        for (number_ = 0; number_ < kernel_.roles.size(); ++number_) assert_in_role();
    }

private:
    struct RoleUses {
        std::map<std::string, Reach> names;
        std::map<std::uint32_t, Reach> values;
    };
    // The operation that an expression belongs to, and its cells if the expression differs by them.
    struct Site {
        const ir::Op* op;
        ir::Asked asked = ir::Asked::yes;
        std::int64_t rows = 0;
        std::int64_t cols = 0;
        ir::Scalar is_cell = nullptr;  // null: each of them
        const ir::Map* map = nullptr;  // of whose inputs the cells are made
        ir::Scalar chosen = nullptr;   // under which an element is read; null: always
    };

    ir::Role& role() { return kernel_.roles[number_]; }
    RoleUses& uses() { return uses_[number_]; }

    // ---- what positions are made of --------------------------------------------------------

    void raise(Reach& known, Reach use) {
        if (use <= known) return;
        known = use;
        changed_ = true;
    }

    void follow(const ir::Scalar& s, Reach use, const ir::Map* map = nullptr) {
        if (!s || use == Reach::none) return;
        Ways([&](const ir::Scalar& node, Reach reached, const ir::Scalar&) {
            if (const auto* name = std::get_if<ir::Symbol>(&node->node)) {
                raise(uses().names[name->name], reached);
            } else if (const auto* cell = std::get_if<ir::Element>(&node->node); cell && map) {
                const ir::Value input = map->inputs[static_cast<std::size_t>(cell->input)];
                raise(uses().values[input.id], reached);
            }
        }).follow(s, use);
    }

    void follow(const ir::Block& block, const std::string& pipeline) {
        for (const ir::Op& op : block) {
            follow(op, pipeline);
            const auto* produce = ir::as<ir::Produce>(op);
            ir::for_each_block(op, [&](const ir::Block& inner) {
                follow(inner, produce != nullptr ? produce->pipeline : pipeline);
            });
        }
    }

    void follow(const ir::Op& op, const std::string& pipeline) {
        for_each_position(op, [&](const ir::Scalar& at, const Site& site) {
            follow(at, Reach::whole, site.map);
        });
        const auto value = [&](ir::Value v) -> Reach& { return uses().values[v.id]; };
        const auto same = [&](ir::Value source, ir::Value result) {
            raise(value(source), value(result));
        };
        const auto from_memory = [&](const std::string& tensor, Reach reach) {
            if (ir::find_tensor(kernel_, tensor)->mode != ir::Mode::in)
                raise(tensors_[tensor], reach);
        };
        std::visit(
            Overloaded{
                [&](const ir::Let& n) { follow(n.value, uses().names[n.name]); },
                [&](const ir::ReadNumber& n) { raise(value(n.source), uses().names[n.name]); },
                [&](const ir::Splat& n) { follow(n.value, value(n.result)); },
                [&](const ir::Map& n) { follow(n.expression, value(n.result), &n); },
                [&](const ir::Apply& n) {
                    if (holds_cells_or_sums(n.function)) same(n.source, n.result);
                },
                [&](const ir::Copy& n) { same(n.source, n.result); },
                [&](const ir::Share& n) { same(n.source, n.result); },
                [&](const ir::Window& n) { same(n.source, n.result); },
                [&](const ir::Field& n) {
                    const auto* element = std::get_if<ir::ElementType>(&role()[n.element].type);
                    raise(fields_[{element->pipeline, n.field}], value(n.result));
                },
                [&](const ir::Put& n) {
                    raise(value(n.source), fields_[{pipeline, n.field}]);
                },
                [&](const ir::Load& n) { from_memory(n.source.tensor, value(n.result)); },
                [&](const ir::Fill& n) {
                    from_memory(n.source.tensor, fields_[{pipeline, n.field}]);
                },
                [&](const ir::Store& n) { raise(value(n.source), tensors_[n.target.tensor]); },
                // Products of bytes are summed in 32 bits, and not followed.
                [](const ir::Mma&) {},
                // Whose expressions are positions, or reach none.
                [](const ir::For&) {},
                [](const ir::If&) {},
                [](const ir::Print&) {},
                [](const ir::Assert&) {},
                [](const ir::CountWrites&) {},
                [](const ir::Signal&) {},
                [](const ir::Await&) {},
                [](const ir::Produce&) {},
                [](const ir::Consume&) {},
                [](const ir::ScheduledOp auto&) {},
            },
            op.node);
    }

    static bool holds_cells_or_sums(TileFunction f) {
        switch (f) {
            case TileFunction::argmax:
            case TileFunction::argmin: return false;
            case TileFunction::sum:
            case TileFunction::max:
            case TileFunction::min:
            case TileFunction::cumsum:
            case TileFunction::exchange:
            case TileFunction::transpose:
            case TileFunction::slice:
            case TileFunction::fragments:
            case TileFunction::from_fragments:
            case TileFunction::convert_layout: return true;
        }
        return true;
    }

    // ---- positions of an operation ---------------------------------------------------------

    template <class F>
    void for_each_position(const ir::Op& op, const F& see) {
        std::map<const ir::Scalar*, const ir::Range*> lists;
        ir::for_each_slice(op, [&](const ir::Slice& slice) {
            for (const ir::Range& r : slice.ranges) {
                const bool listed = r.kind == ir::Range::Kind::gather;
                if (listed) lists[&r.base] = &r;
                if (r.base) see(r.base, listed ? site_of(op, r) : Site{&op});
                if (r.edge) see(r.edge, Site{&op});
            }
        });
        Site own{&op};
        if (const auto* map = ir::as<ir::Map>(op)) {
            const ir::TileType& type = role().tile(map->result);
            own = {&op, ir::Asked::no, type.rows, type.cols, nullptr, map};
        } else if (ir::as<ir::Splat>(op) != nullptr) {
            own.asked = ir::Asked::no;
        }
        ir::for_each_scalar(op, [&](const ir::Scalar& s) {
            const auto list = lists.find(&s);
            const Site site = list == lists.end() ? own : site_of(op, *list->second);
            ir::Guards guards;
            ir::visit_evaluated(s, guards, [&](const ir::Scalar& node, const ir::Guards& around) {
                const auto* load = std::get_if<ir::ElementLoad>(&node->node);
                if (load == nullptr) return;
                Site of_load = site;
                of_load.chosen = ir::condition_of(around);
                for (const ir::Scalar& at : load->position) see(at, of_load);
            });
        });
        if (const auto* loop = ir::as<ir::For>(op)) {  // its variable takes them
            see(loop->begin, Site{&op});
            see(loop->end, Site{&op});
        }
        const auto counted = [&](const std::vector<ir::Scalar>& at) {
            for (const ir::Scalar& s : at) see(s, Site{&op});
        };
        if (const auto* signal = ir::as<ir::Signal>(op)) counted(signal->at);
        if (const auto* await = ir::as<ir::Await>(op)) counted(await->at);
    }

    static Site site_of(const ir::Op& op, const ir::Range& list) {
        Site site{&op, ir::Asked::yes, list.length, 1};
        if (list.edge) site.is_cell = ir::less(ir::row(), list.edge);
        return site;
    }

    // ---- assertions ------------------------------------------------------------------------

    void assert_in_role() {
        const ir::Ranges ranges = ir::ranges_of(kernel_, role());
        ir::RangeFinder control(ranges);
        ir::RangeFinder cells(ranges, ir::Asked::no);
        ranges_ = &ranges;
        control_ = &control;
        cells_ = &cells;
        lets_.clear();
        lets_of_bits_.clear();
        ir::Block first;
        for (const ir::Op& op : kernel_.lets) assert_for(op, first);
        ir::walk(role().body, [&](const ir::Op& op) { know_let(op); });
        checker::assert_before_operations(role(), [&](const ir::Op& op, const std::string&,
                                                      ir::Block& out) { assert_for(op, out); });
        if (!first.empty()) checker::assert_first(role(), std::move(first));
        kept_.clear();
    }

    void assert_for(const ir::Op& op, ir::Block& out) {
        // About the operation after it.
        if (const auto* check = ir::as<ir::Assert>(op); check != nullptr && check->of_cells())
            return;
        for_each_position(op, [&](const ir::Scalar& at, const Site& site) {
            assert_steps(at, Reach::whole, site, out);
        });
        const auto of_name = [&](const std::string& name) { return uses().names[name]; };
        const auto of_value = [&](ir::Value v) { return uses().values[v.id]; };
        if (const auto* let = ir::as<ir::Let>(op)) {
            know_let(op);
            // Too long to be repeated wherever it is used.
            if (!lets_.contains(let->name))
                assert_steps(let->value, of_name(let->name), {&op}, out);
        } else if (const auto* splat = ir::as<ir::Splat>(op)) {
            assert_steps(splat->value, of_value(splat->result), {&op, ir::Asked::no}, out);
        } else if (const auto* map = ir::as<ir::Map>(op)) {
            const ir::TileType& type = role().tile(map->result);
            assert_steps(map->expression, of_value(map->result),
                         {&op, ir::Asked::no, type.rows, type.cols, nullptr, map}, out);
        } else if (const auto* apply = ir::as<ir::Apply>(op)) {
            if (of_value(apply->result) != Reach::none) assert_sum(op, *apply, out);
        }
    }

    // Between bit operations, arithmetic is done on bits.
    bool has_bit_operations(const ir::Scalar& s) const {
        bool found = false;
        ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
            const auto* c = std::get_if<ir::Call>(&n.node);
            const auto* name = std::get_if<ir::Symbol>(&n.node);
            found = found || (c != nullptr && is_bit_operation(*c)) ||
                    (name != nullptr && lets_of_bits_.contains(name->name));
        });
        return found;
    }

    // A long `let` keeps its name in what uses it.
    void know_let(const ir::Op& op) {
        constexpr std::size_t longest = 256;  // nodes
        const auto* let = ir::as<ir::Let>(op);
        if (let == nullptr || lets_.contains(let->name)) return;
        if (has_bit_operations(let->value)) lets_of_bits_.insert(let->name);
        const ir::Scalar value = ir::substitute(let->value, lets_);
        if (value->size <= longest) lets_[let->name] = value;
    }

    void assert_steps(const ir::Scalar& s, Reach use, const Site& site, ir::Block& out) {
        if (!s || use == Reach::none) return;
        const ir::Scalar& whole = kept_.emplace_back(ir::substitute(s, lets_));
        ir::RangeFinder& finder = site.asked == ir::Asked::yes ? *control_ : *cells_;
        std::vector<StepOfPlace> steps;
        Ways([&](const ir::Scalar& node, Reach reached, const ir::Scalar& chosen) {
            const bool is_step = std::holds_alternative<ir::Call>(node->node) ||
                                 std::holds_alternative<ir::Cast>(node->node);
            if (!is_step || !is_integer(node->dtype) || finder.step_of(node).fit != ir::Fit::never)
                return;
            const auto* k = std::get_if<ir::Cast>(&node->node);
            if (k != nullptr && is_real(k->argument->dtype)) return;  // those saturate
            const bool may_be_meant =
                info(node->dtype).kind == DtypeClass::natural || has_bit_operations(node);
            if (may_be_meant && reached == Reach::part) return;
            // `a + (b - a)` is b, which fits.
            if (ir::fits(ir::normal_form(node), node->dtype, *ranges_)) return;
            steps.push_back({node, chosen});
        }).follow(whole, use);
        // The first failure is reported, so operands come before the step that uses them.
        std::stable_sort(
            steps.begin(), steps.end(),
            [](const StepOfPlace& a, const StepOfPlace& b) { return a.step->size < b.step->size; });
        for (const StepOfPlace& step : steps) assert_step(step, site, out);
    }

    void assert_step(const StepOfPlace& step, const Site& site, ir::Block& out) {
        ir::Scalar holds = fits_on_paper(step.step);
        const auto unless = [&](const ir::Scalar& asked) {
            if (!asked) return;
            const ir::Scalar other = ir::call(Function::logical_not, {asked});
            holds = ir::call(Function::logical_or, {other, holds});
        };
        unless(step.chosen);
        unless(site.chosen);
        std::int64_t known = 0;
        if (ir::is_constant(holds, &known) && known != 0) return;
        const std::string text =
            fmt::format("`{}` fits in {}", words_of(step.step, site.map), name(step.step->dtype));
        if (site.map != nullptr && has_elements(holds)) {
            const ir::TileType type{Dtype::i32, site.rows, site.cols, ir::Space::registers};
            const ir::Scalar flag =
                ir::call(Function::where, {holds, ir::integer(1), ir::integer(0)});
            assert_tile(*site.op, ir::Map{{}, site.map->inputs, flag}, type, text, out);
            return;
        }
        const bool of_cells = checker::differs_by_cell(holds);
        if (of_cells) unless(site.is_cell);
        out.push_back(ir::at(
            site.op->span,
            ir::Assert{holds, {}, text, of_cells ? site.rows : 0, of_cells ? site.cols : 0}));
    }

    // Sums of cells are computed again in f32. Its error is less than the distance from the largest
    // extent to 2^31.
    void assert_sum(const ir::Op& op, const ir::Apply& apply, ir::Block& out) {
        const ir::TileType source = role().tile(apply.source);
        const ir::TileType result = role().tile(apply.result);
        const bool sums =
            apply.function == TileFunction::sum || apply.function == TileFunction::cumsum;
        if (!sums || !is_integer(result.dtype)) return;
        const auto real_tile = [&](const ir::TileType& like) {
            return ir::add_value(role(), "", ir::TileType{Dtype::f32, like.rows, like.cols});
        };
        ir::Map terms{
            real_tile(source), {apply.source}, ir::cast(Dtype::f32, ir::element(0, source.dtype))};
        ir::Apply sum = apply;
        sum.source = terms.result;
        sum.result = real_tile(result);
        constexpr double most = 2147221504.0;  // 2^31 - 2^18, above all extents
        const ir::Scalar cell = ir::element(0, Dtype::f32);
        const ir::Scalar fits = checker::both_hold(ir::call(Function::le, {ir::real(-most), cell}),
                                                   ir::call(Function::le, {cell, ir::real(most)}));
        const ir::Scalar flag = ir::call(Function::where, {fits, ir::integer(1), ir::integer(0)});
        const ir::Map flags{{}, {sum.result}, flag};
        out.push_back(ir::at(op.span, std::move(terms)));
        out.push_back(ir::at(op.span, std::move(sum)));
        const std::string text = fmt::format("`{}(.., axis = {})` fits in {}", name(apply.function),
                                             apply.axis, name(result.dtype));
        assert_tile(op, flags, {Dtype::i32, result.rows, result.cols}, text, out);
    }

    void assert_tile(const ir::Op& op, ir::Map flags, const ir::TileType& type,
                     const std::string& text, ir::Block& out) {
        flags.result = ir::add_value(role(), "", type);
        const ir::Assert check{nullptr, flags.result, text};
        out.push_back(ir::at(op.span, std::move(flags)));
        out.push_back(ir::at(op.span, check));
    }

    static bool has_elements(const ir::Scalar& s) {
        bool found = false;
        ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
            found = found || std::holds_alternative<ir::Element>(n.node);
        });
        return found;
    }

    // In the author's words, without the dtypes of numbers.
    std::string words_of(const ir::Scalar& s, const ir::Map* map) {
        constexpr std::size_t longest = 96;
        std::string words =
            ir::to_string(ir::rewrite(ir::as_written(s), [&](const ir::Scalar& node) -> ir::Scalar {
                if (std::holds_alternative<ir::Row>(node->node)) return ir::symbol("row_index");
                if (std::holds_alternative<ir::Column>(node->node)) return ir::symbol("col_index");
                if (const auto* name = std::get_if<ir::Symbol>(&node->node))
                    return ir::symbol(name->name);
                if (const auto* number = std::get_if<ir::Integer>(&node->node))
                    return ir::integer(number->value);
                if (const auto* load = std::get_if<ir::ElementLoad>(&node->node))
                    return ir::element_load(load->tensor, load->position, false, Dtype::i32);
                const auto* cell = std::get_if<ir::Element>(&node->node);
                if (cell == nullptr || map == nullptr) return nullptr;
                const ir::Value input = map->inputs[static_cast<std::size_t>(cell->input)];
                const std::string& name = role()[input].name;
                const bool invented = name.size() > 1 && name[0] == 't' &&
                                      name.find_first_not_of("0123456789", 1) == std::string::npos;
                return ir::symbol(invented ? ".." : name);
            }));
        if (words.size() > longest) words = words.substr(0, longest) + "..";
        return words;
    }

    ir::Kernel& kernel_;
    std::vector<RoleUses> uses_;  // of each role; of the kernel's `let`s by each
    std::map<std::string, Reach> tensors_;
    std::map<std::pair<std::string, std::string>, Reach> fields_;  // by pipeline and field
    bool changed_ = false;
    std::size_t number_ = 0;  // of the role at hand
    const ir::Ranges* ranges_ = nullptr;
    ir::RangeFinder* control_ = nullptr;
    ir::RangeFinder* cells_ = nullptr;
    std::map<std::string, ir::Scalar> lets_;  // with no short `let` left in them
    std::set<std::string> lets_of_bits_;      // that bit operations make
    std::deque<ir::Scalar> kept_;             // expressions that the finders have seen
};

}  // namespace

void assert_places_fit(ir::Kernel& kernel) { PlaceChecks(kernel).run(); }

}  // namespace tkc::checks
