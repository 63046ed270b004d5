#include "errors/support_search.hpp"

#include <algorithm>

namespace supersparse::errors {
namespace {

using Numbers = std::vector<int64_t>;

Matrix<int64_t> table_of(Numbers& numbers, int64_t rows, int64_t columns) { return {numbers.data(), rows, columns}; }

// The least penalties of all features and b, without C1, with these literals.
int64_t least_penalty(const Coefficients& c, Ints literals) {
  int64_t penalty = c.empty_penalty;
  for (int64_t name : literals) penalty += c.literal_surcharge[name];
  return penalty;
}

// One support, from its merged rows: what its `data` looks at.
class Support {
 public:
  SupportData data;

  // The cells by their two weights; false where they alone cost more than `tie`.
  bool take_cells(const TreeData& tree, Array<int32_t> cell, int64_t count, Ints literals, int64_t tie) {
    const Coefficients& c = tree.coefficients;
    positive_.resize(count);
    negative_.resize(count);
    row_.resize(count);
    cell_weights(cell, tree.rows.positive, tree.rows.negative, view(positive_), view(negative_), view(row_));
    data.base_loss = 0;
    for (int64_t i = 0; i < count; i++) data.base_loss += std::min(positive_[i], negative_[i]);
    data.fixed_cost = data.base_loss + c.shift + least_penalty(c, literals);
    return data.fixed_cost <= tie;
  }

  // All the rest.
  void fill(const TreeData& tree, Array<int32_t> cell, Ints literals) {
    const Coefficients& c = tree.coefficients;
    const int64_t k = literals.size, count = static_cast<int64_t>(row_.size());
    x_.resize(count * k);
    Numbers weight(count);
    for (int64_t i = 0; i < count; i++) {
      weight[i] = positive_[i] + negative_[i];
      for (int64_t t = 0; t < k; t++) {
        const int64_t entry = tree.rows.columns(literals[t] / 2, row_[i]);
        x_[i * k + t] = literals[t] % 2 ? -entry : entry;
      }
    }
    data.cell_x = table_of(x_, count, k);
    data.positive = view(positive_);
    data.negative = view(negative_);
    up_ = net_cells(data.cell_x, data.positive, data.negative);
    down_ = net_cells(data.cell_x, data.negative, data.positive);
    data.up_weight = view(up_.weight);
    data.down_weight = view(down_.weight);
    data.up_x = table_of(up_.x, data.up_weight.size, k);
    data.down_x = table_of(down_.x, data.down_weight.size, k);
    spread_ = spreads(data.cell_x, view(weight));
    data.spread = view(spread_);
    take_coefficients(c, literals);
    take_rates(tree.rows, cell, count);
  }

 private:
  void take_coefficients(const Coefficients& c, Ints literals) {
    const int64_t k = literals.size, limits = c.score_most.size;
    first_.resize(k);
    stride_.resize(k);
    score_rate_.resize(limits * k);
    const auto add = [](Numbers& to, Ints row) { to.insert(to.end(), row.begin(), row.end()); };
    for (int64_t t = 0; t < k; t++) {
      const int64_t name = literals[t];
      first_[t] = c.first[name];
      stride_[t] = c.stride[name];
      add(table_, c.table.row(name));
      add(extra_, c.magnitude_extra.row(name));
      for (int64_t limit = 0; limit < limits; limit++) score_rate_[limit * k + t] = c.score_rate(limit, name);
    }
    data.first = view(first_);
    data.stride = view(stride_);
    data.table = table_of(table_, k, c.table.columns);
    data.magnitude_extra = table_of(extra_, k, c.magnitude_extra.columns);
    data.score_rate = table_of(score_rate_, limits, k);
    data.score_most = c.score_most;
    data.step = c.step;
    data.slack = c.slack;
    data.judged = c.judged;
    data.half = c.half;
    data.shift = c.shift;
    data.l1_penalty = c.l1_penalty;
    data.is_flat = c.is_flat;
    data.intercept_extra = c.intercept_extra;
    data.intercept_low = c.intercept_low;
    data.intercept_high = c.intercept_high;
    data.intercepts = c.intercepts;
    data.counts_b = c.counts_b;
  }

  // The true weights and the counts of each limit, summed over cells; nothing where no rate is limited.
  void take_rates(const Rows& rows, Array<int32_t> cell, int64_t count) {
    const int64_t n = rows.rate_most.size;
    true_positive_.assign(n ? count : 0, 0);
    true_negative_.assign(n ? count : 0, 0);
    rate_positive_.assign(n * count, 0);
    rate_negative_.assign(n * count, 0);
    for (int64_t i = 0; n && i < cell.size; i++) {
      true_positive_[cell[i]] += rows.true_positive[i];
      true_negative_[cell[i]] += rows.true_negative[i];
      for (int64_t limit = 0; limit < n; limit++) {
        rate_positive_[limit * count + cell[i]] += rows.rate_positive(limit, i);
        rate_negative_[limit * count + cell[i]] += rows.rate_negative(limit, i);
      }
    }
    data.rates = {view(true_positive_), view(true_negative_), table_of(rate_positive_, n, count),
                  table_of(rate_negative_, n, count), rows.rate_most};
  }

