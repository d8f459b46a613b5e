// `tkc run`: serves calls of a program's functions in the emulator, one after the other, to a
// process that speaks to it through pipes; the Python package does (python/tk/emulated.py).
//
//     says first  {"functions": ["attention", ..]}
//     request     a line of JSON, then the storages of the tensors in their order:
//                 {"function": "attention", "scalars": {"scale": "0.1"}, "tensors": [{"name": "Q",
//                  "dtype": "bf16", "extents": [..], "strides": [..], "origin": 0, "bytes": 4096}]}
//     answer      a line of JSON, {"end": "finished", "text": "", "places": [..], "printed": [..]},
//                 then, if it finished, the storages of all tensors that the function writes
//
// Real numbers are text, as strtod reads it: "inf", "nan", "0.1". Strides and origin count
// elements; storages begin at an aligned address (emulator/tensor.h).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "compiler/outputs.h"
#include "driver/commands.h"
#include "driver/report.h"
#include "emulator/entry_run.h"
#include "emulator/launch.h"

namespace tkc {

namespace {

using emulator::Arguments;
using emulator::Outcome;
using Json = nlohmann::ordered_json;

// A request that does not keep to the protocol: the other side's mistake, which ends the service.
struct BadRequest : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string_view word(Outcome::End end) {
    switch (end) {
        case Outcome::End::finished: return "finished";
        case Outcome::End::refused: return "refused";
        case Outcome::End::deadlock: return "deadlock";
        case Outcome::End::hazard: return "hazard";
        case Outcome::End::assertion: return "assertion";
        case Outcome::End::fault: return "fault";
        case Outcome::End::unfinished: return "unfinished";
    }
    return "";
}

// A function of the C interface: an entry, or the kernels that it chooses from.
struct CalledFunction {
    const ir::Entry* entry = nullptr;
    std::vector<const ir::Kernel*> kernels;
    const ir::Signature& signature() const {
        return entry != nullptr ? static_cast<const ir::Signature&>(*entry) : *kernels.front();
    }
};

class Service {
public:
    Service(const ir::Module& module, const SourceManager& sources)
        : module_(module), sources_(sources) {
        for (const ir::Launcher& launcher : module.launchers) {
            CalledFunction function;
            for (const std::string& name : launcher.candidates) {
                const ir::Kernel* kernel = ir::find_kernel(module, name);
                if (kernel != nullptr) function.kernels.push_back(kernel);
            }
            if (!function.kernels.empty()) functions_[launcher.name] = std::move(function);
        }
        for (const ir::Entry& entry : module.entries) functions_[entry.name].entry = &entry;
    }

    void serve() {
        Json names = Json::array();
        for (const auto& [name, function] : functions_) names.push_back(name);
        std::cout << Json{{"functions", names}}.dump() << std::endl;
        for (std::string line; std::getline(std::cin, line);) answer(Json::parse(line));
    }

private:
    void answer(const Json& request) {
        const auto found = functions_.find(request.at("function").get<std::string>());
        if (found == functions_.end()) throw BadRequest("there is no such function");
        Arguments arguments = read(request, found->second.signature());
        const Outcome outcome = run(found->second, arguments);
        std::cout << Json{{"end", word(outcome.end)},
                          {"text", outcome.text},
                          {"places", lines(outcome.places)},
                          {"printed", lines(outcome.printed)}}
                         .dump()
                  << '\n';
        if (outcome.end == Outcome::End::finished) {
            for (const ir::Tensor& t : found->second.signature().tensors) {
                if (t.mode == ir::Mode::in) continue;
                const std::vector<std::byte>& storage = arguments.tensors.at(t.name).storage;
                std::cout.write(reinterpret_cast<const char*>(storage.data()),
                                static_cast<std::streamsize>(storage.size()));
            }
        }
        std::cout.flush();
    }

