// Verifies roles: what is in scope, that values are made before they are used, that operations
// belong to the level, and that a stage is filled as a whole between acquire and publish.
#include <algorithm>
#include <map>
#include <set>

#include "ir/print.h"
#include "ir/walk.h"
#include "ir/warps.h"
#include "verify/verify_internal.h"

namespace tkc::ir::verifier {

namespace {

// A stage between acquire and publish.
struct Stage {
    const Op* acquire = nullptr;
    Value element;
    bool expected = false;
    bool drawn = false;  // a program number
    bool copied_asynchronously = false;
    std::int64_t expected_bytes = 0;
    std::int64_t bulk_bytes = 0;
    std::set<std::string> filled;
    std::map<std::uint32_t, std::string> views;  // values that are fields of the element
};
using Stages = std::map<std::string, Stage>;

class RoleVerifier {
public:
    RoleVerifier(const Context& context, const Role& role, Symbols& symbols)
        : context_(context),
          role_(role),
          symbols_(symbols),
          windows_(role),
          report_(context.report),
          made_(role.values.size()),
          makers_(role.values.size()) {}

    void verify() {
        check_values();
        check_dynamic_schedule();
        if (context_.level != Level::tile && role_.unit == Unit::warpgroup) {
            symbols_.declare_new(warpgroup_symbol, Dtype::i32, report_);
        }
        for (const Block* block : {&role_.body, &role_.finish}) {
            walk(*block, [&](const Op& op) {
                for_each_result(op, [&](Value v) {
                    if (v.id < makers_.size()) ++makers_[v.id];
                });
            });
        }
        check_block(role_.body, nullptr);
        std::fill(made_.begin(), made_.end(), false);  // what a program made is gone
        check_block(role_.finish, nullptr);
        report_.op = nullptr;
        for (std::size_t i = 0; i < makers_.size(); ++i) {
            if (makers_[i] > 1 && !role_.values[i].variable) {
                report_.add("`%{}` is defined {} times, but is not a variable",
                            role_.values[i].name, makers_[i]);
            }
        }
    }

private:
    void check_values() {
        std::set<std::string> seen;
        for (const ValueInfo& v : role_.values) {
            if (!seen.insert(v.name).second) report_.add("two values are called `%{}`", v.name);
            if (v.name.empty()) report_.add("a value has no name");
            if (const auto* element = std::get_if<ElementType>(&v.type)) {
                if (find_pipeline(context_.kernel, element->pipeline) == nullptr) {
                    report_.add("`%{}` is an element of `{}`, which is not a pipeline", v.name,
                                element->pipeline);
                }
                continue;
            }
            const auto& tile = std::get<TileType>(v.type);
            if (tile.rows < 1 || tile.cols < 1) {
                report_.add("`%{}` is {}", v.name, to_string(tile));
            }
        }
        if (role_.width < 1) report_.add("its width is {}", role_.width);
        const bool copied = role_.unit == Unit::warpgroup && role_.width == 1 && !role_.pingpong &&
                            context_.kernel.persistent;
        if (role_.copies < 1 || (role_.copies > 1 && !copied))
            report_.add("it has {} copies", role_.copies);
    }

    // Every program ends with the number of the next one.
    void check_dynamic_schedule() {
        const auto is_program_number = [](const Op& op) {
            return as<FetchProgram>(op) != nullptr || as<SetProgram>(op) != nullptr;
        };
        std::int64_t all = 0;
        for (const Block* block : {&role_.body, &role_.finish})
            walk(*block, [&](const Op& op) { all += is_program_number(op) ? 1 : 0; });
        const auto plain = std::count_if(role_.body.begin(), role_.body.end(), is_program_number);
        const bool scheduled = context_.level == Level::scheduled;
        const std::int64_t wanted = context_.kernel.dynamic ? 1 : 0;
        if (all != plain || all > wanted || (scheduled && all != wanted))
            report_.add("it fetches {} programs per program, {} of them in a loop or a branch", all,
                        all - plain);
    }

    void check_block(const Block& block, const Produce* produce) {
        const std::size_t outside = symbols_.size();
        Stages stages;
        for (const Op& op : block) {
            report_.op = &op;
            check_level(op, produce);
            if (is_whole(op)) {
                check_scalars(op);
                check_operands(op);
                verify_operation(context_, role_, windows_, op);
                check_stages(op, stages);
            }
            for_each_result(op, [&](Value v) {
                if (v && v.id < made_.size()) made_[v.id] = true;
            });
            check_inside(op);
            report_.op = &op;
        }
        for (const auto& [pipeline, stage] : stages) {
            report_.op = stage.acquire;
            report_.add("its stage is not published in the block");
        }
        report_.op = nullptr;
        symbols_.drop_to(outside);
    }

