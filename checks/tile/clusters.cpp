// What the programs of a cluster share (semantics 10): a load that each of them makes a part of is
// the same slice for all, and all of them make and take as many elements.
//
// Dependence is followed by names: the cluster's axis, and every `let`, loop variable and number of
// a role made from it. That refuses `0 * m`, and needs no arithmetic. What is made of cells of
// tiles, or of fields of pipelines, may depend on it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "arithmetic/number_names.h"
#include "checks/check.h"
#include "facts/elements_taken.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

enum class Depends : std::uint8_t { no, maybe, yes };

class ClusterCheck {
public:
    ClusterCheck(const Kernel& kernel, const GridAxis& axis, Diagnostics& diag)
        : kernel_(kernel), axis_(axis), diag_(diag) {}

    bool check() {
        names_[axis_.var] = Depends::yes;
        follow(kernel_.lets, Depends::no);
        for (const Role& role : kernel_.roles) {
            role_ = &role;
            numbers_.clear();
            do {
                grew_ = false;
                follow(role.body, Depends::no);
            } while (grew_);
            check_block(role.body);
        }
        return good_;
    }

private:
    Depends dependence(const Scalar& s) const {
        Depends most = Depends::no;
        for (const std::string& name : symbols_of(s)) {
            const auto found = names_.find(name);
            if (found != names_.end()) most = std::max(most, found->second);
        }
        return most;
    }
    bool depends(const Scalar& s) const { return dependence(s) != Depends::no; }

    // The first name in `s` that is as dependent as any: what the author calls it.
    std::string dependent_name(const Scalar& s) const {
        for (const std::string& name : symbols_of(s)) {
            const auto found = names_.find(name);
            if (found != names_.end() && found->second == dependence(s)) return written_name(name);
        }
        return "";
    }

    template <class Key>
    void note(std::map<Key, Depends>& all, const Key& key, Depends how) {
        Depends& known = all[key];
        if (how <= known) return;
        known = how;
        grew_ = true;
    }

    // A number changes in loops, so this is repeated until nothing new is learnt. `control`: what
    // decides whether the block runs, and how often.
    void follow(const Block& block, Depends control) {
        for (const Op& op : block) {
            if (const Let* let = as<Let>(op)) {
                note(names_, let->name, dependence(let->value));
            } else if (const Splat* splat = as<Splat>(op)) {
                note(numbers_, splat->result.id, std::max(control, dependence(splat->value)));
            } else if (const auto* read = as<ReadNumber>(op)) {
                const bool number = is_number(*role_, read->source);
                note(names_, read->name, number ? numbers_[read->source.id] : Depends::maybe);
            } else if (const For* loop = as<For>(op)) {
                const Depends range = std::max(dependence(loop->begin), dependence(loop->end));
                note(names_, loop->var, range);
                follow(loop->body, std::max(control, range));
            } else if (const If* branch = as<If>(op)) {
                const Depends inside = std::max(control, dependence(branch->condition));
                follow(branch->then_body, inside);
                follow(branch->else_body, inside);
            } else if (const auto* produce = as<Produce>(op)) {
                follow(produce->body, control);
            }
        }
    }

