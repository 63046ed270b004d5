// What the C structs say, as the search's own; std::invalid_argument where it cannot be.
#pragma once
#include "api.h"
#include "questions/problem.hpp"

namespace supersparse {

Problem problem_of(const ss_problem& in);
Card card_of(const std::vector<int>& answers, const int32_t* points);

}  // namespace supersparse
