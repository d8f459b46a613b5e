// The proofs on kernels written as IR: what is proved, what is refuted and how it is told.
#include <gtest/gtest.h>

#include <chrono>

#include "checks/check.h"
#include "ir/parse.h"

namespace tkc::checks {
namespace {

struct Result {
    bool good = false;
    std::string messages;
    std::vector<Obligation> obligations;
    std::vector<int> codes;
    double milliseconds = 0;
};

Result run(const std::string& text, bool scheduled) {
    SourceManager sources;
    const FileId file = sources.add("kernel.tir", text);
    ir::ParseError error;
    const auto module = ir::parse_module(text, error, file);
    Result result;
    if (!module) {
        ADD_FAILURE() << error.text();
        return result;
    }
    Diagnostics diag;
    const auto start = std::chrono::steady_clock::now();
    result.good = scheduled ? check_scheduled(module->kernels[0], diag, &result.obligations)
                            : check_tile(module->kernels[0], diag, &result.obligations);
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    result.milliseconds = spent.count();
    result.messages = render_text(diag, sources);
    for (const Diagnostic& d : diag.all()) result.codes.push_back(d.code);
    EXPECT_EQ(result.good, !diag.has_errors());
    if (std::getenv("SHOW") != nullptr) {
        for (const Obligation& o : result.obligations) {
            printf("  %s: %s\n", o.what.c_str(), o.text.c_str());
        }
        printf("%s  %.2f ms\n", result.messages.c_str(), result.milliseconds);
    }
    return result;
}

Result tile(const std::string& text) { return run(text, false); }
Result scheduled(const std::string& text) { return run(text, true); }

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// A kernel with a producer and a consumer of pipelines `p` and `q`.
std::string kernel(const std::string& level, int p, int q, const std::string& writer,
                   const std::string& reader, const std::string& extra = "") {
    return "module level=" + level + R"( {
  kernel name="k" source="k" {
    tensor name="A" dtype=bf16 extents=[M, K]
    tensor name="B" dtype=bf16 extents=[M, N]
    parameter name="CAUSAL" dtype=bool
    )" + extra +
           R"(
    grid var="m" begin=0 end=M step=128
    pipeline name="p" stages=)" +
           std::to_string(p) + R"( {
      field name="a" type=bf16[128, 64] shared
    }
    )" + (q == 0 ? std::string() : "pipeline name=\"q\" stages=" + std::to_string(q) + R"( {
      field name="a" type=bf16[128, 64] shared
    }
    )") + R"(
    role name="producer" unit=warp {
      )" + writer +
           R"(
    }
    role name="consumer" width=2 {
      value name="acc" type=f32[128, 128] variable=true
      value name="s" type=element<p>
      value name="s.a" type=bf16[128, 64] shared
      value name="t" type=element<p> variable=true
      value name="u" type=element<q>
      value name="u.a" type=bf16[128, 64] shared
      )" + reader +
           R"(
    }
  }
}
)";
}

std::string loop(const std::string& range, const std::string& body) {
    return "for var=\"k\" " + range + " {\n" + body + "\n}\n";
}
const std::string over_k = "begin=0 end=K step=64";
const std::string make_p = "produce pipeline=\"p\" {\n}\n";
const std::string take_p = "consume result=%s pipeline=\"p\"\n";

// ---- counts ----

TEST(Counts, EqualLoops) {
    const Result r = tile(kernel("tile", 4, 0, loop(over_k, make_p), loop(over_k, take_p)));
    EXPECT_TRUE(r.good) << r.messages;
    EXPECT_EQ(r.obligations.at(0).text, "ceil_div(K, 64) on both sides");
}

TEST(Counts, OneIterationLess) {
    const Result r =
        tile(kernel("tile", 4, 0, loop("begin=0 end=K-64 step=64", make_p), loop(over_k, take_p)));
    EXPECT_EQ(r.codes, std::vector<int>{4005});
    EXPECT_TRUE(contains(
        r.messages, "when K = 64: `producer` produces 0 elements of `p` and `consumer` consumes 1"))
        << r.messages;
}

