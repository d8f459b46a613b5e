// Numbers what maps compute of a cell, as compilers number values: the same number, the same value.
#include "lowering/registers/live_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/layout.h"
#include "ir/walk.h"
#include "lowering/registers/register_estimate.h"
#include "tiles/tile_function.h"

namespace tkc::lowering {

namespace {

using namespace ir;

// Whether the operation takes cells one after the other, and keeps none of them.
bool takes_cells(const Op& op) {
    if (as<StoreCells>(op) != nullptr) return true;
    const Apply* apply = as<Apply>(op);
    if (apply == nullptr) return false;
    const LineFunctionRules* line = line_rules_of(apply->function);
    return line != nullptr && line->gives_one_cell();
}

}  // namespace

LiveValues::LiveValues(const Role& role, bool open) : role_(role), now_(role.values.size()) {
    scopes_.emplace_back();
    for (std::uint32_t id = 0; id < role.values.size(); ++id) {
        registers_.push_back(registers_of(role, Value{id}));
        now_[id] = terms_.size();
        terms_.push_back({});
        terms_.back().holder = id;
    }
    renew(role.body);
    number(role.body);
    // What several maps share is a value; a place that is a sum is added when it is used.
    for (Term& term : terms_) {
        if (!term.shared || term.holder >= 0 || term.registers == 0 || term.linear) continue;
        term.holder = static_cast<std::int64_t>(registers_.size());
        registers_.push_back(term.registers);
    }
    walk(role.body, [&](const Op& op) {
        if (as<Map>(op) != nullptr) read(op, top_.at(&op), false);
    });
    walk(role.body, [&](const Op& op) {
        for (const std::uint32_t v : operands(op)) readers_[v].push_back(&op);
        for_each_result(op, [&](Value v) { makers_[v.id] += v ? 1 : 0; });
    });
    if (open) unpack();
    sink(role.body);
    take_by_vectors(role.body);
}

bool LiveValues::read_by_cells(Value value) const {
    const auto found = readers_.find(value.id);
    return found == readers_.end() ||
           std::all_of(found->second.begin(), found->second.end(),
                       [](const Op* op) { return as<Map>(*op) != nullptr || takes_cells(*op); });
}

// A narrow cell that is loaded under a condition is 0 otherwise: ptxas chooses between the two for
// each, and gives each a register until a map has read it (PRMT R6, RZ, 0x7610, R6; @P0 PRMT R6,
// R38, 0x7610, R6).
void LiveValues::unpack() {
    walk_only<LoadCells>(role_.body, [&](const LoadCells& load) {
        if (!read_by_cells(load.result)) return;
        std::int64_t& registers = registers_[load.result.id];
        registers = std::max(registers, cells_of_thread(layout_of(role_, load.result)));
    });
}

// Where a line was reduced before, what is loaded for the next map alone comes a vector at a time:
// nothing waits for it as a whole.
void LiveValues::take_by_vectors(const Block& block) {
    bool reduced = false;
    for (const Op& op : block) {
        for_each_block(op, [&](const Block& inner) { take_by_vectors(inner); });
        reduced = reduced || as<Apply>(op) != nullptr;
        const LoadCells* load = as<LoadCells>(op);
        if (!reduced || load == nullptr) continue;
        const std::vector<const Op*>& readers = readers_[load->result.id];
        const bool at_once = read_by_cells(load->result) &&
                             std::all_of(readers.begin(), readers.end(), [&](const Op* reader) {
                                 // The line that a map's cells are reduced to is made in the phase
                                 // after it.
                                 const int behind = as<Apply>(*reader) != nullptr ? 1 : 0;
                                 return phases_.at(reader) <= phases_.at(&op) + behind;
                             });
        std::int64_t& registers = registers_[load->result.id];
        if (at_once) registers = std::min(registers, registers_of_vector);
    }
}

void LiveValues::renew(const Op& op) {
    for_each_result(op, [&](Value v) {
        if (!v) return;
        Term term;
        term.holder = v.id;
        const auto* tile = std::get_if<TileType>(&role_[v].type);
        if (tile != nullptr && tile->space == Space::registers)
            term.cells = cells_of_thread(layout_of(role_, v));
        now_[v.id] = terms_.size();
        terms_.push_back(std::move(term));
    });
}

void LiveValues::renew(const Block& block) {
    walk(block, [&](const Op& op) { renew(op); });
}

void LiveValues::number(const Block& block) {
    for (const Op& op : block) {
        bool inner = false;
        // Between maps of one phase nothing waits for all cells: what they share is computed for a
        // cell at a time.
        if (as<Apply>(op) != nullptr || as<For>(op) != nullptr) ++phase_;
        phases_[&op] = phase_;
        for_each_block(op, [&](const Block& body) {
            inner = true;
            if (as<For>(op) != nullptr) renew(body);  // a step finds what the one before left
            scopes_.emplace_back();
            number(body);
            scopes_.pop_back();
        });
        if (inner) {
            for_each_block(op, [&](const Block& body) { renew(body); });
        } else if (const Map* map = as<Map>(op)) {
            number_map(op, *map);
        } else {
            renew(op);
        }
    }
}

void LiveValues::number_map(const Op& op, const Map& map) {
    seen_.clear();
    const std::size_t top = number_scalar(op, map, map.expression);
    top_[&op] = top;
    // The result is the value of the expression, unless that is one already.
    if (terms_[top].holder < 0 && terms_[top].cells > 0) {
        terms_[top].holder = map.result.id;
        now_[map.result.id] = top;
    } else {
        renew(op);
    }
}

std::size_t LiveValues::term_of(const std::string& key, Term term) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (const auto found = scope->find(key); found != scope->end()) return found->second;
    }
    scopes_.back().emplace(key, terms_.size());
    terms_.push_back(std::move(term));
    return terms_.size() - 1;
}

