// Notes on pipelines, transfers, sums, reads of memory and registers; products have a file of
// their own.
#include "lowering/notes/performance_notes.h"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/walk.h"
#include "lowering/registers/register_estimate.h"
#include "lowering/shared_memory_plan.h"
#include "lowering/transfer.h"
#include "lowering/vector_access.h"
#include "tiles/tile_function.h"

namespace tkc::lowering {

namespace {

using namespace ir;

bool is_matrix(const TileType& tile) { return tile.rows > 1 && tile.cols > 1; }

class KernelNotes {
public:
    KernelNotes(const Kernel& kernel, const WrittenKernels& written, Diagnostics& diag)
        : kernel_(kernel), written_(written), diag_(diag) {}

    void run() {
        for (const Pipeline& pipeline : kernel_.pipelines) note_stages(pipeline);
        for (const Role& role : kernel_.roles) {
            note_products(role, diag_);
            note_transfers(role);
            look_at_loops(role, role.body);
            note_registers(role);
        }
    }

private:
    // ---- pipelines with one stage --------------------------------------------------------------

    // Calls f for the body of every loop of the block that holds no other loop. One that takes
    // a single step is not a loop.
    template <class F>
    static void for_each_innermost_loop(const Block& block, F&& f) {
        for (const Op& op : block) {
            const For* loop = as<For>(op);
            if (loop == nullptr) {
                for_each_block(op, [&](const Block& inner) { for_each_innermost_loop(inner, f); });
                continue;
            }
            bool inner_loop = false;
            walk_only<For>(loop->body,
                           [&](const For& l) { inner_loop = inner_loop || !l.unrolled; });
            if (inner_loop) for_each_innermost_loop(loop->body, f);
            else if (!loop->unrolled && !takes_one_step(*loop)) f(loop->body);
        }
    }

    static bool takes_one_step(const For& loop) {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        return is_constant(loop.begin, &begin) && is_constant(loop.end, &end) &&
               end - begin <= loop.step;
    }

    // Where a step of an innermost loop fills a stage of the pipeline by loads.
    Span refill_of(const Pipeline& pipeline) const {
        Span found;
        for (const Role& role : kernel_.roles) {
            for_each_innermost_loop(role.body, [&](const Block& body) {
                walk(body, [&](const Op& op) {
                    const TmaLoad* load = as<TmaLoad>(op);
                    const CopyLoad* copy = as<CopyLoad>(op);
                    if ((load != nullptr && load->pipeline == pipeline.name) ||
                        (copy != nullptr && copy->pipeline == pipeline.name)) {
                        found = op.span;
                    }
                });
            });
        }
        return found;
    }

    // Whether the role works in a step while it holds no element of the pipeline; nothing where
    // the steps do not take one each.
    static std::optional<bool> works_without(const Role& role, const Block& body,
                                             const std::string& pipeline) {
        std::optional<bool> works;
        bool held = false;
        bool idle_work = false;
        for (const Op& op : body) {
            const Take* take = as<Take>(op);
            const Release* release = as<Release>(op);
            if (take != nullptr && take->pipeline == pipeline) {
                held = true;
                works = false;
            } else if (release != nullptr) {
                const auto& type = std::get<ElementType>(role[release->element].type);
                if (type.pipeline == pipeline) held = false;
            } else if (as<Mma>(op) != nullptr || is_tile_arithmetic(role, op)) {
                idle_work = idle_work || !held;
            } else {
                // A branch: what it does is not looked at.
                for_each_block(op, [&](const Block& inner) {
                    idle_work = idle_work || (!held && !inner.empty());
                });
            }
        }
        if (works) works = idle_work;
        return works;
    }

    void note_stages(const Pipeline& pipeline) {
        if (pipeline.stages != 1) return;
        const Span refill = refill_of(pipeline);
        if (!is_known(refill)) return;
        bool waits = false;
        for (const Role& role : kernel_.roles) {
            for_each_innermost_loop(role.body, [&](const Block& body) {
                const std::optional<bool> works = works_without(role, body, pipeline.name);
                waits = waits || works == false;
            });
        }
        if (!waits) return;
        std::int64_t stage = 0;
        for (const PipelineField& f : pipeline.fields_)
            stage += f.type.rows * f.type.cols * bytes(f.type.dtype);
        auto note = diag_.note(pipeline.span, msg::one_stage, pipeline.name);
        note.label(refill, "waits until the previous element is released");
        const std::int64_t more = bytes_left(kernel_) / stage;
        if (more >= 1 && written_.without_roles.contains(kernel_.source)) {
            note.help(
                "write `pipelined` without a number, for as many stages as fit: a stage needs {} "
                "B, and {} B of shared memory are free",
                stage, bytes_left(kernel_));
        } else if (more >= 1) {
            note.help("write `{}[{}]`: a stage needs {} B, and {} B of shared memory are free",
                      pipeline.name, std::min<std::int64_t>(1 + more, 4), stage,
                      bytes_left(kernel_));
        } else {
            note.help(
                "make the tiles of `{}` smaller, so that two stages fit: a stage needs {} B, and "
                "{} B of shared memory are free",
                pipeline.name, stage, bytes_left(kernel_));
        }
    }

