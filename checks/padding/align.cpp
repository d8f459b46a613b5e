// Which element of a pipeline a reader takes: its statements side by side with the writer's.
#include "checks/padding/padding.h"
#include "ir/walk.h"

namespace tkc::checks::padding {

namespace {

using Variables = std::map<std::string, ir::Scalar>;

bool is_event(const ir::Op& op, const std::string& pipeline) {
    if (const auto* produce = ir::as<ir::Produce>(op)) return produce->pipeline == pipeline;
    const auto* consume = ir::as<ir::Consume>(op);
    return consume != nullptr && consume->pipeline == pipeline;
}

// The operations of the block that are or contain a `produce` or `consume` of the pipeline; what a
// `produce` of another one consumes counts as if it were before it.
std::vector<const ir::Op*> events(const ir::Block& block, const std::string& pipeline) {
    std::vector<const ir::Op*> list;
    for (const ir::Op& op : block) {
        bool found = is_event(op, pipeline);
        if (const auto* other = ir::as<ir::Produce>(op); other != nullptr && !found) {
            const std::vector<const ir::Op*> inner = events(other->body, pipeline);
            list.insert(list.end(), inner.begin(), inner.end());
            continue;
        }
        ir::for_each_block(
            op, [&](const ir::Block& inner) { found = found || !events(inner, pipeline).empty(); });
        if (found) list.push_back(&op);
    }
    return list;
}

class Aligner {
public:
    Aligner(const ir::Role& writer, const ir::Role& reader, const std::string& pipeline,
            const ir::Bindings& bindings)
        : pipeline_(pipeline),
          bindings_(bindings),
          writer_lets_(expanded_lets(writer)),
          reader_lets_(expanded_lets(reader)) {}

    bool match(const ir::Block& writer, const ir::Block& reader, const Variables& variables) {
        const std::vector<const ir::Op*> made = events(writer, pipeline_);
        const std::vector<const ir::Op*> taken = events(reader, pipeline_);
        if (made.size() != taken.size()) return false;
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (!match(*made[i], *taken[i], variables)) return false;
        }
        return true;
    }

    std::map<const ir::Op*, ProducedBy> pairs;

private:
    bool match(const ir::Op& made, const ir::Op& taken, const Variables& variables) {
        if (ir::as<ir::Produce>(made) != nullptr && ir::as<ir::Consume>(taken) != nullptr) {
            pairs[&taken] = {&made, variables};
            return true;
        }
        if (const auto* left = ir::as<ir::If>(made)) {
            const auto* right = ir::as<ir::If>(taken);
            return right != nullptr && same(left->condition, right->condition, variables) &&
                   match(left->then_body, right->then_body, variables) &&
                   match(left->else_body, right->else_body, variables);
        }
        const auto* left = ir::as<ir::For>(made);
        const auto* right = ir::as<ir::For>(taken);
        if (left == nullptr || right == nullptr || left->reversed != right->reversed) return false;
        const std::optional<ir::Scalar> moved = in_readers_loop(*left, *right, variables);
        if (!moved) return false;
        Variables inner = variables;
        inner[left->var] = *moved;
        return match(left->body, right->body, inner);
    }

    // The variable of the writer's loop in the iteration of the same number, if both loops have as
    // many: c is 8 * i in `for c in C by 8` and `for i in ceil_div(C, 8)`.
    std::optional<ir::Scalar> in_readers_loop(const ir::For& written, const ir::For& read,
                                              const Variables& variables) const {
        const ir::Scalar variable = ir::symbol(read.var);
        if (written.step == read.step && same(written.begin, read.begin, variables) &&
            same(written.end, read.end, variables))
            return variable;
        const auto trips = [](const ir::For& loop) {
            return ir::ceil_div(ir::sub(loop.end, loop.begin), ir::integer(loop.step));
        };
        const bool whole = written.step % read.step == 0;
        if (!same(trips(written), trips(read), variables) ||
            (!whole && read.step % written.step != 0))
            return std::nullopt;
        const ir::Scalar passed = ir::sub(variable, ir::substitute(read.begin, reader_lets_));
        const ir::Scalar from_begin =
            whole ? ir::mul(passed, ir::integer(written.step / read.step))
                  : ir::floor_div(passed, ir::integer(read.step / written.step));
        const ir::Scalar begin = ir::substitute(written.begin, writer_lets_);
        return ir::add(ir::substitute(begin, variables), from_begin);
    }

    bool same(const ir::Scalar& written, const ir::Scalar& read, const Variables& variables) const {
        const ir::Scalar a = ir::substitute(ir::substitute(written, writer_lets_), variables);
        const ir::Scalar b = ir::substitute(read, reader_lets_);
        return ir::normal_form(a, bindings_).key() == ir::normal_form(b, bindings_).key();
    }

    const std::string& pipeline_;
    const ir::Bindings& bindings_;
    const Variables writer_lets_, reader_lets_;
};

}  // namespace

std::map<std::string, ir::Scalar> expanded_lets(const ir::Role& role) {
    Variables lets;
    ir::walk(role.body, [&](const ir::Op& op) {
        if (const auto* let = ir::as<ir::Let>(op))
            lets[let->name] = ir::substitute(let->value, lets);
        const auto* read = ir::as<ir::ReadNumber>(op);
        if (read != nullptr && is_integer(role.tile(read->source).dtype))
            lets[read->name] = ir::unknown_number(*read);
    });
    return lets;
}

std::map<const ir::Op*, ProducedBy> align(const ir::Role& writer, const ir::Role& reader,
                                          const std::string& pipeline,
                                          const ir::Bindings& bindings) {
    Aligner aligner(writer, reader, pipeline, bindings);
    if (!aligner.match(writer.body, reader.body, {})) return {};
    return std::move(aligner.pairs);
}

}  // namespace tkc::checks::padding
