// Verifies the plan: shared memory, tensor maps, barriers' counts, warps and named barriers.
#include <algorithm>
#include <set>

#include "ir/print.h"
#include "ir/swizzle.h"
#include "ir/walk.h"
#include "ir/warps.h"
#include "tiles/reduction.h"
#include "verify/verify_internal.h"

namespace tkc::ir::verifier {

namespace {

std::int64_t end_of(const Buffer& b) { return b.offset + b.copies * pitch_of(b.type); }

class PlanVerifier {
public:
    explicit PlanVerifier(const Context& context)
        : context_(context),
          kernel_(context.kernel),
          report_(context.report),
          operations_are_sound_(context.report.sentences.empty()) {}

    void verify() {
        check_buffers();
        if (kernel_.shared_bytes != 0 || context_.complete()) check_memory();
        check_maps();
        check_sides();
        check_warps();
        check_barriers();
        check_layouts();
        if (context_.complete() && context_.level != Level::scheduled) {
            report_.add("it is not scheduled");
        }
        if (context_.complete() && kernel_.entry_registers <= 0) {
            report_.add("the registers at its entry are not planned");
        }
    }

private:
    void check_buffers() {
        std::set<std::string> names;
        std::vector<const Buffer*> ordered;
        for (const Buffer& b : kernel_.buffers) {
            if (!names.insert(b.name).second) report_.add("two buffers are called `{}`", b.name);
            if (b.offset % alignment_of(b.type) != 0) {
                report_.add("buffer `{}` is at offset {}, which is not a multiple of {}", b.name,
                            b.offset, alignment_of(b.type));
            }
            if (b.copies < 1) report_.add("buffer `{}` has {} copies", b.name, b.copies);
            if (b.type.rows < 1 || b.type.cols < 1 || b.type.space != Space::shared) {
                report_.add("buffer `{}` holds {}", b.name, to_string(b.type));
            }
            check_rounding(b);
            if (b.over.empty()) ordered.push_back(&b);
            else check_over(b);
        }
        std::sort(ordered.begin(), ordered.end(),
                  [](const Buffer* a, const Buffer* b) { return a->offset < b->offset; });
        for (std::size_t i = 1; i < ordered.size(); ++i) {
            if (end_of(*ordered[i - 1]) > ordered[i]->offset) {
                report_.add("buffers `{}` and `{}` overlap", ordered[i - 1]->name,
                            ordered[i]->name);
            }
        }
    }

    void check_rounding(const Buffer& b) {
        if (b.tf32 && (b.type.dtype != Dtype::f32 || !b.over.empty()))
            report_.add("buffer `{}` of {} rounds to tf32", b.name, to_string(b.type));
    }

    // One in the memory of another lies inside of it, block by block of its panels.
    void check_over(const Buffer& b) {
        const Buffer* base = find_buffer(kernel_, b.over);
        if (base == nullptr || !base->over.empty()) {
            report_.add("buffer `{}` aliases `{}`, which is not a buffer", b.name, b.over);
            return;
        }
        const bool blocks = bytes(b.type.dtype) == bytes(base->type.dtype) && b.type.rows > 0 &&
                            b.type.cols > 0 && base->type.rows % b.type.rows == 0 &&
                            base->type.cols % b.type.cols == 0;
        if (b.offset != base->offset || !blocks ||
            b.copies * tile_bytes(b.type) > tile_bytes(base->type)) {
            report_.add("buffer `{}` does not divide `{}` into blocks", b.name, b.over);
        }
    }

    // Buffers, then barriers (a full and an empty one for each stage), then program numbers.
    void check_memory() {
        std::int64_t barriers = 0;
        for (const Pipeline& p : kernel_.pipelines) barriers += bytes_of_barriers(p);
        for (const Buffer& b : kernel_.buffers) {
            if (b.offset < 0 || end_of(b) > kernel_.barrier_offset) {
                report_.add("buffer `{}` ends at {}, past the first barrier at {}", b.name,
                            end_of(b), kernel_.barrier_offset);
            }
        }
        if (kernel_.barrier_offset % 8 != 0) {
            report_.add("the barriers are at offset {}, which is not a multiple of 8",
                        kernel_.barrier_offset);
        }
        const std::int64_t end = kernel_.barrier_offset + barriers + program_queue_bytes(kernel_);
        if (end > kernel_.shared_bytes) {
            report_.add("the barriers end at {}, past the {} bytes of shared memory", end,
                        kernel_.shared_bytes);
        }
        for (const Pipeline& p : kernel_.pipelines) {
            for (const PipelineField& f : p.fields_) {
                const Buffer* b = find_buffer(kernel_, f.buffer);
                if (b == nullptr) report_.add("field `{}` of `{}` has no buffer", f.name, p.name);
                else if (b->copies != p.stages || !(b->type == f.type)) {
                    report_.add("buffer `{}` holds {} of {}, but its pipeline {} of {}", b->name,
                                b->copies, to_string(b->type), p.stages, to_string(f.type));
                }
            }
        }
    }

