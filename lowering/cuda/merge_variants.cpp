// Kernels that differ in numbers, as instances of a template (docs/decisions/0023).
//
//     gemm_kernel         .. tk::fragment<float, 64, 256> ..
//     gemm_square_kernel  .. tk::fragment<float, 64, 128> ..
// becomes
//     template <int BN> gemm_kernel  .. tk::fragment<float, 64, BN> ..
//
// of which gemm_kernel<256> and gemm_kernel<128> are launched.
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
#include "lowering/cuda/print_line.h"
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
            {"dense_slice", "slice", "slice_if_dense"},
            {"vector_slice", "slice", "slice_if_vectors"},
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
    std::string word;  // of a choice, as it is
};

// Arguments of templates and functions of the runtime, by name.
std::string name_of_argument(const std::string& of, std::size_t number) {
    static const std::map<std::string, std::vector<const char*>> known{
        {"stripe", {"", "rows", "cols", "threads", "row_threads", "vector"}},
        {"shared_tile", {"", "rows", "cols"}},
        {"fragment", {"", "rows", "cols"}},
        {"warp_fragment", {"", "rows", "cols", "warp_rows", "warp_cols"}},
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
        {"raster_clusters", {"", "", "", "band"}},
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
    std::set<std::string> words;  // no constant is called like one of them

protected:
    std::string text(const std::string& s, const TextPlace& place) override {
        std::string of = last_word(place.what);
        std::size_t number = place.part;
        for (const std::string& piece : pieces_of(s)) {
            if (is_word(piece[0]) && !is_integer_literal(piece)) words.insert(piece);
            const auto own = own_.find(piece);
            if (own != own_.end()) {
                shape += own->second;
            } else if (is_integer_literal(piece)) {
                slots.push_back({false, std::stoll(piece), hint(of, number, place), ""});
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
            slots.push_back({true, vectors ? 1 : 0, "vectors", piece});
            shape += pair.cells;  // which may stand for several
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
    std::vector<Slot> slots{};
    std::set<std::string> words{};
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
    for (const Variant& v : group.variants) {
        for (const std::string& word : v.words) names.fresh(word);
    }
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

    // The constants that are in what was written.
    const std::set<std::string>& used() const { return used_; }
    // From now on other names, too, in place of these.
    void call(const std::string& name, const std::string& other) { own_[name] = other; }

protected:
    std::string text(const std::string& s, const TextPlace&) override {
        std::string result;
        bool joins = false;  // what comes next are more arguments of the same list
        for (const std::string& piece : pieces_of(s)) {
            const auto own = own_.find(piece);
            std::string next = piece;
            bool chooses = false;
            if (own != own_.end()) {
                next = own->second;
            } else if (is_integer_literal(piece)) {
                next = number(piece);
            } else if (const Pair* pair = choice(piece)) {
                const std::string by = chosen(*pair, piece);
                chooses = by != piece;
                next = by;
            }
            if (joins) next = piece == "<" ? ", " : ">" + next;
            joins = chooses;
            result += next;
        }
        return joins ? result + ">" : result;
    }
    void node(const char*, std::size_t) override {}

private:
    std::string number(const std::string& piece) { return constant(slot_++, piece); }
    static const Pair* choice(const std::string& piece) {
        for (const Pair& pair : pairs()) {
            if (piece == pair.vectors || piece == pair.cells) return &pair;
        }
        return nullptr;
    }
    // `load_slice<vectors`, whose list may go on.
    std::string chosen(const Pair& pair, const std::string& piece) {
        const std::size_t slot = slot_++;
        const std::string name = constant(slot, "");
        if (name.empty()) return piece;
        const Pair* found = &pair;
        for (const Variant& v : group_.variants) {  // the order that the vectors are loaded in
            for (const Pair& p : pairs()) {
                if (v.slots[slot].word == p.vectors) found = &p;
            }
        }
        return fmt::format("{}<{}", found->chosen, name);
    }
    // The constant at that place, or the text that all variants have.
    std::string constant(std::size_t slot, const std::string& otherwise) {
        const std::string& name = group_.by_slot[slot];
        if (name.empty()) return otherwise;
        used_.insert(name);
        return name;
    }

    const Merged& group_;
    std::map<std::string, std::string> own_;
    std::size_t slot_ = 0;
    std::set<std::string> used_;
};

// ---- items -------------------------------------------------------------------------------------

template <class T>
const T* item_of(const std::vector<Item>& items) {
    for (const Item& i : items) {
        if (const auto* found = std::get_if<T>(&i.node)) return found;
    }
    return nullptr;
}

// The constants that a declaration takes, in their order.
std::vector<const Constant*> parameters_of(const Merged& group,
                                           const std::set<std::string>* used = nullptr) {
    std::vector<const Constant*> list;
    for (const bool choices : {false, true}) {
        for (const Constant& c : group.constants) {
            if (c.is_choice == choices && (used == nullptr || used->contains(c.name)))
                list.push_back(&c);
        }
    }
    return list;
}

// `template <int BN, bool vectors>`
Directive template_head(const std::vector<const Constant*>& constants) {
    const std::string begin = "template <";
    std::string head = begin;
    std::size_t width = begin.size();
    for (const Constant* c : constants) {
        const bool is_last = c == constants.back();
        const std::string next =
            fmt::format("{} {}{}", c->is_choice ? "bool" : "int", c->name, is_last ? ">" : ",");
        const bool is_first = width == begin.size();
        if (!is_first && width + 1 + next.size() > line_width) {
            head += '\n' + std::string(begin.size(), ' ');
            width = begin.size();
        } else if (!is_first) {
            head += ' ', ++width;
        }
        head += next;
        width += next.size();
    }
    return {head};
}

// `<BN, vectors>`, or of a variant `<256, true>`.
std::string template_arguments(const std::vector<const Constant*>& constants,
                               std::optional<std::size_t> variant) {
    if (constants.empty()) return "";
    std::string list;
    for (const Constant* c : constants) {
        const std::int64_t value = variant ? c->values[*variant] : 0;
        const std::string text = !variant       ? c->name
                                 : c->is_choice ? (value != 0 ? "true" : "false")
                                                : std::to_string(value);
        list += (list.empty() ? "" : ", ") + text;
    }
    return "<" + list + ">";
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

private:
    const std::map<std::string, std::string>& names_;
};

// What is asserted of a struct, of the instance. The comma of a list of arguments would part those
// of the macro `offsetof`.
StaticAssert check_of(const StaticAssert& check, const std::string& name,
                      const std::string& instance) {
    std::map<std::string, std::string> names{{name, instance}};
    if (instance.find(',') != instance.npos) names["offsetof"] = "__builtin_offsetof";
    return {Renamer(names).expression(check.condition, {}), check.text};
}

// What a variant is, and which arguments make it.
Comment comment_of(const Variant& variant, const std::string& instance) {
    const auto* known = item_of<Comment>(variant.emitted.code.items);
    std::string text = known == nullptr ? variant.emitted.kernel->name + "." : known->text;
    text.pop_back();
    return {fmt::format("{}: {}.", text, instance)};
}

// The variants as one template; `names` learns what each of them is called.
std::vector<Item> items_of(Merged& group, std::map<std::string, std::string>& names) {
    const ir::Kernel& first = *group.variants.front().emitted.kernel;
    const std::vector<Item>& own = group.variants.front().emitted.code.items;
    name_constants(group);
    Writer writer(group, {});
    std::vector<Item> memory, checks;
    std::vector<const Constant*> of_memory;
    if (const auto* shared = item_of<Struct>(own)) {
        memory.push_back(item(writer.structure(*shared)));
        of_memory = parameters_of(group, &writer.used());
        writer.call(shared_struct(first),
                    shared_struct(first) + template_arguments(of_memory, std::nullopt));
        if (!of_memory.empty()) memory.insert(memory.begin(), item(template_head(of_memory)));
    }
    const Item function = item(writer.function(*item_of<Function>(own)));
    const std::vector<const Constant*> all = parameters_of(group);
    std::vector<Item> result;
    for (std::size_t i = 0; i < group.variants.size(); ++i) {
        const Variant& variant = group.variants[i];
        const ir::Kernel& kernel = *variant.emitted.kernel;
        const std::string instance = kernel_function(first) + template_arguments(all, i);
        const std::string shared = shared_struct(first) + template_arguments(of_memory, i);
        result.push_back(item(comment_of(variant, instance)));
        if (const auto* layout = item_of<StaticAssert>(variant.emitted.code.items)) {
            if (i == 0 || !of_memory.empty())
                checks.push_back(item(check_of(*layout, shared_struct(kernel), shared)));
        }
        names[kernel_function(kernel)] = instance;
        names[shared_struct(kernel)] = shared;
    }
    result.insert(result.end(), memory.begin(), memory.end());
    result.insert(result.end(), checks.begin(), checks.end());
    if (!memory.empty()) {
        result.push_back(item(Blank{}));
    }
    if (!all.empty()) result.push_back(item(template_head(all)));  // else they are all the same
    result.push_back(function);
    return result;
}

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
    variant.words = std::move(reader.words);
    return kernel.source + '\n' + reader.shape;
}

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
        Variant variant{std::move(k)};
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
        const std::vector<Item> items =
            alone ? group.variants.front().emitted.code.items : items_of(group, result.names);
        result.items.insert(result.items.end(), items.begin(), items.end());
    }
    return result;
}

}  // namespace tkc::cuda
