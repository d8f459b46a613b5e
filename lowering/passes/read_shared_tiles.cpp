// Makes reads of shared memory by ordinary arithmetic explicit: `map f32(#0) [s.a]` with `s.a` in
// shared memory becomes `t0 = read_shared s.a; map f32(#0) [t0]`. Products read shared tiles by
// themselves.
#include "ir/walk.h"
#include "lowering/passes.h"

namespace tkc::lowering {

using namespace ir;

void read_shared_tiles(PassContext&, Module& module) {
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
                if (auto* map = as<Map>(op)) {
                    for (Value& input : map->inputs) input = to_registers(input, op.span, out);
                } else if (auto* reduce = as<Reduce>(op)) {
                    reduce->source = to_registers(reduce->source, op.span, out);
                } else if (auto* store = as<Store>(op)) {
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
        }
    }
}

}  // namespace tkc::lowering