TEST(Counts, OtherStep) {
    const std::string twice = loop("begin=0 end=K step=128", take_p + take_p);
    const Result r = tile(kernel("tile", 4, 0, loop(over_k, make_p), twice));
    EXPECT_TRUE(contains(
        r.messages, "when K = 64: `producer` produces 1 element of `p` and `consumer` consumes 2"))
        << r.messages;
    EXPECT_TRUE(tile(kernel("tile", 4, 0, loop(over_k, make_p), twice,
                            "condition holds=K%128 == 0 text=\"\""))
                    .good);
}

TEST(Counts, Conditions) {
    const std::string under = "if condition=CAUSAL:bool {\n" + make_p + "}\n";
    const Result r = tile(kernel("tile", 4, 0, under, take_p));
    EXPECT_EQ(r.codes, std::vector<int>{4005});
    EXPECT_TRUE(contains(r.messages, "when CAUSAL = false: ")) << r.messages;
    EXPECT_TRUE(
        tile(kernel("tile", 4, 0, under, "if condition=CAUSAL:bool {\n" + take_p + "}\n")).good);
    EXPECT_TRUE(
        tile(kernel("tile", 4, 0, "if condition=not CAUSAL:bool {\n} else {\n" + make_p + "}\n",
                    "if condition=CAUSAL:bool {\n" + take_p + "}\n"))
            .good);
}

TEST(Counts, PeeledLoop) {
    const std::string reader = take_p + loop("begin=64 end=K step=64", take_p);
    const Result r = tile(kernel("tile", 4, 0, loop(over_k, make_p), reader));
    EXPECT_TRUE(contains(
        r.messages, "when K = 0: `producer` produces 0 elements of `p` and `consumer` consumes 1"))
        << r.messages;
    EXPECT_TRUE(
        tile(kernel("tile", 4, 0, loop(over_k, make_p), reader, "condition holds=K > 0 text=\"\""))
            .good);
}

TEST(Counts, NestedAndTriangular) {
    const auto nest = [](const std::string& first, const std::string& body) {
        return "for var=\"i\" begin=0 end=N {\nfor var=\"j\" begin=" + first + " end=N {\n" + body +
               "}\n}\n";
    };
    EXPECT_TRUE(tile(kernel("tile", 2, 0, nest("i", make_p), nest("i", take_p))).good);
    EXPECT_FALSE(tile(kernel("tile", 2, 0, nest("i", make_p), nest("i + 1", take_p))).good);
    EXPECT_TRUE(tile(kernel("tile", 2, 0, nest("0", make_p),
                            "for var=\"i\" begin=0 end=N*N {\n" + take_p + "}\n"))
                    .good);
}

TEST(Counts, Undecided) {
    const Result r = tile(kernel("tile", 4, 0, "for var=\"i\" begin=0 end=N*N {\n" + make_p + "}\n",
                                 "for var=\"i\" begin=0 end=9 {\n" + take_p + "}\n",
                                 "condition holds=N*N*N == 27 text=\"\""));
    EXPECT_EQ(r.codes, std::vector<int>{4006}) << r.messages;
}

// What is stated of a pipeline is trusted, and what is refuted stays so.
TEST(Counts, StatedBalance) {
    const std::string stated = "trusted fact=\"balanced\" tensor=\"p\"";
    const Result r = tile(kernel("tile", 4, 0, "for var=\"i\" begin=0 end=N*N {\n" + make_p + "}\n",
                                 "for var=\"i\" begin=0 end=9 {\n" + take_p + "}\n",
                                 "condition holds=N*N*N == 27 text=\"\"\n" + stated));
    EXPECT_TRUE(r.good) << r.messages;
    EXPECT_EQ(r.obligations.at(0).verdict, Verdict::trusted);
    const Result other = tile(kernel("tile", 4, 0, loop("begin=0 end=K-64 step=64", make_p),
                                     loop(over_k, take_p), stated));
    EXPECT_EQ(other.codes, std::vector<int>{4005}) << other.messages;
}