    static Arguments read(const Json& request, const ir::Signature& called) {
        Arguments arguments;
        for (const Json& given : request.at("tensors")) {
            emulator::Tensor tensor;
            const std::optional<Dtype> dtype = find_dtype(given.at("dtype").get<std::string>());
            if (!dtype) throw BadRequest("a tensor has no dtype of the language");
            tensor.dtype = *dtype;
            tensor.extents = given.at("extents").get<std::vector<std::int64_t>>();
            tensor.strides = given.at("strides").get<std::vector<std::int64_t>>();
            tensor.origin = given.at("origin").get<std::int64_t>();
            tensor.storage.resize(given.at("bytes").get<std::size_t>());
            check_reach(tensor);
            std::cin.read(reinterpret_cast<char*>(tensor.storage.data()),
                          static_cast<std::streamsize>(tensor.storage.size()));
            if (!std::cin) throw BadRequest("a tensor is truncated");
            arguments.tensors[given.at("name").get<std::string>()] = std::move(tensor);
        }
        for (const ir::Tensor& t : called.tensors) {
            const auto given = arguments.tensors.find(t.name);
            if (given == arguments.tensors.end() || given->second.dtype != t.dtype ||
                given->second.extents.size() != t.extents.size())
                throw BadRequest(fmt::format("tensor `{}` does not match its declaration", t.name));
            if (t.mode == ir::Mode::accumulate)  // as the launcher does
                std::fill(given->second.storage.begin(), given->second.storage.end(), std::byte{});
        }
        for (const ir::Parameter& p : called.parameters) {
            const Json& value = request.at("scalars").at(p.name);
            if (is_real(p.dtype)) {
                arguments.scalars[p.name] = real(value.get<std::string>());
            } else if (is_boolean(p.dtype)) {
                arguments.scalars[p.name] = std::int64_t{value.get<bool>() ? 1 : 0};
            } else {
                arguments.scalars[p.name] = value.get<std::int64_t>();
            }
        }
        return arguments;
    }

    // JSON has no word for what is not finite.
    static double real(const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != '\0') throw BadRequest("a floating-point number is malformed");
        return value;
    }

    // Every element lies in the storage, so that nothing outside of it is touched.
    static void check_reach(const emulator::Tensor& tensor) {
        if (tensor.strides.size() != tensor.extents.size() || tensor.origin < 0)
            throw BadRequest("strides and extents do not match");
        std::int64_t last = tensor.origin;
        for (std::size_t i = 0; i < tensor.extents.size(); ++i) {
            if (tensor.extents[i] < 0 || tensor.strides[i] < 0)
                throw BadRequest("an extent or stride is negative");
            last += std::max<std::int64_t>(tensor.extents[i] - 1, 0) * tensor.strides[i];
        }
        const auto size = static_cast<std::int64_t>(tensor.storage.size());
        if (tensor.elements() > 0 && (last + 1) * bytes(tensor.dtype) > size)
            throw BadRequest("a tensor extends past its memory");
    }

    Outcome run(const CalledFunction& function, Arguments& arguments) const {
        emulator::RunOptions options;
        options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        if (function.entry != nullptr) return run_entry(*function.entry, arguments, options);
        // Which of them runs changes nothing in what they mean: the first that suits.
        std::optional<std::string> refused;
        for (const ir::Kernel* kernel : function.kernels) {
            auto refusal = emulator::refusal(*kernel, arguments);
            if (!refusal) return emulator::run(*kernel, module_.level, arguments, options);
            if (!refused) refused = std::move(refusal->sentence);
        }
        return {Outcome::End::refused, *refused, {}, {}};
    }
    Outcome run_entry(const ir::Entry& entry, Arguments& arguments,
                      const emulator::RunOptions& options) const {
        return emulator::run(module_, entry, {}, arguments, options);
    }

    Json lines(const std::vector<Outcome::Place>& places) const {
        Json list = Json::array();
        for (const Outcome::Place& p : places)
            list.push_back(fmt::format("{} {}", sources_.describe(p.span), p.text));
        return list;
    }

    const ir::Module& module_;
    const SourceManager& sources_;
    std::map<std::string, CalledFunction> functions_;
};

}  // namespace

int run(const RunCommand& command) {
    Session session;
    const std::optional<ast::File> tree = parse_file(command.source.files[0], session);
    std::optional<Stages> stages;
    if (tree) stages = compile_stages(*tree, command.source, {}, true, session);
    if (!stages) return finish(session);
    try {
        Service(stages->tile, session.sources).serve();
    } catch (const BadRequest& bad) {
        fmt::print(stderr, "tkc: {}\n", bad.what());
        return exit_usage;
    } catch (const Json::exception& bad) {
        fmt::print(stderr, "tkc: malformed request: {}\n", bad.what());
        return exit_usage;
    }
    return exit_good;
}

}  // namespace tkc
