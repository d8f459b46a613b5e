// Finds what a kernel uses of its tensors, extents and parameters.
#include "lowering/cuda/kernel_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/contract.h"
#include "ir/walk.h"

namespace tkc::cuda {

namespace {

// Names and tensors that the code of a kernel mentions.
struct UsedNames {
    std::set<std::string> symbols;
    std::set<std::string> tensors;  // touched cell by cell
};

void add(UsedNames& uses, const ir::Scalar& s) {
    if (!s) return;
    uses.symbols.merge(ir::symbols_of(s));
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        if (const auto* load = std::get_if<ir::ElementLoad>(&n.node))
            uses.tensors.insert(load->tensor);
    });
}

void add(UsedNames& uses, const ir::Block& block) {
    ir::walk(block, [&](const ir::Op& op) {
        ir::for_each_scalar(op, [&](const ir::Scalar& s) { add(uses, s); });
        const bool by_map =
            ir::as<ir::TmaLoad>(op) != nullptr || ir::as<ir::TmaStore>(op) != nullptr;
        if (by_map || ir::as<ir::CountWrites>(op) != nullptr) return;
        ir::for_each_slice(op, [&](const ir::Slice& slice) { uses.tensors.insert(slice.tensor); });
    });
}

UsedNames uses_of(const ir::Kernel& kernel) {
    UsedNames uses;
    for (const ir::GridAxis& axis : kernel.grid) {
        add(uses, axis.begin);
        add(uses, axis.end);
    }
    if (kernel.grid.size() > 1) add(uses, kernel.raster_width);
    add(uses, kernel.lets);
    for (const ir::Role& role : kernel.roles) {
        add(uses, role.body);
        add(uses, role.finish);
    }
    for (const ir::Counter& counter : kernel.counters) {
        for (const ir::Scalar& extent : counter.extents) add(uses, extent);
    }
    for (const ir::Tensor& tensor : kernel.tensors) {
        if (!uses.tensors.contains(tensor.name)) continue;
        for (const ir::Scalar& extent : tensor.extents) add(uses, extent);
    }
    for (const ir::TensorMap& map : kernel.maps) {  // no view ends after its tensor
        const ir::Tensor* tensor = ir::find_tensor(kernel, map.tensor);
        if (map.view_axis >= 0 && tensor != nullptr)
            add(uses, tensor->extents[static_cast<std::size_t>(map.view_axis)]);
    }
    return uses;
}

}  // namespace

std::string element_type(Dtype dtype) {
    switch (dtype) {
        case Dtype::bf16: return "tk::bf16";
        case Dtype::f16: return "tk::f16";
        case Dtype::fp8_e4m3: return "tk::fp8_e4m3";
        case Dtype::fp8_e5m2: return "tk::fp8_e5m2";
        // Types of C++ or of the toolkit.
        case Dtype::f32:
        case Dtype::f64:
        case Dtype::i8:
        case Dtype::i16:
        case Dtype::i32:
        case Dtype::i64:
        case Dtype::u8:
        case Dtype::u32:
        case Dtype::boolean: break;
    }
    return std::string(info(dtype).cuda);
}

std::vector<KernelParameter> kernel_parameters(const ir::Kernel& kernel) {
    using Kind = KernelParameter::Kind;
    const UsedNames uses = uses_of(kernel);
    std::vector<KernelParameter> list;
    for (const ir::TensorMap& map : kernel.maps) {
        list.push_back({Kind::map, map.name, "const __grid_constant__ CUtensorMap"});
    }
    for (const ir::Tensor& tensor : kernel.tensors) {
        if (!uses.tensors.contains(tensor.name)) continue;
        const bool read_only = tensor.mode == ir::Mode::in;
        list.push_back(
            {Kind::tensor, tensor.name,
             fmt::format("const tk::tensor_argument<{}{}, {}>", read_only ? "const " : "",
                         element_type(tensor.dtype), tensor.extents.size())});
    }
    for (const ir::Binding& extent : ir::bindings(kernel)) {
        if (uses.symbols.contains(extent.name)) list.push_back({Kind::extent, extent.name, "int"});
    }
    for (const ir::Parameter& p : kernel.parameters) {
        if (uses.symbols.contains(p.name))
            list.push_back({Kind::scalar, p.name, element_type(p.dtype)});
    }
    if (ir::has_counters(kernel)) list.push_back({Kind::counters, "counters", "unsigned*"});
    return list;
}

}  // namespace tkc::cuda
