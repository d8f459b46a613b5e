// A release has a fence where its stage was read or written by ordinary accesses, since bulk copies
// fill it again. A fence is not for one stage: it orders all that the thread did before it. So
//
//     read a; read b; release a fence; release b fence            // b's fence has nothing to do
//     read q; .. { write q's stage; fence_async; tma_store }; release q fence         // q's too
//
// and the walk goes back from a release, on every way, to what comes first: a fence, which all
// lanes execute, or an ordinary access to the stage.
#include "lowering/sm90/release_fences.h"

#include <algorithm>

#include "ir/reflect.h"
#include "ir/walk.h"
#include "ir/ways.h"

namespace tkc::lowering {

namespace {

using namespace ir;

class Fences {
public:
    Fences(const Role& role, const Op* release)
        : role_(role),
          windows_(role),
          way_(way_to(role.body, release)),
          element_(std::get<Release>(release->node).element) {
        walk_only<Field>(role.body, [&](const Field& field) {
            if (is_meant(field.element)) fields_.push_back(field.result);
        });
        // Where a read is in place, what takes its result reads the stage.
        walk_only<ReadShared>(role.body, [&](const ReadShared& read) {
            if (read.in_place && is_field(read.source)) fields_.push_back(read.result);
        });
    }

    bool covers() const {
        for (std::size_t depth = way_.size(); depth-- > 0;) {
            const Block& block = *way_[depth].block;
            const std::size_t here = way_[depth].place;
            // A branch next to the one of the release, with the same condition, was taken as well.
            const auto* branch = depth + 1 < way_.size() ? as<If>(way_[depth].op()) : nullptr;
            const bool then = branch != nullptr && way_[depth + 1].block == &branch->then_body;
            const Found found = last_of(block, here, then ? branch->condition : Scalar{});
            if (found != Found::nothing) return found == Found::fence;
            // The step before, up to this place; or there was none, and it goes on outside.
            const bool turns = depth > 0 && as<For>(way_[depth - 1].op()) != nullptr;
            if (turns && last_of(block, block.size()) != Found::fence) return false;
        }
        return false;
    }

private:
    enum class Found : std::uint8_t { fence, access, nothing };

    // Whether what is done with `element` may be done with that of the release. A variable keeps
    // one of any step.
    bool is_meant(Value element) const {
        if (!role_[element_].variable) return element == element_;
        return std::get<ElementType>(role_[element].type).pipeline ==
               std::get<ElementType>(role_[element_].type).pipeline;
    }

    static bool is_fence(const Op& op) {
        const auto* release = as<Release>(op);
        const auto* publish = as<Publish>(op);
        return as<FenceAsync>(op) != nullptr || (release != nullptr && release->fence) ||
               (publish != nullptr && publish->fence);
    }

    bool accesses(const Op& op) const {
        const auto* mma = as<Mma>(op);
        if (as<Field>(op) != nullptr || as<Window>(op) != nullptr || as<TmaStore>(op) != nullptr ||
            as<Release>(op) != nullptr || as<Copy>(op) != nullptr ||
            (mma != nullptr && !mma->synchronous))
            return false;
        bool found = false;
        for_each_operand(op, [&](Value v) {
            const bool is_element = std::holds_alternative<ElementType>(role_[v].type);
            found = found || (is_element && is_meant(v)) || is_field(v);
        });
        return found;
    }

    bool is_field(Value v) const {
        return std::find(fields_.begin(), fields_.end(), windows_.whole(v)) != fields_.end();
    }

    // What comes last of the operations of the block before place `end`. `holds`: a condition that
    // was true all the time, or null.
    Found last_of(const Block& block, std::size_t end, const Scalar& holds = {}) const {
        for (std::size_t i = end; i-- > 0;) {
            const Op& op = block[i];
            if (is_fence(op)) return Found::fence;
            // Nobody touches the stage before the element is taken.
            const auto* take = as<Take>(op);
            if (take != nullptr && take->result == element_ && !role_[element_].variable)
                return Found::fence;
            if (accesses(op)) return Found::access;
            const Found inside = last_inside(op, holds);
            if (inside != Found::nothing) return inside;
        }
        return Found::nothing;
    }

    Found last_inside(const Op& op, const Scalar& holds) const {
        if (const auto* loop = as<For>(op)) {
            const Found found = last_of(loop->body, loop->body.size());
            return found == Found::fence && !surely_runs(op) ? Found::nothing : found;
        }
        const auto* branch = as<If>(op);
        if (branch == nullptr) return Found::nothing;
        const Found then = last_of(branch->then_body, branch->then_body.size());
        if (holds && same(branch->condition, holds)) return then;
        const Found otherwise = last_of(branch->else_body, branch->else_body.size());
        if (then == Found::access || otherwise == Found::access) return Found::access;
        return then == otherwise ? then : Found::nothing;
    }

    const Role& role_;
    const Windows windows_;
    Way way_;
    Value element_;
    std::vector<Value> fields_{};  // shared tiles in stages that may be the element's
};

}  // namespace

void drop_release_fences(Role& role) {
    walk(role.body, [&](Op& op) {
        auto* release = as<Release>(op);
        if (release != nullptr && release->fence && Fences(role, &op).covers())
            release->fence = false;
    });
}

}  // namespace tkc::lowering