    // ---- transfers -----------------------------------------------------------------------------

    void report_transfer(const Role& role, Span span, const Slice& slice, const TileType& tile,
                         bool store) {
        const Direction direction = store ? Direction::store : Direction::load;
        const std::string reason = why_not_tma(kernel_, role, slice, tile, direction);
        auto note = diag_.note(span, msg::cell_by_cell, slice.tensor, store ? "stored" : "loaded",
                               reason.empty() ? "TMA does not know where a view ends" : reason);
        if (reason.empty()) {
            note.help(
                "in a pipeline, TMA can stop at the last row of a view that the tile does not "
                "begin before; past other ends, `tma_load` reads the data there: `pad` it");
            return;
        }
        if (slice.ranges.back().kind == Range::Kind::gather) {
            note.help(
                "positions along the last axis are scattered in memory, unlike rows: pass `{}` "
                "with another axis order, in which the list is not along the last axis",
                slice.tensor);
            return;
        }
        if (has_gather(slice)) {
            note.help(
                "rows of a list move 16 bytes per lane if the kernel only reads `{}`, and the "
                "slice starts at a multiple of 16 bytes along the last axis",
                slice.tensor);
            return;
        }
        if (slice.ranges.back().kind == Range::Kind::index) {
            note.help(
                "pass `{}` with another axis order, in which the columns of the tile are the last "
                "axis",
                slice.tensor);
            return;
        }
        if (!starts_aligned(kernel_, role, slice, tile.dtype)) {
            note.help("let the slice begin at a multiple of 16 bytes along the last axis");
            return;
        }
        note.help(
            "TMA moves tiles whose columns are along the innermost axis and occupy a multiple of "
            "32 bytes ({} columns here), and whose rows are a multiple of 8",
            32 / std::max(bytes(tile.dtype), 1));
    }

    // Lanes that could move 16 bytes at a time, and move single cells.
    void note_stripes(const Role& role) {
        const auto tell = [&](Span span, const Slice& slice, bool store) {
            // Positions that a list gives lie anywhere: no other way of writing it changes that.
            if (slice.ranges.back().kind == Range::Kind::gather) return;
            const bool inner = slice.ranges.back().kind != Range::Kind::index;
            auto note =
                diag_.note(span, msg::cell_by_cell, slice.tensor, store ? "stored" : "loaded",
                           inner ? "cannot prove that its rows begin at multiples of 16 bytes"
                                 : "the innermost axis of the tensor is not part of the slice");
            if (inner)
                note.help("let the slice begin at a multiple of 16 bytes along the last axis");
        };
        walk(role.body, [&](const Op& op) {
            const auto* load = as<LoadCells>(op);
            const auto* store = as<StoreCells>(op);
            if (load != nullptr && !load->vectors && role.tile(load->result).cols != 1)
                tell(op.span, load->source, false);
            if (store != nullptr && !store->vectors && role.tile(store->source).cols != 1)
                tell(op.span, store->target, true);
        });
    }

    void note_transfers(const Role& role) {
        if (role.unit == Unit::warp && vector_of(role) != 0) {
            note_stripes(role);
            return;
        }
        walk(role.body, [&](const Op& op) {
            if (const CopyLoad* load = as<CopyLoad>(op)) {
                const Pipeline& pipeline = *find_pipeline(kernel_, load->pipeline);
                for (const PipelineField& field : pipeline.fields_) {
                    if (!load->asynchronous && field.name == load->field && is_matrix(field.type))
                        report_transfer(role, op.span, load->source, field.type, false);
                }
            } else if (const StoreCells* store = as<StoreCells>(op)) {
                // 32-bit cells leave the registers in whole sectors of memory.
                const TileType& tile = role.tile(store->source);
                if (is_matrix(tile) && bits_of(tile.dtype) < 32)
                    report_transfer(role, op.span, store->target, tile, true);
            }
        });
    }

