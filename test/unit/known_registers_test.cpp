// What ptxas knows of an operand in registers.
#include <gtest/gtest.h>

#include "arithmetic/scalar.h"
#include "lowering/registers/known_registers.h"

namespace tkc::lowering {
namespace {

using namespace ir;

const Scalar data = element(0, Dtype::f32);

bool is_known(const Scalar& cell, std::int64_t columns = 64, Dtype dtype = Dtype::bf16) {
    return has_constant_register({dtype, 64, columns, Space::registers}, cell, {"k"});
}

Scalar compared(Function function, const Scalar& a, const Scalar& b) {
    return call(function, {a, b});
}
Scalar chosen(const Scalar& condition, const Scalar& yes, const Scalar& no) {
    return call(Function::where, {condition, yes, no});
}

// A warp's first rows end 8 before the tile does: they do not reach its last 8 columns.
TEST(KnownRegisters, OfTriangles) {
    const Scalar below = compared(Function::ge, row(), column());
    EXPECT_TRUE(is_known(chosen(below, data, real(0))));
    EXPECT_TRUE(is_known(chosen(compared(Function::ge, column(), row()), real(0), data)));
    EXPECT_FALSE(is_known(chosen(below, data, real(0)), 56));
    EXPECT_TRUE(is_known(chosen(below, real(1), real(0)), 8));  // all rows from 8 on
}

TEST(KnownRegisters, OfColumns) {
    const auto column_is = [](std::int64_t n) {
        return compared(Function::eq, column(), integer(n));
    };
    EXPECT_FALSE(is_known(chosen(column_is(32), real(1), data)));
    EXPECT_FALSE(is_known(chosen(compared(Function::lt, column(), integer(4)), real(0), data)));
    EXPECT_TRUE(is_known(chosen(compared(Function::lt, column(), integer(8)), real(0), data)));
    EXPECT_TRUE(is_known(chosen(compared(Function::lt, column(), integer(4)), real(0), data), 64,
                         Dtype::f32));
    EXPECT_TRUE(is_known(chosen(compared(Function::lt, column(), integer(99)), real(0), data)));
}

// What data, parameters or the program decide, only the GPU knows. A loop may be unrolled.
TEST(KnownRegisters, OfWhatElseDecides) {
    const Scalar edge = compared(Function::lt, column(), symbol("n"));
    EXPECT_FALSE(is_known(chosen(edge, data, real(0))));
    EXPECT_FALSE(is_known(chosen(compared(Function::gt, data, real(0)), real(1), real(0))));
    EXPECT_FALSE(is_known(data));
    EXPECT_TRUE(is_known(chosen(compared(Function::lt, column(), symbol("k")), data, real(0))));
    EXPECT_TRUE(is_known(
        chosen(call(Function::logical_and, {edge, compared(Function::ge, column(), integer(64))}),
               data, real(0))));
    EXPECT_TRUE(is_known(cast(Dtype::bf16, real(0))));
}

}  // namespace
}  // namespace tkc::lowering
