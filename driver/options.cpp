// The command line, by CLI11.
#include "driver/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

namespace tkc {

namespace {

constexpr const char* description =
    "tkc compiles .tk tile kernels to CUDA C++ for Hopper GPUs.\n"
    "\n"
    "  tkc new scale_rows              create a starter kernel with a test\n"
    "  tkc gemm.tk -o gemm.cu          compile\n"
    "  tkc check gemm.tk               check only\n"
    "  tkc test gemm.tk                run its tests\n"
    "  tkc fmt gemm.tk                 format it\n"
    "  tkc explain gemm.tk             show resources, waits and proofs of each kernel\n"
    "  tkc build gemm.tk -o libgemm.so compile to a shared library with nvcc\n"
    "  tkc runtime DIR                 write the headers that a .cu includes\n"
    "  tkc --explain TK1001            explain a message\n";

bool is_identifier(std::string_view text) {
    auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
    return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), inner);
}

// Checks NAME=VALUE where CLI11 does it, so that the message has the form of all others.
const CLI::Validator name_and_value(
    [](std::string& text) -> std::string {
        std::size_t sign = text.find('=');
        bool good = sign != text.npos && is_identifier(std::string_view(text).substr(0, sign)) &&
                    sign + 1 < text.size();
        return good ? "" : fmt::format("`{}` is not of the form NAME=VALUE", text);
    },
    "NAME=VALUE");

// The same of `--extents`, whose values are numbers of elements.
const CLI::Validator name_and_number(
    [](std::string& text) -> std::string {
        const std::size_t sign = text.find('=');
        const bool named =
            sign != text.npos && is_identifier(std::string_view(text).substr(0, sign));
        const std::string_view digits =
            std::string_view(text).substr(named ? sign + 1 : text.size());
        const bool good =
            !digits.empty() && digits.size() < 11 &&
            std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
        return good ? "" : fmt::format("`{}` is not of the form NAME=NUMBER", text);
    },
    "NAME=NUMBER");

Define to_define(const std::string& text) {
    std::size_t sign = text.find('=');
    return {text.substr(0, sign), text.substr(sign + 1)};
}

// The options as CLI11 fills them; turned into a Command when all of them are there.
struct Words {
    SourceOptions source;
    std::vector<std::string> defines;
    std::vector<std::string> extents;
    std::optional<Emit> emit;
    std::string output;
    std::string depfile;
    PassPrintOptions watch;
    TestCommand test;
    CheckCommand check;
    FormatCommand format;
    bool keep = false;
    bool list_passes = false;
    std::string nvcc;
    std::string folder;
    std::string name;
    std::string message;
};

void add_source_options(CLI::App& app, Words& words, bool many) {
    auto* files = app.add_option("file", words.source.files, "a .tk file")->type_name("FILE");
    if (many) {
        files->required()->expected(1, -1);
    } else {
        files->expected(1);
    }
    app.add_option("--target", words.source.target, "the GPU architecture to compile for")
        ->type_name("NAME")
        ->check(CLI::IsMember(target_names()));
    app.add_option("-D", words.defines, "set a constant, overriding its default")
        ->check(name_and_value)
        ->allow_extra_args(false);
    app.add_flag("--debug", words.source.debug,
                 "debug build: keep `print` and `assert`, fill shared memory with NaNs");
    app.add_option("-I", words.source.include_dirs, "a folder to search for imports")
        ->type_name("DIR")
        ->allow_extra_args(false);
}

void add_notes_option(CLI::App& app, Words& words) {
    app.add_flag("!--no-notes", words.source.notes, "no performance notes");
}

void add_json_option(CLI::App& app, Words& words) {
    app.add_flag("--json", words.source.json, "messages as JSON, one per line, on standard output");
}

void add_depfile_option(CLI::App& app, Words& words) {
    app.add_option("--depfile", words.depfile,
                   "also write a list of the files read, for make and ninja")
        ->type_name("FILE");
}