    // ---- sums in 16 bits -----------------------------------------------------------------------

    static const Map* map_that_makes(const Block& block, Value v) {
        const Map* found = nullptr;
        for (const Op& op : block) {
            const Map* map = as<Map>(op);
            if (map != nullptr && map->result == v) found = map;
        }
        return found;
    }

    // Whether the expression is one of the old value of `v`, through other tiles of the step.
    static bool depends_on(const Block& block, const Map& map, const Scalar& e, Value v,
                           int depth) {
        bool found = false;
        visit_nodes(e, [&](const ScalarNode& n) {
            const auto* cell = std::get_if<Element>(&n.node);
            if (cell == nullptr || found) return;
            const Value input = map.inputs[static_cast<std::size_t>(cell->input)];
            const Map* made = depth > 0 ? map_that_makes(block, input) : nullptr;
            found = input == v || (made != nullptr && made->result != v &&
                                   depends_on(block, *made, made->expression, v, depth - 1));
        });
        return found;
    }

    // Whether the map adds to the old value of `v`.
    static bool adds_to(const Block& block, const Map& map, Value v, int depth) {
        bool found = false;
        visit_nodes(map.expression, [&](const ScalarNode& n) {
            if (const Call* call = std::get_if<Call>(&n.node)) {
                const bool sum = call->function == Function::add ||
                                 call->function == Function::sub || call->function == Function::fma;
                for (const Scalar& argument : call->arguments) {
                    found = found || (sum && depends_on(block, map, argument, v, depth));
                }
            }
            const auto* cell = std::get_if<Element>(&n.node);
            if (cell == nullptr || found || depth == 0) return;
            const Value input = map.inputs[static_cast<std::size_t>(cell->input)];
            const Map* made = input == v ? nullptr : map_that_makes(block, input);
            found = made != nullptr && made != &map && adds_to(block, *made, v, depth - 1);
        });
        return found;
    }

    void note_sums(const Role& role, const Block& body) {
        constexpr int far_enough = 4;  // tiles between the old sum and the new one
        for (const Op& op : body) {
            const Map* map = as<Map>(op);
            if (map == nullptr || !role[map->result].variable) continue;
            const Dtype dtype = role.tile(map->result).dtype;
            if (!is_narrow_real(dtype) || !adds_to(body, *map, map->result, far_enough)) continue;
            diag_.note(op.span, msg::narrow_sum, role[map->result].name, name(dtype))
                .help("make it f32, and round it once after the loop: `{}({})`", name(dtype),
                      role[map->result].name);
        }
    }

    // ---- reads of memory next to products
    // ---------------------------------------------------------

    // The first tensor that the expression reads at a place that depends on `names`, or on
    // anything if there are none.
    static std::string tensor_read(const Scalar& e, const std::set<std::string>* names) {
        std::string tensor;
        visit_nodes(e, [&](const ScalarNode& n) {
            const auto* cell = std::get_if<ElementLoad>(&n.node);
            if (cell == nullptr || !tensor.empty()) return;
            bool moves = names == nullptr;
            for (const Scalar& position : cell->position) {
                for (const std::string& symbol : symbols_of(position))
                    moves = moves || names->count(symbol) != 0;
            }
            if (moves) tensor = cell->tensor;
        });
        return tensor;
    }

    // Names that decide where loops end or branches go, which every role has to find out itself.
    static std::set<std::string> deciding_names(const Block& block) {
        std::set<std::string> names;
        walk(block, [&](const Op& op) {
            if (const For* loop = as<For>(op)) {
                names.merge(symbols_of(loop->begin));
                names.merge(symbols_of(loop->end));
            } else if (const If* branch = as<If>(op)) {
                names.merge(symbols_of(branch->condition));
            }
        });
        return names;
    }

    static constexpr const char* in_producer =
        "let the producer load it into a field of the pipeline, some iterations ahead";
    static constexpr const char* before_product =
        "read it before the first product of the iteration, so that the load overlaps the product";
    static constexpr const char* before_loop = "read it before the loop";
    static constexpr const char* pipelined =
        "write `pipelined` after the range of the loop: it loads the operands of the products "
        "ahead of time";

    void report_read(Span span, const std::string& tensor, const char* advice) {
        DiagnosticBuilder note = diag_.note(span, msg::read_in_loop_of_products, tensor);
        const auto stays =
            std::find_if(written_.staying.begin(), written_.staying.end(), [&](const auto& load) {
                return load.place.file == span.file && load.place.begin < span.end &&
                       span.begin < load.place.end;
            });
        if (stays == written_.staying.end()) note.help(advice);
        else
            note.note("it cannot run ahead: {}", stays->why)
                .help(
                    "load it in the previous iteration, or write roles, as in "
                    "examples/gemm/gemm.tk");
    }

