// Running passes: order, choice, prints, and what happens when one of them breaks the IR.
#include <gtest/gtest.h>

#include <sstream>

#include "ir/parse.h"
#include "ir/walk.h"
#include "ir_samples.h"
#include "lowering/pass.h"

namespace tkc::lowering {
namespace {

void nothing(PassContext&, ir::Module&) {}
void fewer_stages(PassContext&, ir::Module& module) {
    for (ir::Kernel& k : module.kernels) k.pipelines[0].stages = 2;
}
void drop_splat(PassContext&, ir::Module& module) {
    for (ir::Kernel& k : module.kernels) {
        for (ir::Role& role : k.roles) {
            ir::rebuild(role.body, [](ir::Op op, ir::Block& out) {
                if (ir::as<ir::Splat>(op) == nullptr) out.push_back(std::move(op));
            });
        }
    }
}

constexpr Pass passes[] = {
    {"nothing", "all is as it was", nothing},
    {"fewer-stages", "pipelines have two stages", fewer_stages},
    {"drop-splat", "nothing begins with a constant", drop_splat},
};

struct Outcome {
    bool ok = false;
    std::string out;
    std::string errors;
};

Outcome run_sample(PassOptions options) {
    ir::ParseError error;
    std::optional<ir::Module> module = ir::parse_module(ir::samples::tile_gemm, error);
    std::ostringstream out;
    options.out = &out;
    Diagnostics diag;
    Outcome result;
    result.ok = run_passes(passes, *module, diag, options);
    result.out = out.str();
    for (const Diagnostic& d : diag.all()) result.errors += d.message + "\n";
    return result;
}

TEST(IrPass, PrintsWhatChanged) {
    const Outcome r = run_sample({.only = {"nothing", "fewer-stages"}, .print_after_all = true});
    EXPECT_TRUE(r.ok);
    EXPECT_EQ(r.out.find("// after nothing (unchanged)\n"), 0U);
    EXPECT_NE(r.out.find("// after fewer-stages: pipelines have two stages\nmodule level=tile {"),
              std::string::npos);
    EXPECT_NE(r.out.find("pipeline name=\"ab\" stages=2 {"), std::string::npos);
}

TEST(IrPass, PrintsBefore) {
    const Outcome r = run_sample({.only = {"fewer-stages"}, .print_before = {"fewer-stages"}});
    EXPECT_EQ(r.out, std::string("// before fewer-stages\n") + ir::samples::tile_gemm);
}

TEST(IrPass, BlamesThePassThatBreaksTheIr) {
    const Outcome r = run_sample({});
    EXPECT_FALSE(r.ok);
    EXPECT_NE(r.errors.find("after drop-splat: kernel `gemm`, role `consumer`: `mma"),
              std::string::npos);
    EXPECT_NE(r.errors.find("`%acc` is used before its definition"), std::string::npos);
    EXPECT_TRUE(run_sample({.verify = false}).ok);
}

TEST(IrPass, TimesAndLists) {
    EXPECT_NE(run_sample({.only = {"nothing"}, .time = true}).out.find(" ms  nothing\n"),
              std::string::npos);
    EXPECT_EQ(unknown_pass(passes, {.only = {"nothing"}, .print_after = {"other"}}), "other");
    EXPECT_EQ(unknown_pass(passes, {.only = {"nothing"}}), "");
    EXPECT_EQ(list_passes({passes, 2}),
              "nothing       all is as it was\nfewer-stages  pipelines have two stages\n");
}

}  // namespace
}  // namespace tkc::lowering
