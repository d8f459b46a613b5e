// How an operation lists its members: what printer, parser, verifier and operand walks are made
// from.
#pragma once

#include <vector>

namespace tkc::ir {

template <class S, class T>
struct Member {
    const char* name;
    T S::*pointer;
};
template <class S, class T>
Member(const char*, T S::*) -> Member<S, T>;

struct Op;
using Block = std::vector<Op>;

}  // namespace tkc::ir
