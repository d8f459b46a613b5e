// nvcc as tkc calls it, and the reading of ptxas's log.
#include "compiler/nvcc.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <system_error>

#include "compiler/compilation.h"
#include "compiler/embedded.h"
#include "compiler/external_functions.h"
#include "compiler/subprocess.h"

namespace tkc {

namespace fs = std::filesystem;

namespace {

// The first toolkit whose ptxas assembles all that the runtime uses.
constexpr int oldest_major = 12;
constexpr int oldest_minor = 4;

constexpr Span nowhere{};  // messages about no place in a file

bool is_program(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> search_path(const std::string& name) {
    std::istringstream folders(environment("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
        fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
        if (is_program(candidate)) return candidate.string();
    }
    return std::nullopt;
}

// A name without a slash is looked up in PATH, as a shell would.
std::optional<std::string> resolve(const std::string& named) {
    if (named.find('/') == named.npos) return search_path(named);
    if (is_program(named)) return named;
    return std::nullopt;
}

// The nvcc that the PyPI package cuda-toolkit[nvcc] installs into the active virtual environment.
// `tkc` of the Python package passes that of any other Python in $TKC_NVCC.
std::optional<std::string> search_environment() {
    const std::string root = environment("VIRTUAL_ENV");
    if (root.empty()) return std::nullopt;
    std::error_code error;
    for (const fs::directory_entry& python : fs::directory_iterator(root + "/lib", error)) {
        if (!python.path().filename().string().starts_with("python3")) continue;
        if (auto found = resolve((python.path() / "site-packages/nvidia/cu13/bin/nvcc").string()))
            return found;
    }
    return std::nullopt;
}

// Where the toolkit has the CUDA runtime if nvcc does not look there: its profile names lib64, and
// the packages of PyPI have lib. Empty: nvcc knows.
std::string library_folder(const std::string& nvcc) {
    std::error_code error;
    const fs::path program = fs::canonical(nvcc, error);
    if (error) return "";
    const fs::path toolkit = program.parent_path().parent_path();
    const auto has_runtime = [&](const char* folder) {
        return fs::exists(toolkit / folder / "libcudart_static.a", error);
    };
    if (has_runtime("lib64") || !has_runtime("lib")) return "";
    return (toolkit / "lib").string();
}

std::string demangle(const std::string& symbol) {
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    if (status != 0 || text == nullptr) return symbol;
    std::string name = text.get();  // with the types of its parameters, which nobody reads
    name.resize(std::min(name.size(), name.find('(')));
    // Of an instance of a template it says what it returns: `void gemm_kernel<256, 64>`.
    constexpr std::string_view returns = "void ";
    return name.starts_with(returns) ? name.substr(returns.size()) : name;
}

// A number of a toolkit's output; the largest int if it is larger than any.
int to_number(const std::string& digits) {
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() ? number : std::numeric_limits<int>::max();
}

std::string trimmed(std::string_view text) {
    std::size_t begin = text.find_first_not_of(" \t\r");
    std::size_t end = text.find_last_not_of(" \t\r");
    return begin == text.npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

// The last lines of a log: where the error is, as a rule.
std::string tail(const std::string& log) {
    constexpr std::size_t limit = 4000;
    std::string text = log;
    if (text.size() > limit) {
        std::size_t line = text.find('\n', text.size() - limit);
        text = "...\n" + text.substr(line == text.npos ? text.size() - limit : line + 1);
    }
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

}  // namespace

bool find_nvcc(const std::string& named, Nvcc& nvcc, Diagnostics& diag) {
    std::optional<std::string> found;
    const std::string& wanted = named.empty() ? environment("TKC_NVCC") : named;
    if (!wanted.empty()) {
        found = resolve(wanted);
        if (!found) {
            diag.error(nowhere, msg::nvcc_not_found,
                       fmt::format("{} names `{}`, which is not a program",
                                   named.empty() ? "$TKC_NVCC" : "--nvcc", wanted));
            return false;
        }
    } else {
        std::string home = environment("CUDA_HOME");
        if (!home.empty()) found = resolve(home + "/bin/nvcc");
        if (!found) found = search_path("nvcc");
        if (!found) found = search_environment();
        if (!found) found = resolve("/usr/local/cuda/bin/nvcc");
        if (!found) {
            diag.error(nowhere, msg::nvcc_not_found,
                       "it is not in $CUDA_HOME/bin, PATH, $VIRTUAL_ENV or /usr/local/cuda/bin")
                .help(
                    "`pip install \"cuda-toolkit[nvcc]==13.0.*\"` in a virtual environment "
                    "installs it, as does the CUDA Toolkit; or specify one with --nvcc")
                .help("`tkc FILE.tk -o FILE.cu` needs no nvcc; see `tkc --explain TK8003`");
            return false;
        }
    }

    nvcc.path = *found;
    ProcessResult said = run_process({nvcc.path, "--version"});
    std::smatch match;
    static const std::regex release(R"(release (\d+)\.(\d+))");
    if (!said.started || !std::regex_search(said.output, match, release)) {
        diag.error(nowhere, msg::nvcc_not_found,
                   fmt::format("`{} --version` did not report a CUDA release", nvcc.path))
            .note(tail(said.output));
        return false;
    }
    int major = to_number(match[1]);
    int minor = to_number(match[2]);
    nvcc.version = fmt::format("{}.{}", major, minor);
    if (std::pair(major, minor) < std::pair(oldest_major, oldest_minor)) {
        diag.error(nowhere, msg::nvcc_too_old, nvcc.path, nvcc.version,
                   fmt::format("{}.{}", oldest_major, oldest_minor));
        return false;
    }
    return true;
}

std::vector<KernelReport> read_ptxas_log(std::string_view log) {
    static const std::regex entry(R"(Compiling entry function '([^']+)')");
    static const std::regex used(R"(Used (\d+) registers)");
    static const std::regex frame(
        R"((\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads)");
    // Numbers differ between toolkits, so the words count too.
    // C7519 costs nothing: one more arrive, where registers of a product are written after the last
    // one.
    static const std::regex intervention(
        R"(\(C75(?!19)\d\d\)|setmaxnreg ignored|wgmma.*serialized)");
    static const std::regex function(R"(function '([^']+)')");

    std::vector<KernelReport> reports;
    // Remarks can come before the line that opens their kernel, so they name it themselves.
    auto report_of = [&](const std::string& symbol) -> KernelReport& {
        std::string name = demangle(symbol);
        for (KernelReport& report : reports) {
            if (report.kernel == name) return report;
        }
        return reports.emplace_back(KernelReport{name, 0, {}, {}, 0});
    };
    std::string current = "?";
    std::istringstream lines{std::string(log)};
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_search(line, match, entry)) {
            current = match[1];
            report_of(current);
        } else if (std::regex_search(line, match, used)) {
            report_of(current).registers = to_number(match[1]);
        } else if (std::regex_search(line, match, frame)) {
            if (match[1] != "0" || match[2] != "0" || match[3] != "0") {
                report_of(current).spills = trimmed(line);
                for (std::size_t i = 1; i <= 3; ++i)
                    report_of(current).spilled_bytes =
                        std::max(report_of(current).spilled_bytes, to_number(match[i]));
            }
        } else if (std::regex_search(line, intervention)) {
            std::string owner = std::regex_search(line, match, function) ? match[1].str() : current;
            report_of(owner).interventions.push_back(trimmed(line));
        }
    }
    return reports;
}

namespace {

// False: there is no library, which is reported; `output` is what the user asked for.
bool has_run(const Nvcc& nvcc, const ProcessResult& result, const std::string& source,
             const std::vector<std::string>& include_dirs, const std::string& output,
             Session& session) {
    Diagnostics& diag = session.diag;
    if (!result.started) {
        diag.error(nowhere, msg::nvcc_not_found,
                   fmt::format("`{}` did not start: {}", nvcc.path, result.output));
        return false;
    }
    if (result.status == 0) return true;
    if (result.output.find("No space left on device") != result.output.npos) {
        diag.error(nowhere, msg::cannot_write_file, output, "No space left on device")
            .note("nvcc writes temporary files to $TMPDIR, or to /tmp");
        return false;
    }
    // The first folder is the runtime's.
    if (report_external_functions(result.output, {include_dirs.begin() + 1, include_dirs.end()},
                                  session))
        return false;
    diag.error(nowhere, msg::nvcc_failed, source)
        .note("{} exited with status {}:\n{}", nvcc.path, result.status, tail(result.output));
    return false;
}

// A kernel that spilled more than it may.
struct Excess {
    const KernelReport& report;
    const KernelRegisters& kernel;
};

void report_error(const Excess& excess, Diagnostics& diag) {
    diag.error(nowhere, msg::registers_spilled, excess.report.kernel, excess.report.spills)
        .help(
            "make the tiles of its roles smaller; or, if spills do not matter for its speed, write "
            "`spills({})` in the kernel's grid",
            excess.report.spilled_bytes);
}

void report_warning(const Excess& excess, Diagnostics& diag) {
    const std::string& name = excess.report.kernel;
    if (excess.kernel.general) {
        diag.warning(nowhere, msg::general_spilled, name, excess.report.spills);
        return;
    }
    diag.warning(nowhere, msg::shared_registers_spilled, name, excess.kernel.blocks,
                 excess.report.spills)
        .help(
            "write `blocks_per_sm({})` in the kernel's grid, or remove it: tkc then chooses a "
            "number with which nothing spills",
            std::max<std::int64_t>(excess.kernel.fewer_blocks, 1));
}

// What ptxas said about the kernels of a library.
Built judge(const ProcessResult& result, const KernelTable* table, Diagnostics& diag) {
    static const KernelRegisters unknown;  // it may not spill
    Built built{true};
    std::vector<KernelReport> reports = read_ptxas_log(result.output);
    std::vector<Excess> slow;  // reported where there is a library
    for (KernelReport& report : reports) {
        const KernelRegisters* kernel = &unknown;
        if (table != nullptr && table->contains(report.kernel)) {
            kernel = &table->at(report.kernel);
            report.kernel = kernel->function;
        }
        if (!report.interventions.empty()) {
            std::string remarks;
            for (const std::string& line : report.interventions) remarks += line + "\n";
            diag.error(nowhere, msg::ptxas_intervened, report.kernel).note(tail(remarks));
            built.good = false;
        }
        if (table == nullptr || report.spilled_bytes <= kernel->spills) continue;
        const Excess excess{report, *kernel};
        if (kernel->general || (kernel->blocks > 1 && kernel->requested_blocks)) {
            slow.push_back(excess);
        } else if (kernel->fewer_blocks > 0) {
            for (const std::string& name : kernel->kernels)
                built.crowded[name] = kernel->fewer_blocks;
        } else {
            report_error(excess, diag);
            built.good = false;
        }
    }
    built.good = built.good && built.crowded.empty();
    if (!built.good) return built;
    for (const Excess& excess : slow) report_warning(excess, diag);
    return built;
}

}  // namespace

std::string runtime_folder(const std::string& scratch, Diagnostics& diag) {
    std::string folder = scratch + "/runtime";
    const std::string reason = write_runtime(folder);
    if (reason.empty()) return folder;
    diag.error(nowhere, msg::cannot_write_file, folder, reason);
    return "";
}

std::vector<std::string> header_folders(const std::vector<std::string>& files,
                                        const std::vector<std::string>& include_dirs) {
    std::vector<std::string> folders;
    for (const std::string& file : files) {
        const std::string folder = fs::path(file).parent_path().string();
        folders.push_back(folder.empty() ? "." : folder);
    }
    folders.insert(folders.end(), include_dirs.begin(), include_dirs.end());
    return folders;
}

Built compile_library(const Nvcc& nvcc, const Target& target, const std::string& source,
                      const std::vector<std::string>& include_dirs, const std::string& output,
                      Session& session, const KernelTable* table) {
    // The finished library takes the old one's place at once: a program may have that open.
    const std::string fresh = fmt::format("{}.{}.new", output, ::getpid());
    // -fmad=false: products and sums are rounded where the program says so, as in the emulator.
    std::vector<std::string> command{nvcc.path, "-std=c++17", "-O3", "-fmad=false"};
    if (output.ends_with(".ptx")) {
        command.insert(command.end(), {"-ptx", fmt::format("-arch={}", target.virtual_name)});
    } else {
        command.insert(command.end(), {nvcc_option(target), "-Xptxas",
                                       "-v,-warn-spills,-warn-lmem-usage", "-Xcompiler", "-fPIC"});
        if (output.ends_with(".o")) command.emplace_back("-c");
        else command.insert(command.end(), {"-shared", "-cudart", "static"});
        const std::string libraries = library_folder(nvcc.path);
        if (!libraries.empty()) command.push_back("-L" + libraries);
    }
    for (const std::string& folder : include_dirs) command.push_back("-I" + folder);
    command.insert(command.end(), {"-o", fresh, source});
    const ProcessResult result = run_process(command);
    Built built;
    if (has_run(nvcc, result, source, include_dirs, output, session))
        built = judge(result, table, session.diag);
    if (built.good && ::rename(fresh.c_str(), output.c_str()) != 0) {
        session.diag.error(nowhere, msg::cannot_write_file, output,
                           std::generic_category().message(errno));
        built.good = false;
    }
    if (!built.good) {
        std::error_code ignored;
        fs::remove(fresh, ignored);
    }
    return built;
}

}  // namespace tkc