TEST(Counts, Ends) {
    EXPECT_EQ(tile(kernel("tile", 4, 0, "", take_p)).codes, std::vector<int>{2052});
    EXPECT_EQ(tile(kernel("tile", 4, 0, make_p, "")).codes, std::vector<int>{2053});
    EXPECT_EQ(tile(kernel("tile", 4, 0, make_p, make_p + take_p)).codes, std::vector<int>{2050});
}

// ---- waits ----

const std::string fill_p = "acquire pipeline=\"p\"\npublish pipeline=\"p\"\n";
const std::string fill_q = "acquire pipeline=\"q\"\npublish pipeline=\"q\"\n";
const std::string get_p = "take result=%s pipeline=\"p\"\nrelease element=%s\n";
const std::string get_q = "take result=%u pipeline=\"q\"\nrelease element=%u\n";

TEST(Waits, Gemm) {
    for (const int stages : {1, 2, 4}) {
        const Result r =
            scheduled(kernel("scheduled", stages, 0, loop(over_k, fill_p), loop(over_k, get_p)));
        EXPECT_TRUE(r.good) << r.messages;
        EXPECT_LT(r.milliseconds, 5);
    }
}

// The stage of step k is released in step k + 1: two stages are held.
TEST(Waits, LateRelease) {
    const std::string reader = loop(over_k, R"(
        take result=%s pipeline="p"
        field result=%s.a element=%s field="a"
        mma result=%acc accumulate=true a=%s.a b=%s.a
        wait channel=products pending=1
        if condition=0 < k {
          release element=%t
        }
        copy result=%t source=%s)") +
                               R"(
        wait channel=products
        if condition=0 < K {
          release element=%t
        })";
    EXPECT_TRUE(scheduled(kernel("scheduled", 4, 0, loop(over_k, fill_p), reader)).good);
    EXPECT_TRUE(scheduled(kernel("scheduled", 2, 0, loop(over_k, fill_p), reader)).good);
    const Result r = scheduled(kernel("scheduled", 1, 0, loop(over_k, fill_p), reader));
    EXPECT_EQ(r.codes, std::vector<int>{4010});
    EXPECT_TRUE(contains(r.messages,
                         "`consumer` still holds element 0 of `p` when it consumes element 1: this "
                         "needs 2 stages, `p` has 1"))
        << r.messages;
    EXPECT_TRUE(contains(r.messages, "`p` needs 2 stages")) << r.messages;
}

TEST(Waits, KeptTile) {
    const std::string writer = fill_p + loop(over_k, fill_p);
    const std::string reader =
        "take result=%t pipeline=\"p\"\n" + loop(over_k, get_p) + "release element=%t\n";
    const Result r = scheduled(kernel("scheduled", 4, 0, writer, reader));
    EXPECT_EQ(r.codes, std::vector<int>{4010});
    EXPECT_TRUE(contains(r.messages,
                         "holds element 0 of `p` when it consumes element 4: this needs 5 stages, "
                         "`p` has 4"))
        << r.messages;
    EXPECT_TRUE(contains(r.messages, "when K = 256")) << r.messages;
    EXPECT_TRUE(contains(r.messages, "in iteration 3 of `for k`")) << r.messages;
    EXPECT_TRUE(scheduled(kernel("scheduled", 4, 1, fill_q + loop(over_k, fill_p),
                                 "take result=%u pipeline=\"q\"\n" + loop(over_k, get_p) +
                                     "release element=%u\n"))
                    .good);
}