std::size_t LiveValues::number_scalar(const Op& op, const Map& map, const Scalar& s) {
    if (const auto found = seen_.find(s.get()); found != seen_.end()) return found->second;
    std::size_t number = 0;
    if (const auto* element = std::get_if<Element>(&s->node)) {
        const Value input = map.inputs[static_cast<std::size_t>(element->input)];
        number = now_[input.id];
        terms_[number].cells = cells_of_thread(layout_of(role_, input));
    } else {
        Term term;
        std::string key;
        std::vector<Scalar> parts;
        bool sums = false;
        if (const auto* call = std::get_if<Call>(&s->node)) {
            parts = call->arguments;
            key = fmt::format("call {}", static_cast<int>(call->function));
            sums = call->function == Function::add || call->function == Function::sub ||
                   call->function == Function::mul;
        } else if (const auto* converted = std::get_if<Cast>(&s->node)) {
            parts = {converted->argument};
            key = "cast";
        } else if (const auto* outside = std::get_if<External>(&s->node)) {
            parts = outside->arguments;
            key = outside->name;
        } else {
            key = to_string(s);
        }
        const bool place =
            std::holds_alternative<Row>(s->node) || std::holds_alternative<Column>(s->node);
        const bool loaded = std::holds_alternative<ElementLoad>(s->node);
        if (place || loaded) {
            const TileType& tile = role_.tile(map.result);
            term.cells = cells_of_thread(layout_of(role_, map.result));
            key += fmt::format(" of {} x {}, {}", tile.rows, tile.cols, term.cells);
        }
        if (loaded) key += fmt::format(" {}", static_cast<const void*>(&op));
        std::int64_t moving = place ? 1 : 0;
        term.linear = place || (sums && s->dtype == Dtype::i32);
        for (const Scalar& part : parts) {
            const std::size_t n = number_scalar(op, map, part);
            key += fmt::format(" {}", n);
            term.cells = std::max(term.cells, terms_[n].cells);
            term.linear = term.linear && (terms_[n].cells == 0 || terms_[n].linear);
            term.parts.push_back(n);
            moving += terms_[n].cells > 0 ? 1 : 0;
        }
        key += fmt::format(" {}", static_cast<int>(s->dtype));
        const std::int64_t words = std::max<std::int64_t>(1, bytes(s->dtype) / 4);
        term.registers = term.cells * words;
        number = term_of(key, std::move(term));
    }
    Term& term = terms_[number];
    if (term.first == nullptr) {
        term.first = &op;
        term.phase = phase_;
    } else if (term.phase != phase_) {
        term.shared = true;
    }
    seen_[s.get()] = number;
    return number;
}

// Down to what is a value: what the map is the first to compute is made here, and its parts are
// read.
void LiveValues::read(const Op& op, std::size_t number, bool for_shared) {
    const Term& term = terms_[number];
    const auto add = [](std::vector<std::uint32_t>& list, std::uint32_t value) {
        if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    };
    if (term.holder >= 0) {
        const auto value = static_cast<std::uint32_t>(term.holder);
        const bool here = term.first == &op && !term.parts.empty();
        const bool whole = here && value == as<Map>(op)->result.id;
        add(here ? made_[&op] : read_[&op], value);
        if (!for_shared && !whole) add(kept_[&op], value);
        if (!here) return;
        for_shared = for_shared || !whole;
    }
    for (const std::size_t part : term.parts) read(op, part, for_shared);
}

// The result of a map that one operation alone reads, cell after cell, is never there as a whole.
void LiveValues::sink(const Block& block) {
    for (const Op& op : block) {
        for_each_block(op, [&](const Block& inner) { sink(inner); });
        const Map* map = as<Map>(op);
        if (map == nullptr) continue;
        const std::vector<const Op*> readers = readers_[map->result.id];
        const bool near = readers.size() == 1 &&
                          std::any_of(block.begin(), block.end(),
                                      [&](const Op& other) { return &other == readers[0]; });
        if (makers_[map->result.id] != 1 || !near || !takes_cells(*readers[0])) continue;
        registers_[map->result.id] = 0;
        std::vector<std::uint32_t> all = operands(*readers[0]);
        const std::vector<std::uint32_t>& more = kept_[&op];
        all.insert(all.end(), more.begin(), more.end());
        read_[readers[0]] = all;
        for (const std::uint32_t v : more) readers_[v].push_back(readers[0]);
    }
}

std::vector<std::uint32_t> LiveValues::results(const Op& op) const {
    std::vector<std::uint32_t> all;
    if (const auto found = made_.find(&op); found != made_.end()) all = found->second;
    for_each_result(op, [&](Value v) {
        if (v && std::find(all.begin(), all.end(), v.id) == all.end()) all.push_back(v.id);
    });
    return all;
}

std::vector<std::uint32_t> LiveValues::operands(const Op& op) const {
    if (const auto found = read_.find(&op); found != read_.end()) return found->second;
    std::vector<std::uint32_t> all;
    if (as<Map>(op) != nullptr) return all;  // of constants and places
    for_each_result(op, [&](Value v) {
        if (v && reads(op, v)) all.push_back(v.id);
    });
    for_each_operand(op, [&](Value v) { all.push_back(v.id); });
    return all;
}

}  // namespace tkc::lowering