  Numbers positive_, negative_, row_, x_, first_, stride_, table_, extra_, score_rate_;
  Numbers true_positive_, true_negative_, rate_positive_, rate_negative_;
  NetCells up_, down_;
  std::vector<double> spread_;
};

// A box that can be written to a stack of boxes; there is room, because a phase begins with an empty one.
struct OwnBox {
  Numbers low, high;

  // All magnitudes of the literals, and all listed b.
  OwnBox(const Coefficients& c, Ints literals) : low(literals.size + 1), high(literals.size + 1) {
    for (int64_t t = 0; t < literals.size; t++) high[t] = c.counts[literals[t]] - 1;
    high[literals.size] = std::max<int64_t>(0, c.intercepts.size - 1);
  }
  Box box() { return {view(low), view(high)}; }
  void put(Cube<int64_t> boxes, int64_t at) const {
    std::copy(low.begin(), low.end(), boxes.layer(at).row(0).begin());
    std::copy(high.begin(), high.end(), boxes.layer(at).row(1).begin());
  }
};

// All vectors, or those that cannot be doubled where doubling is allowed; gives the number of boxes.
int64_t lay_out_improving(const Coefficients& c, Cube<int64_t> boxes, Ints literals, OwnBox& box) {
  const int64_t k = literals.size;
  bool doubles = c.doubles == 1, all_have_halves = true;
  for (int64_t name : literals) {
    doubles = doubles && c.is_full[name];
    all_have_halves = all_have_halves && c.counts[name] > 1;
  }
  if (!doubles) {
    box.put(boxes, 0);
    return 1;
  }
  int64_t n = 0;
  for (int64_t t = 0; t < k; t++) {
    const int64_t half = c.counts[literals[t]] / 2, first = box.low[t];
    box.low[t] = half;
    box.put(boxes, n++);
    box.low[t] = first;
    if (half == 0) break;
    box.high[t] = half - 1;  // those that follow have this one in its lower half
  }
  for (int64_t r = 0; all_have_halves && r < c.outer_intercepts.rows; r++) {
    box.low[k] = c.outer_intercepts(r, 0);
    box.high[k] = c.outer_intercepts(r, 1);
    box.put(boxes, n++);
  }
  return n;
}

// The box of vectors whose l1 can be below the best; gives the number of boxes, 1 or 0.
int64_t lay_out_small(const SupportData& data, Cube<int64_t> boxes, OwnBox& box, const Cuts& cuts) {
  const int64_t k = data.width();
  int64_t least = 0;
  for (int64_t t = 0; t < k; t++) least += data.magnitude(t, 0);
  if (least >= cuts.l1 || data.fixed_cost > cuts.tie) return 0;
  for (int64_t t = 0; t < k; t++) {
    const int64_t most = cuts.l1 - (least - data.magnitude(t, 0));
    int64_t first = 0, last = box.high[t];  // the last index of a magnitude below `most`
    while (first < last) {
      const int64_t at = (first + last + 1) / 2;
      if (data.magnitude(t, at) < most) {
        first = at;
      } else {
        last = at - 1;
      }
    }
    box.high[t] = first;
  }
  box.put(boxes, 0);
  return 1;
}

}  // namespace

Result search_support(const TreeData& data, const SliceState& state, int64_t part, const Cuts& cuts, int64_t until) {
  const Coefficients& c = data.coefficients;
  const Ints number = state.number;
  const int64_t k = state.part(part, SIZE);
  int64_t& phase = state.part(part, PHASE);
  const Ints literals = state.part.row(part).slice(LITERALS, LITERALS + k);
  Numbers features(k);
  for (int64_t t = 0; t < k; t++) features[t] = literals[t] / 2;
  const int64_t level = cells_of(data.rows, state, view(features)), count = state.level(CELL_COUNT, level);
  const Array<int32_t> cell = state.cell.row(level);
  number[WORK] += 2 * cell.size;
  Support support;
  if (!support.take_cells(data, cell, count, literals, cuts.tie)) {
    number[BOX_TOP] = 0;
    return DONE;
  }
  support.fill(data, cell, literals);
  BoxSpace space(support.data);
  const int64_t work_per_box = count * (k + 8) + 200;
  const Cube<int64_t> boxes{state.boxes.data, state.boxes.size / (2 * (k + 1)), 2, k + 1};
  while (true) {
    if (number[BOX_TOP] > 0) {
      const bool ties = phase == TIES;
      const int64_t budget = 1 + std::max<int64_t>(0, until - number[WORK]) / work_per_box;
      const Wanted wanted{ties ? cuts.tie : cuts.strict, cuts.l1, ties};
      const Ended ended = run_boxes(support.data, boxes, number[BOX_TOP], wanted, budget, state.hit, space);
      number[BOX_TOP] = ended.top;
      number[WORK] += ended.spent * work_per_box;
      if (ended.result != DONE) return ended.result;
      continue;
    }
    if (phase == PIECE) return DONE;
    phase++;
    number[WORK] += work_per_box;
    OwnBox whole(c, literals);
    if (phase == IMPROVING) {
      const int64_t bound = cost_bound(support.data, whole.box(), cuts.tie, space);
      if (bound > cuts.tie) return DONE;
      if (bound <= cuts.strict) number[BOX_TOP] = lay_out_improving(c, boxes, literals, whole);
    } else if (phase == TIES && !c.lists) {
      number[BOX_TOP] = lay_out_small(support.data, boxes, whole, cuts);
    } else {
      return DONE;
    }
  }
}

}  // namespace supersparse::errors
