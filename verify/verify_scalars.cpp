// Verifies expressions: what they mention is in scope, and every operand has the type it must have.
#include <algorithm>

#include "base/overloaded.h"
#include "ir/contract.h"
#include "verify/verify_internal.h"

namespace tkc::ir::verifier {

namespace {

class ScalarVerifier {
public:
    ScalarVerifier(const Scalar& whole, const ScalarScope& scope)
        : whole_(whole), scope_(scope), report_(scope.context.report) {}

    void verify() {
        visit_nodes(whole_, [&](const ScalarNode& n) {
            dtype_ = n.dtype;
            std::visit([&](const auto& node) { check(node); }, n.node);
        });
    }

private:
    void check(const Integer&) {
        if (!is_integer(dtype_)) complain("an integer constant is {}", name(dtype_));
    }
    void check(const Real&) {
        if (!is_real(dtype_)) complain("a floating-point constant is {}", name(dtype_));
    }
    void check(const Boolean&) {}
    void check(const Symbol& s) {
        const std::optional<Dtype> declared = scope_.symbols.find(s.name);
        if (declared) {
            if (!scope_.contract && *declared != dtype_) {
                complain("`{}` is {}, not {}", s.name, name(*declared), name(dtype_));
            }
            return;
        }
        if (scope_.contract && (is_constant_name(s.name) || is_property(s.name))) return;
        complain("`{}` is not bound here", s.name);
    }
    void check(const Element& e) {
        if (scope_.cells == nullptr) return complain("`#{}` is outside of a map", e.input);
        const auto& inputs = scope_.cells->inputs;
        if (e.input < 0 || e.input >= static_cast<std::int64_t>(inputs.size())) {
            return complain("`#{}` is not one of the {} inputs", e.input, inputs.size());
        }
        const Value input = inputs[static_cast<std::size_t>(e.input)];
        const auto* tile = std::get_if<TileType>(&(*scope_.role)[input].type);
        if (tile != nullptr && tile->dtype != dtype_) {
            complain("`#{}` is {}, not {}", e.input, name(tile->dtype), name(dtype_));
        }
    }
    void check(const Row&) {
        if (scope_.cells == nullptr && !scope_.positions && !scope_.asserted)
            complain("`row` is outside of a map");
    }
    void check(const Column&) {
        if (scope_.cells == nullptr && !scope_.asserted) complain("`col` is outside of a map");
    }
    void check(const ElementLoad& load) {
        const Tensor* tensor = find_tensor(scope_.context.kernel, load.tensor);
        if (tensor == nullptr) return complain("there is no tensor `{}`", load.tensor);
        if (tensor->dtype != dtype_) {
            complain("an element of `{}` is {}, not {}", load.tensor, name(tensor->dtype),
                     name(dtype_));
        }
        if (tensor->extents.size() != load.position.size()) {
            complain("`{}` has {} axes, not {}", load.tensor, tensor->extents.size(),
                     load.position.size());
        }
        for (const Scalar& p : load.position) {
            if (!is_integer(p->dtype))
                complain("the position `{}` is not an integer", to_string(p));
        }
    }
    void check(const Call& call) {
        if (scope_.contract) return;
        const FunctionInfo& f = info(call.function);
        const auto& arguments = call.arguments;
        if (static_cast<int>(arguments.size()) != f.arity) {
            return complain("`{}` has {} operands", f.name, arguments.size());
        }
        const std::size_t first = f.kind == FunctionKind::select ? 1 : 0;
        const Dtype dtype = arguments[first]->dtype;
        for (std::size_t i = first; i < arguments.size(); ++i) {
            if (arguments[i]->dtype != dtype) {
                return complain("operands of `{}` are {} and {}", f.name, name(dtype),
                                name(arguments[i]->dtype));
            }
        }
        if (first == 1 && !is_boolean(arguments[0]->dtype)) {
            complain("the condition of `{}` is {}", f.name, name(arguments[0]->dtype));
        }
        if (!accepts(f.kind, dtype)) complain("`{}` does not accept {}", f.name, name(dtype));
    }
    void check(const Cast& cast) {
        if (cast.argument->dtype == dtype_)
            complain("a conversion from {} to itself", name(dtype_));
    }

    void check(const External& function) {
        const auto is_letter = [](char c) {
            return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        };
        const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
        const std::string& name = function.name;
        if (name.empty() || !is_letter(name[0]) || !std::all_of(name.begin(), name.end(), fits))
            complain("`{}` is not a CUDA function name", name);
        if (function.header.find_first_of("\"\n\\") != std::string::npos)
            complain("`{}` is not a header name", function.header);
        if (function.meaning->dtype != dtype_)
            complain("an external function returns {}, not {}", tkc::name(function.meaning->dtype),
                     tkc::name(dtype_));
    }

    static bool accepts(FunctionKind kind, Dtype dtype) {
        switch (kind) {
            case FunctionKind::arithmetic:
            case FunctionKind::compare: return !is_boolean(dtype);
            case FunctionKind::integer: return is_integer(dtype);
            case FunctionKind::bits: return dtype == Dtype::i32 || dtype == Dtype::u32;
            case FunctionKind::real: return is_real(dtype);
            case FunctionKind::pattern: return dtype == Dtype::f32;
            case FunctionKind::number: return dtype == Dtype::i32;
            case FunctionKind::logic: return is_boolean(dtype);
            case FunctionKind::select: return true;
        }
        return false;
    }

    bool is_constant_name(const std::string& name) const {
        const auto& list = scope_.context.kernel.constants;
        return std::any_of(list.begin(), list.end(),
                           [&](const Constant& c) { return c.name == name; });
    }
    bool is_property(const std::string& name) const {
        const std::optional<Property> found = property(name);
        if (!found) return false;
        const Tensor* tensor = find_tensor(scope_.context.kernel, found->tensor);
        return tensor != nullptr &&
               (found->kind == Property::Kind::address || found->axis < tensor->extents.size());
    }

    template <class... A>
    void complain(fmt::format_string<A...> format, A&&... arguments) {
        report_.add("in `{}`, {}", to_string(whole_),
                    fmt::format(format, std::forward<A>(arguments)...));
    }

    const Scalar& whole_;
    const ScalarScope& scope_;
    Report& report_;
    Dtype dtype_ = Dtype::i32;  // of the node being looked at
};

}  // namespace

void verify_scalar(const Scalar& s, const ScalarScope& scope) { ScalarVerifier(s, scope).verify(); }

}  // namespace tkc::ir::verifier
