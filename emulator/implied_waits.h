// Waits for stages that other waits imply. Each answer holds for every launch and every order, by
// what is in the text of the roles; null: it is not known.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"
#include "ir/reflect.h"

namespace tkc::emulator {

// Whether the operation is a T of the pipeline.
template <class T>
bool is_of(const ir::Op& op, const std::string& pipeline) {
    const T* node = ir::as<T>(op);
    return node != nullptr && node->pipeline == pipeline;
}

// The pipeline of the element that is given back.
const std::string& pipeline_of(const ir::Role& role, const ir::Release& release);
// The role that fills the pipeline; null: none does.
const ir::Role* writer_of(const ir::Kernel& kernel, const std::string& pipeline);
std::vector<const ir::Role*> readers_of(const ir::Kernel& kernel, const std::string& pipeline);

// Whether the role has taken all elements of the pipeline when it reaches `op`: they have all been
// made then, so no acquire of this program is still to come.
bool is_behind_all_takes(const ir::Role& role, const ir::Op* op, const std::string& pipeline);

// Whether the acquire comes to a stage that nothing has been in, in this program: no loop is around
// it, and fewer acquires than the ring has stages come before it.
bool is_first_round(const ir::Kernel& kernel, const ir::Role& writer, const ir::Op* acquire);

// The acquire of another pipeline that is in time, and waits for releases that come after those
// that acquires of p wait for; `with_fence`: and have fences.
const ir::Op* acquire_that_implies(const ir::Kernel& kernel, const ir::Role& writer,
                                   const ir::Pipeline& p, bool with_fence);
// Of an acquire of the first round, which waits for an earlier program: another one that every
// program makes once, and that has waited until the readers are done with that program.
const ir::Op* acquire_of_next_program(const ir::Kernel& kernel, const ir::Role& writer,
                                      const ir::Op* acquire);

// The take of another pipeline that is in time, and waits for publications that come after those of
// p; `with_fence`: and have fences.
const ir::Op* take_that_implies(const ir::Kernel& kernel, const ir::Role& reader,
                                const ir::Pipeline& p, bool with_fence);
// p has one element in a program, and what reads its stage (`with_fence`: through the async proxy)
// comes after a take of another pipeline, which waits for a publication after that of p, with a
// fence if that is what matters.
const ir::Op* take_behind_that_implies(const ir::Kernel& kernel, const ir::Role& reader,
                                       const ir::Pipeline& p, bool with_fence);

}  // namespace tkc::emulator
