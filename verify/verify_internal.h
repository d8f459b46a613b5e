// What the files of the verifier share: where a violation is, what is in scope, and the entry of
// each part. Nobody else includes this.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "ir/walk.h"
#include "verify/verify.h"

namespace tkc::ir::verifier {

// Collects messages, each after the operation that is being checked.
class Report {
public:
    const Kernel* kernel = nullptr;
    const Role* role = nullptr;
    const Op* op = nullptr;

    template <class... A>
    void add(fmt::format_string<A...> format, A&&... arguments) {
        sentences.push_back(where() + fmt::format(format, std::forward<A>(arguments)...));
    }
    std::vector<std::string> sentences;

private:
    std::string where() const;
};

// What is being verified, for every part.
struct Context {
    const Kernel& kernel;
    Level level;
    Plan plan;
    Report& report;

    bool complete() const { return plan == Plan::complete; }
};

// The symbols in scope; those declared last are dropped where their block ends.
class Symbols {
public:
    std::size_t size() const { return list_.size(); }
    void drop_to(std::size_t size) { list_.resize(size); }
    bool contains(std::string_view name) const { return find(name).has_value(); }
    std::optional<Dtype> find(std::string_view name) const;
    void declare(std::string name, Dtype dtype) { list_.emplace_back(std::move(name), dtype); }
    // Declares what must be new and spelled as a name.
    void declare_new(const std::string& name, Dtype dtype, Report& report);

private:
    std::vector<std::pair<std::string, Dtype>> list_;
};

// Letters, digits and _, not a digit first; dots may join such words.
bool is_name(std::string_view text);

// What an expression may mention.
struct ScalarScope {
    const Context& context;
    const Symbols& symbols;
    // The launch contract: constants and properties of tensors too, and 64 bits throughout.
    bool contract = false;
    // The operation whose cells it computes, and the role of its inputs.
    const Map* cells = nullptr;
    const Role* role = nullptr;
    // The positions of a gather: `row` is the number of a cell.
    bool positions = false;
    // The condition of an `assert` about cells.
    bool asserted = false;
};
void verify_scalar(const Scalar& s, const ScalarScope& scope);

// The kernel's tables: names, tensors, conditions, grid, lets, pipelines. Declares their symbols.
void verify_declarations(const Context& context, Symbols& symbols);
// Scopes, definitions before uses, levels and stages of one role.
void verify_role(const Context& context, const Role& role, Symbols& symbols);
// Types and attributes of one operation whose values and expressions are all there. `windows`: of
// the role.
void verify_operation(const Context& context, const Role& role, const Windows& windows,
                      const Op& op);
// The slice has the cells of the tile: two axes, or one as a row or column.
void verify_slice(const Context& context, const Slice& slice, const TileType& type);
// The map's box divides the slice.
void verify_map_of_slice(const Context& context, const std::string& name, const Slice& slice,
                         bool of_view = false, const Buffer* filled = nullptr);
// Buffers, tensor maps, warps, named barriers, arrival counts.
void verify_plan(const Context& context);

inline const PipelineField* find_field(const Pipeline& pipeline, std::string_view name) {
    for (const PipelineField& f : pipeline.fields_) {
        if (f.name == name) return &f;
    }
    return nullptr;
}
inline const TensorMap* find_map(const Kernel& kernel, std::string_view name) {
    for (const TensorMap& m : kernel.maps) {
        if (m.name == name) return &m;
    }
    return nullptr;
}
constexpr std::int64_t tile_bytes(const TileType& t) { return t.rows * t.cols * bytes(t.dtype); }

}  // namespace tkc::ir::verifier