    void check_level(const Op& op, const Produce* produce) {
        std::visit(
            [&](const auto& node) {
                using T = std::decay_t<decltype(node)>;
                if (TileOp<T> && context_.level == Level::scheduled) {
                    report_.add("a tile IR operation at level scheduled");
                }
                if (ScheduledOp<T> && context_.level == Level::tile) {
                    report_.add("a scheduled IR operation at level tile");
                }
                if (is_in<T, OpList<Fill, Put>> && produce == nullptr) {
                    report_.add("it must be directly inside a `produce`");
                }
                if (is_in<T, OpList<Produce, Consume, For, If>> && produce != nullptr) {
                    report_.add("it is not allowed in a `produce`");
                }
            },
            op.node);
    }

    // Whether all values and expressions of the operation are there: what else is checked relies
    // on it.
    bool is_whole(const Op& op) {
        bool whole = true;
        const auto check_value = [&](std::string_view name, Value v) {
            if (!v) report_.add("`{}` is missing", name);
            else if (v.id >= role_.values.size())
                report_.add("`{}` is not a value of the role", name);
            else return;
            whole = false;
        };
        const auto check_scalar = [&](std::string_view name, const Scalar& s) {
            if (s) return;
            report_.add("`{}` is missing", name);
            whole = false;
        };
        for_each_member(op, [&](std::string_view name, const auto& member) {
            using T = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<T, Value>) {
                const bool optional = as<Acquire>(op) != nullptr || as<Assert>(op) != nullptr;
                if (member || !(optional || name == "held")) check_value(name, member);
            } else if constexpr (std::is_same_v<T, std::vector<Value>>) {
                for (const Value v : member) check_value(name, v);
            } else if constexpr (std::is_same_v<T, Scalar>) {
                if (member || as<Assert>(op) == nullptr) check_scalar(name, member);
            } else if constexpr (std::is_same_v<T, std::vector<Scalar>>) {
                for (const Scalar& s : member) check_scalar(name, s);
            } else if constexpr (std::is_same_v<T, Slice>) {
                for (const Range& r : member.ranges) {
                    if (r.kind != Range::Kind::whole) check_scalar(name, r.base);
                }
            }
        });
        return whole;
    }

    void check_scalars(const Op& op) {
        std::vector<const Scalar*> positions;
        for_each_slice(op, [&](const Slice& slice) {
            for (const Range& r : slice.ranges) {
                if (r.kind == Range::Kind::gather) positions.push_back(&r.base);
            }
        });
        ScalarScope scope{context_, symbols_, false, as<Map>(op), &role_};
        const auto* report = as<Assert>(op);
        scope.asserted = report != nullptr && report->of_cells();
        for_each_scalar(op, [&](const Scalar& s) {
            scope.positions = std::find(positions.begin(), positions.end(), &s) != positions.end();
            verify_scalar(s, scope);
        });
    }

    void check_operands(const Op& op) {
        const auto check = [&](Value v) {
            if (made_[v.id]) return;
            // A variable may keep an element from step to step: that it is empty in the first is
            // for the checks of pipelines to decide.
            const ValueInfo& value = role_[v];
            const bool kept = value.variable && std::holds_alternative<ElementType>(value.type);
            if (!kept || makers_[v.id] == 0) {
                report_.add("`%{}` is used before its definition", value.name);
            }
        };
        for_each_operand(op, check);
        const Mma* mma = as<Mma>(op);
        if (mma != nullptr && mma->accumulate) check(mma->result);
    }

    // Proofs take the number for the same wherever the place is the same.
    void check_place(const ReadNumber& read) {
        const auto check = [&](const std::string& variable) {
            const bool listed =
                std::any_of(read.place.begin(), read.place.end(), [&](const Scalar& s) {
                    const auto* symbol = s ? std::get_if<Symbol>(&s->node) : nullptr;
                    return symbol != nullptr && symbol->name == variable;
                });
            if (!listed) report_.add("its place does not include `{}`", variable);
        };
        for (const GridAxis& axis : context_.kernel.grid) check(axis.var);
        for (const std::string& variable : loops_) check(variable);
    }

    // The blocks of an operation, and what is bound and made after it.
    void check_inside(const Op& op) {
        if (const Let* let = as<Let>(op)) {
            if (let->value) symbols_.declare_new(let->name, let->value->dtype, report_);
        } else if (const auto* read = as<ReadNumber>(op)) {
            check_place(*read);
            const bool known = read->source && read->source.id < role_.values.size();
            const auto* tile = known ? std::get_if<TileType>(&role_[read->source].type) : nullptr;
            if (tile != nullptr) symbols_.declare_new(read->name, tile->dtype, report_);
        } else if (const For* loop = as<For>(op)) {
            const std::size_t outside = symbols_.size();
            const std::vector<bool> before = made_;
            symbols_.declare_new(loop->var, Dtype::i32, report_);
            loops_.push_back(loop->var);
            check_block(loop->body, nullptr);
            loops_.pop_back();
            symbols_.drop_to(outside);
            made_ = before;  // it may take no step
        } else if (const If* branch = as<If>(op)) {
            const std::vector<bool> before = made_;
            check_block(branch->then_body, nullptr);
            const std::vector<bool> then_made = std::exchange(made_, before);
            check_block(branch->else_body, nullptr);
            for (std::size_t i = 0; i < made_.size(); ++i) {
                if (!then_made[i]) made_[i] = false;
            }
        } else if (const Produce* produce = as<Produce>(op)) {
            check_block(produce->body, produce);
        }
    }

