// Choosing the tests that are missing, and putting them into a file.
#include "driver/mutate/missing_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "compiler/files.h"
#include "driver/report.h"

namespace tkc {

namespace {

const emulator::Probe& probe_of(const ProbePlace& place) {
    return place.program->probes[place.run->number - place.program->file.cases.size()];
}

std::string test_text(const ProbePlace& place) {
    std::string text = probe_of(place).head;
    for (const ast::TestItem& item : place.run->test().test->items) {
        const auto* expect = std::get_if<ast::Expect>(&item.node);
        if (expect == nullptr) continue;
        std::string names;
        for (const ast::Name& name : expect->names)
            names += (names.empty() ? "" : ", ") + name.text;
        text += fmt::format(" expect {} ~ reference within {};", names,
                            tolerance_text(place.run->narrow.at(expect).cell));
    }
    return text + " }";
}

// Of these probes, the one that notices most mutants, and of such the first. One that notices a few
// less is the better one if its data are plain.
std::size_t best_probe(const std::map<std::size_t, std::size_t>& noticed,
                       const std::deque<TestedProgram>& programs) {
    const auto rank = [&](const auto& entry) {
        const bool plain = probe_of(probe_at(programs, entry.first)).plain;
        return std::pair((plain ? 3 : 2) * entry.second, -static_cast<std::int64_t>(entry.first));
    };
    return std::max_element(noticed.begin(), noticed.end(),
                            [&](const auto& a, const auto& b) { return rank(a) < rank(b); })
        ->first;
}

}  // namespace

ProbePlace probe_at(const std::deque<TestedProgram>& programs, std::size_t number) {
    for (const TestedProgram& program : programs) {
        if (number < program.tried.size()) return {&program, &program.tried[number]};
        number -= program.tried.size();
    }
    return {};
}

std::string bound_text(const ProbePlace& place) {
    const std::string& head = probe_of(place).head;
    return fmt::format("`{}`", head.substr(head.find('{') + 2));
}

MissingTests choose_tests(std::vector<MutantResult>& results,
                          const std::deque<TestedProgram>& programs) {
    MissingTests missing;
    std::vector<MutantResult*> open;
    for (MutantResult& result : results) {
        if (result.verdict == MutantVerdict::gap) open.push_back(&result);
    }
    while (!open.empty()) {
        std::map<std::size_t, std::size_t> noticed;
        for (const MutantResult* result : open) {
            for (const std::size_t probe : result->probes) ++noticed[probe];
        }
        const std::size_t best = best_probe(noticed, programs);
        const ProbePlace place = probe_at(programs, best);
        const std::string text = test_text(place);
        missing[place.program->plan].push_back({place.run->test().subject, text});
        std::erase_if(open, [&](MutantResult* result) {
            const auto& probes = result->probes;
            if (std::find(probes.begin(), probes.end(), best) == probes.end()) return false;
            result->test = text;
            return true;
        });
    }
    return missing;
}

std::optional<std::string> write_tests(const TestPlan& plan,
                                       const std::vector<MissingTest>& tests) {
    const ast::File& tree = *plan.tree();
    const std::string& before = plan.session().sources.file(tree.id).text;
    std::string text = before;
    // From the end of the file to its start, so that places stay good.
    std::map<std::size_t, std::string, std::greater<>> inserted;
    for (const MissingTest& test : tests) {
        std::size_t at = text.size();
        for (const ast::Decl& decl : tree.decls) {
            const auto* other = std::get_if<ast::Test>(&decl.node);
            if (other == nullptr) continue;
            const bool same = other->subject && other->subject->text == test.subject;
            if (same || at == text.size()) at = decl.span.end;
        }
        const std::size_t line_end = std::min(text.find('\n', at), text.size());
        inserted[line_end] += "\n" + test.text;
    }
    const bool returns = text.find("\r\n") != std::string::npos;
    for (const auto& [at, lines] : inserted) {
        std::string put = lines;
        for (std::size_t i = 0; returns && (i = put.find('\n', i)) != std::string::npos; i += 2)
            put.insert(i, "\r");
        // Before the `\r` of a line that ends with one.
        text.insert(at > 0 && text[at - 1] == '\r' ? at - 1 : at, put);
    }
    if (!text.ends_with('\n')) text += '\n';
    const std::string reason = replace_text(plan.path(), before, text);
    if (reason.empty()) return text;
    Session session;
    session.diag.error(Span{}, msg::cannot_write_file, plan.path(), reason);
    finish(session);
    return std::nullopt;
}

}  // namespace tkc
