// How a run of a test is judged, whatever ran it: outcomes, guards, inputs, variants.
#include "emulator/test_run.h"

#include <gtest/gtest.h>

#include "emulator/tensor_view.h"
#include "frontend/parse/parse.h"

namespace tkc::emulator {
namespace {

using End = Outcome::End;
using Status = CaseResult::Status;

constexpr const char* program =
    "kernel k(A: f32[M], out C: f32[M]) { }\n"
    "reference k(A) -> (C) { C = A; }\n"
    "test t { M = 4; A = range(); expect C ~ reference within 0; }\n";

// The program's only test on a kernel of which `execute` is all there is.
struct Judged {
    SourceManager sources;
    Diagnostics diag;
    std::optional<ast::File> file;
    ir::Kernel kernel;
    ir::Module module;
    CaseResult result;
    std::string messages;

    explicit Judged(const Execute& execute, const std::string& text = program) {
        file = parse(sources.add("test.tk", text), sources, diag);
        kernel.name = kernel.source = "k";
        const ir::Scalar extent = ir::symbol("M");
        kernel.tensors.push_back({"A", ir::Mode::in, Dtype::f32, {extent}, {1, 9, 18}});
        kernel.tensors.push_back({"C", ir::Mode::out, Dtype::f32, {extent}, {1, 24, 33}});
        module.kernels = {kernel};
        const std::vector<TestCase> cases = test_cases(*file, {diag, sources, ""});
        const Instance instance{
            "",
            &kernel,
            &module,
            {{"fast", &kernel, ir::Level::tile}, {"general", &kernel, ir::Level::tile}},
            std::nullopt};
        result = CaseRunner(cases.at(0), instance, {}).run(execute, {diag, sources, "test `t`"});
        messages = render_text(diag, sources);
    }
    bool says(const char* text) const { return messages.find(text) != std::string::npos; }
};

Outcome copy(const Variant&, Arguments& arguments, const RunOptions&) {
    Tensor& c = arguments.tensors.at("C");
    for_each_element(
        c, [&](std::int64_t i, std::int64_t at) { write_cell(c, at, static_cast<double>(i)); });
    return {};
}

Outcome ended(End end, std::string text) {
    Outcome outcome;
    outcome.end = end;
    outcome.text = std::move(text);
    outcome.places = {{{1, 0, 6}, "here"}, {{1, 7, 8}, "and there"}};
    return outcome;
}

TEST(TestRun, Passes) {
    const Judged run(copy);
    EXPECT_EQ(run.result.status, Status::passed);
    EXPECT_EQ(run.messages, "");
}

TEST(TestRun, NothingWritten) {
    const Judged run([](const Variant&, Arguments&, const RunOptions&) { return Outcome{}; });
    EXPECT_EQ(run.result.status, Status::failed);
    EXPECT_TRUE(
        run.says("error[TK8116]: `C` of kernel `k` differs from the reference in test `t`"));
    EXPECT_TRUE(run.says("[0]: expected 0, got NaN"));
    EXPECT_TRUE(
        run.says("one character for 1 x 4 cells: `.` right, `?` NaN among them\n          ?"))
        << run.messages;
}

TEST(TestRun, Outcomes) {
    const auto expect = [](End end, const char* message) {
        const Judged run([&](const Variant&, Arguments&, const RunOptions&) {
            return ended(end, "all of it.");
        });
        EXPECT_EQ(run.result.status, Status::failed);
        EXPECT_TRUE(run.says(message)) << run.messages;
        EXPECT_TRUE(run.says("here")) << run.messages;
        EXPECT_TRUE(run.says("and there"));
    };
    expect(End::deadlock, "error[TK8111]: kernel `k` deadlocks in test `t`: all of it.");
    expect(End::hazard, "error[TK8112]: kernel `k` has a race in test `t`: all of it.");
    expect(End::assertion,
           "error[TK8113]: kernel `k` violates a condition that it states in test `t`: all of it.");
    expect(End::fault, "error[TK8114]: kernel `k` fails in test `t`: all of it.");
}

TEST(TestRun, Guards) {
    const Judged behind(
        [](const Variant& variant, Arguments& arguments, const RunOptions& options) {
            Tensor& c = arguments.tensors.at("C");
            write_cell(c, c.origin + 6, 1);
            return copy(variant, arguments, options);
        });
    EXPECT_TRUE(behind.says("error[TK8117]: kernel `k` wrote outside of `C`: the element 6 after"));
    const Judged input([](const Variant& variant, Arguments& arguments, const RunOptions& options) {
        Tensor& a = arguments.tensors.at("A");
        write_cell(a, a.origin, 1);
        return copy(variant, arguments, options);
    });
    EXPECT_TRUE(input.says("error[TK8117]: kernel `k` wrote its input `A`, in test `t`"));
}

TEST(TestRun, VariantsThatRefuseAreLeftOut) {
    const Judged one([](const Variant& variant, Arguments& arguments, const RunOptions& options) {
        if (variant.name == "fast") return ended(End::refused, "not aligned");
        return copy(variant, arguments, options);
    });
    EXPECT_EQ(one.result.status, Status::passed);
    const Judged general(
        [](const Variant& variant, Arguments& arguments, const RunOptions& options) {
            if (variant.name == "fast") return copy(variant, arguments, options);
            return Outcome{};
        });
    EXPECT_EQ(general.result.status, Status::failed);
    EXPECT_EQ(general.result.variant, "general");
    const Judged all([](const Variant&, Arguments&, const RunOptions&) {
        return ended(End::refused, "not aligned");
    });
    EXPECT_EQ(all.result.status, Status::refused);
    EXPECT_EQ(all.result.text, "not aligned");
    EXPECT_EQ(all.messages, "");
}

TEST(TestRun, ExpectedErrors) {
    const std::string text =
        "kernel k(A: f32[M], out C: f32[M]) { }\n"
        "reference k(A) -> (C) { C = A; }\n"
        "test t { M = 4; A = 0; expect error \"multiple of 16\"; }\n";
    const auto refuse = [](const char* sentence) {
        return [sentence](const Variant&, Arguments&, const RunOptions&) {
            return ended(End::refused, sentence);
        };
    };
    EXPECT_EQ(Judged(refuse("a multiple of 16 is needed"), text).result.status, Status::passed);
    EXPECT_TRUE(Judged(refuse("no"), text).says("rejected with another message: no"));
    EXPECT_TRUE(Judged(copy, text)
                    .says("error[TK8115]: test `t` expects an error that contains "
                          "`multiple of 16`, but kernel `k` accepts the launch"));
}

TEST(TestRun, DataDependOnNamesAndSeedAlone) {
    const auto data = [](const std::string& text, std::uint64_t seed) {
        SourceManager sources;
        Diagnostics diag;
        const std::optional<ast::File> file = parse(sources.add("t.tk", text), sources, diag);
        ir::Kernel kernel;
        kernel.tensors.push_back({"A", ir::Mode::in, Dtype::f32, {ir::symbol("M")}, {}});
        const EvaluationContext context{diag, sources, "test"};
        const auto cases = test_cases(*file, context);
        return to_array(prepare(cases.at(0), kernel, seed, context)->arguments.tensors.at("A"))
            .cells;
    };
    const std::string before = "kernel k(A: f32[M], out C: f32[M]) { } reference k(A) -> (C) { } ";
    const std::string one =
        before + "test a { M = 9; A = normal(); expect C ~ reference within 0; }";
    const std::string other =
        before + "test b { M = 9; A = normal(); expect C ~ reference within 0; }";
    EXPECT_EQ(data(one, 1), data(one, 1));
    EXPECT_NE(data(one, 1), data(one, 2));
    EXPECT_NE(data(one, 1), data(other, 1));
}

}  // namespace
}  // namespace tkc::emulator
