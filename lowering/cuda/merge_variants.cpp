// Kernels that differ in numbers, as instances of a template (docs/decisions/0023).
//
//     gemm_kernel         .. tk::fragment<float, 64, 256> ..    gemm_constants         {BN = 256}
//     gemm_square_kernel  .. tk::fragment<float, 64, 128> ..    gemm_square_constants  {BN = 128}
// becomes
//     template <class constants> gemm_kernel  .. tk::fragment<float, 64, constants::BN> ..
//
// All trees are walked alike. A piece of text is taken apart into words; integers are slots, and so
// are words of pairs of which one is for vectors and one for single cells. Kernels with the same
// text between their slots are merged; slots that have the same values in all of them share a
// constant.
#include "lowering/cuda/merge_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "ir/contract.h"
#include "ir/store_rules.h"
#include "lowering/cuda/names.h"
#include "lowering/cuda/rewrite_tree.h"

namespace tkc::cuda {

namespace {

// ---- words -------------------------------------------------------------------------------------

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The pieces of a text: words, decimal numbers whole, and what is between them.
std::vector<std::string> pieces_of(const std::string& text) {
    std::vector<std::string> pieces;
    if (text.starts_with('"')) return {text};
    for (std::size_t i = 0; i < text.size();) {
        const bool word = is_word(text[i]);
        const bool number = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
        std::size_t end = i + 1;
        while (end < text.size() && word && (is_word(text[end]) || (number && text[end] == '.')))
            ++end;
        pieces.push_back(text.substr(i, end - i));
        i = end;
    }
    return pieces;
}

bool is_integer_literal(const std::string& piece) {
    return !piece.empty() && piece.size() < 10 &&
           std::all_of(piece.begin(), piece.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Functions and types for vectors, for single cells, and by a constant.
struct Pair {
    std::string_view vectors;
    std::string_view cells;
    std::string_view chosen;
};
const std::vector<Pair>& pairs() {
    static const std::vector<Pair> made = [] {
        std::vector<Pair> all{
            {"vector_tile", "global_tile", "slice_tile"},
            {"load_vectors", "load_global", "load_slice"},
            {"load_vectors_in_order", "load_global", "load_slice_in_order"},
        };
        const auto bare = [](std::string_view name) { return name.substr(name.find("::") + 2); };
        for (const ir::StoreRules* rules : ir::all_store_rules())
            all.push_back({bare(rules->vectors), bare(rules->cells), bare(rules->chosen)});
        return all;
    }();
    return made;
}

// ---- one kernel --------------------------------------------------------------------------------

// What can differ: a number, or whether vectors are moved.
struct Slot {
    bool is_choice = false;
    std::int64_t value = 0;
    std::string hint;  // what a constant for it may be called
    std::string word;  // of a choice, as it stands
    Expr stride;       // of a stride that is not 1; else null
};

bool is_stride(const Expr& e) {
    const auto* at = std::get_if<IndexExpr>(&e->node);
    const auto* of = at == nullptr ? nullptr : std::get_if<MemberExpr>(&at->object->node);
    return of != nullptr && of->name == "stride";
}

bool is_one(const Expr& e) {
    const auto* a = std::get_if<Atom>(&e->node);
    return a != nullptr && a->text == "1";
}

// Arguments of templates and functions of the runtime, by name.
std::string name_of_argument(const std::string& of, std::size_t number) {
    static const std::map<std::string, std::vector<const char*>> known{
        {"stripe", {"", "rows", "cols", "threads", "row_threads", "vector"}},
        {"shared_tile", {"", "rows", "cols"}},
        {"fragment", {"", "rows", "cols"}},
        {"column_fragment", {"", "rows"}},
        {"row_fragment", {"", "cols"}},
        {"window", {"rows", "cols"}},
        {"cursor", {"stages"}},
        {"pipeline", {"stages"}},
        {"registers_at_least", {"registers"}},
        {"registers_at_most", {"registers"}},
        {"__launch_bounds__", {"threads", "blocks"}},
        {"tiles", {"", "tile"}},
        {"expect", {"", "bytes"}},
        {"begin", {"", "bytes"}},
        {"init", {"makers", "takers"}},
        {"raster", {"", "", "", "band"}},
    };
    const auto found = known.find(of);
    if (found == known.end() || number >= found->second.size()) return "";
    return found->second[number];
}

std::string last_word(const std::string& text) {
    const std::string name = text.substr(0, text.find('<'));
    const std::size_t colon = name.rfind(':');
    return colon == std::string::npos ? name : name.substr(colon + 1);
}

// Collects the slots of a kernel and the text between them.
class Reader : public TreeRewriter {
public:
    explicit Reader(std::map<std::string, std::string> own) : own_(std::move(own)) {}

    std::vector<Slot> slots;
    std::string shape;
    bool fits = true;  // nothing in it forbids a template

protected:
    std::string text(const std::string& s, const TextPlace& place) override {
        std::string of = last_word(place.what);
        std::size_t number = place.part;
        for (const std::string& piece : pieces_of(s)) {
            if (piece == "constants") fits = false;
            const auto own = own_.find(piece);
            if (own != own_.end()) {
                shape += own->second;
            } else if (is_integer_literal(piece)) {
                slots.push_back({false, std::stoll(piece), hint(of, number, place), "", nullptr});
                shape += '#';
            } else if (!add_choice(piece)) {
                shape += piece;
                if (piece == ",") ++number;
                if (is_word(piece[0])) last_ = piece;
                if (piece == "<" || piece == "(") of = last_, number = 0;
            }
        }
        shape += '\n';
        return s;
    }

    void node(const char* kind, std::size_t parts) override {
        shape += fmt::format("{} {}\n", kind, parts);
    }

    Expr column_stride(const Expr& e) override {
        if (!is_stride(e) && !is_one(e)) return nullptr;
        slots.push_back({true, is_one(e) ? 1 : 0, "vectors", "", is_stride(e) ? e : nullptr});
        shape += "stride\n";
        return e;
    }

private:
    static std::string hint(const std::string& of, std::size_t number, const TextPlace& place) {
        const std::string known = name_of_argument(of, number);
        if (!known.empty()) return known;
        if (place.what == "copies") return "copies";
        const bool declared =
            !place.what.empty() && place.what.find(':') == place.what.npos && place.what != "slice";
        return declared ? identifier(place.what) : "size";
    }

    bool add_choice(const std::string& piece) {
        for (const Pair& pair : pairs()) {
            const bool vectors = piece == pair.vectors;
            if (!vectors && piece != pair.cells) continue;
            slots.push_back({true, vectors ? 1 : 0, "vectors", piece, nullptr});
            // `load_global` stands for both orders.
            shape += pair.chosen.starts_with("load") ? std::string_view("load") : pair.chosen;
            return true;
        }
        return false;
    }

    std::map<std::string, std::string> own_;
    std::string last_;
};

// ---- a group -----------------------------------------------------------------------------------

struct Variant {
    EmittedKernel emitted;
    std::vector<Slot> slots;
};

struct Constant {
    std::string name;
    bool is_choice = false;
    std::vector<std::int64_t> values;  // by variant
};

struct Merged {
    std::vector<Variant> variants;
    std::vector<Constant> constants;
    std::vector<std::string> by_slot;  // the constant's name; empty: all have the same
};

std::vector<std::int64_t> values_at(const Merged& group, std::size_t slot) {
    std::vector<std::int64_t> values;
    for (const Variant& v : group.variants) values.push_back(v.slots[slot].value);
    return values;
}

// The constant of the .tk that has these values, as all its instances say.
std::string constant_of_source(const Merged& group, const std::vector<std::int64_t>& values) {
    const auto& first = group.variants.front().emitted.kernel->constants;
    for (std::size_t c = 0; c < first.size(); ++c) {
        bool all = true;
        for (std::size_t i = 0; all && i < values.size(); ++i) {
            const auto& list = group.variants[i].emitted.kernel->constants;
            std::int64_t value = 0;
            all = c < list.size() && list[c].name == first[c].name && list[c].value &&
                  ir::is_constant(list[c].value, &value) && value == values[i];
        }
        if (all) return first[c].name;
    }
    return "";
}

void name_constants(Merged& group) {
    Names names;
    std::map<std::pair<bool, std::vector<std::int64_t>>, std::string> known;
    const std::size_t slots = group.variants.front().slots.size();
    for (std::size_t i = 0; i < slots; ++i) {
        const std::vector<std::int64_t> values = values_at(group, i);
        const bool alike = std::all_of(values.begin(), values.end(),
                                       [&](std::int64_t v) { return v == values.front(); });
        group.by_slot.emplace_back();
        if (alike) continue;
        const Slot& slot = group.variants.front().slots[i];
        std::string& name = known[{slot.is_choice, values}];
        if (name.empty()) {
            const std::string own = slot.is_choice ? "" : constant_of_source(group, values);
            name = names.fresh(own.empty() ? slot.hint : own);
            group.constants.push_back({name, slot.is_choice, values});
        }
        group.by_slot.back() = name;
    }
}

// Puts the constants into the tree of the first variant.
class Writer : public TreeRewriter {
public:
    Writer(const Merged& group, std::map<std::string, std::string> own)
        : group_(group), own_(std::move(own)) {}

protected:
    std::string text(const std::string& s, const TextPlace&) override {
        std::string result;
        bool joins = false;  // `tile<` has an argument more
        for (const std::string& piece : pieces_of(s)) {
            const auto own = own_.find(piece);
            std::string next = piece;
            if (own != own_.end()) next = own->second;
            else if (is_integer_literal(piece)) next = number(piece);
            else if (const Pair* pair = choice(piece)) next = chosen(*pair, piece, &joins);
            if (joins && piece == "<") {
                next = ", ";
                joins = false;
            }
            result += next;
        }
        return result;
    }
    void node(const char*, std::size_t) override {}
    Expr column_stride(const Expr& e) override {
        if (!is_stride(e) && !is_one(e)) return nullptr;
        const std::size_t slot = slot_++;
        const std::string& name = group_.by_slot[slot];
        const bool known = !name.empty() && name == slice_choice_;  // a slice of vectors has 1
        slice_choice_.clear();
        if (name.empty()) return e;
        Expr stride;
        for (const Variant& v : group_.variants) {
            if (v.slots[slot].stride) stride = v.slots[slot].stride;
        }
        if (known) return stride;
        return expr(Conditional{atom("constants::" + name), literal(1), stride});
    }

private:
    std::string number(const std::string& piece) {
        const std::string& name = group_.by_slot[slot_++];
        return name.empty() ? piece : "constants::" + name;
    }
    static const Pair* choice(const std::string& piece) {
        for (const Pair& pair : pairs()) {
            if (piece == pair.vectors || piece == pair.cells) return &pair;
        }
        return nullptr;
    }
    std::string chosen(const Pair& pair, const std::string& piece, bool* joins) {
        const std::size_t slot = slot_++;
        const std::string& name = group_.by_slot[slot];
        if (name.empty()) return piece;
        const Pair* found = &pair;
        for (const Variant& v : group_.variants) {  // the order that the vectors are loaded in
            for (const Pair& p : pairs()) {
                if (v.slots[slot].word == p.vectors) found = &p;
            }
        }
        const bool type = pair.chosen == "slice_tile";
        *joins = type;
        if (type) slice_choice_ = name;
        return fmt::format("{}<constants::{}{}", found->chosen, name, type ? "" : ">");
    }

    const Merged& group_;
    std::map<std::string, std::string> own_;
    std::size_t slot_ = 0;
    std::string slice_choice_;  // the constant that the type of the slice depends on
};

// ---- items -------------------------------------------------------------------------------------

template <class T>
const T* item_of(const std::vector<Item>& items) {
    for (const Item& i : items) {
        if (const auto* found = std::get_if<T>(&i.node)) return found;
    }
    return nullptr;
}

Directive template_head() { return {"template <class constants>"}; }

// The struct of a variant's constants, as many on a line as fit.
Struct constants_of(const Merged& group, std::size_t variant) {
    constexpr std::size_t room = 80;
    Struct made{constants_struct(*group.variants[variant].emitted.kernel), {}};
    for (const bool choices : {false, true}) {
        std::string line;
        const auto flush = [&] {
            if (line.empty()) return;
            made.members.push_back(
                declare(choices ? "static constexpr bool" : "static constexpr int", line));
            line.clear();
        };
        for (const Constant& c : group.constants) {
            if (c.is_choice != choices) continue;
            const std::int64_t value = c.values[variant];
            const std::string next =
                fmt::format("{} = {}", c.name,
                            choices ? (value != 0 ? "true" : "false") : std::to_string(value));
            if (line.size() + next.size() > room - 24) flush();
            line += (line.empty() ? "" : ", ") + next;
        }
        flush();
    }
    return made;
}

std::vector<Item> items_of(Merged& group) {
    const ir::Kernel& first = *group.variants.front().emitted.kernel;
    const std::vector<Item>& own = group.variants.front().emitted.code.items;
    name_constants(group);
    std::vector<Item> result;
    for (std::size_t i = 0; i < group.variants.size(); ++i) {
        if (const auto* text = item_of<Comment>(group.variants[i].emitted.code.items))
            result.push_back(item(*text));
        result.push_back(item(constants_of(group, i)));
    }
    result.push_back(item(Blank{}));
    Writer writer(group, {{shared_struct(first), shared_struct(first) + "<constants>"}});
    if (const auto* memory = item_of<Struct>(own)) {
        Struct made = writer.structure(*memory);
        made.name = memory->name;
        result.push_back(item(template_head()));
        result.push_back(item(made));
        for (const Variant& v : group.variants) {
            const auto* layout = item_of<StaticAssert>(v.emitted.code.items);
            if (layout == nullptr) continue;
            const ir::Kernel& kernel = *v.emitted.kernel;
            const std::vector<Item> checked{item(*layout)};
            const std::string name =
                fmt::format("{}<{}>", shared_struct(first), constants_struct(kernel));
            result.push_back(renamed(checked, {{shared_struct(kernel), name}}).front());
        }
        result.push_back(item(Blank{}));
    }
    result.push_back(item(template_head()));
    result.push_back(item(writer.function(*item_of<Function>(own))));
    return result;
}

// Puts other names into the words of a tree.
class Renamer : public TreeRewriter {
public:
    explicit Renamer(const std::map<std::string, std::string>& names) : names_(names) {}

    std::string text(const std::string& s, const TextPlace&) override {
        std::string result;
        for (const std::string& piece : pieces_of(s)) {
            const auto found = names_.find(piece);
            result += found == names_.end() ? piece : found->second;
        }
        return result;
    }

protected:
    void node(const char*, std::size_t) override {}
    Expr column_stride(const Expr&) override { return nullptr; }

private:
    const std::map<std::string, std::string>& names_;
};

// The slots of a kernel and its shape; nothing if no template can be made of it.
std::string read(Variant& variant) {
    const ir::Kernel& kernel = *variant.emitted.kernel;
    Reader reader({{kernel_function(kernel), "kernel"}, {shared_struct(kernel), "shared"}});
    const std::vector<Item>& items = variant.emitted.code.items;
    if (const auto* memory = item_of<Struct>(items)) reader.structure(*memory);
    const auto* function = item_of<Function>(items);
    if (function == nullptr) return "";
    reader.function(*function);
    variant.slots = std::move(reader.slots);
    return reader.fits ? kernel.source + '\n' + reader.shape : "";
}

}  // namespace

std::string constants_struct(const ir::Kernel& kernel) {
    return identifier(kernel.name) + "_constants";
}

namespace {

// Whether they load vectors in the same order, where both do.
bool is_compatible(const Variant& a, const Variant& b) {
    for (std::size_t i = 0; i < a.slots.size(); ++i) {
        const Slot& x = a.slots[i];
        const Slot& y = b.slots[i];
        if (x.value == y.value && x.word != y.word) return false;
    }
    return true;
}

}  // namespace

MergedKernels merge_variants(std::vector<EmittedKernel> kernels) {
    std::vector<Merged> groups;
    std::map<std::string, std::size_t> by_shape;
    for (EmittedKernel& k : kernels) {
        Variant variant{std::move(k), {}};
        const std::string shape = read(variant);
        const auto known = by_shape.find(shape);
        const bool joins = !shape.empty() && known != by_shape.end() &&
                           std::all_of(groups[known->second].variants.begin(),
                                       groups[known->second].variants.end(),
                                       [&](const Variant& v) { return is_compatible(v, variant); });
        if (!joins) {
            by_shape.emplace(shape, groups.size());
            groups.push_back({});
        }
        (joins ? groups[known->second] : groups.back()).variants.push_back(std::move(variant));
    }
    MergedKernels result;
    for (Merged& group : groups) {
        result.items.push_back(item(Blank{}));
        const bool alone = group.variants.size() == 1;
        const ir::Kernel& first = *group.variants.front().emitted.kernel;
        for (const Variant& v : group.variants) {
            if (alone) break;
            const ir::Kernel& kernel = *v.emitted.kernel;
            const std::string arguments = "<" + constants_struct(kernel) + ">";
            result.names[kernel_function(kernel)] = kernel_function(first) + arguments;
            result.names[shared_struct(kernel)] = shared_struct(first) + arguments;
        }
        const std::vector<Item> items =
            alone ? group.variants.front().emitted.code.items : items_of(group);
        result.items.insert(result.items.end(), items.begin(), items.end());
    }
    return result;
}

std::vector<Item> renamed(const std::vector<Item>& items,
                          const std::map<std::string, std::string>& names) {
    Renamer renamer(names);
    std::vector<Item> result;
    for (const Item& i : items) {
        if (const auto* f = std::get_if<Function>(&i.node)) {
            result.push_back(item(renamer.function(*f)));
        } else if (const auto* a = std::get_if<StaticAssert>(&i.node)) {
            result.push_back(item(StaticAssert{renamer.expression(a->condition, {}), a->text}));
        } else if (const auto* n = std::get_if<Namespace>(&i.node)) {
            result.push_back(item(Namespace{n->name, renamed(n->items, names)}));
        } else {
            result.push_back(i);
        }
    }
    return result;
}

}  // namespace tkc::cuda
