// The derived kernel as text: the statements of the sequential one, in its words, with `consume` in
// the places of loads, and the producer, which is the same program without all else.
#include "frontend/derive/write_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "frontend/derive/apart.h"
#include "frontend/derive/copies.h"
#include "frontend/derive/grid.h"
#include "frontend/derive/rotation.h"
#include "frontend/derive/uses.h"
#include "frontend/parse/ast_walk.h"

namespace tkc::derive {

namespace {

class Writer {
public:
    Writer(const ast::Kernel& kernel, Span whole, const Choice& choice,
           const SourceManager& sources, Names& names, const Loads& loads,
           std::vector<std::string>& story)
        : kernel_(kernel),
          whole_(whole),
          choice_(choice),
          sources_(sources),
          names_(names),
          loads_(loads),
          uses_(uses_of(kernel, loads)),
          story_(story) {}

    // Nothing where the text cannot say it: a variable of the loop is where it has no other
    // form.
    std::optional<DerivedText> run() {
        const Span place = kernel_.name.span;
        for (const auto& [loop, pipes] : loads_.before) {
            for (const std::size_t pipe : pipes) {
                const Load& load = loads_.moved[loads_.pipes[pipe].loads.front()];
                held_[load.operand] = load.name;
            }
        }
        DerivedText text;
        const std::uint32_t body = kernel_.items.front().span.begin;
        copy_head(body, text);
        text.add("{\n", place);
        write_grid(text);
        for (const ast::KernelItem& item : kernel_.items) {
            if (!stays_outside(item)) continue;
            line(text, 1, copied(item.span));
        }
        for (const Pipe& pipe : loads_.pipes) line(text, 1, declaration(pipe));
        text.add("\n", place);
        Roles roles;
        for (const ast::KernelItem& item : kernel_.items) {
            const auto* stmt = std::get_if<ast::Stmt>(&item.node);
            if (stmt != nullptr && !stays_outside(item)) write(*stmt, {}, 2, roles);
        }
        const bool turns = grid_word<ast::Pingpong>(kernel_) != nullptr;
        role(text, names_.fresh("producer"), producer_width(), "", roles.producer);
        role(text, names_.fresh("consumer"), width(), turns ? " pingpong" : "", roles.consumer);
        text.add("}", place);
        return possible_ ? std::optional(std::move(text)) : std::nullopt;
    }

private:
    // ---- pieces

    DerivedText copied(Span span) const {
        DerivedText piece;
        piece.copy(sources_, span);
        return piece;
    }
    DerivedText words(const std::string& text, Span place) const {
        DerivedText piece;
        piece.add(text, place);
        return piece;
    }
    std::string source(Span span) const { return words_of(sources_, span); }

    // A source piece over several lines keeps them; they are moved to the line's own depth.
    static void line(DerivedText& out, int depth, const DerivedText& piece, Span place = {}) {
        const Span at = place.file != 0 ? place : piece.origin(0, 1);
        out.add(std::string(static_cast<std::size_t>(depth) * 4, ' '), at);
        out.add(piece);
        out.add("\n", at);
    }

    DerivedText edited(Span span, std::vector<Edit> edits) const {
        std::sort(edits.begin(), edits.end(),
                  [](const Edit& a, const Edit& b) { return a.at.begin < b.at.begin; });
        DerivedText text;
        std::uint32_t at = span.begin;
        for (const Edit& e : edits) {
            if (e.at.begin < at) continue;  // inside of one that is done
            text.copy(sources_, {span.file, at, e.at.begin});
            text.add(e.words, e.at);
            at = e.at.end;
        }
        text.copy(sources_, {span.file, at, span.end});
        return text;
    }

    // ---- the kernel's own parts

    // Up to the brace of the body, which is after the rest of the signature and its comments.
    void copy_head(std::uint32_t body, DerivedText& text) const {
        std::uint32_t at = kernel_.name.span.end;
        for (const ast::KernelParam& p : kernel_.params) at = std::max(at, p.span.end);
        for (const auto* list : {&kernel_.conditions, &kernel_.beliefs}) {
            for (const ast::ExprPtr& e : *list) at = std::max(at, e->span.end);
        }
        const std::string rest(sources_.text({whole_.file, at, body}));
        std::size_t brace = 0;
        while (rest[brace] != '{') {
            if (rest.compare(brace, 2, "//") == 0) brace = rest.find('\n', brace);
            ++brace;
        }
        text.copy(sources_, {whole_.file, whole_.begin, at + static_cast<std::uint32_t>(brace)});
    }