// K(j+1) is taken while V(j) is pending: apart, one stage each is enough; together, two.
TEST(Waits, Attention) {
    const std::string peeled = "begin=64 end=K step=64";
    const std::string writer = fill_p + loop(peeled, fill_p + fill_q) + fill_q;
    const std::string reader = get_p +
                               loop(peeled,
                                    "take result=%s pipeline=\"p\"\ntake result=%u "
                                    "pipeline=\"q\"\nrelease element=%s\nrelease element=%u\n") +
                               get_q;
    for (const int stages : {1, 2}) {
        const Result r = scheduled(kernel("scheduled", stages, stages, writer, reader));
        EXPECT_TRUE(r.good) << r.messages;
    }
    const std::string both =
        "take result=%t pipeline=\"p\"\n" +
        loop(peeled,
             "take result=%s pipeline=\"p\"\nrelease element=%t\ncopy result=%t source=%s\n") +
        "release element=%t\n";
    const std::string all = loop(over_k, fill_p);
    const std::string positive = "condition holds=K > 0 text=\"\"";
    EXPECT_EQ(scheduled(kernel("scheduled", 1, 0, all, both, positive)).codes,
              std::vector<int>{4010});
    const Result r = scheduled(kernel("scheduled", 2, 0, all, both, positive));
    EXPECT_TRUE(r.good) << r.messages;
}

TEST(Waits, OppositeOrders) {
    const std::string writer = loop(over_k, fill_p + fill_q);
    const std::string reader = loop(over_k, get_q + get_p);
    const Result one = scheduled(kernel("scheduled", 1, 1, writer, reader));
    EXPECT_TRUE(one.good) << one.messages;
    const std::string pairs = loop(over_k, fill_p + fill_p + fill_q);
    const std::string others = loop(over_k, get_q + get_p + get_p);
    const Result r = scheduled(kernel("scheduled", 1, 1, pairs, others));
    EXPECT_EQ(r.codes, std::vector<int>{4011});
    EXPECT_TRUE(contains(r.messages,
                         "deadlock when K = 64: `producer` waits to fill `p`, `consumer` "
                         "waits for element 0 of `q`"))
        << r.messages;
    EXPECT_TRUE(contains(r.messages, "`p` needs 2 stages")) << r.messages;
    EXPECT_TRUE(scheduled(kernel("scheduled", 2, 1, pairs, others)).good);
}

TEST(Waits, LoopAfterLoop) {
    const Result r =
        scheduled(kernel("scheduled", 2, 2, loop(over_k, fill_p) + loop(over_k, fill_q),
                         loop(over_k, get_p + get_q)));
    EXPECT_EQ(r.codes, std::vector<int>{4011});
    EXPECT_TRUE(contains(r.messages,
                         "deadlock when K = 256: `producer` waits to fill `p`, `consumer` "
                         "waits for element 0 of `q`"))
        << r.messages;
    EXPECT_TRUE(scheduled(kernel("scheduled", 2, 2, loop(over_k, fill_p) + loop(over_k, fill_q),
                                 loop(over_k, get_p) + loop(over_k, get_q)))
                    .good);
}

TEST(Waits, RotatedAndUnrolled) {
    const std::string positive = "condition holds=K > 0 text=\"\"";
    const std::string peeled = get_p + loop("begin=64 end=K step=64", get_p);
    EXPECT_TRUE(scheduled(kernel("scheduled", 3, 0, loop(over_k, fill_p), peeled, positive)).good);
    EXPECT_TRUE(scheduled(kernel("scheduled", 3, 0, fill_p + loop("begin=64 end=K step=64", fill_p),
                                 loop(over_k, get_p), positive))
                    .good);
    const std::string twice = loop("begin=0 end=K step=128", get_p + get_p);
    const std::string even = "condition holds=K%128 == 0 text=\"\"";
    EXPECT_TRUE(scheduled(kernel("scheduled", 1, 0, loop(over_k, fill_p), twice, even)).good);
    EXPECT_TRUE(scheduled(kernel("scheduled", 1, 0, loop("begin=0 end=K step=128", fill_p + fill_p),
                                 loop(over_k, get_p), even))
                    .good);
    EXPECT_TRUE(
        scheduled(kernel("scheduled", 2, 0, loop("begin=0 end=3", fill_p), get_p + get_p + get_p))
            .good);
}

