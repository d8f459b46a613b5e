// One tensor that the programs of a kernel write: is it written whole, by one program each, and
// read only where it may be.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/check.h"
#include "checks/tile/boxes.h"
#include "checks/tile/counters.h"

namespace tkc::checks {

class Output {
public:
    // `order` of the kernel's counters; null: it has none. All must live as long.
    Output(const ir::Kernel& kernel, const ir::Tensor& tensor, const std::vector<Access>& accesses,
           const ir::Facts& facts, const CounterOrder* order, const TryWitness& trial);

    // False if something was refuted.
    bool decide(Diagnostics& diag, std::vector<Obligation>& list);

private:
    std::string whole_claim() const;
    bool decide_unwritten(Diagnostics& diag, std::vector<Obligation>& list) const;
    Verdict decide_writes(Diagnostics& diag, std::vector<Obligation>& list);
    bool states(std::string_view fact) const;  // `trusts covers(..)` of the tensor
    void trust_or_list(bool covers, bool disjoint, Diagnostics& diag, Obligation& result) const;
    // Of all programs together: where there are none, nothing is left to write. Empty if so, else
    // the grid axis that has none, as the truth of it.
    std::optional<ir::NormalForm> unwritten_without_programs() const;
    bool refute_without_programs(const ir::NormalForm& none, Diagnostics& diag,
                                 Obligation* result) const;

    // first_writes.cpp
    bool decide_first_writes(Diagnostics& diag, std::vector<Obligation>& list);
    bool refute_first_write(const Access& load, Diagnostics& diag, Obligation* result) const;

    // reads.cpp
    void trust_or_list_reads(const std::vector<const Access*>& open, Diagnostics& diag,
                             Obligation& result);
    bool may_be_own(const Access& load) const;
    bool states_reads() const;  // `trusts reads_own(..)` of the tensor
    using SyncPoint = std::pair<const Access*, const Access*>;  // a load and a store
    std::vector<SyncPoint> unordered_roles();
    void list_open_roles(const std::vector<SyncPoint>& open, Diagnostics& diag,
                         std::vector<Obligation>& list) const;
    bool decide_reads(Verdict writes, Diagnostics& diag, std::vector<Obligation>& list);
    bool lies_in_stores(const Access& load, const std::vector<Access>& joined) const;
    bool runs_with(const Access& store, const Access& load) const;
    bool reads_own(const Access& load, bool settled, const std::vector<Access>& joined,
                   bool* by_counters) const;

    // counterexamples.cpp
    bool refute(const std::vector<const Access*>& accesses,
                const std::vector<ir::NormalForm>& doubts, Diagnostics& diag,
                Obligation* result) const;
    bool obeys_increasing(const ir::Witness& witness) const;
    bool refute_with(const std::vector<const Access*>& accesses, std::vector<ir::NormalForm> goals,
                     Diagnostics& diag, Obligation* result) const;
    // The goals, that the tensor is not empty, and values for all names that the accesses use.
    std::optional<ir::Witness> find_launch(const std::vector<const Access*>& accesses,
                                           std::vector<ir::NormalForm> goals) const;
    std::string text_of_extents(const ir::Witness& witness) const;
    bool report(const std::vector<Box>& boxes, const std::vector<std::int64_t>& extents,
                const std::string& where, const ir::Assignment& values, Diagnostics& diag,
                Obligation* result) const;
    std::string missing_requirement(const ir::Assignment& values) const;
    void report_overlap(const Overlap& overlap, const std::string& part, const std::string& where,
                        Diagnostics& diag, Obligation* result) const;

    const ir::Kernel& kernel_;
    const ir::Tensor& tensor_;
    std::vector<const Access*> stores_;
    std::vector<const Access*> loads_;
    const ir::Facts& facts_;
    const CounterOrder* order_;
    const TryWitness& trial_;
    // Whether counters keep the two in order wherever different programs do them.
    bool counted(const Access& a, const Access& b) const {
        return order_ != nullptr && order_->in_order(a, b);
    }
    // Whether stores of different programs meet only in an order that counters keep.
    bool stores_are_counted() const;
    InOrder in_order_;                 // loads of one role before stores of another
    const Access* foreign_ = nullptr;  // the first load that was reported as of what others write
};

}  // namespace tkc::checks
