// Prints the IR as text. One rule for every struct, found by reflection:
//
//     kind member=value member=value .. {
//       nested structs and the operations of the first block, one a line
//     } second_block { .. }
//
// A member that equals its default is left out, except data types and the level; so are empty
// braces.
#include "ir/print.h"

#include <fmt/format.h>

#include "ir/reflect.h"

namespace tkc::ir {

namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string or_missing(const Scalar& s) { return s ? to_string(s) : "<missing>"; }

class Printer {
public:
    explicit Printer(const Role* role, int indent = 0) : role_(role), depth_(indent) {}

    void print_struct(AnyStruct s) {
        if (const Role* role = s.as<Role>()) role_ = role;
        print_head(s);
        print_nested(s);
        out_ += '\n';
    }

    void print_head(AnyStruct s) {
        indent();
        out_ += s.info->kind;
        // A member is printed where it differs from what it is at first.
        std::vector<std::string> usual;
        for_each_member({const_cast<void*>(s.info->defaults), s.info},
                        [&](std::string_view, auto& member) { usual.push_back(text(member)); });
        std::size_t i = 0;
        for_each_member(s, [&](std::string_view name, auto& member) {
            const std::string shown = text(member);
            if (s.info->members[i].always_printed || shown != usual[i])
                out_ += fmt::format(" {}={}", name, shown);
            ++i;
        });
    }

    void print_op(const Op& op) { print_struct(any_struct(const_cast<Op&>(op))); }
    void print_block(const Block& block) {
        for (const Op& op : block) print_op(op);
    }

    std::string take() { return std::move(out_); }

    std::string text(const std::string& s) const { return quoted(s); }
    std::string text(bool b) const { return b ? "true" : "false"; }
    std::string text(std::int64_t n) const { return std::to_string(n); }
    std::string text(const Scalar& s) const { return or_missing(s); }
    std::string text(Dtype d) const { return std::string(name(d)); }
    std::string text(const Type& t) const { return to_string(t); }
    std::string text(const TileType& t) const { return to_string(t); }
    std::string text(const Slice& s) const { return to_string(s); }
    std::string text(const Layout& l) const { return to_string(l); }
    std::string text(Value v) const {
        if (!v) return "%?";
        if (role_ == nullptr || v.id >= role_->values.size()) return fmt::format("%?{}", v.id);
        return "%" + role_->values[v.id].name;
    }
    std::string text(const AnyEnum& e) const { return std::string(e.text()); }
    // Printed between the braces.
    std::string text(const Block&) const { return {}; }
    std::string text(const AnyList&) const { return {}; }
    template <class T>
    std::string text(const std::vector<T>& list) const {
        std::string out;
        for (const T& x : list) out += (out.empty() ? "[" : ", ") + text(x);
        return (out.empty() ? "[" : out) + "]";
    }

private:
    void indent() { out_.append(static_cast<std::size_t>(depth_) * 2, ' '); }

    void print_nested(AnyStruct s) {
        // The first pair of braces holds the lists and the first block; it is printed if a later
        // one does.
        bool inner = false;
        bool later = false;
        int blocks = 0;
        for_each_member(s, [&](std::string_view, auto& member) {
            using T = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<T, Block>) {
                (blocks++ == 0 ? inner : later) |= !member.empty();
            } else if constexpr (std::is_same_v<T, AnyList>) {
                inner |= member.size() > 0;
            }
        });
        if (!inner && !later) return;
        out_ += " {\n";
        ++depth_;
        blocks = 0;
        for_each_member(s, [&](std::string_view, auto& member) {
            using T = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<T, Block>) {
                if (blocks++ == 0) print_block(member);
            } else if constexpr (std::is_same_v<T, AnyList>) {
                for (std::size_t i = 0; i < member.size(); ++i) print_struct(member[i]);
            }
        });
        close();
        blocks = 0;
        for_each_member(s, [&](std::string_view name, auto& member) {
            if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Block>) {
                if (blocks++ == 0 || member.empty()) return;
                out_ += fmt::format(" {} {{\n", name);
                ++depth_;
                print_block(member);
                close();
            }
        });
    }
    void close() {
        --depth_;
        indent();
        out_ += '}';
    }

    std::string out_;
    const Role* role_;
    int depth_;
};

}  // namespace

std::string print(const Module& module) {
    Printer p(nullptr);
    p.print_struct(any_struct(const_cast<Module&>(module)));
    return p.take();
}

std::string print(const Kernel& kernel, int indent) {
    Printer p(nullptr, indent);
    p.print_struct(any_struct(const_cast<Kernel&>(kernel)));
    return p.take();
}

std::string print(const Role& role, int indent) {
    Printer p(&role, indent);
    p.print_struct(any_struct(const_cast<Role&>(role)));
    return p.take();
}

std::string print(const Op& op, const Role& role, int indent) {
    Printer p(&role, indent);
    p.print_op(op);
    return p.take();
}

std::string print(const Block& block, const Role& role, int indent) {
    Printer p(&role, indent);
    p.print_block(block);
    return p.take();
}

std::string print_line(const Op& op, const Role* role) {
    Printer p(role);
    p.print_head(any_struct(const_cast<Op&>(op)));
    return p.take();
}

std::string print_line(const Op& op, const Role& role) { return print_line(op, &role); }

std::string to_string(const TileType& type) {
    return fmt::format("{}[{}, {}]{}", name(type.dtype), type.rows, type.cols,
                       type.space == Space::shared ? " shared" : "");
}

std::string to_string(const Type& type) {
    if (const auto* tile = std::get_if<TileType>(&type)) return to_string(*tile);
    return fmt::format("element<{}>", std::get<ElementType>(type).pipeline);
}

std::string to_string(const Slice& slice) {
    std::string out;
    for (const Range& range : slice.ranges) {
        out += out.empty() ? "[" : ", ";
        switch (range.kind) {
            case Range::Kind::index: out += or_missing(range.base); break;
            case Range::Kind::span:
                out += fmt::format("{} +: {}", or_missing(range.base), range.length);
                if (range.edge) out += fmt::format(" before {}", to_string(range.edge));
                break;
            case Range::Kind::whole: out += fmt::format(":{}", range.length); break;
            case Range::Kind::gather:
                out += fmt::format("{{{}}} +: {}", or_missing(range.base), range.length);
                if (range.edge) out += fmt::format(" before {}", to_string(range.edge));
                break;
        }
    }
    return slice.tensor + (out.empty() ? "[" : out) + "]";
}

std::string to_string(Value value, const Role& role) { return Printer(&role).text(value); }

}  // namespace tkc::ir