void add_compile_options(CLI::App& app, Words& words) {
    static const std::map<std::string, Emit> stages{
        {"ast", Emit::ast},          {"roles", Emit::roles}, {"ir", Emit::ir},
        {"lowered", Emit::lowered},  {"cuda", Emit::cuda},   {"header", Emit::header},
        {"contract", Emit::contract}};
    app.add_option("-o,--output", words.output, "the output file; - is standard output")
        ->type_name("FILE");
    app.add_option_function<std::string>(
           "--emit", [&](const std::string& name) { words.emit = stages.at(name); },
           "what to emit: ast, roles, ir, lowered, cuda, header or contract; to standard output "
           "without -o")
        ->type_name("STAGE")
        ->check(CLI::IsMember(stages));
    add_depfile_option(app, words);
    app.add_option("--only", words.watch.only, "run only this pass")
        ->type_name("PASS")
        ->allow_extra_args(false)
        ->group("Passes");
    app.add_option("--print-before", words.watch.print_before, "print the IR before a pass")
        ->type_name("PASS")
        ->allow_extra_args(false)
        ->group("Passes");
    app.add_option("--print-after", words.watch.print_after, "print the IR after a pass")
        ->type_name("PASS")
        ->allow_extra_args(false)
        ->group("Passes");
    app.add_flag("--print-after-all", words.watch.print_after_all, "print the IR after every pass")
        ->group("Passes");
    app.add_flag("--time-passes", words.watch.time_passes, "print the time of each pass")
        ->group("Passes");
    app.add_flag("--reread", words.watch.reread,
                 "after every pass, print and reparse the IR (loses source spans)")
        ->group("Passes");
    app.add_flag("--list-passes", words.list_passes,
                 "list the passes in order, with a summary of each")
        ->group("Passes");
    app.add_option("--explain", words.message, "explain a message: TK1001, or its name")
        ->type_name("CODE");
    app.set_version_flag("--version", "tkc " TKC_VERSION);  // the number is in CMakeLists.txt
}

void add_mutate_options(CLI::App& app, MutateOptions& mutate) {
    auto* wanted = app.add_flag(
        "--mutate", mutate.wanted,
        "mutation testing: change kernels in one place at a time, and report what no test detects");
    for (const char* other : {"--weaken", "--replay", "--scheduled", "--xml", "--on"})
        wanted->excludes(app.get_option(other));
    auto* references = app.add_flag("--reference", mutate.references,
                                    "with --mutate: change references, not kernels");
    app.add_flag("--tolerance", mutate.tolerances,
                 "with --mutate: also report tolerances that are wider than a kernel needs")
        ->needs(wanted);
    app.add_flag("--fix", mutate.fix, "with --mutate: write the missing tests into the files")
        ->needs(wanted);
    app.add_option("--module", mutate.module,
                   "with --mutate: change the functions of this module, which the files import")
        ->type_name("NAME")
        ->needs(wanted)
        ->excludes(references)
        ->check([](const std::string& name) { return name.empty() ? "a name" : ""; });
    app.add_option("--in", mutate.in,
                   "with --mutate: change only this kernel, entry, function or reference")
        ->type_name("NAME")
        ->needs(wanted)
        ->check([](const std::string& name) { return name.empty() ? "a name" : ""; });
    app.add_option("--seconds", mutate.seconds, "with --mutate: start no mutant after N seconds")
        ->type_name("N")
        ->needs(wanted)
        ->check(CLI::Range(1, 1000000));
    references->needs(wanted);
}

