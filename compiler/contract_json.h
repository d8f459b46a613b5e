// `--emit=contract`: the functions of a program as data, for callers that are not written in C.
//
//     {"tkc": "0.1.0", "source": "gemm.tk", "files": ["gemm.tk"], "functions": [{
//       "name": "gemm", "kind": "kernel", "symbol": "gemm", "deterministic": true, "workspace":
//       false, "constants": {"BM": "128", ..}, "parameters": [{"name": "A", "mode": "in", "dtype":
//       "bf16", "shape": "[M, K]", "extents":
//       ["M", "K"]},
//                      {"name": "scale", "dtype": "f32"}],
//       "bindings": [{"extent": "M", "tensor": "A", "axis": 0, "offset": 0}],
//       "conditions": [{"holds": "A.address%16 == 0", "text": "..", "selects": false}],
//       "launches": [{"call": "gemm", "kernels": [
//         {"name": "gemm", "general": false, "constants": {..}, "conditions": [..]}]}]}]}
//
// Kernels that one function chooses from may have extents that differ, where those are constants:
// `others` then lists the parameters and bindings of further ones. Parameters are as declared;
// the C function takes the tensors among them first. An extent is a number, a name, or a function
// and its arguments: ["ceil_div", "R", 64]. What a condition is made of is said in ir/contract.h.
// `conditions` of a function are those of an entry itself; those of kernels are with them, over
// the names of the entry.
#pragma once

#include <string>

#include "base/source.h"
#include "ir/module.h"

namespace tkc {

// `module` is lowered; `path` is the file that it was made from.
std::string contract_json(const ir::Module& module, const SourceManager& sources,
                          const std::string& path);

}  // namespace tkc
