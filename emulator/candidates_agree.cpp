// Bounds for what two candidates may differ by, and what is said of those that do.
#include "emulator/candidates_agree.h"

#include <algorithm>

#include "emulator/tensor_view.h"

namespace tkc::emulator {

namespace {

// Where a test compares nothing: what sums in another order may come to, as they are rounded.
Limits limits_of_type(Dtype dtype) {
    switch (dtype) {
        case Dtype::f64:
        case Dtype::f32: return {1e-3, 1e-3};
        case Dtype::f16: return {2e-2, 1e-2};
        case Dtype::bf16: return {1e-1, 5e-2};
        case Dtype::fp8_e4m3:
        case Dtype::fp8_e5m2: return {1, 0.5};
        case Dtype::i8:
        case Dtype::i16:
        case Dtype::i32:
        case Dtype::i64:
        case Dtype::u8:
        case Dtype::u32:
        case Dtype::boolean: return {};
    }
    return {};
}

// Which bounds a test gives.
class Bounds {
public:
    Bounds(const TestCase& test, const PreparedCase& prepared, const EvaluationContext& context) {
        for (const ast::TestItem& item : test.test->items) {
            const auto* expect = std::get_if<ast::Expect>(&item.node);
            if (expect == nullptr) continue;
            const std::optional<Limits> limits = limits_of(*expect, prepared, context);
            if (!limits) continue;  // reported, and then no run is good
            for (const ast::Name& name : expect->names) named_.emplace(name.text, *limits);
            if (!widest_) widest_ = Limits{};
            widest_->cell = std::max(widest_->cell, limits->cell);
            widest_->norm = std::max(widest_->norm, limits->norm);
        }
    }

    Limits of(const ir::Tensor& tensor) const {
        const auto named = named_.find(tensor.name);
        if (named != named_.end()) return named->second;
        if (!is_real(tensor.dtype)) return {};
        return widest_ ? *widest_ : limits_of_type(tensor.dtype);
    }

private:
    std::map<std::string, Limits> named_;
    std::optional<Limits> widest_;
};

}  // namespace

const ir::Launcher* launcher_of(const ir::Module& module, const std::string& kernel) {
    for (const ir::Launcher& launcher : module.launchers) {
        const auto& list = launcher.candidates;
        if (list.size() > 1 && std::find(list.begin(), list.end(), kernel) != list.end())
            return &launcher;
    }
    return nullptr;
}

bool take_the_same(const Arguments& a, const Arguments& b) {
    return std::all_of(a.tensors.begin(), a.tensors.end(), [&](const auto& named) {
        const auto other = b.tensors.find(named.first);
        return other != b.tensors.end() && other->second.extents == named.second.extents;
    });
}

bool candidates_agree(const TestCase& test, const PreparedCase& prepared, const CandidateRun& first,
                      const CandidateRun& other, const EvaluationContext& context) {
    const Bounds bounds(test, prepared, context);
    bool good = true;
    for (const ir::Tensor& tensor : other.kernel->tensors) {
        if (tensor.mode == ir::Mode::in || tensor.mode == ir::Mode::scratch) continue;
        const Tensor& after = other.after.tensors.at(tensor.name);
        const Array before = to_array(first.after.tensors.at(tensor.name));
        const Comparison comparison = compare(after, before, bounds.of(tensor));
        if (comparison.good()) continue;
        good = false;
        DiagnosticBuilder message = context.diag.error(
            tensor.span, msg::candidates_differ, tensor.name, other.name, first.name, context.test);
        message.note(differences_text(comparison, after.extents, first.name, other.name));
        message.help(
            "compute it from positions in the tensors, as in `m.start + row_index(x)`, or by a "
            "loop over the whole axis; otherwise remove `schedule`");
    }
    return good;
}

}  // namespace tkc::emulator
