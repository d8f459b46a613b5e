// What `tkc test` runs: the tests of its files, and the kernels compiled for their constants.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/outputs.h"
#include "driver/options.h"
#include "emulator/test_run.h"

namespace tkc {

// A test with its values, on every instance that it is for, under one seed. One of a function runs
// no instance, and draws no data.
struct TestJob {
    const emulator::TestCase* test = nullptr;
    bool compiles = true;  // what it is of
    // Null: they do not compile, or the test is of a function.
    const std::vector<emulator::Instance>* instances = nullptr;
    std::string constants;  // for which: `D = 64, CAUSAL = true`
    std::uint64_t seed = 0;
};

// A test that cannot run, whatever its kernel does.
struct BrokenJob {
    std::string name;
    Span span;         // of the name
    Diagnostics diag;  // what is wrong with it
};

// Kernels that tests need, for one set of constants: what they were compiled from, and to what.
struct CompiledSet {
    SourceOptions options;  // with the constants
    Wanted wanted;
    Stages stages;
};

// The tests of one file. What it compiles stays with it.
class TestPlan {
public:
    TestPlan(std::string path, const TestCommand& command);

    // Reads the file and compiles what its tests need, each set of constants once; reports what is
    // wrong with its kernels. A test that is wrong is one of `broken`, and the others can run.
    void make();
    // These jobs are not run.
    void leave_out(const std::set<const TestJob*>& jobs);
    // Nor those that are left out of another plan of the file.
    void leave_out_like(const TestPlan& other);

    const std::string& path() const { return path_; }
    const FunctionScope* functions() const { return functions_ ? &*functions_ : nullptr; }
    const Session& session() const { return session_; }
    const std::vector<TestJob>& jobs() const { return jobs_; }
    const std::vector<BrokenJob>& broken() const { return broken_; }
    bool has_tests() const { return has_tests_; }        // before names were filtered
    bool has_left_out() const { return has_left_out_; }  // tests of entries, by `--weaken`
    const SourceOptions& options() const { return command_.source; }
    const std::vector<emulator::TestCase>& cases() const { return cases_; }
    const ast::File* tree() const { return tree_ ? &*tree_ : nullptr; }
    // What was compiled.
    const std::deque<CompiledSet>& sets() const { return sets_; }

private:
    void find_cases();
    void add_broken(const std::string& name, Span span, Diagnostics diag);
    void compile_all();
    void add_jobs(const emulator::TestCase& test);
    bool is_named(const std::string& name, const std::string& short_name) const;
    bool is_wanted(const emulator::TestCase& test);
    bool compiles(const ast::Function& function);
    const std::vector<emulator::Instance>* instances_for(const emulator::TestCase& test);
    const Stages* compile(const SourceOptions& options, const Wanted& wanted,
                          const std::string& constants);
    void add_instances(const Stages& stages, const std::string& subject,
                       std::vector<emulator::Instance>& instances) const;
    void add_candidates(const ir::Module& module, const ir::Entry& entry,
                        emulator::Instance& instance) const;
    void add_entry(const Stages& stages, const ir::Entry& entry,
                   std::vector<emulator::Instance>& instances) const;

    std::string path_;
    const TestCommand& command_;
    Session session_;
    std::optional<ast::File> tree_;
    std::optional<FunctionScope> functions_;  // of the file, for its references
    const Stages* base_ = nullptr;  // with the constants of the call; null: something is wrong
    std::deque<CompiledSet> sets_;
    std::vector<emulator::TestCase> cases_;
    std::vector<BrokenJob> broken_;
    bool has_tests_ = false;
    bool has_left_out_ = false;
    std::set<std::string> left_out_;  // tests that do not end
    std::map<const ast::Function*, bool> compiles_;
    // By kernel and constants; empty: it does not compile.
    std::map<std::string, std::optional<std::vector<emulator::Instance>>> instances_;
    std::vector<TestJob> jobs_;
};

}  // namespace tkc