    void check_maps() {
        std::set<std::string> names;
        for (const TensorMap& m : kernel_.maps) {
            if (!names.insert(m.name).second) report_.add("two maps are called `{}`", m.name);
            const Tensor* tensor = find_tensor(kernel_, m.tensor);
            if (tensor == nullptr) {
                report_.add("map `{}` is for `{}`, which is not a tensor", m.name, m.tensor);
                continue;
            }
            if (m.swizzle != 0 && m.swizzle != 32 && m.swizzle != 64 && m.swizzle != 128) {
                report_.add("map `{}` swizzles by {} bytes", m.name, m.swizzle);
            }
            if (m.box.size() != tensor->extents.size() || m.box.empty()) {
                report_.add("the box of map `{}` has {} axes, but the tensor has {}", m.name,
                            m.box.size(), tensor->extents.size());
                continue;
            }
            for (const std::int64_t cells : m.box) {
                if (cells < 1 || cells > limits_.box_extent) {
                    report_.add("the box of map `{}` has {} cells along an axis", m.name, cells);
                }
            }
            const bool row = std::all_of(m.box.begin(), m.box.end() - 1,
                                         [](std::int64_t cells) { return cells == 1; });
            if (m.swizzle == 0 && !row) report_.add("map `{}` has no swizzle", m.name);
            if (m.swizzle != 0 && m.box.back() * bytes(tensor->dtype) > m.swizzle) {
                report_.add("a row of the box of map `{}` is wider than its swizzle", m.name);
            }
        }
    }

    // Who writes and who reads each pipeline.
    void check_sides() {
        for (const Pipeline& p : kernel_.pipelines) {
            std::vector<std::string> writers;
            std::int64_t reading_warps = 0;
            for (const Role& role : kernel_.roles) {
                bool writes_it = false;
                bool reads_it = false;
                walk(role.body, [&](const Op& op) {
                    const auto* produce = as<Produce>(op);
                    const auto* acquire = as<Acquire>(op);
                    const auto* consume = as<Consume>(op);
                    const auto* take = as<Take>(op);
                    writes_it |= (produce != nullptr && produce->pipeline == p.name) ||
                                 (acquire != nullptr && acquire->pipeline == p.name);
                    reads_it |= (consume != nullptr && consume->pipeline == p.name) ||
                                (take != nullptr && take->pipeline == p.name);
                });
                if (writes_it) writers.push_back(role.name);
                if (reads_it) reading_warps += role.warps();
            }
            if (writers.size() > 1) {
                report_.add("roles `{}` and `{}` both write pipeline `{}`", writers[0], writers[1],
                            p.name);
            }
            if (p.cluster != 1 && p.cluster != cluster_size(kernel_)) {
                report_.add("{} blocks fill pipeline `{}`, but a cluster has {}", p.cluster, p.name,
                            cluster_size(kernel_));
            }
            if (context_.level == Level::scheduled &&
                reading_warps * p.cluster != p.empty_arrivals * p.parts) {
                report_.add("{} warps read pipeline `{}`, but its empty barriers wait for {}",
                            reading_warps * p.cluster, p.name, p.empty_arrivals * p.parts);
            }
            check_parts(p);
        }
    }

    // Part i of a stage is filled by warpgroup i of the writer and taken by warp i of the reader.
    void check_parts(const Pipeline& p) {
        if ((p.parts == 1) != (p.split == Split::none) || p.parts < 1)
            report_.add("pipeline `{}` has {} parts, which contradicts its split", p.name, p.parts);
        if (p.parts <= 1) return;
        for (const Role& role : kernel_.roles) {
            bool fills = false;
            bool takes = false;
            walk(role.body, [&](const Op& op) {
                const auto* acquire = as<Acquire>(op);
                const auto* take = as<Take>(op);
                fills |= acquire != nullptr && acquire->pipeline == p.name;
                takes |= take != nullptr && take->pipeline == p.name;
            });
            if (fills && (role.warpgroups() != p.parts || role.copies != 1))
                report_.add("role `{}` does not fill {} parts of `{}`", role.name, p.parts, p.name);
            if (takes && (role.unit != Unit::warp || role.warps() != p.parts))
                report_.add("role `{}` does not consume {} parts of `{}`", role.name, p.parts,
                            p.name);
        }
        if (p.cluster != 1) report_.add("parts of `{}` come from several blocks", p.name);
    }

