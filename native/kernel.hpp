// How a function of the C interface runs: no exception leaves it, and the text of one is kept for `ss_message`.
//
// A kernel is declared once more in Python, as a function with annotations under `engine.core.kernel`:
//
//   extern "C" SUPERSPARSE_API int32_t ss_run_slice(const TreeData* data, SliceState* state, int64_t most, int64_t* answer) {
//     return guarded([&] { *answer = run_slice(*data, *state, most); });
//   }
#pragma once
#include <cstdint>
#include <functional>

#include "api.h"

namespace supersparse {

int32_t guarded(const std::function<void()>& body);
void require(bool condition, const char* what);  // else std::invalid_argument
const char* last_message();                      // of this thread

}  // namespace supersparse
