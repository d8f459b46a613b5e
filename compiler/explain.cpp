// The text of `tkc explain`, read off the scheduled IR: it says what was done, not what was meant.
#include "compiler/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/entry.h"
#include "ir/walk.h"
#include "lowering/cuda/emit.h"
#include "lowering/registers/register_estimate.h"
#include "lowering/shared_memory_plan.h"
#include "lowering/warp_grid.h"

namespace tkc {

namespace {

using namespace ir;

std::string place(const SourceManager& sources, Span span) {
    if (!is_known(span)) return "";
    return fmt::format("{}:{}", sources.file(span.file).path, sources.begin(span).line);
}

std::string heading(const Kernel& kernel) {
    std::string text = kernel.name;
    std::string constants;
    for (const Constant& c : kernel.constants) {
        constants +=
            fmt::format("{}{} = {}", constants.empty() ? "" : ", ", c.name, to_string(c.value));
    }
    if (!constants.empty()) text += "<" + constants + ">";
    if (!kernel.general_of.empty()) text += ", for operands that TMA cannot move";
    return text;
}

std::string threads(const Kernel& kernel) {
    std::string text;
    if (const GridAxis* axis = cluster_axis(kernel)) {
        text += fmt::format("  clusters of {} programs along {}\n", axis->cluster, axis->var);
    }
    if (blocks_of_program(kernel) > 1) {
        text += fmt::format(
            "  clusters of {} blocks: the rows of a program are spread over all of them\n",
            blocks_of_program(kernel));
    }
    for (const Role& role : kernel.roles) {
        const std::int64_t last = role.end_warp() - 1;
        const std::int64_t width = role.copies * role.width;
        text += fmt::format("  role {}: {} {}{}{}, ", role.name, width,
                            role.unit == Unit::warp ? "warp" : "warpgroup", width == 1 ? "" : "s",
                            role.copies == 1 ? "" : " that alternate programs");
        text += role.first_warp == last ? fmt::format("warp {}", last)
                                        : fmt::format("warps {} to {}", role.first_warp, last);
        // What a role asks for it has; else nvcc takes what it needs, up to what the launch allows.
        if (role.registers != 0) text += fmt::format("; {} registers per thread", role.registers);
        else text += fmt::format("; at most {} registers per thread", kernel.entry_registers);
        const std::int64_t tiles = lowering::tile_registers(role);
        if (tiles > 0) text += fmt::format(", about {} of them for tiles", tiles);
        // What nvcc holds of other tiles of warps is counted where their blocks are chosen.
        if (tiles > 0 && (role.unit == Unit::warpgroup || lowering::multiplies_by_warps(role))) {
            text += fmt::format(", {} in total", lowering::all_registers(kernel, role));
        }
        if (const auto warps = lowering::grid_of(role))
            text +=
                fmt::format("; {} by {} of them over rows and columns", warps->rows, warps->cols);
        text += "\n";
    }
    return text;
}

std::string indented(const std::string& text, const std::string& by) {
    std::string out = by;
    for (const char c : text) {
        out += c;
        if (c == '\n') out += by;
    }
    return out + "\n";
}

// What a lane moves at once.
std::int64_t bytes_of_lane(const Role& role, Value tile) {
    return std::min<std::int64_t>(vector_of(role[tile].layout) * bytes(role.tile(tile).dtype), 16);
}

// How the warps of a role of warps hold a tile.
const char* pieces_of(const Role& role, Value tile) {
    const TileType& type = role.tile(tile);
    return warp_grid_of(role[tile].layout, type.rows, type.cols) ? "fragments" : "stripes";
}

// The word for the cache after a load or store.
std::string word_of(CacheHint cache) {
    return cache == CacheHint::none ? "" : fmt::format("; {}", enum_name(cache));
}

// One line of the report that belongs to a line of the source.
struct Remark {
    Span span;
    std::string text;
};

std::string box_of(const Kernel& kernel, const std::string& map) {
    for (const TensorMap& m : kernel.maps) {
        if (m.name != map) continue;
        std::string box;
        for (const std::int64_t extent : m.box)
            box += fmt::format("{}{}", box.empty() ? "" : " x ", extent);
        return fmt::format("boxes of {}, {}-byte swizzle", box, m.swizzle);
    }
    return "";
}

// From where TMA stores. A role of one warp stores the stages that it has consumed.
std::string way_of(const Buffer& buffer, const Role& role) {
    if (role.warpgroups() == 0) return "from the stages of its pipeline";
    const std::int64_t turns = buffer.copies / role.all_warpgroups();
    return fmt::format("through {} buffer{} of {} x {} per warpgroup", turns,
                       turns == 1 ? "" : "s in turn", buffer.type.rows, buffer.type.cols);
}

void transfers_of(const Kernel& kernel, const Role& role, std::vector<Remark>& out) {
    walk(role.body, [&](const Op& op) {
        if (const auto* load = as<TmaLoad>(op)) {
            std::string text =
                fmt::format("`{}`: TMA, {}", load->source.tensor, box_of(kernel, load->map));
            if (load->multicast != Split::none) {
                text += fmt::format("; each of {} programs loads part of the {} for all",
                                    cluster_size(kernel),
                                    load->multicast == Split::rows ? "rows" : "columns");
            }
            out.push_back({op.span, text + word_of(load->cache)});
        } else if (const auto* listed = as<CopyLoad>(op);
                   listed != nullptr && listed->asynchronous) {
            out.push_back(
                {op.span,
                 fmt::format("`{}`: asynchronous copies of 16 bytes per lane by {} warp{}",
                             listed->source.tensor, role.warps(), role.warps() == 1 ? "" : "s") +
                     word_of(listed->cache)});
        } else if (const auto* copy = as<CopyLoad>(op)) {
            out.push_back(
                {op.span,
                 fmt::format("`{}`: one element at a time by {} warp{}, any strides",
                             copy->source.tensor, role.warps(), role.warps() == 1 ? "" : "s") +
                     (has_edge(copy->source) && !has_gather(copy->source)
                          ? "; zeros past the view, which TMA cannot provide: `tma_load` loads the "
                            "data there"
                          : "") +
                     word_of(copy->cache)});
        } else if (const auto* store = as<TmaStore>(op)) {
            out.push_back({op.span, fmt::format("`{}`: TMA {}, {}", store->target.tensor,
                                                way_of(*find_buffer(kernel, store->buffer), role),
                                                box_of(kernel, store->map)) +
                                        (has_edge(store->target)
                                             ? "; one element at a time at the end of the view"
                                             : "") +
                                        word_of(store->cache)});
        } else if (const auto* cells = as<StoreCells>(op); cells != nullptr && cells->vectors) {
            out.push_back(
                {op.span,
                 fmt::format("`{}`: from registers, {} bytes per lane{}", cells->target.tensor,
                             bytes_of_lane(role, cells->source), word_of(cells->cache))});
        } else if (const auto* vectors = as<LoadCells>(op);
                   vectors != nullptr && vectors->vectors) {
            out.push_back(
                {op.span,
                 fmt::format("`{}`: into registers, {} bytes per lane{}{}", vectors->source.tensor,
                             bytes_of_lane(role, vectors->result),
                             vectors->ahead.empty() ? ""
                                                    : ", through shared memory: requested one "
                                                      "program ahead, or once for all programs",
                             word_of(vectors->cache))});
        } else if (cells != nullptr) {
            out.push_back(
                {op.span,
                 fmt::format("`{}`: from registers, one element or pair at a time, any strides{}",
                             cells->target.tensor, word_of(cells->cache))});
        } else if (const auto* load_cells = as<LoadCells>(op)) {
            out.push_back(
                {op.span, fmt::format("`{}`: into registers, one element at a time, any strides{}",
                                      load_cells->source.tensor, word_of(load_cells->cache))});
        } else if (const auto* read = as<ReadShared>(op);
                   read != nullptr && role.unit == Unit::warp) {
            out.push_back(
                {op.span,
                 fmt::format(
                     "`{}` loads a tile from shared memory into {}, up to 16 bytes per lane",
                     role.name, pieces_of(role, read->result))});
        } else if (const auto* write = as<WriteTile>(op);
                   write != nullptr && role.unit == Unit::warp) {
            out.push_back(
                {op.span,
                 fmt::format("`{}` writes a tile from {} to shared memory, up to 16 bytes per lane",
                             role.name, pieces_of(role, write->source))});
        } else if (const auto* map = as<Map>(op)) {
            visit_nodes(map->expression, [&](const ScalarNode& n) {
                const auto* cell = std::get_if<ElementLoad>(&n.node);
                if (cell != nullptr) {
                    out.push_back(
                        {op.span, fmt::format("`{}`: read where it is used", cell->tensor)});
                }
            });
        }
    });
}

void waits_of(const Role& role, const Block& block, bool in_loop, std::vector<Remark>& out) {
    for (const Op& op : block) {
        if (const auto* loop = as<For>(op)) {
            waits_of(role, loop->body, true, out);
            continue;
        }
        for_each_block(op, [&](const Block& inner) { waits_of(role, inner, in_loop, out); });
        const std::string where = in_loop ? "every iteration" : "once per program";
        if (const auto* take = as<Take>(op)) {
            out.push_back({op.span, fmt::format("{} waits for the next element of `{}` ({})",
                                                role.name, take->pipeline, where)});
        } else if (const auto* acquire = as<Acquire>(op)) {
            out.push_back({op.span, fmt::format("{} waits for an empty stage of `{}` ({})",
                                                role.name, acquire->pipeline, where)});
        } else if (const auto* wait = as<Wait>(op);
                   wait != nullptr && wait->channel == Channel::products) {
            out.push_back(
                {op.span, wait->pending == 0
                              ? fmt::format("{} waits for all products ({})", role.name, where)
                              : fmt::format("{} waits for all products but the newest {} ({})",
                                            role.name, wait->pending, where)});
        } else if (const auto* release = as<Release>(op)) {
            const auto& type = std::get<ElementType>(role[release->element].type);
            if (role[release->element].variable && in_loop) {
                out.push_back(
                    {op.span, fmt::format("{} releases a stage of `{}` one iteration late",
                                          role.name, type.pipeline)});
            }
        }
    }
}

std::string remarks(const SourceManager& sources, std::vector<Remark> list) {
    std::stable_sort(list.begin(), list.end(), [](const Remark& a, const Remark& b) {
        return std::pair(a.span.file, a.span.begin) < std::pair(b.span.file, b.span.begin);
    });
    std::string text;
    std::string last;
    for (const Remark& r : list) {
        const std::string where = place(sources, r.span);
        const std::string line = fmt::format("  {:<20} {}\n", where, r.text);
        if (line != last) text += line;
        last = line;
    }
    return text;
}

// Empty where it would say nothing.
std::string section(std::string_view title, const std::string& lines) {
    return lines.empty() ? "" : fmt::format("\n{}:\n{}", title, lines);
}

std::string proofs(const std::vector<checks::Obligation>& list, const SourceManager& sources) {
    std::string text;
    for (const checks::Obligation& obligation : list) {
        text += fmt::format("  {:<20} {}: {}\n", place(sources, obligation.span), obligation.what,
                            checks::word(obligation.verdict));
        if (!obligation.text.empty()) text += indented(obligation.text, std::string(23, ' '));
    }
    return text;
}

// `derived`: what was done to a kernel whose roles are derived; else null.
std::string explain(const Kernel& kernel, const std::vector<checks::Obligation>& obligations,
                    const SourceManager& sources, const std::vector<std::string>* derived) {
    std::string text = heading(kernel) + "\n";
    if (derived != nullptr) {
        text += "\nroles, derived from one program (`tkc --emit=roles` prints them):\n";
        for (const std::string& sentence : *derived) text += "  " + sentence + "\n";
    }
    const std::string s = kernel.blocks == 1 ? "s" : "";
    const std::string stay =
        fmt::format(", {} per multiprocessor, which {}",
                    kernel.blocks == 1 ? "one block" : fmt::format("{} blocks", kernel.blocks),
                    kernel.dynamic      ? "get" + s + " the next tile from a counter"
                    : kernel.persistent ? "iterate" + s + " over the tiles"
                                        : "");
    text += fmt::format("\nthreads: {} per block{}\n", lowering::block_threads(kernel),
                        kernel.persistent ? stay : "");
    text += threads(kernel);
    text += "\nshared memory:\n" + indented(lowering::memory_table(kernel), "  ");
    std::vector<Remark> transfers;
    std::vector<Remark> waits;
    for (const Role& role : kernel.roles) {
        transfers_of(kernel, role, transfers);
        waits_of(role, role.body, false, waits);
    }
    text += section("loads and stores", remarks(sources, std::move(transfers)));
    text += section("waits", remarks(sources, std::move(waits)));
    std::vector<checks::Obligation> all = obligations;
    all.push_back({"it fits in a block",
                   checks::Verdict::proved,
                   kernel.span,
                   lowering::capacity_text(kernel),
                   {}});
    text += "\nproofs:\n" + proofs(all, sources);
    return text;
}

std::string explain(const Entry& entry, const Module& module, const SourceManager& sources) {
    std::string text = fmt::format("entry {}\n\nlaunches, in order:\n", entry.name);
    for (const EntryCall& call : entry.calls) {
        text += fmt::format("  {:<20} {}\n", place(sources, call.span), to_string(call));
        const char* words = call.candidates.size() == 1 ? "kernel" : "one of the kernels";
        std::string names;
        for (const std::string& candidate : call.candidates) {
            const Kernel* kernel = find_kernel(module, candidate);
            names += (names.empty() ? "" : "; ") + heading(*kernel);
        }
        text += fmt::format("  {:<20} {} {}\n", "", words, names);
    }
    return text;
}

}  // namespace

std::string explain(const Module& module, const Obligations& obligations,
                    const SourceManager& sources,
                    const std::map<std::string, std::vector<std::string>>& derived,
                    const Extents& extents) {
    std::string text = explain_launchers(module, extents);
    for (const Entry& entry : module.entries) {
        if (!text.empty()) text += "\n";
        text += explain(entry, module, sources);
    }
    for (const Kernel& kernel : module.kernels) {
        if (!text.empty()) text += "\n" + std::string(80, '-') + "\n\n";
        const auto found = obligations.find(kernel.name);
        const bool known = found != obligations.end();
        const auto story = derived.find(kernel.source);
        text += explain(kernel, known ? found->second : std::vector<checks::Obligation>{}, sources,
                        story == derived.end() ? nullptr : &story->second);
    }
    return text;
}

}  // namespace tkc
