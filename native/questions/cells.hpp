// Rows merged by their answers to a set of questions.
#pragma once
#include "questions/problem.hpp"

namespace supersparse {

struct Cells {
  int rows = 0;  // a multiple of eight
  std::vector<int> set;
  std::vector<std::vector<uint8_t>> answer;  // by place in `set` and row
  std::vector<double> weight, positive;

  int answers(const Problem& problem, int place) const { return problem.questions[set[place]].answers; }
};

Cells cells_of(const Problem& problem, const std::vector<int>& set);
// The problem's own rows, equal ones merged.
void merge_rows(Problem& problem);

}  // namespace supersparse