    // Numbers and views are next to the roles, which share them. A list is a tile, and each role
    // that needs one has its own.
    bool stays_outside(const ast::KernelItem& item) const {
        if (std::holds_alternative<ast::Space>(item.node)) return true;
        const auto* stmt = std::get_if<ast::Stmt>(&item.node);
        const auto* let = stmt == nullptr ? nullptr : std::get_if<ast::Let>(&stmt->node);
        return let != nullptr && loads_.common.contains(let) && !loads_.lists.contains(let);
    }

    void write_grid(DerivedText& text) const {
        const auto item = std::find_if(kernel_.items.begin(), kernel_.items.end(), [](auto& i) {
            return std::holds_alternative<ast::Grid>(i.node);
        });
        std::vector<Edit> edits;
        Span warps;
        if (grid_word<ast::Warps>(kernel_, &warps) != nullptr) {
            const Span before{warps.file, warps.begin - 1, warps.begin};
            if (sources_.text(before) == " ") --warps.begin;
            edits.push_back({warps, ""});
        }
        Span turns;
        if (grid_word<ast::Pingpong>(kernel_, &turns) != nullptr) {
            const Span before{turns.file, turns.begin - 1, turns.begin};
            if (sources_.text(before) == " ") --turns.begin;
            edits.push_back({turns, ""});
        }
        std::string more;
        // Programs that wait for each other start one by one, in the order that the author knows.
        const bool counts = std::any_of(
            kernel_.params.begin(), kernel_.params.end(),
            [](const ast::KernelParam& p) { return p.mode == ast::ParamMode::counter; });
        if (grid_word<ast::Persistent>(kernel_) == nullptr && !counts) more += " persistent";
        const bool ordered = grid_word<ast::Raster>(kernel_) != nullptr ||
                             grid_word<ast::HeaviestFirst>(kernel_) != nullptr ||
                             grid_word<ast::Cluster>(kernel_) != nullptr;
        if (!ordered && !counts) more += order_of(kernel_, loads_);
        if (!more.empty()) story_.push_back("words added to the grid:" + more);
        edits.push_back({{item->span.file, item->span.end - 1, item->span.end}, more + ";"});
        line(text, 1, edited(item->span, std::move(edits)));
    }

    std::string width() const {
        const auto* warps = grid_word<ast::Warps>(kernel_);
        const auto* count =
            warps == nullptr ? nullptr : std::get_if<ast::IntLiteral>(&warps->count->node);
        if (choice_.warps != 0) {
            if (warps != nullptr && count == nullptr && !is_auto(warps))
                return sum_of(*warps->count, sources_) + " warps";
            return std::to_string(choice_.warps) + (choice_.warps == 1 ? " warp" : " warps");
        }
        if (count != nullptr) {
            const std::uint64_t groups = count->value / 4;
            return std::to_string(groups) + (groups == 1 ? " warpgroup" : " warpgroups");
        }
        if (is_auto(warps))
            return std::to_string(choice_.warpgroups) +
                   (choice_.warpgroups == 1 ? " warpgroup" : " warpgroups");
        return quarter_of(*warps->count, sources_) + " warpgroups";
    }

    DerivedText declaration(const Pipe& pipe) const {
        std::string stages = "1";
        if (pipe.loop != nullptr)
            stages =
                pipe.loop->depth ? source(pipe.loop->depth->span) : std::to_string(choice_.stages);
        const ast::Expr* const own = loads_.moved[pipe.loads.front()].stages;
        if (own != nullptr) stages = source(own->span);
        std::string text = "pipeline " + pipe.name + "[" + stages + "]";
        const Load& only = loads_.moved[pipe.loads.front()];
        if (pipe.loads.size() == 1) return words(text + ": " + only.type + ";", only.load->span);
        text += " {";
        for (const std::size_t i : pipe.loads)
            text += " " + loads_.moved[i].field + ": " + loads_.moved[i].type + ";";
        return words(text + " }", only.load->span);
    }

    void role(DerivedText& text, const std::string& name, const std::string& width,
              const std::string& words, const DerivedText& body) const {
        Span place = kernel_.name.span;
        text.add("    role " + name + "(" + width + ")", place);
        if (!words.empty()) grid_word<ast::Pingpong>(kernel_, &place);
        text.add(words, place);
        place = kernel_.name.span;
        text.add(" {\n", place);
        text.add(body);
        text.add("    }\n", place);
    }

