// Sums of products, in double.
#pragma once

#include <cstddef>

namespace tkc::emulator {

// What part of a product is looked at, and how far its rows lie apart.
struct PartOfProduct {
    std::size_t rows = 0;
    std::size_t inner = 0;
    std::size_t cols = 0;
    std::size_t row_of_a = 0;
    std::size_t row_of_b = 0;  // and of the sums
};

// Adds to sums[rows, cols] the product of a[rows, inner] and b[inner, cols], every sum in the order
// of `a`'s columns. Cells of `a` and `b` are numbers of f32 or integers of 24 bits.
void add_products(double* sums, const double* a, const double* b, const PartOfProduct& part);

}  // namespace tkc::emulator