    // A kernel that was written as one program: what its loops read can run ahead of products.
    bool has_no_roles() const {
        return written_.without_roles.contains(kernel_.source) ||
               (kernel_.roles.size() == 1 && kernel_.roles.front().name == kernel_.source);
    }

    void note_reads(const Role& role, const For& loop) {
        std::set<std::string> moving{loop.var};
        walk_only<Let>(loop.body, [&](const Let& let) { moving.insert(let.name); });
        walk_only<ReadNumber>(loop.body, [&](const ReadNumber& read) { moving.insert(read.name); });
        const std::set<std::string> deciding = deciding_names(role.body);
        bool after_product = false;
        for (const Op& op : loop.body) {
            after_product = after_product || as<Mma>(op) != nullptr;
            if (const LoadCells* load = as<LoadCells>(op)) {
                bool moves = false;
                for_each_scalar(op, [&](const Scalar& e) {
                    for (const std::string& s : symbols_of(e))
                        moves = moves || moving.count(s) != 0;
                });
                // Without pipelines nothing can run ahead.
                if (moves && !target_of(kernel_).features.tma) continue;
                const char* instead = has_no_roles() ? pipelined : in_producer;
                report_read(op.span, load->source.tensor, moves ? instead : before_loop);
            } else if (const Let* let = as<Let>(op); let != nullptr && after_product) {
                // In front of it, a number arrives while the product runs.
                const std::string tensor = tensor_read(let->value, nullptr);
                if (tensor.empty() || deciding.count(let->name) != 0) continue;
                const bool moves = !tensor_read(let->value, &moving).empty();
                report_read(op.span, tensor, moves ? before_product : before_loop);
            } else if (const Map* map = as<Map>(op)) {
                // What does not change in the loop was loaded before it, and is only used here.
                const std::string tensor = tensor_read(map->expression, &moving);
                const char* instead = has_no_roles() ? before_product : in_producer;
                if (!tensor.empty()) report_read(op.span, tensor, instead);
            }
        }
    }

    void look_at_loops(const Role& role, const Block& block) {
        for (const Op& op : block) {
            if (const For* loop = as<For>(op); loop != nullptr && !loop->unrolled) {
                note_sums(role, loop->body);
                const bool products =
                    std::any_of(loop->body.begin(), loop->body.end(),
                                [](const Op& x) { return as<Mma>(x) != nullptr; });
                if (products) note_reads(role, *loop);
            }
            for_each_block(op, [&](const Block& inner) { look_at_loops(role, inner); });
        }
    }

    // ---- registers -----------------------------------------------------------------------------

    void note_registers(const Role& role) {
        if (kernel_.blocks > 1) return;  // assign-threads divided them by what the tiles take
        // assign-threads refuses what leaves less than 8 registers for everything else.
        constexpr std::int64_t tight = 16;
        const std::int64_t available =
            role.registers != 0 ? role.registers : kernel_.entry_registers;
        const std::int64_t tiles = tile_registers(role);
        if (tiles + tight <= available) return;
        diag_.note(role.span, msg::registers_tight, role.name, tiles, available)
            .help("give the role more {}, or make its tiles smaller",
                  role.unit == Unit::warp ? "warps" : "warpgroups");
    }

    const Kernel& kernel_;
    const WrittenKernels& written_;
    Diagnostics& diag_;
};

}  // namespace

bool is_tile_arithmetic(const Role& role, const Op& op) {
    const auto is_tile = [&](Value v) {
        const auto* tile = std::get_if<TileType>(&role[v].type);
        return tile != nullptr && tile->space == Space::registers && is_matrix(*tile);
    };
    if (const Apply* apply = as<Apply>(op))
        return is_tile(apply->source) && rules_of(*apply).needs(*apply, role).arithmetic > 0;
    if (const ScaleRows* scale = as<ScaleRows>(op)) return is_tile(scale->source);
    const Map* map = as<Map>(op);
    return map != nullptr && std::any_of(map->inputs.begin(), map->inputs.end(), is_tile);
}

void note_performance(const Kernel& kernel, const WrittenKernels& written, Diagnostics& diag) {
    if (kernel.general_of.empty() && !kernel.debug) KernelNotes(kernel, written, diag).run();
}

}  // namespace tkc::lowering