    void check_warps() {
        std::vector<const Role*> placed;
        for (const Role& role : kernel_.roles) {
            if (role.first_warp < 0) {
                if (context_.complete()) report_.add("role `{}` has no warps", role.name);
                continue;
            }
            if (role.unit == Unit::warpgroup && role.first_warp % warps_of_warpgroup != 0) {
                report_.add("role `{}` has warpgroups, but begins at warp {}", role.name,
                            role.first_warp);
            }
            if (lanes_of_warp * role.end_warp() > limits_.threads_of_block) {
                report_.add("role `{}` ends at warp {}", role.name, role.end_warp());
            }
            if (role.registers != 0 && (role.registers % limits_.reallocation_step != 0 ||
                                        role.registers < limits_.least_reallocated ||
                                        role.registers > limits_.most_reallocated)) {
                report_.add("role `{}` has {} registers", role.name, role.registers);
            }
            for (const Role* other : placed) {
                if (role.first_warp < other->end_warp() && other->first_warp < role.end_warp()) {
                    report_.add("roles `{}` and `{}` share a warp", other->name, role.name);
                }
            }
            placed.push_back(&role);
        }
    }

    void check_barriers() {
        std::set<std::int64_t> taken;
        for (const Role& role : kernel_.roles) {
            bool meets = false;
            bool is_ordered = false;
            for (const Block* block : {&role.body, &role.finish}) {
                walk(*block, [&](const Op& op) {
                    // What an operation needs can be asked where it is as it should be.
                    meets = meets || as<Barrier>(op) != nullptr ||
                            (operations_are_sound_ && synchronizes_warps(role, op));
                });
                walk_only<WaitOrder>(*block, [&](const WaitOrder&) { is_ordered = true; });
            }
            if (is_ordered && role.first_order_barrier == 0 && context_.complete())
                report_.add("role `{}` has no barriers for its order", role.name);
            const std::int64_t turns = role.first_order_barrier == 0 ? 0 : role.ordered_groups();
            for (std::int64_t id = role.first_order_barrier; id < role.first_order_barrier + turns;
                 ++id) {
                if (id < 1 || id >= limits_.barriers_of_block || !taken.insert(id).second)
                    report_.add("named barrier {} is not free for role `{}`", id, role.name);
            }
            if (role.first_barrier == 0) {
                if (meets && context_.complete())
                    report_.add("role `{}` has no barriers", role.name);
                continue;
            }
            for (std::int64_t id = role.first_barrier;
                 id < role.first_barrier + role.role_barriers(); ++id) {
                if (id < 1 || id >= limits_.barriers_of_block || !taken.insert(id).second) {
                    report_.add("named barrier {} is not free for role `{}`", id, role.name);
                    break;
                }
            }
        }
    }

    // Register tiles in use have a layout.
    void check_layouts() {
        for (const Role& role : kernel_.roles) {
            // Few differ, and to look at all places of one takes time.
            std::vector<std::pair<const ValueInfo*, std::string>> seen;
            const auto problem_in = [&](const ValueInfo& v, const TileType& tile) {
                for (const auto& [like, problem] : seen) {
                    const auto& other = std::get<TileType>(like->type);
                    if (other.rows == tile.rows && other.cols == tile.cols &&
                        like->layout == v.layout)
                        return problem;
                }
                seen.emplace_back(&v, problem_of(v.layout, tile.rows, tile.cols, role.warps()));
                return seen.back().second;
            };
            for (std::uint32_t id = 0; id < role.values.size(); ++id) {
                const ValueInfo& v = role.values[id];
                const auto* tile = std::get_if<TileType>(&v.type);
                const bool registers = tile != nullptr && tile->space == Space::registers;
                if (!registers && v.layout != Layout{}) {
                    report_.add("role `{}`: `%{}` has a layout, but is not a register tile",
                                role.name, v.name);
                } else if (registers && v.layout != Layout{}) {
                    const std::string problem = problem_in(v, *tile);
                    if (!problem.empty())
                        report_.add("role `{}`: the layout of `%{}` does not fit: {}", role.name,
                                    v.name, problem);
                    else if (blocks_of(v.layout) > limits_.blocks_of_cluster)
                        report_.add("role `{}`: `%{}` spans {} blocks, but a cluster has {}",
                                    role.name, v.name, blocks_of(v.layout),
                                    limits_.blocks_of_cluster);
                } else if (registers && context_.complete() &&
                           (mentions(role.body, Value{id}) || mentions(role.finish, Value{id}))) {
                    report_.add("role `{}`: `%{}` has no layout", role.name, v.name);
                }
                if (v.partial && (!registers || tile->cols != 1)) {
                    report_.add("role `{}`: `%{}` is partial, but is not a column", role.name,
                                v.name);
                }
            }
        }
    }

    const Context& context_;
    const Kernel& kernel_;
    const TargetLimits& limits_ = target_of(kernel_).limits;
    Report& report_;
    const bool operations_are_sound_;
};

}  // namespace

void verify_plan(const Context& context) { PlanVerifier(context).verify(); }

}  // namespace tkc::ir::verifier