    // ---- statements

    // The variable of a loop without `by`, which is a number, in this copy.
    std::string number(const Copy& copy) const {
        switch (copy.step) {
            case Step::own: return copy.loop->name.text;
            case Step::first: return range_of(*copy.loop).begin;
            case Step::previous: return copy.loop->name.text + " - 1";
            case Step::last: break;
        }
        return range_of(*copy.loop).end + " - 1";
    }

    // One lane starts TMA's copies; those of rows that a list chooses are many.
    std::string producer_width() const {
        std::set<std::string> where;
        for (const Load& load : loads_.moved) {
            if (load.listed) where.insert(load.only_where);
        }
        if (where.empty()) return "1 warp";
        if (where.contains("")) return "4 warps";
        return fmt::format("(if {} {{ 4 }} else {{ 1 }}) warps", fmt::join(where, " or "));
    }

    // The name of the loop's variable in this copy, as a position in a slice.
    std::string position(const Copy& copy) const {
        const ast::Iter& iter = *copy.loop;
        if (!iter.step) return number(copy);
        const auto [begin, end, step] = range_of(iter);
        switch (copy.step) {
            case Step::own: return iter.name.text;
            case Step::first: return begin + " +: " + step;
            case Step::previous: return iter.name.text + ".prev";
            case Step::last: break;
        }
        if (begin == "0") return "last_tile(" + end + ", " + step + ")";
        // In the words of checks/padding/loops.cpp, so that both name one place.
        return begin + " + max(ceil_div(" + end + " - " + begin + ", " + step + ") - 1, 0) * " +
               step + " +: " + step;
    }

    struct Range {
        std::string begin, end, step;
    };
    // The range of a loop, as text that is allowed in any expression.
    Range range_of(const ast::Iter& iter) const {
        const auto operand = [&](const ast::Expr& e) {
            const std::string text = source(e.span);
            const bool one = std::holds_alternative<ast::NameRef>(e.node) ||
                             std::holds_alternative<ast::IntLiteral>(e.node);
            return one ? text : "(" + text + ")";
        };
        return {iter.begin ? operand(*iter.begin) : "0", operand(*iter.end),
                iter.step ? operand(*iter.step) : "1"};
    }

    // The edits that the copy makes in an expression or a statement's own parts.
    checker::Walk editor(const Copy& copy, std::vector<Edit>& edits) {
        checker::Walk hooks;
        hooks.expr = [this, &copy, &edits](const ast::Expr& e) {
            if (const auto* index = std::get_if<ast::Index>(&e.node);
                index != nullptr && copy.loop) {
                for (const ast::Subscript& sub : index->subscripts) {
                    const auto* at = std::get_if<ast::Position>(&sub.node);
                    const auto* name =
                        at == nullptr ? nullptr : std::get_if<ast::NameRef>(&at->value->node);
                    if (name == nullptr || name->text != copy.loop->name.text) continue;
                    edits.push_back({at->value->span, position(copy)});
                    done_.insert(at->value.get());
                }
            }
            if (const auto* member = std::get_if<ast::Member>(&e.node); member && copy.loop) {
                const auto* name = std::get_if<ast::NameRef>(&member->base->node);
                if (name != nullptr && name->text == copy.loop->name.text) {
                    done_.insert(member->base.get());
                    edit_member(e, member->member.text, copy, edits);
                }
            }
            const auto held = held_.find(&e);
            if (held != held_.end()) edits.push_back({e.span, held->second});
            const auto* name = std::get_if<ast::NameRef>(&e.node);
            if (name == nullptr) return;
            if (copy.loop && name->text == copy.loop->name.text && copy.step != Step::own &&
                !done_.contains(&e)) {
                if (copy.loop->step) possible_ = false;
                else edits.push_back({e.span, "(" + number(copy) + ")"});
            }
            const auto renamed = copy.renamed.find(name->text);
            if (renamed != copy.renamed.end()) edits.push_back({e.span, renamed->second});
            // A name in place of what is apart.
            else if (sources_.text(e.span) != name->text) edits.push_back({e.span, name->text});
        };
        return hooks;
    }

    // `j.start` in the first step and in the one before.
    void edit_member(const ast::Expr& whole, const std::string& member, const Copy& copy,
                     std::vector<Edit>& edits) {
        if (copy.step == Step::own) return;
        const Range range = range_of(*copy.loop);
        if (copy.step == Step::first && member == "start")
            edits.push_back({whole.span, range.begin});
        else if (copy.step == Step::previous && member == "start")
            edits.push_back(
                {whole.span, "(" + copy.loop->name.text + ".start - " + range.step + ")"});
        else possible_ = false;
    }

