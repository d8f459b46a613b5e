// What the launchers of kernels and those of entries are made of.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/module.h"
#include "lowering/cuda/launcher.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

using Kernels = std::vector<const ir::Kernel*>;
Kernels candidates_of(const ir::Module& module, const std::vector<std::string>& candidates);

// What a launch function takes from its launcher: the tensors, extents and parameters that it
// uses, in this order.
struct Needs {
    std::vector<std::string> tensors, extents, scalars;
    bool counters = false;  // and the workspace, where they lie
};
Needs needs_of(const ir::Kernel& kernel);

void append(Block& block, Block more);
Stmt return_if_failed(Expr status);
// The same in a C function, which keeps the sentence and returns the code.
Stmt finish_if_failed(Expr status);
Stmt finish(Expr status);
// if (!object.ok()) return tk::finish(object.result());
Stmt stop_if_refused(const std::string& object);

// object.what({conditions}); nothing if there are none.
void require(const std::string& object, const std::string& what, const std::vector<Expr>& list,
             Block& block);
// Whether every candidate has the condition, so that it is one of the call and not of a kernel.
bool is_common(const Kernels& kernels, const ir::Condition& condition);

// tk::selection choice{call, offered}; `offered` may be null: all.
Stmt selection(const std::string& choice, const Expr& offered = nullptr);
// The part of the choice that is about one of the kernels.
// `programs`: what the number of its programs is called; null: it has no name.
Block offer(const std::string& choice, const Kernels& kernels, const ir::Kernel& kernel,
            const Expr& programs = nullptr);
// Whether the choice is between a fast kernel and a general one that suits always.
bool is_fast_or_general(const Kernels& kernels);
// Of such two: `const bool name = tk::all_hold({..})`, whether the fast one suits.
Stmt suits_fast(const std::string& name, const Kernels& kernels);

// Launchers that share a function.
struct Group {
    std::vector<const ir::Launcher*> launchers;
    Kernels kernels;  // of all of them
};
std::vector<Group> groups_of(const ir::Module& module);

// The C function of a launcher that may launch `kernels` as far as `site`, and what is next to
// it. `shared`: a function of
// several launchers, which takes the name that it is called by and which kernels are offered.
Function launcher_function(const ir::Signature& called, const Target& target,
                           const std::string& name, const Kernels& kernels, const Block& conditions,
                           bool shared);
// `kernels`: all that it may launch.
std::vector<Item> sibling_functions(const ir::Signature& called, const Kernels& kernels,
                                    const std::string& name);
std::vector<Parameter> argument_parameters(const ir::Signature& called);
// The tensors that a C function is given, and the extents that they bind; of those, if there is
// `used`, what is in it: for a function that gives a size, and 0 where an argument is refused.
Block take_tensors(const ir::Signature& called, const std::set<std::string>* used = nullptr);
// The whole of a group; if several launchers share it, each has a function that calls it.
Function launcher_function(const Group& group, const InstanceNames& names);
Function calling_function(const Group& group, const ir::Launcher& launcher);
bool is_shared(const Group& group);

// The launch of a kernel where its arguments have the kernel's names; `programs`: what their number
// is called there; null: it has no name.
Expr launch_call(const ir::Kernel& kernel, const InstanceNames& names,
                 const Expr& programs = nullptr);
// The launch of the one of this number, if all are launched alike and their names fit into a line;
// else null.
Expr launch_one_of(const Kernels& kernels, const InstanceNames& names, const Expr& number,
                   const Expr& programs);

// The same of an entry, whole.
Function entry_function(const ir::Module& module, const ir::Entry& entry);

}  // namespace tkc::cuda
