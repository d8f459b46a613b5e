// What the programs of a cluster share (semantics 10): a load that each of them makes a part of is
// the same slice for all, and all of them make and take as many elements.
//
// Dependence is followed by names: the cluster's axis, and every `let` and loop variable made from
// it. That refuses `0 * m`, and needs no arithmetic.
#include <fmt/format.h>

#include <set>

#include "checks/check.h"
#include "ir/walk.h"

namespace tkc::checks {

namespace {

using namespace ir;

class ClusterCheck {
public:
    ClusterCheck(const Kernel& kernel, const GridAxis& axis, Diagnostics& diag)
        : kernel_(kernel), axis_(axis), diag_(diag) {}

    bool check() {
        names_ = {axis_.var};
        add_lets(kernel_.lets);
        for (const Role& role : kernel_.roles) check_block(role.body);
        return good_;
    }

private:
    bool depends(const Scalar& s) const {
        for (const std::string& name : symbols_of(s)) {
            if (names_.contains(name)) return true;
        }
        return false;
    }

    void add_lets(const Block& block) {
        for (const Op& op : block) {
            if (const Let* let = as<Let>(op); let != nullptr && depends(let->value))
                names_.insert(let->name);
        }
    }

    void check_block(const Block& block) {
        for (const Op& op : block) {
            if (const Let* let = as<Let>(op)) {
                if (depends(let->value)) names_.insert(let->name);
            } else if (const auto* read = as<ReadNumber>(op)) {
                names_.insert(read->name);  // what it is made of may differ between programs
            } else if (const For* loop = as<For>(op)) {
                const bool differs = depends(loop->begin) || depends(loop->end);
                if (differs) names_.insert(loop->var);
                if (differs && moves_elements(loop->body)) refuse_count(op.span, loop->body);
                else check_block(loop->body);
            } else if (const If* branch = as<If>(op)) {
                const bool moves =
                    moves_elements(branch->then_body) || moves_elements(branch->else_body);
                if (moves && depends(branch->condition)) {
                    refuse_count(op.span, moves_elements(branch->then_body) ? branch->then_body
                                                                            : branch->else_body);
                } else {
                    check_block(branch->then_body);
                    check_block(branch->else_body);
                }
            } else if (const auto* produce = as<Produce>(op)) {
                check_block(produce->body);
            } else if (const Fill* fill = as<Fill>(op)) {
                if (fill->multicast && slice_depends(fill->source)) {
                    refuse(op.span, fmt::format("the slice of `{}`", fill->source.tensor),
                           "its programs load different tiles")
                        .help("drop `multicast`");
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

    bool slice_depends(const Slice& slice) const {
        for (const Range& r : slice.ranges) {
            if (r.base && depends(r.base)) return true;
        }
        return false;
    }

    // Copies cell by cell look at the ends of a range and not at single positions.
    void check_position(Span span, const Slice& slice, Transfer transfer) {
        if (transfer == Transfer::tma) return;
        for (const Range& r : slice.ranges) {
            if (r.kind != Range::Kind::index || !depends(r.base)) continue;
            refuse(span, fmt::format("a position in `{}`", slice.tensor),
                   "it may lie outside of the tensor")
                .help("use `tma_load` and `tma_store`");
            return;
        }
    }

    static bool moves_elements(const Block& block) {
        bool found = false;
        walk(block, [&](const Op& op) {
            found = found || as<Produce>(op) != nullptr || as<Consume>(op) != nullptr;
        });
        return found;
    }

    // Once: the other side of the pipeline has the same loop.
    void refuse_count(Span span, const Block& body) {
        if (counts_differ_) return;
        counts_differ_ = true;
        DiagnosticBuilder message = refuse(span, "the number of elements",
                                           "one of them would wait for the others for ever");
        bool labelled = false;
        walk(body, [&](const Op& op) {
            const bool moves = as<Produce>(op) != nullptr || as<Consume>(op) != nullptr;
            if (!moves || labelled) return;
            labelled = true;
            message.label(op.span, "this is one of them");
        });
        message.help(
            "let all programs of a cluster make as many, or form clusters along another axis");
    }

    DiagnosticBuilder refuse(Span span, const std::string& what, const char* why) {
        good_ = false;
        return diag_.error(span, msg::cluster_differs, what, axis_.var, why);
    }

    const Kernel& kernel_;
    const GridAxis& axis_;
    Diagnostics& diag_;
    std::set<std::string> names_;  // made from the cluster's axis
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