    void write(const ast::Block& block, const Copy& copy, int depth, Roles& out) {
        for (const ast::Stmt& stmt : block.stmts) write(stmt, copy, depth, out);
    }

    // The pipe of one load whose tile has a name.
    void write_named(const Pipe& pipe, const Copy& copy, int depth, Roles& out) {
        const Load& load = loads_.moved[pipe.loads.front()];
        std::vector<Edit> edits;
        checker::walk(*load.load, editor(copy, edits));
        std::erase_if(edits, [&](const Edit& e) { return e.at == load.operand->span; });
        DerivedText produce = words("produce " + pipe.name + " = ", load.load->span);
        produce.add(edited(load.load->span, std::move(edits)));
        produce.add(";", load.load->span);
        line(out.producer, depth, produce);
        const bool held = choice_.registers && load.only_a && load.operand == load.load;
        if (held) story_.push_back("`" + load.name + "` is held in registers");
        const auto renamed = copy.renamed.find(load.name);
        const std::string& name = renamed == copy.renamed.end() ? load.name : renamed->second;
        line(out.consumer, depth,
             words("let " + name + (held ? ": " + load.type : "") + " = consume " + pipe.name + ";",
                   load.load->span));
    }

    void write_before(const ast::Stmt& loop, const Copy& copy, int depth, Roles& out) {
        const auto pipes = loads_.before.find(&loop);
        if (pipes == loads_.before.end()) return;
        for (const std::size_t pipe : pipes->second)
            write_named(loads_.pipes[pipe], copy, depth, out);
    }

    void write(const ast::Stmt& stmt, const Copy& copy, int depth, Roles& out) {
        write_before(stmt, copy, depth, out);
        if (const auto* loop = std::get_if<ast::For>(&stmt.node)) {
            if (loop->pipelined && choice_.rotates && loop->iters.size() == 1 &&
                rotate(stmt, *loop, copy, depth, out))
                return;
            return write_loop(stmt, loop->iters.back().span.end, loop->body, copy, depth, out);
        }
        if (const auto* walk = std::get_if<ast::ForSpace>(&stmt.node)) {
            return write_loop(stmt, walk->space.span.end, walk->body, copy, depth, out);
        }
        if (const auto* branch = std::get_if<ast::If>(&stmt.node))
            return write_branch(stmt, *branch, copy, depth, out);
        write_plain(stmt, copy, depth, out);
    }

    void write_loop(const ast::Stmt& stmt, std::uint32_t head_end, const ast::Block& body,
                    const Copy& copy, int depth, Roles& out) {
        Roles inner;
        write(body, copy, depth + 1, inner);
        std::vector<Edit> edits;
        checker::walk_own(stmt, editor(copy, edits));
        const Span span{stmt.span.file, stmt.span.begin, head_end};
        std::erase_if(edits, [&](const Edit& e) { return e.at.end > span.end; });
        enclose(edited(span, std::move(edits)), inner, depth, stmt.span, out);
    }

    // `head { body }` in each role that has a body.
    static void enclose(const DerivedText& head, const Roles& inner, int depth, Span place,
                        Roles& out) {
        const auto add = [&](DerivedText& role, const DerivedText& body) {
            if (body.empty()) return;
            DerivedText first = head;
            first.add(" {", place);
            line(role, depth, first);
            role.add(body);
            DerivedText last;
            last.add("}", place);
            line(role, depth, last);
        };
        add(out.consumer, inner.consumer);
        add(out.producer, inner.producer);
    }

    void write_branch(const ast::Stmt& stmt, const ast::If& branch, const Copy& copy, int depth,
                      Roles& out) {
        Roles yes, no;
        write(branch.then_block, copy, depth + 1, yes);
        if (branch.else_block) write(*branch.else_block, copy, depth + 1, no);
        std::vector<Edit> edits;
        checker::walk_own(stmt, editor(copy, edits));
        DerivedText head;
        head.add("if ", stmt.span);
        head.add(edited(branch.condition->span, std::move(edits)));
        const auto add = [&](DerivedText& role, const DerivedText& then, const DerivedText& rest) {
            if (then.empty() && rest.empty()) return;
            DerivedText first = head;
            first.add(" {", stmt.span);
            line(role, depth, first);
            role.add(then);
            if (!rest.empty()) {
                line(role, depth, words("} else {", stmt.span));
                role.add(rest);
            }
            line(role, depth, words("}", stmt.span));
        };
        add(out.consumer, yes.consumer, no.consumer);
        add(out.producer, yes.producer, no.producer);
    }

