// Says which number may wrap, and how to keep it from that.
#include "checks/tile/wraps.h"

#include "facts/value_range.h"

namespace tkc::checks {

using namespace ir;

namespace {

// The tensor of the data in a form, and the number that its elements must be less than where the
// form is a multiple of one of them and a constant; 0: not known.
struct Data {
    std::string tensor;
    std::int64_t end = 0;
};
Data data_of(const NormalForm& x, std::int64_t most) {
    Data data;
    visit_atoms(x, [&](const Atom& a) {
        if (a->kind == AtomKind::load && data.tensor.empty()) data.tensor = a->name;
    });
    const Monomial& lead = x.terms().front().first;
    const bool linear = x.terms().size() == (x.constant() == 0 ? 1U : 2U) && lead.size() == 1 &&
                        lead[0]->kind == AtomKind::load;
    const std::int64_t factor = x.terms().front().second;
    if (linear && factor > 0 && x.constant() >= 0) data.end = (most - x.constant()) / factor + 1;
    return data;
}

}  // namespace

void report_wraps(DiagnosticBuilder& builder, const NormalForm& x) {
    Atom first = nullptr;
    visit_atoms(x, [&](const Atom& a) {
        if (a->kind == AtomKind::wrapped && first == nullptr) first = a;
    });
    if (first == nullptr || first->parts[0].terms().empty()) return;
    const Dtype dtype = *find_dtype(first->name);
    const NormalForm& inside = first->parts[0];
    builder.note("`{}` may overflow {} and wrap, so it differs from the exact value",
                 to_string(inside), first->name);
    const Data data = data_of(inside, range_of_dtype(dtype).most);
    if (data.tensor.empty()) {
        builder.help("clamp its operands with `min` and `max`");
    } else {
        builder.help(
            "state the range of the data, as in `trusts within({}, 0, {})`, or clamp it with `min` "
            "and `max`",
            data.tensor, data.end > 0 ? std::to_string(data.end) : "N");
    }
}

}  // namespace tkc::checks
