// The comment above a kernel: what it was made from, who takes what, and how to compile it.
#include <fmt/format.h>

#include "lowering/cuda/emit_context.h"
#include "lowering/cuda/launcher.h"

namespace tkc::cuda {

namespace {

std::string title(const KernelContext& c) {
    const ir::Kernel& kernel = c.kernel;
    std::string from;
    if (c.sources != nullptr && is_known(kernel.span)) {
        const std::string quote = quote_line(c.sources, kernel.span);
        from = " of " + quote.substr(0, quote.find(':'));
    }
    const char* general =
        !kernel.general_of.empty() ? ", for tensors of any strides and alignment" : "";
    const std::string with = kernel.constants.empty() ? "" : " with ";
    return fmt::format("{}: kernel {}{}{}{}{}.\n", kernel.name, kernel.source, from, with,
                       constants_text(kernel), general);
}

std::string roles_text(const ir::Kernel& kernel) {
    std::string text = "\nRoles:\n";
    for (const ir::Role& role : kernel.roles) {
        const char* unit = role.unit == ir::Unit::warpgroup ? "warpgroup" : "warp";
        const std::int64_t last = role.first_warp + role.warps() - 1;
        const std::string warps = role.first_warp == last
                                      ? fmt::format("warp {}", last)
                                      : fmt::format("warps {} to {}", role.first_warp, last);
        const std::int64_t registers =
            role.registers == 0 ? kernel.entry_registers : role.registers;
        text += fmt::format("  {:<12} {} {}{} ({}), {} registers a thread\n", role.name, role.width,
                            unit, role.width == 1 ? "" : "s", warps, registers);
    }
    text += fmt::format(
        "{} threads a block, launched with {} registers each.{}\n", block_threads(kernel),
        kernel.entry_registers,
        kernel.persistent ? " Persistent: any number of blocks computes the same." : "");
    if (const ir::GridAxis* axis = ir::cluster_axis(kernel)) {
        text +=
            fmt::format("Clusters of {} blocks, neighbours along {}, share what they multicast.\n",
                        axis->cluster, axis->var);
    }
    return text;
}

std::string memory_text(const KernelContext& c) {
    const ir::Kernel& kernel = c.kernel;
    std::string text = fmt::format("\nShared memory, {} bytes:\n", kernel.shared_bytes);
    text += fmt::format("  {:>7} {:>7}  {}\n", "offset", "bytes", "what");
    for (const ir::Buffer& b : kernel.buffers) {
        const std::int64_t size = b.copies * b.type.rows * b.type.cols * bytes(b.type.dtype);
        text += fmt::format("  {:>7} {:>7}  {} x {}[{}, {}]{}{}\n", b.offset, size, b.copies,
                            name(b.type.dtype), b.type.rows, b.type.cols,
                            b.purpose.empty() ? "" : ", ", b.purpose);
    }
    std::int64_t offset = kernel.barrier_offset;
    for (const ir::Pipeline& p : kernel.pipelines) {
        text += fmt::format("  {:>7} {:>7}  barriers of {}, {} stages\n", offset, 16 * p.stages,
                            p.name, p.stages);
        offset += 16 * p.stages;
    }
    return text;
}

}  // namespace

std::string header_comment(const KernelContext& c) {
    const Target& target = ir::target_of(c.kernel);
    return title(c) + roles_text(c.kernel) + memory_text(c) +
           fmt::format("\nnvcc -std=c++17 -O3 -fmad=false -gencode=arch={},code={}\n",
                       target.virtual_name, target.name) +
           "Without -fmad=false nvcc joins products and sums, and results may differ in their last "
           "bits.";
}

}  // namespace tkc::cuda