    void write_plain(const ast::Stmt& stmt, const Copy& copy, int depth, Roles& out) {
        const auto* let = std::get_if<ast::Let>(&stmt.node);
        std::vector<Edit> edits;
        checker::walk_own(stmt, editor(copy, edits));
        if (let != nullptr && !is_new(stmt)) edit_declaration(stmt, *let, copy, edits);
        if (let != nullptr && loads_.common.contains(let)) {
            const DerivedText text = statement(stmt, copy, std::move(edits));
            if (uses_.consumed.contains(let->name.text)) line(out.consumer, depth, text);
            if (uses_.produced.contains(let->name.text)) line(out.producer, depth, text);
            return;
        }
        const auto pipes = loads_.of.find(&stmt);
        if (pipes == loads_.of.end()) {
            line(out.consumer, depth, statement(stmt, copy, std::move(edits)));
            return;
        }
        const Pipe& pipe = loads_.pipes[pipes->second.front()];
        if (loads_.moved[pipe.loads.front()].let != nullptr)
            return write_named(pipe, copy, depth, out);
        const bool single = pipe.loads.size() == 1;
        std::string element;
        if (!single) element = names_.fresh("tiles");
        DerivedText produce = words("produce " + pipe.name + (single ? " = " : " { "), stmt.span);
        for (const std::size_t i : pipe.loads) {
            const Load& load = loads_.moved[i];
            std::vector<Edit> inner;
            checker::walk(*load.load, editor(copy, inner));
            if (!single) produce.add(load.field + " = ", load.load->span);
            produce.add(edited(load.load->span, std::move(inner)));
            produce.add(single ? ";" : "; ", load.load->span);
            std::string consumed = element + "." + load.field;
            if (single) consumed = "consume " + pipe.name;
            if (single && load.turned) consumed = "(" + consumed + ")";
            if (load.let == nullptr) edits.push_back({load.operand->span, consumed});
        }
        if (!single) produce.add("}", stmt.span);
        line(out.producer, depth, produce);
        // An edit of an operand comes before those of the names in it.
        std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
            return a.at.begin != b.at.begin ? a.at.begin < b.at.begin : a.at.end > b.at.end;
        });
        DerivedText text = statement(stmt, copy, std::move(edits));
        if (single) return line(out.consumer, depth, text);
        if (let != nullptr || std::holds_alternative<ast::SharedVar>(stmt.node)) {
            line(out.consumer, depth,
                 words("let " + element + " = consume " + pipe.name + ";", stmt.span));
            return line(out.consumer, depth, text);
        }
        DerivedText block = words("consume " + pipe.name + " as " + element + " { ", stmt.span);
        block.add(text);
        block.add(" }", stmt.span);
        line(out.consumer, depth, block);
    }

    // The statement, and the words of a `let` that the file does not have.
    DerivedText statement(const ast::Stmt& stmt, const Copy& copy, std::vector<Edit> edits) const {
        DerivedText text = edited(stmt.span, std::move(edits));
        if (!is_new(stmt)) return text;
        const std::string& name = std::get<ast::Let>(stmt.node).name.text;
        const auto renamed = copy.renamed.find(name);
        std::string head = copy.variables.contains(name) ? "var " : "let ";
        if (copy.assigned.contains(name)) head.clear();
        DerivedText made = words(
            head + (renamed == copy.renamed.end() ? name : renamed->second) + " = ", stmt.span);
        made.add(text);
        made.add(";", stmt.span);
        return made;
    }

    void edit_declaration(const ast::Stmt& stmt, const ast::Let& let, const Copy& copy,
                          std::vector<Edit>& edits) const {
        const std::string& name = let.name.text;
        const Span type = let.type ? let.type->span : let.name.span;
        const auto renamed = copy.renamed.find(name);
        if (copy.assigned.contains(name))
            edits.push_back({{stmt.span.file, stmt.span.begin, type.end}, name});
        else if (copy.variables.contains(name) && !let.is_var)
            edits.push_back({{stmt.span.file, stmt.span.begin, stmt.span.begin + 3}, "var"});
        else if (renamed != copy.renamed.end()) edits.push_back({let.name.span, renamed->second});
    }

