#include "questions/cells.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/lanes.hpp"

namespace supersparse {
namespace {

// Copies of the last row with weight 0 up to a multiple of eight: they have the logit of a row that is there.
template <class Table>
void pad(Table& table) {
  const int padded = (table.rows + kLanes - 1) / kLanes * kLanes;
  for (auto& column : table.answer) column.resize(padded, column.empty() ? 0 : column[table.rows - 1]);
  table.weight.resize(padded, 0.0);
  table.positive.resize(padded, 0.0);
  table.rows = padded;
}

}  // namespace

void merge_rows(Problem& problem) {
  const int n = problem.rows, d = problem.count();
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  // One byte string a row, so that comparing reads memory in order.
  std::vector<uint8_t> text(static_cast<size_t>(n) * d);
  for (int j = 0; j < d; j++)
    for (int i = 0; i < n; i++) text[static_cast<size_t>(i) * d + j] = problem.answer[j][i];
  auto compare = [&](int a, int b) { return std::memcmp(&text[size_t(a) * d], &text[size_t(b) * d], d); };
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const int sign = compare(a, b);
    return sign < 0 || (sign == 0 && a < b);
  });
  std::vector<std::vector<uint8_t>> answer(d);
  std::vector<double> weight, positive;
  for (int place = 0; place < n; place++) {
    const int i = order[place];
    if (place == 0 || compare(order[place - 1], i) != 0) {
      for (int j = 0; j < d; j++) answer[j].push_back(problem.answer[j][i]);
      weight.push_back(0);
      positive.push_back(0);
    }
    weight.back() += problem.weight[i];
    positive.back() += problem.positive[i];
  }
  problem.answer = std::move(answer);
  problem.weight = std::move(weight);
  problem.positive = std::move(positive);
  problem.rows = static_cast<int>(problem.weight.size());
  pad(problem);
}

Cells cells_of(const Problem& problem, const std::vector<int>& set) {
  Cells cells;
  cells.set = set;
  const size_t k = set.size();
  cells.answer.resize(k);
  double patterns = 1;
  for (int j : set) patterns *= problem.questions[j].answers;
  if (patterns > 4e6 || patterns > 64.0 * problem.rows + 4096) {
    for (size_t place = 0; place < k; place++) cells.answer[place] = problem.answer[set[place]];
    cells.weight = problem.weight;
    cells.positive = problem.positive;
    cells.rows = problem.rows;
    return cells;
  }
  // The answers as digits of a number; the numbers that occur are numbered in the order of their first row.
  thread_local std::vector<uint32_t> stamp;
  thread_local std::vector<int> slot;
  thread_local uint32_t now = 0;
  if (stamp.size() < patterns) {
    stamp.assign(static_cast<size_t>(patterns), 0);
    slot.resize(stamp.size());
    now = 0;
  }
  if (++now == 0) {
    std::fill(stamp.begin(), stamp.end(), 0);
    now = 1;
  }
  std::vector<int> number(problem.rows, 0);
  for (int j : set) {
    const int base = problem.questions[j].answers;
    const uint8_t* answer = problem.answer[j].data();
    for (int i = 0; i < problem.rows; i++) number[i] = number[i] * base + answer[i];
  }
  std::vector<int> first;
  for (int i = 0; i < problem.rows; i++) {
    const int pattern = number[i];
    if (stamp[pattern] != now) {
      stamp[pattern] = now;
      slot[pattern] = static_cast<int>(first.size());
      first.push_back(i);
      cells.weight.push_back(0);
      cells.positive.push_back(0);
    }
    cells.weight[slot[pattern]] += problem.weight[i];
    cells.positive[slot[pattern]] += problem.positive[i];
  }
  cells.rows = static_cast<int>(first.size());
  for (size_t place = 0; place < k; place++)
    for (int i : first) cells.answer[place].push_back(problem.answer[set[place]][i]);
  pad(cells);
  return cells;
}

}  // namespace supersparse
