// External functions in what nvcc says: about their declarations, and not about emitted text.
#pragma once

#include <string>
#include <vector>

namespace tkc {

struct Session;

// Reports the external functions of the program that errors in nvcc's log name, or whose headers
// they name. False: none. `folders`: where headers were looked for.
bool report_external_functions(const std::string& log, const std::vector<std::string>& folders,
                               Session& session);

}  // namespace tkc