    // ---- rotation

    // False: the loop stays as it is.
    bool rotate(const ast::Stmt& stmt, const ast::For& loop, const Copy& outer, int depth,
                Roles& out) {
        const ast::Iter& iter = loop.iters.front();
        if (iter.reversed || outer.loop != nullptr) return false;
        const std::optional<Cut> cut = cut_of(loop, loads_);
        if (!cut) return false;
        Copy first{&iter, Step::first, {}, cut->carried, {}};
        for (const std::string& name : cut->own)
            first.renamed[name] = names_.fresh(name + "_first");
        Copy own;
        own.assigned = cut->carried;
        Copy previous{&iter, Step::previous, {}, {}, {}};
        Copy last{&iter, Step::last, {}, {}, {}};
        for (const std::size_t i : cut->again) {
            const std::string& name = std::get<ast::Let>(loop.body.stmts[i].node).name.text;
            previous.renamed[name] = names_.fresh(name + "_before");
            last.renamed[name] = names_.fresh(name + "_last");
        }
        const auto part = [&](const std::vector<std::size_t>& numbers, const Copy& copy, int at,
                              Roles& to) {
            for (const std::size_t i : numbers) write(loop.body.stmts[i], copy, at, to);
        };
        Roles steps;  // the body of the loop
        // What is computed again for the late statements: a role has what its part of them reads.
        const auto late = [&](const Copy& copy, int at, Roles& to) {
            Roles written;
            part(cut->late, copy, at, written);
            for (auto i = cut->again.rbegin(); i != cut->again.rend(); ++i) {
                const ast::Stmt& again = loop.body.stmts[*i];
                const auto& name = copy.renamed.at(std::get<ast::Let>(again.node).name.text);
                Roles made;
                write(again, copy, at, made);
                written.consumer = before(made.consumer, name, written.consumer);
                written.producer = before(made.producer, name, written.producer);
            }
            to.consumer.add(written.consumer);
            to.producer.add(written.producer);
        };
        part(cut->first, own, depth + 2, steps);
        late(previous, depth + 2, steps);
        part(cut->rest, own, depth + 2, steps);
        Roles whole;
        part(cut->first, first, depth + 1, whole);
        part(cut->rest, first, depth + 1, whole);
        const auto [begin, end, step] = range_of(iter);
        const std::string second = begin == "0" ? step : begin + " + " + step;
        const std::string by = iter.step ? " by " + step : "";
        enclose(words("for " + iter.name.text + " in " + second + ".." + end + by, stmt.span),
                steps, depth + 1, stmt.span, whole);
        late(last, depth + 1, whole);
        enclose(words("if " + begin + " < " + end, stmt.span), whole, depth, stmt.span, out);
        tell_rotation(loop, *cut);
        return true;
    }

    void tell_rotation(const ast::For& loop, const Cut& cut) {
        const auto line_of = [&](std::size_t i) {
            return sources_.begin(loop.body.stmts[i].span).line;
        };
        const auto what = [&](std::size_t i) {
            const ast::Stmt& stmt = loop.body.stmts[i];
            std::string line = "line " + std::to_string(line_of(i));
            if (is_new(stmt)) return "`" + source(stmt.span) + "` of " + line;
            const bool apart =
                i > 0 && is_new(loop.body.stmts[i - 1]) && line_of(i - 1) == line_of(i);
            return apart ? "the rest of " + line : line;
        };
        story_.push_back(what(cut.late.front()) + " of an iteration runs in the next one, after " +
                         what(cut.first.back()) + " and under " + what(cut.rest.front()));
    }

    const ast::Kernel& kernel_;
    Span whole_;
    Choice choice_;
    const SourceManager& sources_;
    Names& names_;
    const Loads& loads_;
    std::set<const ast::Expr*> done_;  // uses of a loop's variable that the copy has a form for
    Uses uses_;
    std::vector<std::string>& story_;
    std::map<const ast::Expr*, std::string> held_;  // operands that are loaded before a loop
    bool possible_ = true;
};

}  // namespace

std::optional<DerivedText> write_roles(const ast::Kernel& kernel, Span whole, const Choice& choice,
                                       const SourceManager& sources, Names& names,
                                       const Loads& loads, std::vector<std::string>& story) {
    return Writer(kernel, whole, choice, sources, names, loads, story).run();
}

}  // namespace tkc::derive
