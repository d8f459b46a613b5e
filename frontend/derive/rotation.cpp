// Dependences between the statements of a loop's body, by the names that they read and write. No
// name hides another: in one body a name is one place. Blocks inside of it that are side by side
// may declare the same name, which then only makes them depend on each other.
#include "frontend/derive/rotation.h"

#include <algorithm>

#include "frontend/parse/ast_walk.h"

namespace tkc::derive {

namespace {

using Set = std::set<std::string>;

const std::string memory = "memory";  // no name: written tensors, and what is printed

struct Effects {
    Set reads, writes, declares;
    bool has_blocks = false;
    bool is_product = false;  // nothing but one product: `o += mma(p, v)`, `let s = mma(q, k)`
    bool opens_element = false;
};

bool is_name(const ast::Expr& e) { return std::holds_alternative<ast::NameRef>(e.node); }

class Reader {
public:
    explicit Reader(const Loads& loads) : loads_(loads) {}

    Effects read(const ast::Stmt& stmt) {
        effects_ = {};
        add(stmt);
        const ast::Expr* value = nullptr;
        if (const auto* let = std::get_if<ast::Let>(&stmt.node)) value = let->value.get();
        if (const auto* assign = std::get_if<ast::Assign>(&stmt.node)) {
            const bool sums = assign->op == ast::AssignOp::set || assign->op == ast::AssignOp::add;
            if (sums && is_name(*assign->target)) value = assign->value.get();
        }
        effects_.is_product = value != nullptr && checker::call_of(*value, "mma") != nullptr;
        return std::move(effects_);
    }

private:
    void add(const ast::Stmt& stmt) {
        checker::Walk hooks;
        std::set<const ast::Expr*> moved;  // expressions in loads that move: they are not written
        hooks.expr = [&](const ast::Expr& e) {
            if (std::any_of(loads_.moved.begin(), loads_.moved.end(),
                            [&](const Load& load) { return load.load == &e; })) {
                checker::Walk below;
                below.expr = [&](const ast::Expr& b) { moved.insert(&b); };
                checker::walk(e, below);
            }
            // Any other place of memory may be one that is written.
            if (std::holds_alternative<ast::Index>(e.node) && !moved.contains(&e))
                effects_.reads.insert(memory);
            if (checker::is_load(e) && !moved.contains(&e)) effects_.reads.insert(memory);
            if (const auto* name = std::get_if<ast::NameRef>(&e.node))
                effects_.reads.insert(name->text);
            const auto* call = std::get_if<ast::Call>(&e.node);
            if (call == nullptr) return;
            for (const ast::Arg& arg : call->args) {
                if (arg.is_inout) effects_.writes.insert(root_of(*arg.value));
            }
        };
        hooks.stmt = [&](const ast::Stmt& s) {
            if (const auto* let = std::get_if<ast::Let>(&s.node)) {
                effects_.writes.insert(let->name.text);
                effects_.declares.insert(let->name.text);
            } else if (const auto* own = std::get_if<ast::SharedVar>(&s.node)) {
                effects_.writes.insert(own->name.text);
                effects_.declares.insert(own->name.text);
                effects_.opens_element = true;
            } else if (const auto* assign = std::get_if<ast::Assign>(&s.node)) {
                effects_.writes.insert(root_of(*assign->target));
            } else if (std::holds_alternative<ast::CallStmt>(s.node)) {
                effects_.writes.insert(memory);
                effects_.reads.insert(memory);
            } else if (std::holds_alternative<ast::For>(s.node) ||
                       std::holds_alternative<ast::ForSpace>(s.node) ||
                       std::holds_alternative<ast::If>(s.node)) {
                effects_.has_blocks = true;
            }
            const auto pipes = loads_.of.find(&s);
            if (pipes == loads_.of.end()) return;
            for (const std::size_t pipe : pipes->second) {
                for (const std::size_t load : loads_.pipes[pipe].loads)
                    effects_.opens_element =
                        effects_.opens_element || loads_.moved[load].let != nullptr;
            }
        };
        checker::walk(stmt, hooks);
    }

