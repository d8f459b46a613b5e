// The launch contract of every function, from ir/contract.h and ir/entry.h, as JSON.
#include "compiler/contract_json.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "facts/belief.h"
#include "ir/contract.h"
#include "ir/entry.h"
#include "lowering/cuda/names.h"

namespace tkc {

namespace {

using Json = nlohmann::ordered_json;

std::string_view word(ir::Mode mode) {
    switch (mode) {
        case ir::Mode::in: return "in";
        case ir::Mode::out: return "out";
        case ir::Mode::inout: return "inout";
        case ir::Mode::accumulate: return "accumulate";
        case ir::Mode::scratch: return "scratch";
    }
    return "";
}

// Null if the expression is not integer arithmetic over names.
Json tree(const ir::Scalar& s) {
    if (const auto* i = std::get_if<ir::Integer>(&s->node)) return i->value;
    if (const auto* name = std::get_if<ir::Symbol>(&s->node)) return name->name;
    if (const auto* cast = std::get_if<ir::Cast>(&s->node)) return tree(cast->argument);
    const auto* call = std::get_if<ir::Call>(&s->node);
    if (call == nullptr) return nullptr;
    Json list = Json::array({name(call->function)});
    for (const ir::Scalar& argument : call->arguments) list.push_back(tree(argument));
    return list;
}

Json constants(const ir::Signature& called) {
    Json object = Json::object();
    for (const ir::Constant& c : called.constants) object[c.name] = ir::to_string(c.value);
    return object;
}

Json conditions(const ir::Signature& called) {
    Json list = Json::array();
    for (const ir::Condition& c : called.conditions) {
        list.push_back(
            {{"holds", ir::to_string(c.holds)}, {"text", c.text}, {"selects", c.selects}});
    }
    return list;
}

// What is believed and checked by no launch.
Json beliefs(const std::vector<ir::Trusted>& trusted) {
    Json list = Json::array();
    for (const ir::Trusted& t : trusted) list.push_back(ir::to_string(t));
    return list;
}

Json tensor(const ir::Signature& called, const ir::Tensor& t) {
    Json extents = Json::array();
    std::string shape;
    for (const ir::Scalar& e : t.extents) {
        const ir::Scalar extent = ir::with_constants(called, e);
        extents.push_back(tree(extent));
        shape += (shape.empty() ? "" : ", ") + ir::to_string(extent);
    }
    return {{"name", t.name},
            {"mode", word(t.mode)},
            {"dtype", name(t.dtype)},
            {"shape", "[" + shape + "]"},
            {"extents", extents}};
}

// Tensors and scalars, which the IR keeps apart, in the order of the declaration.
Json parameters(const ir::Signature& called) {
    std::vector<std::pair<std::uint32_t, Json>> list;
    for (const ir::Tensor& t : called.tensors) list.emplace_back(t.span.begin, tensor(called, t));
    for (const ir::Parameter& p : called.parameters)
        list.emplace_back(p.span.begin, Json{{"name", p.name}, {"dtype", name(p.dtype)}});
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Json sorted = Json::array();
    for (auto& [place, parameter] : list) sorted.push_back(std::move(parameter));
    return sorted;
}

Json written_bindings(const ir::Signature& called) {
    Json list = Json::array();
    for (const ir::Binding& b : ir::bindings(called)) {
        list.push_back(
            {{"extent", b.name}, {"tensor", b.tensor}, {"axis", b.axis}, {"offset", b.offset}});
    }
    return list;
}

// `called`: the kernel over the names of whoever calls it. Its programs, and the cycles of one, are
// what a launcher compares.
Json kernel(const ir::Kernel& own, const ir::Kernel& called) {
    const auto text = [&](const ir::Scalar& s) {
        return ir::to_string(ir::with_constants(called, s));
    };
    return {{"name", own.name},
            {"general", !own.general_of.empty()},
            {"constants", constants(own)},
            {"conditions", conditions(called)},
            {"trusted", beliefs(own.trusted)},
            {"programs", text(ir::programs_of(called))},
            {"cycles", called.program_cost ? text(called.program_cost) : "1"}};
}

// What else the kernels of a launcher take, each once.
Json others(const ir::Module& module, const ir::Launcher& launcher, const ir::Signature& first) {
    Json list = Json::array();
    std::set<std::string> seen{parameters(first).dump()};
    for (const std::string& candidate : launcher.candidates) {
        const ir::Kernel* k = ir::find_kernel(module, candidate);
        if (k == nullptr || !seen.insert(parameters(*k).dump()).second) continue;
        list.push_back({{"parameters", parameters(*k)}, {"bindings", written_bindings(*k)}});
    }
    return list;
}

Json function(const std::string& name, std::string_view kind, const ir::Signature& called,
              Json launches, bool works, bool deterministic, Json more = Json::array()) {
    const bool entry = kind == "entry";
    return {{"name", name},
            {"kind", kind},
            {"symbol", cuda::launcher_name(name)},
            {"deterministic", deterministic},
            {"workspace", works},  // for counters
            {"constants", constants(called)},
            {"parameters", parameters(called)},
            {"bindings", written_bindings(called)},
            {"others", std::move(more)},
            {"conditions", entry ? conditions(called) : Json::array()},
            {"launches", std::move(launches)}};
}

}  // namespace

std::string contract_json(const ir::Module& module, const SourceManager& sources,
                          const std::string& path) {
    Json functions = Json::array();
    for (const ir::Launcher& launcher : module.launchers) {
        Json kernels = Json::array();
        bool works = false;
        const ir::Kernel* first = nullptr;
        for (const std::string& candidate : launcher.candidates) {
            const ir::Kernel* k = ir::find_kernel(module, candidate);
            if (k == nullptr) continue;
            if (first == nullptr) first = k;
            works = works || ir::has_counters(*k);
            kernels.push_back(kernel(*k, *k));
        }
        if (first == nullptr) continue;
        Json launches = Json::array({{{"call", launcher.name}, {"kernels", std::move(kernels)}}});
        functions.push_back(function(launcher.name, "kernel", *first, std::move(launches), works,
                                     ir::is_deterministic(*first),
                                     others(module, launcher, *first)));
    }
    for (const ir::Entry& entry : module.entries) {
        Json launches = Json::array();
        bool works = false;
        for (const ir::EntryCall& call : entry.calls) {
            Json kernels = Json::array();
            for (const std::string& candidate : call.candidates) {
                const ir::Kernel* k = ir::find_kernel(module, candidate);
                works = works || (k != nullptr && ir::has_counters(*k));
                if (k != nullptr) kernels.push_back(kernel(*k, ir::called_kernel(entry, call, *k)));
            }
            launches.push_back({{"call", ir::to_string(call)}, {"kernels", std::move(kernels)}});
        }
        functions.push_back(function(entry.name, "entry", entry, std::move(launches), works,
                                     ir::is_deterministic(module, entry)));
    }
    const Json document{{"tkc", TKC_VERSION},
                        {"source", std::filesystem::path(path).filename().string()},
                        {"files", sources.paths_on_disk()},
                        {"functions", std::move(functions)}};
    return document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace tkc
