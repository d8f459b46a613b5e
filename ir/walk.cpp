// Finding and rewriting what operations name.
#include "ir/walk.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace tkc::ir {

namespace {

// Calls f(Scalar&) for every expression in `s` and in whatever is nested in it.
void for_each_scalar_within(AnyStruct s, FunctionRef<void(Scalar&)> f) {
    for_each_member(s, [&](std::string_view, auto& member) {
        using T = std::decay_t<decltype(member)>;
        if constexpr (std::is_same_v<T, Scalar>) {
            if (member) f(member);
        } else if constexpr (std::is_same_v<T, std::vector<Scalar>>) {
            for (Scalar& x : member) f(x);
        } else if constexpr (std::is_same_v<T, Slice>) {
            for (Range& range : member.ranges) {
                if (range.base) f(range.base);
                if (range.edge) f(range.edge);
            }
        } else if constexpr (std::is_same_v<T, Block>) {
            for (Op& op : member) for_each_scalar_within(any_struct(op), f);
        } else if constexpr (std::is_same_v<T, AnyList>) {
            for (std::size_t i = 0; i < member.size(); ++i) for_each_scalar_within(member[i], f);
        }
    });
}

}  // namespace

void rebuild(Block& block, const std::function<void(Op op, Block& out)>& f) {
    Block out;
    out.reserve(block.size());
    for (Op& op : block) {
        for_each_block(op, [&](Block& inner) { rebuild(inner, f); });
        f(std::move(op), out);
    }
    block = std::move(out);
}

bool mentions(const Op& op, Value v) {
    bool found = false;
    for_each_value(op, [&](Value x) { found |= x == v; });
    for_each_block(op, [&](const Block& inner) { found = found || mentions(inner, v); });
    return found;
}

bool mentions(const Block& block, Value v) {
    return std::any_of(block.begin(), block.end(), [&](const Op& op) { return mentions(op, v); });
}

std::vector<const Op*> reads_of(const Block& block, Value v) {
    std::vector<const Op*> found;
    walk(block, [&](const Op& op) {
        if (reads(op, v)) found.push_back(&op);
    });
    return found;
}

std::vector<const Op*> writes_of(const Block& block, Value v) {
    std::vector<const Op*> found;
    walk(block, [&](const Op& op) {
        if (writes(op, v)) found.push_back(&op);
    });
    return found;
}

std::vector<Uses> uses_of(const Block& block, std::size_t values) {
    std::vector<Uses> uses(values);
    walk(block, [&](const Op& op) {
        std::vector<Value> seen;  // one operation is one use, however often it names the value
        for_each_value(op, [&](Value v) {
            if (!v || std::find(seen.begin(), seen.end(), v) != seen.end()) return;
            seen.push_back(v);
            if (reads(op, v)) ++uses.at(v.id).reads;
            if (writes(op, v)) ++uses.at(v.id).writes;
        });
    });
    return uses;
}

Windows::Windows(const Role& role) {
    walk_only<Window>(role.body, [&](const Window& window) { windows_.push_back(window); });
}

const Window* Windows::window(Value v) const {
    const auto found = std::find_if(windows_.begin(), windows_.end(),
                                    [&](const Window& window) { return window.result == v; });
    return found == windows_.end() ? nullptr : &*found;
}

Value Windows::whole(Value v) const {
    const Window* found = window(v);
    return found == nullptr ? v : found->source;
}

bool Windows::reads(const Op& op, Value tile) const {
    if (as<Window>(op) != nullptr) return false;
    return ir::reads(op, tile) ||
           std::any_of(windows_.begin(), windows_.end(), [&](const Window& window) {
               return window.source == tile && ir::reads(op, window.result);
           });
}

void rewrite_scalars(Block& block, const std::function<Scalar(const Scalar&)>& f) {
    const auto replace = [&](Scalar& s) { s = f(s); };
    for (Op& op : block) {
        for_each_scalar_within(any_struct(op), replace);
    }
}

