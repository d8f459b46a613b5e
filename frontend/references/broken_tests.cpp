// The checks of references and tests, each with messages of its own.
#include "frontend/references/broken_tests.h"

#include <map>
#include <set>
#include <utility>

#include "frontend/references/subject.h"

namespace tkc {

namespace {

using checker::FileContext;
using checker::Unit;

class Sorting {
public:
    Sorting(ast::File& file, SourceManager& sources, const CheckOptions& options)
        : file_(file), sources_(sources), options_(options) {}

    BrokenTests run() {
        Diagnostics of_file;  // the compilation of its kernels reports them
        FileContext files = context(of_file);
        Unit unit;
        unit.file = &file_;
        checker::collect_declarations(files, unit);
        checker::read_imports(files, unit);
        check_references(unit);
        check_tests(unit);
        for (auto& [name, wrong] : wrong_references_) {
            if (!wrong.told) made_.others.take(wrong.diag);
        }
        keep_good();
        return std::move(made_);
    }

private:
    struct WrongReference {
        Diagnostics diag;
        bool told = false;  // by a test
    };

    FileContext context(Diagnostics& diag) {
        return FileContext{sources_, diag, options_, {}, {}, {}, {}, false};
    }

    void check_references(const Unit& unit) {
        for (std::size_t n = 0; n < file_.decls.size(); ++n) {
            const auto* reference = std::get_if<ast::Reference>(&file_.decls[n].node);
            if (reference == nullptr) continue;
            Diagnostics diag;
            FileContext own = context(diag);
            checker::check_reference_among(own, unit, *reference, references_);
            references_.push_back(reference);
            if (!diag.has_errors()) continue;
            broken_.insert(n);
            wrong_references_[reference->name.text].diag.take(diag);
        }
    }

    void check_tests(const Unit& unit) {
        std::set<std::string> names;
        for (std::size_t n = 0; n < file_.decls.size(); ++n) {
            const auto* test = std::get_if<ast::Test>(&file_.decls[n].node);
            if (test == nullptr) continue;
            Diagnostics diag;
            FileContext own = context(diag);
            checker::check_test_among(own, unit, *test, references_, names);
            add_reference_of(*test, diag);
            if (!diag.has_errors()) continue;
            broken_.insert(n);
            made_.tests.push_back({test->name, std::move(diag)});
        }
    }

    void add_reference_of(const ast::Test& test, Diagnostics& diag) {
        if (!test.subject && references_.size() != 1) return;
        const std::string& subject =
            test.subject ? test.subject->text : references_.front()->name.text;
        const auto wrong = wrong_references_.find(subject);
        if (wrong == wrong_references_.end()) return;
        diag.take(wrong->second.diag);
        wrong->second.told = true;
    }

    void keep_good() {
        std::vector<ast::Decl> good;
        for (std::size_t n = 0; n < file_.decls.size(); ++n) {
            if (!broken_.contains(n)) good.push_back(std::move(file_.decls[n]));
        }
        file_.decls = std::move(good);
    }

    ast::File& file_;
    SourceManager& sources_;
    const CheckOptions& options_;
    std::vector<const ast::Reference*> references_;
    std::map<std::string, WrongReference> wrong_references_;
    std::set<std::size_t> broken_;  // declarations
    BrokenTests made_;
};

}  // namespace

BrokenTests take_out_broken_tests(ast::File& file, SourceManager& sources,
                                  const CheckOptions& options) {
    return Sorting(file, sources, options).run();
}

}  // namespace tkc
