// Runs passes: prints, times and verifies between them.
#include "lowering/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "ir/parse.h"
#include "ir/print.h"
#include "verify/verify.h"

namespace tkc::lowering {

namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Reports what the verifier found; `when` says which pass is to blame.
bool verified(const ir::Module& module, const std::string& when, Diagnostics& diag) {
    const std::vector<std::string> broken = ir::verify(module);
    for (const std::string& sentence : broken) {
        diag.error(Span{}, msg::internal_error, fmt::format("{}: {}", when, sentence));
    }
    return broken.empty();
}

// With assertions on, as in the tests, the verifier runs after every pass, so that it names the
// one at fault. Without, it runs before the first and after the last: after each it took a third
// of a check.
#ifdef NDEBUG
constexpr bool after_each_pass = false;
#else
constexpr bool after_each_pass = true;
#endif

class Runner {
public:
    Runner(ir::Module& module, Diagnostics& diag, const PassOptions& options)
        : module_(module),
          diag_(diag),
          options_(options),
          out_(options.out != nullptr ? *options.out : std::cerr) {}

    bool run(std::span<const Pass> passes) {
        if (options_.verify && !verified(module_, "before the passes", diag_)) return false;
        for (const Pass& pass : passes) {
            if (!options_.only.empty() && !contains(options_.only, pass.name)) continue;
            if (!run(pass)) return false;
        }
        if (options_.time) out_ << fmt::format("{:>10.3f} ms  total\n", total_);
        return !options_.verify || after_each_pass || verified(module_, "after the passes", diag_);
    }

private:
    bool run(const Pass& pass) {
        const bool after = options_.print_after_all || contains(options_.print_after, pass.name);
        const bool before = contains(options_.print_before, pass.name);
        const std::string text = after || before ? ir::print(module_) : std::string();
        if (before) out_ << fmt::format("// before {}\n{}", pass.name, text);
        const int errors = diag_.error_count();
        const auto start = std::chrono::steady_clock::now();
        PassContext context{diag_, options_.debug};
        pass.run(context, module_);
        const std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - start;
        total_ += taken.count();
        if (options_.time) out_ << fmt::format("{:>10.3f} ms  {}\n", taken.count(), pass.name);
        if (after) {
            const std::string now = ir::print(module_);
            if (now == text) out_ << fmt::format("// after {} (unchanged)\n", pass.name);
            else out_ << fmt::format("// after {}: {}\n{}", pass.name, pass.guarantees, now);
        }
        if (diag_.error_count() > errors) return false;
        if (options_.reread && !reread(pass)) return false;
        return !options_.verify || !after_each_pass ||
               verified(module_, fmt::format("after {}", pass.name), diag_);
    }

    // The module as its text says it is: what the text leaves out is lost, and shows.
    bool reread(const Pass& pass) {
        const std::string text = ir::print(module_);
        ir::ParseError error;
        std::optional<ir::Module> again = ir::parse_module(text, error);
        if (!again) {
            diag_.error(
                Span{}, msg::internal_error,
                fmt::format("the text after {} is not read back: {}", pass.name, error.text()));
            return false;
        }
        if (ir::print(*again) != text) {
            diag_.error(Span{}, msg::internal_error,
                        fmt::format("the text after {} reads back as another", pass.name));
            return false;
        }
        module_ = std::move(*again);
        return true;
    }

    ir::Module& module_;
    Diagnostics& diag_;
    const PassOptions& options_;
    std::ostream& out_;
    double total_ = 0;
};

}  // namespace

bool run_passes(std::span<const Pass> passes, ir::Module& module, Diagnostics& diag,
                const PassOptions& options) {
    return Runner(module, diag, options).run(passes);
}

std::string_view unknown_pass(std::span<const Pass> passes, const PassOptions& options) {
    for (const auto* names : {&options.only, &options.print_before, &options.print_after}) {
        for (const std::string& name : *names) {
            const bool known = std::any_of(passes.begin(), passes.end(),
                                           [&](const Pass& pass) { return pass.name == name; });
            if (!known) return name;
        }
    }
    return {};
}

std::string list_passes(std::span<const Pass> passes) {
    std::size_t width = 0;
    for (const Pass& pass : passes) width = std::max(width, std::string_view(pass.name).size());
    std::string out;
    for (const Pass& pass : passes) {
        out += fmt::format("{:<{}}  {}\n", pass.name, width, pass.guarantees);
    }
    return out;
}

}  // namespace tkc::lowering
