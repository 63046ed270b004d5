#include "errors/boxes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/sorting.hpp"
#include "errors/tree_loops.hpp"

namespace supersparse::errors {
namespace {

// Takes the weight of the cells of one class that are wrong in all of a box; gives how much. `sign` is the side of 0 on
// which the class is right, and `most_b` what b can add on that side.
int64_t wrong_everywhere(Matrix<int64_t> x, std::vector<int64_t>& left, int64_t sign, const BoxSpace& space,
                         int64_t most_b) {
  int64_t taken = 0;
  for (int64_t i = 0; i < x.rows; i++) {
    int64_t best = most_b;
    for (int64_t f = 0; f < x.columns; f++) {
      const int64_t entry = sign * x(i, f);
      best += entry > 0 ? space.most[f] * entry : space.least[f] * entry;
    }
    if (best <= 0) {
      taken += left[i];
      left[i] = 0;
    }
  }
  return taken;
}

// Fills in `sign` times twice the score of each cell in the middle of a box, without b; gives the most.
int64_t middle_scores(Matrix<int64_t> x, const std::vector<int64_t>& middle, int64_t sign, std::vector<int64_t>& scores) {
  int64_t most = -(int64_t{1} << 62);
  for (int64_t i = 0; i < x.rows; i++) {
    int64_t s = 0;
    for (int64_t f = 0; f < x.columns; f++) s += middle[f] * x(i, f);
    scores[i] = sign * s;
    most = std::max(most, sign * s);
  }
  return most;
}

// Cells with weight left whose key is at least `least`: how many, and their weight.
struct Listed {
  int64_t count, weight;
};
Listed cells_from(const std::vector<int64_t>& key, const std::vector<int64_t>& left, int64_t n, int64_t least,
                  std::vector<int64_t>& cells) {
  Listed listed{0, 0};
  for (int64_t i = 0; i < n; i++) {
    const bool is_listed = left[i] > 0 && key[i] >= least;
    cells[listed.count] = i;
    listed.count += is_listed;
    listed.weight += is_listed ? left[i] : 0;
  }
  return listed;
}

// Follows the links from a to their end, and lets all of them lead there at once.
int64_t first_unused(std::vector<int64_t>& following, int64_t a) {
  int64_t end = a;
  while (following[end] != end) end = following[end];
  while (a != end) {
    const int64_t after = following[a];
    following[a] = end;
    a = after;
  }
  return end;
}

// Lists the features of W > 0 in `wide`, the widest first: it decides most.
int64_t list_wide(int64_t k, const std::vector<int64_t>& width, std::vector<int64_t>& wide) {
  int64_t n = 0;
  for (int64_t f = 0; f < k; f++) {
    if (width[f] <= 0) continue;
    int64_t t = n++;
    for (; t > 0 && width[wide[t - 1]] < width[f]; t--) wide[t] = wide[t - 1];
    wide[t] = f;
  }
  return n;
}

// The positives of a matching, by place in their order, as numbers of one kind: what a vector of the box needs of them.
// A positive that is used up has a key at which it conflicts with nobody.
template <class T>
struct Positives {
  static constexpr T kUsed = std::numeric_limits<T>::min() / 2;
  std::vector<T>& key;    // of each
  std::vector<T>& given;  // width times entry of each, wide feature after wide feature
  int64_t n, stride;