void add_test_options(CLI::App& app, Words& words) {
    static const std::map<std::string, Machine> machines{{"emulator", Machine::emulator},
                                                         {"gpu", Machine::gpu}};
    TestCommand& test = words.test;
    app.add_option(
           "--filter", test.filters,
           "run only tests whose names contain this; * and ? match any text and any character")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--seed", test.seed, "the seed of the random numbers")->type_name("N");
    app.add_option("--seeds", test.seeds, "run each test with N seeds")
        ->type_name("N")
        ->check(CLI::Range(1, 1000000));
    app.add_option("--jobs", test.jobs,
                   "tests, and builds for a GPU, to run in parallel; default: one per core")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    app.add_flag("--scheduled", test.scheduled, "run the lowered kernels, all variants");
    app.add_flag("--replay", test.replay,
                 "run the counterexamples of `tkc check` instead of the tests");
    app.add_flag_callback(
        "--weaken", [&] { test.weaken = test.scheduled = true; },
        "mutation testing: weaken each wait, fence and arrival of the lowered kernels, and report "
        "what no test detects");
    app.add_flag(
        "--no-proofs", [&](std::int64_t) { test.proofs = false; },
        "also run kernels that `tkc check` rejects");
    app.add_option("--xml", test.xml, "write the results as JUnit XML")->type_name("FILE");
    app.add_option_function<std::string>(
           "--on", [&](const std::string& name) { test.machine = machines.at(name); },
           "where kernels run: emulator or gpu")
        ->type_name("MACHINE")
        ->check(CLI::IsMember(machines));
    app.add_option("--nvcc", test.nvcc, "the nvcc to use for --on=gpu")->type_name("PATH");
    app.add_option("--timeout", test.timeout,
                   "time limit in seconds for one test (300), or one run on a GPU (60)")
        ->type_name("N")
        ->check(CLI::Range(1, 86400));
    add_mutate_options(app, test.mutate);
}

void add_check_options(CLI::App& app, CheckCommand& check) {
    auto* verify = app.add_flag("--verify", check.verify,
                                "compare the messages with the //~ comments in the files");
    auto* fix =
        app.add_flag("--fix", check.fix, "apply the fixes that are certain, and report the rest");
    auto* sarif = app.add_flag("--sarif", check.sarif,
                               "messages as one SARIF 2.1.0 document, on standard output");
    app.add_flag("--strict", check.strict,
                 "reject anything not proved: trusted by `trusts` or `assume`, or undecided");
    verify->excludes(fix)->excludes(sarif);
    sarif->excludes(app.get_option("--json"));
}

int refuse_call(const std::string& text) {
    fmt::print(stderr, "tkc: {}\nTry `tkc --help`.\n", text);
    return exit_usage;
}

std::variant<Command, int> compile_command(Words& words) {
    if (!words.message.empty()) return MessageCommand{words.message};
    if (words.list_passes) return ListPassesCommand{};
    if (words.source.files.empty())
        return refuse_call("no input file, as in `tkc gemm.tk -o gemm.cu`");
    // --only and its like show the IR; otherwise it takes a word to print to the terminal.
    if (!words.emit && !words.watch.only.empty()) words.emit = Emit::lowered;
    if (!words.emit && words.output.empty()) {
        return refuse_call(
            "no output given: `-o FILE.cu` writes a file, `--emit=cuda` prints (also ast, roles, "
            "ir, lowered, header, contract)");
    }
    if (words.output.ends_with(".so")) {
        return refuse_call(fmt::format("to make a library: `tkc build {} -o {}`",
                                       words.source.files[0], words.output));
    }
    CompileCommand command{words.source, words.emit.value_or(Emit::cuda), words.output,
                           words.depfile, words.watch};
    if (command.output.empty()) command.output = "-";
    if (command.output == "-" && !command.depfile.empty())
        return refuse_call(
            "`--depfile` lists the inputs of an output file: name it with `-o FILE`");
    return command;
}

}  // namespace