void rewrite_scalars(Kernel& kernel, const std::function<Scalar(const Scalar&)>& f) {
    for_each_scalar_within(any_struct(kernel), [&](Scalar& s) { s = f(s); });
}

void substitute(Block& block, const std::map<std::string, Scalar>& values) {
    rewrite_scalars(block, [&](const Scalar& s) { return substitute(s, values); });
}

void rename_values(Block& block, const std::function<Value(Value)>& f) {
    walk(block, [&](Op& op) { for_each_value(op, [&](Value& v) { v = f(v); }); });
}

Value add_value(Role& role, std::string name, Type type, bool variable) {
    // One look at the names that there are, however many of them begin alike.
    bool taken = name.empty();
    if (name.empty()) name = "t";
    std::vector<bool> numbers(role.values.size() + 2);  // that follow the name somewhere
    for (const ValueInfo& v : role.values) {
        if (!v.name.starts_with(name)) continue;
        taken = taken || v.name.size() == name.size();
        std::size_t number = 0;
        const char* const end = v.name.data() + v.name.size();
        const char* const digits = v.name.data() + name.size();
        const auto read = std::from_chars(digits, end, number);
        const bool whole =
            read.ec == std::errc() && read.ptr == end && (*digits != '0' || end == digits + 1);
        if (whole && number < numbers.size()) numbers[number] = true;
    }
    std::string unique = name;
    std::size_t n = name == "t" ? 0 : 1;
    while (numbers[n]) ++n;
    if (taken) unique += std::to_string(n);
    const auto id = static_cast<std::uint32_t>(role.values.size());
    role.values.push_back(ValueInfo{std::move(unique), std::move(type), variable});
    return Value{id};
}

namespace {
bool is_scalar_assert(const Op& op) {
    const auto* assertion = as<Assert>(op);
    return assertion != nullptr && !assertion->tile;
}
}  // namespace

bool follows_grid(const Kernel& kernel, const Op& op) {
    bool found = false;
    for_each_scalar(op, [&](const Scalar& s) {
        for (const std::string& name : symbols_of(s)) {
            found = found || std::any_of(kernel.grid.begin(), kernel.grid.end(),
                                         [&](const GridAxis& axis) { return axis.var == name; });
        }
    });
    return found;
}

bool is_number(const Role& role, Value v) {
    const auto* tile = std::get_if<TileType>(&role[v].type);
    if (tile == nullptr || tile->space != Space::registers || tile->rows != 1 || tile->cols != 1)
        return false;
    bool only = true;
    for (const Block* block : {&role.body, &role.finish}) {
        walk(*block, [&](const Op& op) {
            if (as<Splat>(op) != nullptr || as<ReadNumber>(op) != nullptr) return;
            for_each_value(op, [&](Value x) { only = only && x != v; });
        });
    }
    return only;
}

bool runs_in_one_lane(const Role& role) {
    bool possible = true;
    for (const Block* block : {&role.body, &role.finish}) {
        walk(*block, [&](const Op& op) {
            if (const auto* splat = as<Splat>(op);
                splat != nullptr && is_number(role, splat->result))
                return;
            if (const auto* read = as<ReadNumber>(op);
                read != nullptr && is_number(role, read->source))
                return;
            if (const auto* publish = as<Publish>(op)) {
                possible = possible && !publish->arrives && !publish->copies;
                return;
            }
            possible = possible &&
                       (as<Acquire>(op) != nullptr || as<Expect>(op) != nullptr ||
                        as<TmaLoad>(op) != nullptr || as<Let>(op) != nullptr ||
                        as<FetchProgram>(op) != nullptr || as<Print>(op) != nullptr ||
                        is_scalar_assert(op) || as<For>(op) != nullptr || as<If>(op) != nullptr);
        });
    }
    return possible;
}

}  // namespace tkc::ir