  Positives(std::vector<T>& keys, std::vector<T>& entries, const SupportData& data, const BoxSpace& space, int64_t n_up,
            int64_t n_wide)
      : key(keys), given(entries), n(n_up), stride(n_up + kBlock) {
    if (static_cast<int64_t>(key.size()) < stride) key.resize(stride);
    if (static_cast<int64_t>(given.size()) < n_wide * stride) given.resize(n_wide * stride);
    for (int64_t a = 0; a < n; a++) key[a] = static_cast<T>(space.up_key[space.up[a]]);
    std::fill(key.begin() + n, key.begin() + stride, kUsed);
    for (int64_t t = 0; t < n_wide; t++) {
      const int64_t f = space.least[t], width = space.most[f];
      T* row = given.data() + t * stride;
      for (int64_t a = 0; a < n; a++) row[a] = static_cast<T>(width * data.up_x(space.up[a], f));
      std::fill(row + n, row + stride, T{0});
    }
  }
  int64_t first_conflict(int64_t from, int64_t near, int64_t n_wide, const T* own) const {
    if constexpr (sizeof(T) == 4) {
      return tree_loops().first_conflict_32(from, n, static_cast<T>(near), key.data(), n_wide, given.data(), stride, own);
    } else {
      return tree_loops().first_conflict_64(from, n, near, key.data(), n_wide, given.data(), stride, own);
    }
  }
};

// Matches each negative with the positives it conflicts with; gives `total` and the matched weight.
//
// The first cells of `up` and `down` are sorted by rising key, and `least` names the wide features. `rest` is the weight
// of all negatives here: once it cannot lift the total above `enough`, nothing can.
template <class T>
int64_t match_conflicts(const SupportData& data, BoxSpace& space, const Positives<T>& positives, int64_t n_wide,
                        int64_t n_down, int64_t too_small, int64_t total, int64_t rest, int64_t enough) {
  const int64_t n_up = positives.n;
  std::vector<int64_t>& following = space.place;
  std::vector<T> own(n_wide);
  for (int64_t a = 0; a <= n_up; a++) following[a] = a;  // skips positives already used up
  int64_t begin = n_up;
  for (int64_t t_down = 0; t_down < n_down; t_down++) {
    const int64_t j = space.down[t_down];
    int64_t& left_j = space.left_down[j];
    if (total + rest <= enough) return total;  // cannot be pruned any more
    rest -= left_j;
    if (left_j == 0) continue;
    // positives at or below the negative's mid-box score, highest first
    const int64_t near = too_small + space.down_key[j];
    while (begin > 0 && near + space.up_key[space.up[begin - 1]] >= 0) begin--;
    for (int64_t t = 0; t < n_wide; t++) {
      const int64_t f = space.least[t];
      own[t] = static_cast<T>(space.most[f] * data.down_x(j, f));
    }
    for (int64_t a = begin; left_j > 0; a++) {
      a = first_unused(following, a);
      if (a < n_up) a = positives.first_conflict(a, near, n_wide, own.data());
      if (a == n_up) break;
      int64_t& left_i = space.left_up[space.up[a]];
      const int64_t u = std::min(left_i, left_j);
      left_i -= u;
      left_j -= u;
      total += u;
      if (total > enough) return total;
      if (left_i == 0) {
        following[a] = a + 1;
        positives.key[a] = Positives<T>::kUsed;
      }
    }
  }
  return total;
}

// Whether 32 bits hold the numbers of a matching: keys and slacks of less than 2^29, products of less than 2^28 together,
// so that what a positive that is used up has left is more than -2^31 and less than 0.
bool is_narrow(const BoxSpace& space, int64_t n_wide, int64_t most_up, int64_t most_down, int64_t too_small) {
  constexpr int64_t kMost = int64_t{1} << 27;
  if (std::max({std::abs(most_up), std::abs(most_down), std::abs(too_small)}) >= kMost) return false;
  int64_t sum = 0;
  for (int64_t t = 0; t < n_wide; t++) {
    const int64_t f = space.least[t], entry = space.largest[f], width = space.most[f];
    if (entry >= kMost || width >= kMost) return false;
    sum += 2 * entry * width;
    if (sum >= 2 * kMost) return false;
  }
  return true;
}

// Where to split the numbers from a to b: at the geometric mean when the range is long, else halfway.
double middle_of(int64_t a, int64_t b) {
  if (a < 0 && 0 < b) return -1.0;
  const double near = static_cast<double>(std::min(std::abs(a), std::abs(b)));
  const double far = static_cast<double>(std::max(std::abs(a), std::abs(b)));
  const double middle = far > 2 * near ? std::sqrt(std::max(near, 1.0) * far) : 0.5 * (near + far);
  return a < 0 ? -middle : middle;
}

// The one vector of a box with its best b.
struct Single {
  int64_t cost, l1, b;  // exact where the cost is at most the cut
};

// Where rates are limited, a vector within the cut at the prices is evaluated again with its true weights over those b
// that obey.
Single evaluate_single(const SupportData& data, const Box& box, int64_t cut) {
  const int64_t k = data.width(), last = box.low.size - 1;
  std::vector<int64_t> vector(k);
  int64_t l1 = 0, penalty = data.fixed_cost - data.base_loss;
  for (int64_t f = 0; f < k; f++) {
    vector[f] = data.magnitude(f, box.low[f]);
    l1 += vector[f];
    penalty += data.l1_penalty * vector[f];
    if (!data.is_flat) penalty += data.magnitude_extra(f, box.low[f]);
  }
  LossAt best = evaluate_vector(data, view(vector), box.low[last], box.high[last]);
  if (penalty + best.loss <= cut && data.rates.most.size > 0) {
    penalty -= data.shift;
    best = evaluate_within_rates(data, view(vector), box.low[last], box.high[last]);
  }
  return {penalty + best.loss, l1 + data.counts_b * std::abs(best.b), best.b};
}

}  // namespace

BoxSpace::BoxSpace(const SupportData& data) {
  const int64_t n = std::max({data.width(), data.up_weight.size, data.down_weight.size}) + 2;
  for (std::vector<int64_t>* own : {&least, &most, &left_up, &left_down, &up_key, &down_key, &up, &down, &spare}) {
    own->resize(n);
  }
  place.resize(2 * n);
  largest.resize(data.width());
  for (const Matrix<int64_t>& x : {data.up_x, data.down_x}) {
    for (int64_t i = 0; i < x.rows; i++) {
      for (int64_t f = 0; f < x.columns; f++) largest[f] = std::max(largest[f], std::abs(x(i, f)));
    }
  }
}

int64_t least_l1(const SupportData& data, const Box& box) {
  const int64_t k = data.width();
  int64_t total = 0;
  for (int64_t f = 0; f < k; f++) total += data.magnitude(f, box.low[f]);
  if (data.counts_b) {
    const int64_t a = data.intercepts[box.low[k]], b = data.intercepts[box.high[k]];
    total += a > 0 ? a : (b < 0 ? -b : 0);
  }
  return total;
}

int64_t least_fixed_cost(const SupportData& data, const Box& box) {
  int64_t total = data.fixed_cost + data.l1_penalty * least_l1(data, box);
  if (data.is_flat) return total;
  const int64_t k = data.width();
  const auto least = [](Ints extra, int64_t low, int64_t high) {
    return *std::min_element(extra.data + low, extra.data + high + 1);
  };
  for (int64_t f = 0; f < k; f++) total += least(data.magnitude_extra.row(f), box.low[f], box.high[f]);
  if (data.intercepts.size > 0) total += least(data.intercept_extra, box.low[k], box.high[k]);
  return total;
}

bool scores_too_high(const SupportData& data, const Box& box) {
  for (int64_t limit = 0; limit < data.score_most.size; limit++) {
    int64_t least = 0;
    for (int64_t f = 0; f < data.width(); f++) {
      const int64_t rate = data.score_rate(limit, f);
      least += rate * data.magnitude(f, rate > 0 ? box.low[f] : box.high[f]);
    }
    if (least > data.score_most[limit]) return true;
  }
  return false;
}

int64_t loss_bound(const SupportData& data, const Box& box, int64_t enough, BoxSpace& space) {
  const int64_t k = data.width();
  std::vector<int64_t>&A = space.least, &B = space.most;
  int64_t slack = 0;
  for (int64_t f = 0; f < k; f++) {
    A[f] = data.magnitude(f, box.low[f]);
    B[f] = data.magnitude(f, box.high[f]);
    slack += data.slack * B[f];
  }
  const int64_t too_small = 2 * ((data.slack || data.half ? 0 : 1) - slack);  // twice the largest difference in conflict
  std::copy(data.up_weight.begin(), data.up_weight.end(), space.left_up.begin());
  std::copy(data.down_weight.begin(), data.down_weight.end(), space.left_down.begin());
  int64_t total = 0;
  if (data.intercepts.size > 0) {
    const int64_t b_low = data.intercepts[box.low[k]], b_high = data.intercepts[box.high[k]];
    const int64_t loose = slack + data.slack * std::max(std::abs(b_low), std::abs(b_high));
    total += wrong_everywhere(data.up_x, space.left_up, 1, space, b_high * data.step + loose);
    total += wrong_everywhere(data.down_x, space.left_down, -1, space, -b_low * data.step + loose);
    if (total > enough) return total;
  }
  for (int64_t f = 0; f < k; f++) {  // from here on twice the middle, and W
    const int64_t a = A[f], b = B[f];
    A[f] = a + b;
    B[f] = b - a;
  }
  // keys, by which cells are sorted: the score of a negative, minus the score of a positive
  const int64_t most_up = middle_scores(data.up_x, A, -1, space.up_key);
  const int64_t most_down = middle_scores(data.down_x, A, 1, space.down_key);
  // only cells within the other class's range of scores can conflict
  const Listed up =
      cells_from(space.up_key, space.left_up, data.up_weight.size, -(most_down + too_small), space.up);
  const Listed down =
      cells_from(space.down_key, space.left_down, data.down_weight.size, -(most_up + too_small), space.down);
  if (total + std::min(down.weight, up.weight) <= enough) return total;
  sort_by(view(space.up_key), view(space.up), up.count, view(space.spare), view(space.place));
  sort_by(view(space.down_key), view(space.down), down.count, view(space.spare), view(space.place));
  const int64_t n_wide = list_wide(k, B, A);  // the middle is needed no more
  const auto matched = [&](auto& keys, auto& entries) {
    const Positives positives(keys, entries, data, space, up.count, n_wide);
    return match_conflicts(data, space, positives, n_wide, down.count, too_small, total, down.weight, enough);
  };
  return is_narrow(space, n_wide, most_up, most_down, too_small) ? matched(space.keys_32, space.entries_32)
                                                                       : matched(space.keys_64, space.entries_64);
}

int64_t cost_bound(const SupportData& data, const Box& box, int64_t enough, BoxSpace& space) {
  const int64_t fixed = least_fixed_cost(data, box);
  return fixed + loss_bound(data, box, enough - fixed, space);
}

int64_t widest(const SupportData& data, const Box& box) {
  const int64_t k = data.width();
  double best = -1;
  int64_t chosen = -1;
  for (int64_t f = 0; f < k; f++) {
    if (box.high[f] <= box.low[f]) continue;
    const int64_t range = data.magnitude(f, box.high[f]) - data.magnitude(f, box.low[f]);
    const double width = static_cast<double>(range) * data.spread[f];
    if (width > best) {
      best = width;
      chosen = f;
    }
  }
  if (data.intercepts.size > 0 && box.high[k] > box.low[k]) {
    const int64_t range = data.intercepts[box.high[k]] - data.intercepts[box.low[k]];
    if (static_cast<double>(range) * 0.7 * static_cast<double>(data.step) > best) chosen = k;
  }
  return chosen;
}

int64_t split_at(const SupportData& data, int64_t dimension, int64_t low, int64_t high) {
  const bool is_b = dimension == data.width();
  const Ints values = is_b ? data.intercepts : data.table.row(dimension);
  const double middle = is_b ? middle_of(values[low], values[high])
                             : middle_of(data.magnitude(dimension, low), data.magnitude(dimension, high));
  if (!is_b && data.stride[dimension]) {
    const double at = (middle - static_cast<double>(data.first[dimension])) / static_cast<double>(data.stride[dimension]);
    return std::max(low, std::min(high - 1, static_cast<int64_t>(at)));
  }
  int64_t first = low, last = high - 1;  // the last index of at most `middle`, but at least low and at most high - 1
  while (first < last) {
    const int64_t at = (first + last + 1) / 2;
    if (static_cast<double>(values[at]) <= middle) {
      first = at;
    } else {
      last = at - 1;
    }
  }
  return first;
}

Ended run_boxes(const SupportData& data, Cube<int64_t> stack, int64_t top, const Wanted& wanted, int64_t budget,
                Ints hit, BoxSpace& space) {
  const int64_t k = data.width();
  int64_t spent = 0;
  while (top > 0) {
    if (spent >= budget) return {PAUSED, top, spent};
    if (top == stack.layers) return {FULL, top, spent};
    spent++;
    top--;
    const Matrix<int64_t> here = stack.layer(top);
    const Box box{here.row(0), here.row(1)};
    if (wanted.ties && least_l1(data, box) >= wanted.best_l1) continue;
    const int64_t fixed = least_fixed_cost(data, box);
    if (fixed > wanted.cut || fixed + loss_bound(data, box, wanted.cut - fixed, space) > wanted.cut) continue;
    if (scores_too_high(data, box)) continue;
    if (!std::equal(box.low.data, box.low.data + k, box.high.data)) {
      const int64_t d = widest(data, box), split = split_at(data, d, box.low[d], box.high[d]);
      const Matrix<int64_t> lower = stack.layer(top + 1);
      std::copy(here.data, here.data + 2 * here.columns, lower.data);
      box.low[d] = split + 1;  // of the box that stays here
      lower(1, d) = split;
      top += 2;
      continue;
    }
    for (int64_t f = 0; f < k; f++) hit[f] = box.low[f];
    if (data.slack || data.judged) return {FOUND, top, spent};
    const Single single = evaluate_single(data, box, wanted.cut);
    hit[k] = single.b;
    if (single.cost <= wanted.cut && (!wanted.ties || single.l1 < wanted.best_l1)) return {FOUND, top, spent};
  }
  return {DONE, top, spent};
}

}  // namespace supersparse::errors
