// The loss as a function of the intercept, and of one coefficient.
#pragma once
#include "base/array.hpp"

namespace supersparse {

// The loss as a step function of b: losses[t] holds from starts[t - 1] to starts[t] - 1. The rest is scratch, kept from
// call to call.
struct LossByB {
  std::vector<int64_t> starts, losses;
  std::vector<int64_t> keys, change, table;
};

struct LossAt {
  int64_t loss, b;
};

// Positive rows are right from b = floor(-s/step) + 1 on, negative ones wrong from ceil(-s/step) on; with `half`, where b
// stands for b + 1/2, both from ceil(-s/step) on. Where those b lie close together they are counted in a table, else sorted.
void loss_by_b(Ints scores, int64_t step, int64_t half, Ints positive, Ints negative, LossByB& by);

// The least loss over low <= b <= high, at an end of its interval.
LossAt least_over_b(const LossByB& by, int64_t low, int64_t high);

// The arrays of an IntegerForm as the search reads them: columns by their nonzeros. Losses, penalties and prices are in
// search units: kernel units times a factor, so fine that the tie-break by l1 weighs less than any other difference.
struct SearchData {
  Ints start;  // (p + 1) where each column's nonzeros begin
  Array<int32_t> row;
  Ints entry;
  Ints positive;
  Ints negative;
  Matrix<int64_t> values;         // (p, widest set) padded
  Ints n_values;
  Ints zero;                      // index of 0 in each set, -1 where a set leaves it out
  Matrix<int64_t> value_penalty;  // the whole penalty of a value, C1 and the tie-break by l1 included
  int64_t l1_penalty;             // of one unit of magnitude: C1 and the tie-break
  int64_t max_size;
  int64_t step;
  int64_t half;                   // 1 where b stands for b + 1/2, so that no score is 0
  int64_t intercept_low;
  int64_t intercept_high;
  Ints intercepts;                // allowed b, sorted; empty where all between the ends are
  Ints intercept_penalties;       // of each of them, without |b|
  Cube<int64_t> limit_term;       // (limits, p, widest set): what each value counts
  Ints limit_most;
  Ints limit_price;               // of one unit too much
  Ints group_start;               // features that must have points of one sign, group after group ...
  Ints group_feature;             // ... group g has those from group_start[g] to group_start[g + 1]
  int64_t group_price;            // of one feature with the other sign

  int64_t features() const { return start.size - 1; }
  int64_t rows() const { return positive.size; }
};

constexpr int64_t kNothing = int64_t{1} << 62;  // a cost above all others

// Room that line searches share: of `rows` numbers, of 2 window + 3, and of two more than the widest set.
struct LineRoom {
  std::vector<int64_t> scores, jumps, totals;
  LineRoom(const SearchData& data, int64_t window)
      : scores(data.rows()), jumps(2 * window + 3), totals(data.values.columns + 2) {}
};

// The best b within `window` of `centre`, its own cost included. `jumps` is scratch of at least 2 window + 3. Rows that
// change their mind outside the window are counted at its edges, so the loss of every b inside it is exact.
LossAt best_b(Ints scores, const SearchData& data, int64_t centre, int64_t window, std::vector<int64_t>& jumps);

// The best b of all; b's penalty is left out.
LossAt best_b_anywhere(Ints scores, const SearchData& data);

// Adds `change` times column j to the scores.
inline void add_column(Ints scores, const SearchData& data, int64_t j, int64_t change) {
  const int32_t* row = data.row.data;
  const int64_t* entry = data.entry.data;
  int64_t* to = scores.data;
  for (int64_t t = data.start[j], end = data.start[j + 1]; t < end; t++) to[row[t]] += change * entry[t];
}

// The loss of the scores with intercept b.
int64_t loss_at(Ints scores, const SearchData& data, int64_t b);

// Fills totals[t] with the loss when feature j takes its t-th value and b stays.
//
// A difference array over the values: each row changes its mind at one breakpoint. `loss` is that of the scores as they are,
// so only the rows with a nonzero entry are touched.
void line_at_fixed_b(int64_t loss, Ints scores, const SearchData& data, int64_t j, int64_t current, int64_t b, Ints totals);

struct OnLine {
  int64_t cost, at, b;  // `at`: index of the value
};

// Searches feature j's values, other features' penalties left out. Narrow sets are tried value by value with b
// re-optimised; wide ones at fixed b first, and the best few of those with b re-optimised. `work` counts touched rows.
OnLine best_on_line(Ints scores, const SearchData& data, int64_t j, int64_t index, int64_t b, bool may_be_zero,
                    bool may_be_used, int64_t window, LineRoom& room, int64_t& work);

// The features in use, and of the others the `keep` that cost least at fixed b.
std::vector<int64_t> most_promising(Ints scores, const SearchData& data, Ints index, int64_t b, int64_t keep,
                                    LineRoom& room, int64_t& work);

}  // namespace supersparse
