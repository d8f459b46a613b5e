// The command line of tkc, as data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "compiler/exit_codes.h"
#include "compiler/source_options.h"

namespace tkc {

struct CheckCommand {
    SourceOptions source;
    bool verify = false;  // compare with the `//~` comments of the files
    bool strict = false;  // refuse what is trusted or not decided
    bool fix = false;     // put in what messages are certain of
    bool sarif = false;   // messages of all files as one SARIF document on standard output
};

struct ExplainCommand {  // tkc explain FILE
    SourceOptions source;
    std::map<std::string, std::int64_t> extents = {};  // for which choices of launchers are told
};

// Where `tkc test` runs kernels.
enum class Machine { emulator, gpu };

struct MutateOptions {  // tkc test --mutate
    bool wanted = false;
    bool references = false;  // change references instead of kernels
    bool tolerances = false;  // look for tolerances that are too wide, too
    bool fix = false;         // write the tests that were found into the files
    std::string module;       // change the functions of this module instead; empty: the files' own
    std::string in;           // only this kernel, entry, function or reference; empty: all
    int seconds = 0;          // no mutant is begun later than this; 0: all are tried
};

struct TestCommand {  // tkc test FILE..
    SourceOptions source;
    std::vector<std::string> filters;  // parts of names, or patterns with * and ?; empty: all
    std::uint64_t seed = 0;
    int seeds = 1;           // each test under so many seeds, from `seed` on
    int jobs = 0;            // 0: as many as there are cores
    bool scheduled = false;  // what kernels are lowered to, instead of their tile IR
    bool weaken = false;     // with `scheduled`: put faults in, and see whether tests notice
    MutateOptions mutate;    // change the program, and see whether tests notice
    bool replay = false;     // run the counterexamples of the proofs instead of tests
    bool proofs = true;      // refuse what `tkc check` refuses
    std::string xml;         // a file for JUnit's XML; empty: none
    Machine machine = Machine::emulator;
    std::string nvcc;
    int timeout = 0;  // seconds; 0: what is usual

    int seconds_of_test() const {
        if (machine == Machine::gpu) return std::max(timeout, 300);
        return timeout > 0 ? timeout : 300;
    }
    int seconds_of_gpu_run() const { return timeout > 0 ? timeout : 60; }
};

struct BuildCommand {
    SourceOptions source;
    std::string output;   // the library; the header gets the same name with .h
    bool keep = false;    // the .cu stays next to the library
    std::string depfile;  // what make and ninja read: which files the library is made from
    std::string nvcc;     // empty: look for it
};

struct RunCommand {  // tkc run FILE
    SourceOptions source;
};

struct RuntimeCommand {
    std::string folder;
};

struct FormatCommand {               // tkc fmt FILE..
    std::vector<std::string> files;  // `-`: standard input, to standard output
    bool check = false;              // change nothing, say what would change
};

struct NewCommand {  // tkc new NAME
    std::string name;
};

struct MessageCommand {  // tkc --explain TK1001
    std::string message;
};

struct ListPassesCommand {};

struct GpuWorkerCommand {};  // what `tkc test --on=gpu` starts

using Command = std::variant<CompileCommand, CheckCommand, TestCommand, ExplainCommand,
                             BuildCommand, RunCommand, RuntimeCommand, FormatCommand, NewCommand,
                             MessageCommand, ListPassesCommand, GpuWorkerCommand>;

// The command, or an exit code where everything is said already: --help, --version, a bad call.
std::variant<Command, int> parse_command_line(int count, const char* const* words);

}  // namespace tkc
