#include "errors/lines.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/sorting.hpp"

namespace supersparse {
namespace {

// Up to here a line is searched value by value: values times rows.
constexpr int64_t kNarrow = 40'000;
constexpr int kTries = 3;  // of the values of a wide set

// Adds to jumps[t], 0 <= t <= width, what the loss changes at b = low + t, at width or beyond in the last place.
// Returns the loss below all of them: of no row called positive.
template <bool is_unit, bool is_half>
int64_t count_jumps(Ints scores, const SearchData& data, int64_t low, int64_t width, int64_t* jumps) {
  const int64_t *score = scores.data, *positive = data.positive.data, *negative = data.negative.data;
  const int64_t step = data.step;
  int64_t loss = 0;
  for (int64_t i = 0; i < scores.size; i++) {
    const int64_t q = is_unit ? score[i] : floor_over(score[i], step);
    const int64_t at = -q - low;
    loss += positive[i];
    if constexpr (is_half) {
      jumps[std::clamp<int64_t>(at, 0, width)] += negative[i] - positive[i];
    } else {
      if (negative[i]) jumps[std::clamp<int64_t>(at, 0, width)] += negative[i];
      if (positive[i]) jumps[std::clamp<int64_t>(at + (is_unit || score[i] == q * step), 0, width)] -= positive[i];
    }
  }
  return loss;
}

// Index of the first of n sorted values that is at least `target`, n if none is.
int64_t first_at_least(const int64_t* values, int64_t n, int64_t target) {
  return std::lower_bound(values, values + n, target) - values;
}

}  // namespace

void loss_by_b(Ints scores, int64_t step, int64_t half, Ints positive, Ints negative, LossByB& by) {
  const int64_t m = scores.size;
  by.keys.resize(2 * m);
  by.change.resize(2 * m);
  int64_t *keys = by.keys.data(), *change = by.change.data();
  int64_t loss = 0, least = kNothing, most = -kNothing;
  for (int64_t i = 0; i < m; i++) {
    const int64_t s = scores[i], q = step == 1 ? s : floor_over(s, step);
    keys[i] = -q + (s == q * step && !half);
    keys[m + i] = -q;
    change[i] = -positive[i];
    change[m + i] = negative[i];
    loss += positive[i];
    least = std::min(least, -q);
    most = std::max(most, keys[i]);
  }
  by.starts.clear();
  by.losses.assign(1, loss);
  if (most - least <= 16 * m) {
    by.table.assign(std::max<int64_t>(0, most - least + 1), 0);
    for (int64_t t = 0; t < 2 * m; t++) by.table[keys[t] - least] += change[t];
    for (int64_t b = 0; b < static_cast<int64_t>(by.table.size()); b++)
      if (by.table[b] != 0) {
        loss += by.table[b];
        by.starts.push_back(least + b);
        by.losses.push_back(loss);
      }
    return;
  }
  for (int64_t at : order_of(view(by.keys))) {
    loss += change[at];
    if (!by.starts.empty() && by.starts.back() == keys[at]) {
      by.losses.back() = loss;
    } else {
      by.starts.push_back(keys[at]);
      by.losses.push_back(loss);
    }
  }
}

LossAt least_over_b(const LossByB& by, int64_t low, int64_t high) {
  const int64_t last = static_cast<int64_t>(by.starts.size());
  if (last == 0) return {by.losses[0], std::max(low, std::min<int64_t>(high, 0))};  // every b does the same
  LossAt best{kNothing, 0};
  for (int64_t t = 0; t <= last; t++) {
    const int64_t b = t == 0 ? low : std::max(low, by.starts[t - 1]);
    const int64_t until = t == last ? high : std::min(high, by.starts[t] - 1);
    if (by.losses[t] < best.loss && b <= until) best = {by.losses[t], t == 0 ? until : b};
  }
  return best;
}

LossAt best_b(Ints scores, const SearchData& data, int64_t centre, int64_t window, std::vector<int64_t>& room) {
  const int64_t step = data.step;
  const Ints intercepts = data.intercepts;
  int64_t low = std::max(data.intercept_low, centre - window), high = std::min(data.intercept_high, centre + window);
  if (low > high) low = high = std::max(data.intercept_low, std::min(data.intercept_high, centre));
  if (intercepts.size == 0) {
    // beyond the scores all rows agree: one step past them is as good as any
    int64_t least = scores[0], most = scores[0];
    for (int64_t score : scores) {
      least = std::min(least, score);
      most = std::max(most, score);
    }
    const int64_t first = -floor_over(most, step) - 1, last = -floor_over(least, step) + 1;
    if (first <= high && last >= low) {
      low = std::max(low, first);
      high = std::min(high, last);
    }
  } else if (intercepts[0] <= high && intercepts[intercepts.size - 1] >= low) {
    low = std::max(low, intercepts[0]);
    high = std::min(high, intercepts[intercepts.size - 1]);
  }
  const int64_t width = high - low + 1;
  int64_t* jumps = room.data();
  std::fill(jumps, jumps + width + 1, 0);
  const auto count = step == 1 ? (data.half ? count_jumps<true, true> : count_jumps<true, false>)
                               : (data.half ? count_jumps<false, true> : count_jumps<false, false>);
  int64_t loss = count(scores, data, low, width, jumps);  // at b = low - 1
  LossAt best{kNothing, 0};
  if (intercepts.size == 0) {
    bool is_running = false;
    int64_t from = 0;
    for (int64_t t = 0; t < width; t++) {
      loss += jumps[t];
      if (loss < best.loss) {
        best = {loss, low + t};
        is_running = true;
        from = t;
      } else if (loss == best.loss && is_running) {
        best.b = low + (from + t) / 2;  // towards the middle of the interval
      } else {
        is_running = false;
      }
    }
    return best;
  }
  for (int64_t t = 0; t < width; t++) jumps[t] = loss += jumps[t];
  for (int64_t t = 0; t < intercepts.size; t++) {
    const int64_t b = intercepts[t];
    if (b < low || b > high) continue;
    const int64_t total = jumps[b - low] + std::abs(b) * data.l1_penalty + data.intercept_penalties[t];
    if (total < best.loss) best = {total, b};
  }
  return best;
}

LossAt best_b_anywhere(Ints scores, const SearchData& data) {
  LossByB by;
  loss_by_b(scores, data.step, data.half, data.positive, data.negative, by);
  return least_over_b(by, data.intercept_low, data.intercept_high);
}

int64_t loss_at(Ints scores, const SearchData& data, int64_t b) {
  const int64_t shift = b * data.step, half = data.half;
  const int64_t *positive = data.positive.data, *negative = data.negative.data;
  int64_t loss = 0;
  for (int64_t i = 0; i < scores.size; i++) {
    const int64_t score = scores.data[i] + shift;
    loss += (score + half <= 0 ? positive[i] : 0) + (score >= 0 ? negative[i] : 0);
  }
  return loss;
}

void line_at_fixed_b(int64_t loss, Ints scores, const SearchData& data, int64_t j, int64_t current, int64_t b, Ints totals) {
  const int64_t n = data.n_values[j], shift = b * data.step;
  const int64_t* values = data.values.row(j).data;
  const bool half = data.half;
  std::fill(totals.data, totals.data + n + 1, 0);
  int64_t outside = loss;
  for (int64_t t = data.start[j], end = data.start[j + 1]; t < end; t++) {
    const int64_t i = data.row[t], x = data.entry[t];
    const int64_t score = scores[i] + shift, positive = data.positive[i], negative = data.negative[i];
    if (score + half <= 0) outside -= positive;
    if (score >= 0) outside -= negative;
    const int64_t rest = score - current * x, magnitude = std::abs(x);
    const int64_t below = x > 0 ? positive : negative;  // loss for values under the breakpoint
    const int64_t above = x > 0 ? negative : positive;
    int64_t target = x > 0 ? -rest : rest;  // value |x| > target means: beyond the breakpoint
    if (half && x < 0) target++;            // a score of 0 stands for 1/2, on the positive side
    const int64_t first = first_at_least(values, n, magnitude == 1 ? target : -floor_over(-target, magnitude));  // least value with value |x| >= target
    totals[0] += below;
    if (!half && first < n && values[first] * magnitude == target) {
      totals[first] += above;  // and at the breakpoint itself both
      totals[first + 1] -= below;
    } else {
      totals[first] += above - below;
    }
  }
  int64_t running = outside;
  for (int64_t t = 0; t < n; t++) totals[t] = running += totals[t];
}

OnLine best_on_line(Ints scores, const SearchData& data, int64_t j, int64_t index, int64_t b, bool may_be_zero,
                    bool may_be_used, int64_t window, LineRoom& room, int64_t& work) {
  const int64_t n = data.n_values[j], m = scores.size, nonzeros = data.start[j + 1] - data.start[j];
  const Ints values = data.values.row(j), totals = view(room.totals), moved = view(room.scores);
  const int64_t current = values[index];
  const bool is_narrow = n * m <= kNarrow;
  if (!is_narrow) {
    line_at_fixed_b(loss_at(scores, data, b), scores, data, j, current, b, totals);
    work += m + 4 * nonzeros;
    for (int64_t t = 0; t < n; t++) totals[t] += data.value_penalty(j, t);
  }
  OnLine best{kNothing, index, b};
  const auto is_allowed = [&](int64_t t) { return values[t] == 0 ? may_be_zero : may_be_used; };
  for (int64_t k = 0; k < (is_narrow ? n : kTries); k++) {
    int64_t t = k;
    if (!is_narrow) {
      t = -1;
      for (int64_t u = 0; u < n; u++)
        if (is_allowed(u) && totals[u] < kNothing / 2 && (t < 0 || totals[u] < totals[t])) t = u;
      if (t < 0) break;
      totals[t] = kNothing;
    }
    if (!is_allowed(t)) continue;
    std::copy(scores.begin(), scores.end(), moved.begin());
    add_column(moved, data, j, values[t] - current);
    const LossAt found = best_b(moved, data, b, window, room.jumps);
    work += m + nonzeros + window;
    const int64_t cost = found.loss + data.value_penalty(j, t);
    if (cost < best.cost) best = {cost, t, found.b};
  }
  return best;
}

std::vector<int64_t> most_promising(Ints scores, const SearchData& data, Ints index, int64_t b, int64_t keep,
                                    LineRoom& room, int64_t& work) {
  const int64_t p = index.size, loss = loss_at(scores, data, b);
  const Ints totals = view(room.totals);
  work += scores.size;
  std::vector<int64_t> cost(p, kNothing);
  int64_t used = 0;
  for (int64_t j = 0; j < p; j++) {
    if (data.values(j, index[j]) != 0) {
      cost[j] = -1;  // before all others
      used++;
      continue;
    }
    line_at_fixed_b(loss, scores, data, j, 0, b, totals);
    work += 4 * (data.start[j + 1] - data.start[j]) + data.n_values[j];
    for (int64_t t = 0; t < data.n_values[j]; t++)
      if (data.values(j, t) != 0) cost[j] = std::min(cost[j], totals[t] + data.value_penalty(j, t));
  }
  std::vector<int64_t> order = order_of(view(cost));
  order.resize(std::min(p, used + keep));
  return order;
}

}  // namespace supersparse
