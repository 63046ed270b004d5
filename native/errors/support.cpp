#include "errors/support.hpp"

#include <algorithm>
#include <cmath>

#include "base/sorting.hpp"

namespace supersparse::errors {
namespace {

// `refine` where there are too many possible cells for a table.
int64_t refine_by_sorting(Array<int32_t> ranks, int64_t span, Array<int32_t> cell, Array<int32_t> out) {
  std::vector<int64_t> keys(cell.size);
  for (int64_t i = 0; i < cell.size; i++) keys[i] = cell[i] * span + ranks[i];
  int64_t fresh = -1, last = -1;
  for (int64_t i : order_of(view(keys))) {
    if (keys[i] != last) {
      fresh++;
      last = keys[i];
    }
    out[i] = static_cast<int32_t>(fresh);
  }
  return fresh + 1;
}

// Splits the cells by the values of a feature; gives the new number of cells. `out` may be `cell`.
int64_t refine(const Rows& rows, int64_t feature, Array<int32_t> cell, int64_t count, Array<int32_t> name, Ints named,
               Array<int32_t> out) {
  const Array<int32_t> ranks = rows.ranks.row(feature);
  const int64_t span = rows.n_ranks[feature];
  if (count * span > name.size) return refine_by_sorting(ranks, span, cell, out);
  int32_t fresh = 0;
  for (int64_t i = 0; i < cell.size; i++) {
    const int64_t key = cell[i] * span + ranks[i];
    if (name[key] < 0) {
      name[key] = fresh;
      named[fresh++] = key;
    }
    out[i] = name[key];
  }
  for (int64_t t = 0; t < fresh; t++) name[named[t]] = -1;
  return fresh;
}

// The score of each cell, b left out.
std::vector<int64_t> scores_of(Matrix<int64_t> x, Ints vector) {
  std::vector<int64_t> scores(x.rows);
  for (int64_t i = 0; i < x.rows; i++) {
    for (int64_t f = 0; f < x.columns; f++) scores[i] += vector[f] * x(i, f);
  }
  return scores;
}

// What a listed b costs beyond the loss.
int64_t cost_of_b(const SupportData& data, int64_t at) {
  return data.intercept_extra[at] + data.counts_b * data.l1_penalty * std::abs(data.intercepts[at]);
}

// Whether a b with this cost is better than the best one, or as good and shorter where that counts.
bool is_better(const SupportData& data, int64_t cost, int64_t b, const LossAt& best) {
  return cost < best.loss || (cost == best.loss && data.counts_b && std::abs(b) < std::abs(best.b));
}

}  // namespace

int64_t cells_of(const Rows& rows, const SliceState& state, Ints features) {
  const int64_t last = state.cell.rows - 1, k = features.size;
  int64_t known = 0;
  while (known < std::min(k, state.number[CELLS_KNOWN]) && state.level(CELL_PREFIX, known) == features[known]) known++;
  for (int64_t d = known; d < k; d++) {
    const int64_t here = std::min(d, last), there = std::min(d + 1, last);
    state.level(CELL_COUNT, there) = refine(rows, features[d], state.cell.row(here), state.level(CELL_COUNT, here),
                                            state.name, state.scratch.row(NAMED), state.cell.row(there));
    state.level(CELL_PREFIX, d) = features[d];
  }
  if (known < k) state.number[CELLS_KNOWN] = k <= last ? k : last - 1;
  return std::min(k, last);
}

int64_t base_loss_with(const Rows& rows, const SliceState& state, int64_t level, int64_t feature) {
  const Array<int32_t> cell = state.cell.row(level), ranks = rows.ranks.row(feature);
  const Ints up = state.scratch.row(UP), down = state.scratch.row(DOWN);
  const int64_t span = rows.n_ranks[feature], n = state.level(CELL_COUNT, level) * span;
  if (n > up.size) return 0;
  for (int64_t i = 0; i < cell.size; i++) {
    const int64_t key = cell[i] * span + ranks[i];
    up[key] += rows.positive[i];
    down[key] += rows.negative[i];
  }
  int64_t loss = 0;
  const auto take = [&](int64_t key) {
    loss += std::min(up[key], down[key]);
    up[key] = down[key] = 0;
  };
  if (n <= 2 * cell.size) {
    for (int64_t key = 0; key < n; key++) take(key);
  } else {  // a cell counts at its first row, and is empty at the others
    for (int64_t i = 0; i < cell.size; i++) take(cell[i] * span + ranks[i]);
  }
  return loss;
}

LossAt evaluate_vector(const SupportData& data, Ints vector, int64_t b_low, int64_t b_high) {
  std::vector<int64_t> scores = scores_of(data.cell_x, vector);
  LossByB by;
  loss_by_b(view(scores), data.step, data.half, data.positive, data.negative, by);
  if (data.intercepts.size == 0) return least_over_b(by, data.intercept_low, data.intercept_high);
  LossAt best{kNothing, 0};
  size_t t = 0;
  for (int64_t at = b_low; at <= b_high; at++) {
    const int64_t b = data.intercepts[at];
    while (t < by.starts.size() && by.starts[t] <= b) t++;
    const int64_t cost = by.losses[t] + cost_of_b(data, at);
    if (is_better(data, cost, b, best)) best = {cost, b};
  }
  return best;
}

LossAt evaluate_within_rates(const SupportData& data, Ints vector, int64_t b_low, int64_t b_high) {
  const CellRates& rates = data.rates;
  const int64_t m = data.cell_x.rows, n_limits = rates.most.size;
  std::vector<int64_t> keys(2 * m), counted(n_limits);
  const std::vector<int64_t> scores = scores_of(data.cell_x, vector);
  int64_t loss = 0;
  for (int64_t i = 0; i < m; i++) {
    const int64_t q = floor_div(scores[i], data.step);
    keys[i] = -q + (scores[i] == q * data.step && !data.half);
    keys[m + i] = -q;
    loss += rates.true_positive[i];
    for (int64_t limit = 0; limit < n_limits; limit++) counted[limit] += rates.positive(limit, i);
  }
  const std::vector<int64_t> order = order_of(view(keys));
  LossAt best{kNothing, 0};
  int64_t at = b_low, t = 0, low = data.intercept_low;
  while (true) {  // the interval of b from `low` up to the next key
    const int64_t until = t < 2 * m ? keys[order[t]] - 1 : data.intercept_high;
    bool obeys = true;
    for (int64_t limit = 0; limit < n_limits; limit++) obeys = obeys && counted[limit] <= rates.most[limit];
    if (data.intercepts.size > 0) {
      for (; at <= b_high && (t == 2 * m || data.intercepts[at] <= until); at++) {
        const int64_t b = data.intercepts[at], cost = loss + cost_of_b(data, at);
        if (obeys && is_better(data, cost, b, best)) best = {cost, b};
      }
    } else if (obeys && loss < best.loss && std::max(low, data.intercept_low) <= std::min(until, data.intercept_high)) {
      best = {loss, std::max(low, data.intercept_low)};
    }
    if (t == 2 * m) return best;
    low = keys[order[t]];
    for (; t < 2 * m && keys[order[t]] == low; t++) {
      const int64_t i = order[t];
      if (i < m) {
        loss -= rates.true_positive[i];
        for (int64_t limit = 0; limit < n_limits; limit++) counted[limit] -= rates.positive(limit, i);
      } else {
        loss += rates.true_negative[i - m];
        for (int64_t limit = 0; limit < n_limits; limit++) counted[limit] += rates.negative(limit, i - m);
      }
    }
  }
}

int64_t group_rows(Matrix<int32_t> ranks, Ints n_ranks, Ints support, Ints cell) {
  const int64_t m = ranks.columns;
  std::fill(cell.begin(), cell.end(), 0);
  int64_t count = 1;
  std::vector<int64_t> name;
  for (int64_t f : support) {
    const int64_t span = n_ranks[f];
    for (int64_t i = 0; i < m; i++) cell[i] = cell[i] * span + ranks(f, i);
    int64_t fresh = 0;
    if (count * span <= 4 * m + 1024) {
      name.assign(count * span, -1);
      for (int64_t& own : cell) {
        if (name[own] < 0) name[own] = fresh++;
        own = name[own];
      }
    } else {
      int64_t last = -1;
      for (int64_t i : order_of(cell)) {
        const int64_t key = cell[i];
        if (key != last) {
          fresh++;
          last = key;
        }
        cell[i] = fresh - 1;
      }
    }
    count = fresh;
  }
  return count;
}

NetCells net_cells(Matrix<int64_t> x, Ints heavy, Ints light) {
  NetCells net;
  int64_t n = 0;
  for (int64_t c = 0; c < heavy.size; c++) n += heavy[c] > light[c];
  net.x.reserve(n * x.columns);
  net.weight.reserve(n);
  for (int64_t c = 0; c < heavy.size; c++) {
    if (heavy[c] <= light[c]) continue;
    const Ints own = x.row(c);
    net.x.insert(net.x.end(), own.begin(), own.end());
    net.weight.push_back(heavy[c] - light[c]);
  }
  return net;
}

std::vector<double> spreads(Matrix<int64_t> x, Ints weight) {
  std::vector<double> spread(x.columns);
  int64_t sum = 0;
  for (int64_t w : weight) sum += w;
  const double total = std::max(1.0, static_cast<double>(sum));
  for (int64_t t = 0; t < x.columns; t++) {
    double centre = 0;
    for (int64_t c = 0; c < weight.size; c++) centre += static_cast<double>(weight[c] * x(c, t));
    centre /= total;
    for (int64_t c = 0; c < weight.size; c++) {
      const double away = static_cast<double>(x(c, t)) - centre;
      spread[t] += static_cast<double>(weight[c]) * (away * away);
    }
    spread[t] = std::sqrt(spread[t] / total);
  }
  return spread;
}

}  // namespace supersparse::errors