    void check_block(const Block& block) {
        for (const Op& op : block) {
            if (const For* loop = as<For>(op)) {
                const Scalar& range = depends(loop->begin) ? loop->begin : loop->end;
                if (depends(range) && moves_elements(loop->body))
                    refuse_count(op.span, loop->body, range);
                else check_block(loop->body);
            } else if (const If* branch = as<If>(op)) {
                const bool moves =
                    moves_elements(branch->then_body) || moves_elements(branch->else_body);
                if (moves && depends(branch->condition)) {
                    refuse_count(
                        op.span,
                        moves_elements(branch->then_body) ? branch->then_body : branch->else_body,
                        branch->condition);
                } else {
                    check_block(branch->then_body);
                    check_block(branch->else_body);
                }
            } else if (const auto* produce = as<Produce>(op)) {
                check_block(produce->body);
            } else if (const Fill* fill = as<Fill>(op)) {
                const Scalar base = fill->multicast ? dependent_base(fill->source) : nullptr;
                if (base) {
                    const bool sure = dependence(base) == Depends::yes;
                    refuse(op.span, fmt::format("the slice of `{}`", fill->source.tensor), base,
                           sure ? "its programs load different tiles"
                                : "its programs may load different tiles")
                        .help("remove `multicast`");
                } else {
                    check_position(op.span, fill->source, fill->transfer);
                }
            } else if (const Load* load = as<Load>(op)) {
                check_position(op.span, load->source, load->transfer);
            } else if (const auto* store = as<Store>(op)) {
                check_position(op.span, store->target, store->transfer);
            }
        }
    }

    // Where the slice begins, along the axis where it depends most; null: it does not.
    Scalar dependent_base(const Slice& slice) const {
        Scalar found;
        for (const Range& r : slice.ranges) {
            if (!r.base || !depends(r.base)) continue;
            if (!found || dependence(r.base) > dependence(found)) found = r.base;
        }
        return found;
    }

    // Copies cell by cell look at the ends of a range and not at single positions.
    void check_position(Span span, const Slice& slice, Transfer transfer) {
        if (transfer == Transfer::tma) return;
        for (const Range& r : slice.ranges) {
            if (r.kind != Range::Kind::index || !depends(r.base)) continue;
            refuse(span, fmt::format("an index into `{}`", slice.tensor), r.base,
                   "it may be out of bounds")
                .help("use `tma_load` and `tma_store`");
            return;
        }
    }

    // Once: the other side of the pipeline has the same loop.
    void refuse_count(Span span, const Block& body, const Scalar& by) {
        if (counts_differ_) return;
        counts_differ_ = true;
        DiagnosticBuilder message = refuse(span, "the number of elements", by,
                                           "one of them would wait for the others forever");
        bool labelled = false;
        walk(body, [&](const Op& op) {
            const bool moves = as<Produce>(op) != nullptr || as<Consume>(op) != nullptr;
            if (!moves || labelled) return;
            labelled = true;
            message.label(op.span, "this is one of them");
        });
        message.help(
            "let all programs of a cluster produce the same number, or form clusters along another "
            "axis");
    }

    // `by`: what depends on the axis.
    DiagnosticBuilder refuse(Span span, const std::string& what, const Scalar& by,
                             const char* why) {
        good_ = false;
        const bool sure = dependence(by) == Depends::yes;
        DiagnosticBuilder message = diag_.error(span, msg::cluster_differs, what,
                                                sure ? "depends" : "may depend", axis_.var, why);
        if (!sure)
            message.note(
                "`{}` is computed from cells of tiles or fields of a pipeline, which no check "
                "tracks",
                dependent_name(by));
        return message;
    }

    const Kernel& kernel_;
    const GridAxis& axis_;
    Diagnostics& diag_;
    std::map<std::string, Depends> names_;  // made from the cluster's axis
    const Role* role_ = nullptr;
    std::map<std::uint32_t, Depends> numbers_;  // of the role, by their tiles
    bool grew_ = false;
    bool good_ = true;
    bool counts_differ_ = false;
};

}  // namespace

bool check_clusters(const Kernel& kernel, Diagnostics& diag, std::vector<Obligation>* obligations) {
    const GridAxis* axis = cluster_axis(kernel);
    if (axis == nullptr) return true;
    const bool good = ClusterCheck(kernel, *axis, diag).check();
    if (obligations != nullptr) {
        obligations->push_back({fmt::format("clusters along {}", axis->var),
                                good ? Verdict::proved : Verdict::refuted, kernel.span,
                                "slices and counts are the same for all programs of a cluster"});
    }
    return good;
}

}  // namespace tkc::checks
