// Makes reads of shared memory by ordinary arithmetic explicit: `map f32(#0) [s.a]` with `s.a` in
// shared memory becomes `t0 = read_shared s.a; map f32(#0) [t0]`. Products read shared tiles by
// themselves. A stage's tile of 8 bits that several operations of a block need is read once: a
// fragment of it is read two cells at a time, and held in half the registers of what it becomes.
#include <fmt/format.h>

#include <map>

#include "ir/walk.h"
#include "lowering/passes.h"
#include "lowering/transfer.h"

namespace tkc::lowering {

using namespace ir;

namespace {

// The shared tile that the operation takes over into registers as it is, or none.
Value only_read(const Role& role, const Op& op) {
    Value source;
    if (const Map* map = as<Map>(op)) {
        const bool identity =
            map->inputs.size() == 1 && std::holds_alternative<Element>(map->expression->node);
        if (identity) source = map->inputs[0];
    } else if (const Copy* copy = as<Copy>(op)) {
        source = copy->source;
    }
    if (!source || !std::holds_alternative<TileType>(role[source].type)) return {};
    Value result;
    for_each_result(op, [&](Value v) { result = v; });
    TileType type = role.tile(source);
    if (type.space != Space::shared) return {};
    type.space = Space::registers;
    return type == role.tile(result) ? source : Value{};
}

// What `v` shows of a stage, if it is a field of an element, or a window onto one, for all of the
// role.
std::optional<std::string> place_in_stage(const Role& role, Value v) {
    const std::vector<const Op*> writes = writes_of(role.body, v);
    if (writes.size() != 1) return std::nullopt;
    if (const auto* window = as<Window>(*writes[0])) {
        const std::optional<std::string> whole = place_in_stage(role, window->source);
        if (!whole) return std::nullopt;
        const TileType& tile = role.tile(v);
        return fmt::format("{} {} {} {} {}", *whole, window->row, window->col, tile.rows,
                           tile.cols);
    }
    const auto* field = as<Field>(*writes[0]);
    if (field == nullptr || role[field->element].variable) return std::nullopt;
    return fmt::format("{} {}", field->element.id, field->field);
}

// Later reads in a block of a tile that was read there before are dropped.
void read_once(Role& role) {
    std::map<std::uint32_t, Value> same;
    walk_blocks(role.body, [&](const Block& block) {
        std::map<std::string, Value> read_before;
        for (const Op& op : block) {
            const auto* read = as<ReadShared>(op);
            if (read == nullptr) continue;
            const TileType& tile = role.tile(read->result);
            const bool in_twos = is_8_bit_number(tile.dtype) && tile.rows > 1 && tile.cols > 1;
            const bool once =
                !role[read->result].variable && writes_of(role.body, read->result).size() == 1;
            if (role.unit != Unit::warpgroup || !in_twos || !once) continue;
            const std::optional<std::string> place = place_in_stage(role, read->source);
            if (!place) continue;
            const auto [before, is_first] = read_before.try_emplace(*place, read->result);
            if (!is_first) same[read->result.id] = before->second;
        }
    });
    if (same.empty()) return;
    walk_blocks(role.body, [&](Block& block) {
        std::erase_if(block, [&](const Op& op) {
            const auto* read = as<ReadShared>(op);
            return read != nullptr && same.contains(read->result.id);
        });
    });
    walk(role.body, [&](Op& op) {
        for_each_value(op, [&](Value& v) {
            if (const auto found = same.find(v.id); found != same.end()) v = found->second;
        });
    });
}

}  // namespace

void load_shared_operands(PassContext&, Module& module) {
    module.level = Level::mixed;
    for (Kernel& kernel : module.kernels) {
        for (Role& role : kernel.roles) {
            const auto to_registers = [&](Value source, Span span, Block& out) {
                TileType type = role.tile(source);
                if (type.space == Space::registers) return source;
                type.space = Space::registers;
                const Value copy = add_value(role, "", type);
                out.push_back(at(span, ReadShared{copy, source}));
                return copy;
            };
            rebuild(role.body, [&](Op op, Block& out) {
                if (const Value source = only_read(role, op)) {
                    Value result;
                    for_each_result(op, [&](Value v) { result = v; });
                    out.push_back(at(op.span, ReadShared{result, source}));
                    return;
                }
                if (auto* map = as<Map>(op)) {
                    for (Value& input : map->inputs) input = to_registers(input, op.span, out);
                } else if (auto* apply = as<Apply>(op)) {
                    apply->source = to_registers(apply->source, op.span, out);
                } else if (auto* store = as<Store>(op);
                           store != nullptr && !stores_stage(kernel, role, *store)) {
                    store->source = to_registers(store->source, op.span, out);
                } else if (auto* put = as<Put>(op)) {
                    put->source = to_registers(put->source, op.span, out);
                } else if (auto* copy = as<Copy>(op);
                           copy != nullptr &&
                           std::holds_alternative<TileType>(role[copy->source].type)) {
                    copy->source = to_registers(copy->source, op.span, out);
                }
                out.push_back(std::move(op));
            });
            read_once(role);
        }
    }
}

}  // namespace tkc::lowering