// Attention backward: three roles, nested loops whose inner trip count depends on the outer.
TEST(Waits, Nested) {
    const auto nest = [](const std::string& body) {
        return "for var=\"h\" begin=0 end=N {\nfor var=\"i\" begin=h end=K step=64 {\n" + body +
               "}\n}\n";
    };
    const Result r =
        scheduled(kernel("scheduled", 2, 2, nest(fill_p + fill_q),
                         nest("take result=%s pipeline=\"p\"\ntake result=%u "
                              "pipeline=\"q\"\nrelease element=%u\nrelease element=%s\n")));
    EXPECT_TRUE(r.good) << r.messages;
    EXPECT_LT(r.milliseconds, 20);
}

TEST(Waits, Conditions) {
    const std::string extra = "";
    const std::string writer =
        "if condition=CAUSAL:bool {\n" + fill_p + "} else {\n" + fill_q + "}\n";
    const std::string reader =
        "if condition=CAUSAL:bool {\n" + get_p + "} else {\n" + get_q + "}\n";
    EXPECT_TRUE(scheduled(kernel("scheduled", 1, 1, writer, reader)).good);
    const std::string some = loop(over_k, "if condition=k < m {\n" + fill_p + "}\n");
    EXPECT_TRUE(scheduled(kernel("scheduled", 1, 0, some,
                                 loop(over_k, "if condition=k < m {\n" + get_p + "}\n")))
                    .good);
    EXPECT_TRUE(scheduled(kernel("scheduled", 1, 0, some,
                                 loop(over_k, "if condition=k >= m {\n} else {\n" + get_p + "}\n")))
                    .good);
    EXPECT_FALSE(scheduled(kernel("scheduled", 1, 0, some, loop(over_k, get_p))).good);
}

TEST(Waits, Protocol) {
    const auto codes = [](const std::string& writer, const std::string& reader) {
        return scheduled(kernel("scheduled", 2, 0, writer, reader)).codes;
    };
    const std::string take = "take result=%s pipeline=\"p\"\n";
    const std::string view = "field result=%s.a element=%s field=\"a\"\n";
    const std::string product = "mma result=%acc accumulate=true a=%s.a b=%s.a\n";
    EXPECT_EQ(codes(fill_p, take), std::vector<int>{4013});
    EXPECT_EQ(codes(fill_p, get_p + view + product), std::vector<int>{4014});
    EXPECT_EQ(codes(fill_p, get_p + "release element=%s\n"), std::vector<int>{4015});
    EXPECT_EQ(codes(fill_p, take + view + product + "release element=%s\n"),
              std::vector<int>{4015});
    EXPECT_EQ(codes(fill_p, take + view + product + "wait channel=products\nrelease element=%s\n"),
              std::vector<int>{});
    // A bulk store out of the stage: it has to have read it.
    const std::string store = "tma_store map=\"m\" target=A[m +: 128, :64] buffer=\"b\" held=%s\n";
    const std::string release = "release element=%s\n";
    EXPECT_EQ(codes(fill_p, take + store + release), std::vector<int>{4015});
    EXPECT_EQ(codes(fill_p, take + store + "wait channel=store_reads pending=1\n" + release),
              std::vector<int>{4015});
    for (const char* channel : {"store_reads", "store_writes"}) {
        const std::string wait = std::string("wait channel=") + channel + "\n";
        EXPECT_EQ(codes(fill_p, take + store + wait + release), std::vector<int>{}) << channel;
    }
    EXPECT_EQ(codes("acquire pipeline=\"p\"\n" + fill_p, get_p), std::vector<int>{4015});
    EXPECT_EQ(codes(fill_p + fill_p, get_p), std::vector<int>{4015});
    EXPECT_EQ(codes(fill_p, get_p + get_p), std::vector<int>{4011});
}