    const Loads& loads_;
    Effects effects_;
};

// The numbers of the body that `late` reads, with those that they are made of: every step can
// compute them from its own number, and the step after it for it.
std::vector<std::size_t> numbers_of(const std::vector<std::size_t>& late,
                                    const std::vector<Effects>& body, const ast::For& loop,
                                    const Loads& loads) {
    Set wanted;
    for (const std::size_t l : late) wanted.insert(body[l].reads.begin(), body[l].reads.end());
    std::vector<std::size_t> numbers;
    for (std::size_t i = body.size(); i-- > 0;) {
        const auto* let = std::get_if<ast::Let>(&loop.body.stmts[i].node);
        if (let == nullptr || !loads.common.contains(let) || !wanted.contains(let->name.text))
            continue;
        wanted.insert(body[i].reads.begin(), body[i].reads.end());
        numbers.insert(numbers.begin(), i);
    }
    return numbers;
}

// Whether the order of two statements matters.
bool conflict(const Effects& a, const Effects& b) {
    return meet(a.writes, b.reads) || meet(a.reads, b.writes) || meet(a.writes, b.writes);
}

}  // namespace

bool meet(const Set& a, const Set& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& n) { return b.contains(n); });
}

std::string root_of(const ast::Expr& place) {
    const ast::Expr* at = &place;
    while (true) {
        if (const auto* name = std::get_if<ast::NameRef>(&at->node)) return name->text;
        if (const auto* member = std::get_if<ast::Member>(&at->node)) at = member->base.get();
        else if (const auto* index = std::get_if<ast::Index>(&at->node)) at = index->base.get();
        else return memory;
    }
}

std::optional<Cut> cut_of(const ast::For& loop, const Loads& loads) {
    std::vector<Effects> body;
    for (const ast::Stmt& stmt : loop.body.stmts) body.push_back(Reader(loads).read(stmt));
    const std::size_t count = body.size();
    // Which names hold products of the step, or arithmetic on such.
    Set products, derived;
    std::vector<bool> on_arithmetic(count);
    std::vector<bool> is_arithmetic(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Effects& e = body[i];
        on_arithmetic[i] = meet(e.reads, derived);
        is_arithmetic[i] = !e.is_product && (on_arithmetic[i] || meet(e.reads, products));
        if (is_arithmetic[i]) derived.insert(e.writes.begin(), e.writes.end());
        else if (e.is_product) products.insert(e.writes.begin(), e.writes.end());
    }
    for (std::size_t x = count; x-- > 0;) {
        if (!body[x].is_product || !on_arithmetic[x]) continue;
        std::vector<bool> late(count);
        late[x] = true;
        for (std::size_t i = x + 1; i < count; ++i) {
            for (std::size_t k = x; k < i; ++k)
                late[i] = late[i] || (late[k] && conflict(body[k], body[i]));
        }
        Cut cut;
        bool leading = true;
        bool multiplies = false;
        for (std::size_t i = 0; i < count; ++i) {
            if (late[i]) {
                cut.late.push_back(i);
                continue;
            }
            leading = leading && !is_arithmetic[i] && !on_arithmetic[i] && !body[i].has_blocks;
            (leading ? cut.first : cut.rest).push_back(i);
            multiplies = multiplies || (leading && body[i].is_product);
        }
        const bool gains = std::any_of(cut.rest.begin(), cut.rest.end(),
                                       [&](std::size_t i) { return is_arithmetic[i]; });
        bool legal = multiplies && gains;
        cut.again = numbers_of(cut.late, body, loop, loads);
        Set again;  // their names, of which `late` has its own
        for (const std::size_t i : cut.again) again.merge(Set(body[i].declares));
        for (const std::size_t l : cut.late) {
            legal = legal && !body[l].has_blocks && !body[l].opens_element;
            Effects own = body[l];
            for (const std::string& name : again) own.reads.erase(name);
            for (const std::size_t f : cut.first) legal = legal && !conflict(own, body[f]);
        }
        for (const auto* part : {&cut.first, &cut.rest}) {
            for (const std::size_t i : *part) {
                for (const std::string& name : body[i].declares) {
                    const bool read =
                        !again.contains(name) &&
                        std::any_of(cut.late.begin(), cut.late.end(),
                                    [&](std::size_t l) { return body[l].reads.contains(name); });
                    // An element does not outlive its step.
                    const bool fixed = body[i].opens_element || body[i].has_blocks;
                    legal = legal && !(read && fixed);
                    (read ? cut.carried : cut.own).insert(name);
                }
            }
        }
        if (legal) return cut;
    }
    return std::nullopt;
}

}  // namespace tkc::derive
