// The names that a role sees, and the value of scalar expressions: the arithmetic of one thread.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "arithmetic/scalar.h"
#include "emulator/tensor.h"

namespace tkc::emulator {

// An error of the program that only a run can show; becomes Outcome::End::fault.
struct Fault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Is told of the single elements that are read of tensors which the launch writes, too.
class ElementObserver {
public:
    virtual ~ElementObserver() = default;
    virtual bool watches(const std::string& tensor) const = 0;
    // Element `element` of the storage, for cell [row, col] of the tile that is being made, or,
    // where these are -1, for a scalar of all threads.
    virtual void read(const std::string& tensor, std::int64_t element, std::int64_t row,
                      std::int64_t col) = 0;
};

// Extents, parameters, grid and loop variables, `let`s, and the tensors that scalars may be read
// from. Names are unique where they are seen, so leaving a scope needs nothing.
class Environment {
public:
    explicit Environment(const std::map<std::string, Tensor>* tensors) : tensors_(tensors) {}

    void set(const std::string& name, Number value) { values_[name] = value; }
    // Throws Fault where there is no such name.
    Number get(const std::string& name) const;
    const Tensor& tensor(const std::string& name) const { return tensors_->at(name); }
    void observe(ElementObserver* observer) { observer_ = observer; }
    // Null: nobody wants to know of reads of the tensor.
    ElementObserver* observer(const std::string& tensor) const {
        return observer_ != nullptr && observer_->watches(tensor) ? observer_ : nullptr;
    }

    // The value of an expression without cells. Integers are computed in 64 bits and wrap to the
    // type of their node; reals are rounded to it.
    Number evaluate(const ir::Scalar& s) const;
    std::int64_t integer(const ir::Scalar& s) const;
    // With `row` for the number of a cell: the positions of a gather.
    std::int64_t integer(const ir::Scalar& s, std::int64_t row) const;

private:
    const std::map<std::string, Tensor>* tensors_;
    ElementObserver* observer_ = nullptr;
    std::unordered_map<std::string, Number> values_;
    mutable std::int64_t row_ = -1;  // of the cell whose position is asked for
};

// Where an element lies in the tensor's storage; outside of the tensor -1 or a Fault, as the load
// says.
std::int64_t place_of(const ir::ElementLoad& load, const Tensor& tensor,
                      const std::vector<std::int64_t>& position);
// The element there; zero for -1.
Number read_element(const Tensor& tensor, std::int64_t place);

}  // namespace tkc::emulator