// ---- coverage ----

std::string stores(const std::string& grid, const std::string& body,
                   const std::string& extra = "") {
    return R"(module level=tile {
  kernel name="k" source="k" {
    tensor name="C" mode=out dtype=f32 extents=[M, N]
    tensor name="table" dtype=i32 extents=[M]
    )" + extra +
           "\n" + grid + R"(
    role name="all" width=1 {
      value name="x" type=f32[128, 64]
      )" + body +
           R"(
    }
  }
}
)";
}
const std::string by_m = "grid var=\"m\" begin=0 end=M step=128\n";
const std::string by_n = "grid var=\"n\" begin=0 end=N step=64\n";

TEST(Coverage, Proved) {
    for (const std::string& text : {
             stores(by_m + by_n, "store target=C[m +: 128, n +: 64] source=%x"),
             stores(by_m,
                    "for var=\"n\" begin=0 end=N step=64 {\nstore target=C[m +: 128, n +: 64] "
                    "source=%x\n}"),
             stores(by_m, "store target=C[m +: 128, 0 +: 64] source=%x",
                    "condition holds=N <= 64 text=\"\""),
             stores("grid var=\"c\" begin=0 end=M step=512\n" + by_n,
                    "for var=\"r\" begin=c end=c + 512 step=128 {\nstore target=C[r +: 128, n +: "
                    "64] source=%x\n}"),
         }) {
        const Result r = tile(text);
        ASSERT_EQ(r.obligations.size(), 1U);
        EXPECT_EQ(r.obligations[0].verdict, Verdict::proved) << text << r.messages;
    }
}

TEST(Coverage, Refuted) {
    const Result axis = tile(stores(by_m, "store target=C[m +: 128, 0 +: 64] source=%x"));
    EXPECT_EQ(axis.codes, std::vector<int>{5001});
    EXPECT_TRUE(contains(axis.messages, "`C[:, 64 +: 64]` is never written when M = 128, N = 128"))
        << axis.messages;
    const Result twice = tile(stores(by_m + by_n, "store target=C[m +: 128, 0 +: 64] source=%x",
                                     "condition holds=N <= 64 text=\"\""));
    EXPECT_EQ(twice.codes, std::vector<int>{}) << twice.messages;  // one program along n
    const Result both = tile(stores(by_m + by_n, "store target=C[m +: 128, 0 +: 64] source=%x"));
    EXPECT_EQ(both.codes.size(), 1U) << both.messages;
    const Result floored = tile(stores("grid var=\"m\" begin=0 end=M/128*128 step=128\n" + by_n,
                                       "store target=C[m +: 128, n +: 64] source=%x"));
    EXPECT_EQ(floored.codes, std::vector<int>{5001}) << floored.messages;
    const Result under = tile(stores(
        by_m + by_n, "if condition=m < n {\nstore target=C[m +: 128, n +: 64] source=%x\n}"));
    EXPECT_EQ(under.codes, std::vector<int>{5001}) << under.messages;
    const Result overlapping = tile(stores("grid var=\"m\" begin=0 end=M step=64\n" + by_n,
                                           "store target=C[m +: 128, n +: 64] source=%x"));
    EXPECT_EQ(overlapping.codes, std::vector<int>{5002}) << overlapping.messages;
}

TEST(Coverage, Undecided) {
    const Result r =
        tile(stores(by_m + by_n, "store target=C[table[m] +: 128, n +: 64] source=%x"));
    EXPECT_TRUE(r.good) << r.messages;
    EXPECT_EQ(r.obligations.at(0).verdict, Verdict::undecided);
    const Result halves = tile(stores(
        by_m,
        "store target=C[m +: 128, 0 +: 64] source=%x\nstore target=C[m +: 128, 64 +: 64] source=%x",
        "condition holds=N == 128 text=\"\""));
    EXPECT_TRUE(halves.good) << halves.messages;
}

}  // namespace
}  // namespace tkc::checks
