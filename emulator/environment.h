// The names that a role sees, and the value of scalar expressions: the arithmetic of one thread.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "emulator/tensor.h"
#include "ir/scalar.h"

namespace tkc::emulator {

/// An error of the program that only a run can show; becomes Outcome::End::fault.
struct Fault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Extents, parameters, grid and loop variables, `let`s, and the tensors that scalars may be read
/// from. Names are unique where they are seen, so leaving a scope needs nothing.
class Environment {
public:
    explicit Environment(const std::map<std::string, Tensor>* tensors) : tensors_(tensors) {}

    void set(const std::string& name, Number value) { values_[name] = value; }
    /// Throws Fault where there is no such name.
    Number get(const std::string& name) const;
    const Tensor& tensor(const std::string& name) const { return tensors_->at(name); }

    /// The value of an expression without cells. Integers are computed in 64 bits and wrap to the
    /// type of their node; reals are rounded to it.
    Number evaluate(const ir::Scalar& s) const;
    std::int64_t integer(const ir::Scalar& s) const;

private:
    const std::map<std::string, Tensor>* tensors_;
    std::unordered_map<std::string, Number> values_;
};

/// Element of a tensor; outside of it zero or a Fault, as the load says.
Number read_element(const ir::ElementLoad& load, const Tensor& tensor,
                    const std::vector<std::int64_t>& position);

}  // namespace tkc::emulator