    // What follows is about stages between acquire and publish, which are in one block.

    Stage* open_stage(const std::string& pipeline, Stages& stages) {
        const auto found = stages.find(pipeline);
        if (found != stages.end()) return &found->second;
        report_.add("no stage of `{}` is acquired in the block", pipeline);
        return nullptr;
    }

    void fill(Stage& stage, const std::string& field) {
        if (!stage.filled.insert(field).second) report_.add("field `{}` is filled twice", field);
    }

    void check_stages(const Op& op, Stages& stages) {
        if (const auto* acquire = as<Acquire>(op)) {
            const auto [stage, opened] = stages.try_emplace(acquire->pipeline);
            if (!opened) report_.add("the previous stage is not published");
            stage->second.acquire = &op;
            stage->second.element = acquire->result;
        } else if (const auto* expect = as<Expect>(op)) {
            if (Stage* stage = open_stage(expect->pipeline, stages)) {
                if (stage->expected) report_.add("the stage expects bytes twice");
                stage->expected = true;
                stage->expected_bytes = expect->bytes;
            }
        } else if (const auto* draw = as<FetchProgram>(op)) {
            if (Stage* stage = open_stage(draw->pipeline, stages)) {
                if (stage->drawn) report_.add("a program is fetched twice");
                stage->drawn = true;
            }
        } else if (const auto* load = as<TmaLoad>(op)) {
            if (Stage* stage = open_stage(load->pipeline, stages)) {
                fill(*stage, load->field);
                const Pipeline* p = find_pipeline(context_.kernel, load->pipeline);
                const PipelineField* f = p == nullptr ? nullptr : find_field(*p, load->field);
                if (f != nullptr) stage->bulk_bytes += tile_bytes(f->type);
                if (!stage->expected) report_.add("its bytes are not expected yet");
            }
        } else if (const auto* copy = as<CopyLoad>(op)) {
            if (Stage* stage = open_stage(copy->pipeline, stages)) {
                fill(*stage, copy->field);
                stage->copied_asynchronously = stage->copied_asynchronously || copy->asynchronous;
            }
        } else if (const auto* view = as<Field>(op)) {
            for (auto& [name, stage] : stages) {
                if (stage.element == view->element) stage.views[view->result.id] = view->field;
            }
        } else if (const auto* write = as<WriteTile>(op)) {
            for (auto& [name, stage] : stages) {
                const auto field = stage.views.find(write->target.id);
                if (field != stage.views.end()) fill(stage, field->second);
            }
        } else if (const auto* publish = as<Publish>(op)) {
            if (const Stage* stage = open_stage(publish->pipeline, stages)) {
                check_published(*publish, *stage);
                stages.erase(publish->pipeline);
            }
        }
    }

    void check_published(const Publish& publish, const Stage& stage) {
        const Pipeline* pipeline = find_pipeline(context_.kernel, publish.pipeline);
        if (pipeline == nullptr) return;
        for (const PipelineField& f : pipeline->fields_) {
            if (stage.filled.count(f.name) == 0) report_.add("field `{}` is not filled", f.name);
        }
        if (stage.expected && stage.expected_bytes != stage.bulk_bytes) {
            report_.add("{} bytes are expected, but {} are copied", stage.expected_bytes,
                        stage.bulk_bytes);
        }
        if (stage.copied_asynchronously && !publish.copies)
            report_.add("there is no arrival for the asynchronous copies of the stage");
        if (holds_program_numbers(*pipeline) && !stage.drawn) report_.add("no program is fetched");
        const std::int64_t warps = role_.warps() / pipeline->parts;
        const std::int64_t arrivals = (stage.expected ? 1 : 0) + (stage.drawn ? 1 : 0) +
                                      (publish.arrives ? warps : 0) +
                                      (publish.copies ? lanes_of_warp * warps : 0);
        if (arrivals != pipeline->full_arrivals) {
            report_.add("{} arrivals on a full barrier that waits for {}", arrivals,
                        pipeline->full_arrivals);
        }
    }

    const Context& context_;
    const Role& role_;
    Symbols& symbols_;
    const Windows windows_;
    Report& report_;
    std::vector<bool> made_;          // by value: on every path to here
    std::vector<int> makers_;         // by value: operations that make it
    std::vector<std::string> loops_;  // variables of those around
};

}  // namespace

void verify_role(const Context& context, const Role& role, Symbols& symbols) {
    RoleVerifier(context, role, symbols).verify();
}

}  // namespace tkc::ir::verifier
