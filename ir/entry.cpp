// A kernel's contract with the arguments of a call put in. Conditions are trees, and easy; their
// messages are text, in which names are in backticks and values in braces.
#include "ir/entry.h"

#include <algorithm>
#include <cctype>

#include "arithmetic/normal_form.h"
#include "ir/contract.h"
#include "ir/parse.h"

namespace tkc::ir {

namespace {

using Names = std::map<std::string, Scalar>;

bool belongs_to_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool holds_always(const Scalar& condition) {
    std::int64_t value = 0;
    return normal_form(condition).is_constant(&value) && value == 1;
}

// The expression as an author writes it: without the dtypes that the IR's text puts after names.
std::string words_for(const Scalar& s) {
    std::string out;
    bool type = false;
    for (const char c : to_string(s)) {
        type = c == ':' || (type && belongs_to_word(c));
        if (!type) out += c;
    }
    return out;
}

// What stands for a word of a sentence: `words` where it is alone between its backticks, in
// parentheses where it is part of an expression.
std::string word_for(const std::map<std::string, std::string>& words, const std::string& word,
                     bool alone) {
    const auto found = words.find(word);
    if (found == words.end()) return word;
    const bool plain = std::all_of(found->second.begin(), found->second.end(), belongs_to_word);
    return plain || alone ? found->second : "(" + found->second + ")";
}

// The text between two backticks.
std::string renamed_code(const std::string& code, const std::map<std::string, std::string>& words) {
    std::string out;
    for (std::size_t at = 0; at < code.size();) {
        std::size_t end = at;
        while (end < code.size() && belongs_to_word(code[end])) ++end;
        if (end == at) {
            out += code[at++];
            continue;
        }
        const std::string word = code.substr(at, end - at);
        out += word_for(words, word, word.size() == code.size());
        at = end;
    }
    return out;
}

std::string renamed_message(const Condition& condition, const Names& names,
                            const std::map<std::string, std::string>& words) {
    const MessageText parts = sentence(condition);
    std::string text;
    bool code = false;
    for (std::size_t i = 0; i < parts.text.size(); ++i) {
        std::string piece;
        const auto flush = [&] {
            text += code ? renamed_code(piece, words) : piece;
            piece.clear();
        };
        for (const char c : parts.text[i]) {
            if (c != '`') {
                piece += c;
                continue;
            }
            flush();
            text += c;
            code = !code;
        }
        flush();
        if (i < parts.values.size()) text += hole(substitute(parts.values[i], names));
    }
    return text;
}

}  // namespace

Names names_of_call(const Signature& entry, const EntryCall& call, const Kernel& kernel) {
    Names names;
    for (std::size_t i = 0; i < kernel.tensors.size(); ++i) {
        const Tensor& tensor = kernel.tensors[i];
        const Tensor* given = find_tensor(entry, call.tensors[i]);
        for (std::size_t axis = 0; axis < tensor.extents.size(); ++axis) {
            const auto property = [&](auto of) {
                return std::get<Symbol>(of(tensor.name, axis)->node).name;
            };
            // The entry's own contract makes its extents true.
            names[property(shape_of)] = with_constants(entry, given->extents[axis]);
            names[property(stride_of)] = stride_of(given->name, axis);
        }
        names[std::get<Symbol>(address_of(tensor.name)->node).name] = address_of(given->name);
    }
    for (const Binding& b : bindings(kernel)) {
        const Scalar shape = names.at(std::get<Symbol>(shape_of(b.tensor, b.axis)->node).name);
        names[b.name] = b.offset == 0 ? shape : sub(shape, integer(b.offset));
    }
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        names[kernel.parameters[i].name] = with_constants(entry, call.scalars[i]);
    }
    for (const Constant& c : kernel.constants) names[c.name] = c.value;
    return names;
}

Kernel called_kernel(const Entry& entry, const EntryCall& call, const Kernel& kernel) {
    const Names names = names_of_call(entry, call, kernel);
    std::map<std::string, std::string> words;
    for (const Binding& b : bindings(kernel)) words[b.name] = words_for(names.at(b.name));
    for (const Parameter& p : kernel.parameters) words[p.name] = words_for(names.at(p.name));
    for (std::size_t i = 0; i < kernel.tensors.size(); ++i) {
        words[kernel.tensors[i].name] = call.tensors[i];
    }
    Kernel made;
    made.name = kernel.name;
    made.source = kernel.source;
    made.general_of = kernel.general_of;
    made.constants = entry.constants;
    made.tensors = entry.tensors;
    made.parameters = entry.parameters;
    made.span = kernel.span;
    for (const Condition& c : kernel.conditions) {
        const Scalar holds = substitute(c.holds, names);
        if (holds_always(holds)) continue;
        made.conditions.push_back({holds, renamed_message(c, names, words), c.selects, c.span});
    }
    for (GridAxis axis : kernel.grid) {
        axis.begin = substitute(with_constants(kernel, axis.begin), names);
        axis.end = substitute(with_constants(kernel, axis.end), names);
        made.grid.push_back(std::move(axis));
    }
    made.dynamic = kernel.dynamic;
    for (Counter counter : kernel.counters) {
        for (Scalar& extent : counter.extents)
            extent = substitute(with_constants(kernel, extent), names);
        made.counters.push_back(std::move(counter));
    }
    if (kernel.program_cost) {
        made.program_cost = substitute(with_constants(kernel, kernel.program_cost), names);
    }
    return made;
}

bool is_deterministic(const Module& module, const Entry& entry) {
    return std::all_of(entry.calls.begin(), entry.calls.end(), [&](const EntryCall& call) {
        return std::all_of(call.candidates.begin(), call.candidates.end(),
                           [&](const std::string& candidate) {
                               const Kernel* kernel = find_kernel(module, candidate);
                               return kernel == nullptr || is_deterministic(*kernel);
                           });
    });
}

std::vector<Kernel> called_kernels(const Module& module, const Entry& entry) {
    std::vector<Kernel> list;
    for (const EntryCall& call : entry.calls) {
        for (const std::string& candidate : call.candidates) {
            if (const Kernel* kernel = find_kernel(module, candidate))
                list.push_back(called_kernel(entry, call, *kernel));
        }
    }
    return list;
}

std::string to_string(const EntryCall& call) {
    std::string text;
    for (const std::string& t : call.tensors) text += (text.empty() ? "" : ", ") + t;
    for (const Scalar& s : call.scalars) text += (text.empty() ? "" : ", ") + words_for(s);
    return call.callee + "(" + text + ")";
}

}  // namespace tkc::ir