std::variant<Command, int> parse_command_line(int count, const char* const* words_in) {
    Words words;
    CLI::App app{description, "tkc"};
    app.require_subcommand(0, 1);
    app.option_defaults()->always_capture_default(false);
    add_source_options(app, words, false);
    add_notes_option(app, words);
    add_json_option(app, words);
    add_compile_options(app, words);

    CLI::App* check = app.add_subcommand("check", "check files and write nothing");
    add_source_options(*check, words, true);
    add_notes_option(*check, words);
    add_json_option(*check, words);
    add_check_options(*check, words.check);

    CLI::App* test = app.add_subcommand("test", "run the tests of files");
    add_source_options(*test, words, true);
    add_test_options(*test, words);

    CLI::App* explain =
        app.add_subcommand("explain", "show resources, waits and proofs of each kernel");
    add_source_options(*explain, words, true);
    add_json_option(*explain, words);
    explain
        ->add_option("--extents", words.extents,
                     "show which kernel launchers choose for these extents and parameters")
        ->type_name("NAME=N,..")
        ->delimiter(',')
        ->check(name_and_number)
        ->allow_extra_args(false);

    CLI::App* build = app.add_subcommand("build", "compile to a shared library with nvcc");
    add_source_options(*build, words, true);
    add_notes_option(*build, words);
    add_json_option(*build, words);
    build
        ->add_option("-o,--output", words.output,
                     "the library, an object (.o) or PTX (.ptx); the header is written next to it")
        ->type_name("FILE.so")
        ->required();
    add_depfile_option(*build, words);
    build->add_flag("--keep", words.keep, "keep the .cu next to the library");
    build->add_option("--nvcc", words.nvcc, "the nvcc to use")->type_name("PATH");

    CLI::App* run = app.add_subcommand(
        "run", "serve calls of its functions on the CPU, for the Python package");
    add_source_options(*run, words, true);

    CLI::App* runtime = app.add_subcommand("runtime", "write the runtime headers, for nvcc -I DIR");
    runtime->add_option("dir", words.folder, "the folder to write to")
        ->type_name("DIR")
        ->required();

    CLI::App* format = app.add_subcommand("fmt", "format files");
    format
        ->add_option("file", words.format.files,
                     "a .tk file; - formats standard input to standard output")
        ->type_name("FILE")
        ->required()
        ->expected(1, -1);
    format->add_flag("--check", words.format.check,
                     "list files that are not formatted and exit with status 1; change nothing");

    CLI::App* fresh = app.add_subcommand("new", "create NAME.tk: a starter kernel with a test");
    fresh->add_option("name", words.name, "name of the kernel and its file")
        ->type_name("NAME")
        ->required();

    // Started by `tkc test --on=gpu`; not for people.
    CLI::App* worker = app.add_subcommand("gpu-worker")->group("");

    try {
        app.parse(count, words_in);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_good : exit_usage;
    }

    for (const std::string& text : words.defines) {
        Define made = to_define(text);
        for (const Define& given : words.source.defines) {
            if (given.name != made.name) continue;
            return refuse_call(fmt::format("`-D {}=..` is given twice, as {} and as {}", given.name,
                                           given.value.substr(0, 40), made.value.substr(0, 40)));
        }
        words.source.defines.push_back(std::move(made));
    }
    if (*check) {
        words.check.source = words.source;
        return words.check;
    }
    if (*test) {
        words.test.source = words.source;
        words.test.source.notes = false;  // `tkc check` and those that compile say them
        return words.test;
    }
    if (*explain) {
        ExplainCommand command{words.source};
        for (const std::string& text : words.extents) {
            const Define given = to_define(text);
            command.extents[given.name] = std::stoll(given.value);
        }
        return command;
    }
    if (*build)
        return BuildCommand{words.source, words.output, words.keep, words.depfile, words.nvcc};
    if (*run) return RunCommand{words.source};
    if (*worker) return GpuWorkerCommand{};
    if (*format) return words.format;
    if (*fresh) return NewCommand{words.name};
    if (*runtime) return RuntimeCommand{words.folder};
    return compile_command(words);
}

}  // namespace tkc
