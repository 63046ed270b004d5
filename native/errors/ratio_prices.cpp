#include "errors/ratio_prices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "errors/ratio_loops.hpp"

namespace supersparse::ratios {
namespace {

constexpr float kZero = 1e-4f;  // what counts as nothing
constexpr float kGain = 0.1f;   // the least gain of a multiplier that is worth a step
constexpr int64_t kMostSteps = 300;
constexpr float kApart = 0.01f;  // how far limits are off at most
constexpr float kFar = 1e30f;
enum { LIMITS, TIGHT };  // of Prices::number

int64_t whole_vectors(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Writes what each group takes of a tight limit.
void write_taken(const Prices& prices, int64_t points, int64_t t, int64_t kept) {
  const int64_t limit = prices.tight[t];
  const Singles taken = prices.taken.row(t).slice(0, whole_vectors(kept));
  if (limit >= points) {
    for (int64_t s = 0; s < kept; s++) taken[s] = prices.part(s, limit - points);
    return;
  }
  std::fill(taken.begin(), taken.end(), 0.0f);
  for (int64_t at = prices.first[limit]; at >= 0; at = prices.next(at / kMembers, at % kMembers)) taken[at / kMembers] = 1;
}

// How multipliers and what is left of limits fall, if a group or the slack of a tight limit rises.
void set_direction(const Prices& prices, const PairList& listed, int64_t points, int64_t group, int64_t slack) {
  const RatioLoops& run = loops();
  const int64_t size = prices.number[TIGHT], n = prices.number[LIMITS];
  const int64_t wide = whole_vectors(size), tail = whole_vectors(n - points);
  const Singles fall = prices.fall.slice(0, wide), change = prices.change, literal = change.slice(points, points + tail);
  std::fill(change.begin(), change.end(), 0.0f);
  if (group >= 0) {
    std::fill(fall.begin(), fall.end(), 0.0f);
    const Singles part = prices.part.row(group);
    for (int64_t k = 0; k < listed.size[group]; k++) {
      const int64_t i = prices.point(group, k);
      change[i] = 1;
      if (prices.at_tight[i] >= 0) run.subtract(wide, -1.0f, prices.inverse.row(prices.at_tight[i]).data, fall.data);
    }
    for (int64_t j = 0; j < n - points; j++) {
      literal[j] = part[j];
      const int64_t row = prices.at_tight[points + j];
      if (part[j] != 0 && row >= 0) run.subtract(wide, -part[j], prices.inverse.row(row).data, fall.data);
    }
  } else {
    copy(prices.inverse.row(slack).slice(0, wide), fall);
  }
  for (int64_t a = 0; a < size; a++) {
    if (fall[a] == 0) continue;
    const int64_t s = prices.used[a];
    for (int64_t k = 0; k < listed.size[s]; k++) change[prices.point(s, k)] -= fall[a];
    run.subtract(tail, fall[a], prices.part.row(s).data, literal.data);
  }
  for (int64_t t = 0; t < size; t++) change[prices.tight[t]] = 0;
}

// Exchanges a limit with a group, in the inverse and the gains.
void exchange(const Prices& prices, int64_t t, int64_t a, int64_t n_rows, int64_t n_columns) {
  const int64_t wide = whole_vectors(n_rows);
  const Singles pivot = prices.pivot.slice(0, wide), source = prices.inverse.row(t).slice(0, wide);
  copy(source, pivot);
  const float over = 1.0f / pivot[a];
  pivot[a] = 0;
  for (int64_t q = 0; q < n_columns; q++) {
    const Singles row = prices.inverse.row(q);
    if (q == t || row[a] == 0) continue;
    const float times = row[a] * over;
    loops().subtract(wide, times, pivot.data, row.data);
    row[a] = times;
    prices.gain[q] -= times * prices.gain[t];
  }
  for (int64_t j = 0; j < wide; j++) source[j] = -over * pivot[j];
  source[a] = over;
  prices.gain[t] *= -over;
}

// Drops a used group: the last one takes its place.
void drop_row(const Prices& prices, int64_t a, int64_t last, int64_t n_columns) {
  prices.at_used[prices.used[a]] = -1;
  if (a != last) {
    prices.used[a] = prices.used[last];
    prices.multiplier[a] = prices.multiplier[last];
    prices.at_used[prices.used[a]] = a;
    for (int64_t t = 0; t < n_columns; t++) prices.inverse(t, a) = prices.inverse(t, last);
  }
  for (int64_t t = 0; t < n_columns; t++) prices.inverse(t, last) = 0;
}

// Drops a tight limit: the last one takes its place.
void drop_column(const Prices& prices, int64_t t, int64_t last, int64_t n_rows, int64_t kept) {
  prices.price[prices.tight[t]] = 0;
  prices.at_tight[prices.tight[t]] = -1;
  if (t == last) return;
  prices.tight[t] = prices.tight[last];
  prices.gain[t] = prices.gain[last];
  prices.at_tight[prices.tight[t]] = t;
  copy(prices.inverse.row(last).slice(0, whole_vectors(n_rows)), prices.inverse.row(t));
  copy(prices.taken.row(last).slice(0, whole_vectors(kept)), prices.taken.row(t));
}

// Appends what a limit has left, as a function of the tight ones.
void write_row(const Prices& prices, int64_t points, int64_t limit, int64_t size) {
  const auto take_from = [&](float part, int64_t a) {
    for (int64_t t = 0; t < size; t++) prices.inverse(t, size) -= part * prices.inverse(t, a);
  };
  for (int64_t t = 0; t < size; t++) prices.inverse(t, size) = 0;
  if (limit < points) {
    for (int64_t at = prices.first[limit]; at >= 0; at = prices.next(at / kMembers, at % kMembers)) {
      const int64_t a = prices.at_used[at / kMembers];
      if (a >= 0) take_from(1.0f, a);
    }
    return;
  }
  for (int64_t a = 0; a < size; a++) {
    const float part = prices.part(prices.used[a], limit - points);
    if (part != 0) take_from(part, a);
  }
}

// Where the least number below kFar is, the first of equal ones; -1 for none.
int64_t shortest(Singles length, int64_t n) {
  float least = kFar;
  int64_t at = -1;
  for (int64_t i = 0; i < n; i++)
    if (length[i] < least) least = length[i], at = i;
  return at;
}

// Lets a group or the slack of a tight limit rise as far as it can; returns what that gains, or -1.
float take_step(const Prices& prices, const PairList& listed, int64_t points, int64_t kept, int64_t group, int64_t slack,
                float gain) {
  const RatioLoops& run = loops();
  const int64_t size = prices.number[TIGHT], n = prices.number[LIMITS];
  const int64_t wide = whole_vectors(size), all_limits = whole_vectors(n);
  set_direction(prices, listed, points, group, slack);
  const Singles fall = prices.fall, change = prices.change, left = prices.left, multiplier = prices.multiplier;
  const Singles length = prices.length;
  run.write_lengths(all_limits, kZero, left.data, change.data, length.data);
  int64_t limit = shortest(length, n), row = -1;
  float step = limit >= 0 ? length[limit] : kFar;
  run.write_lengths(wide, kZero, multiplier.data, fall.data, length.data);
  const int64_t first_gone = shortest(length, size);
  if (first_gone >= 0 && length[first_gone] < step) {
    step = length[first_gone];
    limit = -1;
    row = first_gone;
  }
  if ((limit < 0 && row < 0) || (group >= 0 && limit >= 0 && size == kMostTight - 1)) return -1;
  run.subtract(wide, step, fall.data, multiplier.data);
  run.subtract(all_limits, step, change.data, left.data);
  int64_t column = slack, n_rows = size, n_columns = size;
  if (group >= 0) {  // its column joins
    column = size;
    n_columns = size + 1;
    prices.gain[size] = gain;
    const Singles pivot = prices.inverse.row(size);
    std::fill(pivot.begin(), pivot.end(), 0.0f);
    for (int64_t a = 0; a < size; a++) pivot[a] = fall[a];
  }
  if (limit >= 0) {  // its row joins
    row = size;
    n_rows = size + 1;
    write_row(prices, points, limit, size);
    if (group >= 0) prices.inverse(size, size) = change[limit];
  }
  exchange(prices, column, row, n_rows, n_columns);
  if (group >= 0 && limit >= 0) {
    prices.used[size] = group;
    prices.tight[size] = limit;
    multiplier[size] = step;
    prices.at_used[group] = size;
    prices.at_tight[limit] = size;
    left[limit] = 0;
    write_taken(prices, points, size, kept);
    prices.number[TIGHT] = size + 1;
  } else if (group >= 0) {
    prices.at_used[prices.used[row]] = -1;
    prices.used[row] = group;
    multiplier[row] = step;
    prices.at_used[group] = row;
  } else if (limit >= 0) {
    const int64_t freed = prices.tight[slack];
    left[freed] = step;
    prices.price[freed] = 0;
    prices.at_tight[freed] = -1;
    prices.tight[slack] = limit;
    prices.at_tight[limit] = slack;
    write_taken(prices, points, slack, kept);
    left[limit] = 0;
    for (int64_t t = 0; t < size; t++) prices.inverse(t, size) = 0;  // what its row was
  } else {
    left[prices.tight[slack]] = step;
    drop_row(prices, row, size - 1, size);
    drop_column(prices, slack, size - 1, size - 1, kept);
    prices.number[TIGHT] = size - 1;
  }
  for (int64_t t = 0; t < prices.number[TIGHT]; t++) prices.price[prices.tight[t]] = -prices.gain[t];
  return step * gain;
}

}  // namespace

int64_t pack_groups(const PairList& listed, int64_t kept, Ints undecided, Ints penalty, int64_t enough, bool is_guided,
                    IntTable load) {
  const Ints left = listed.left;
  const int64_t n = undecided.size, last = is_guided ? 1 : 2;
  int64_t total = 0;
  std::fill(load.data, load.data + 2 * load.columns, 0);
  std::fill(listed.is_open.begin(), listed.is_open.begin() + kept, 1);
  for (int64_t sweep = 0; sweep <= last; sweep++) {
    for (int64_t s = 0; s < kept; s++) {
      if (listed.is_open[s] == 0) continue;
      const Ints member = listed.member.row(listed.place[s]).slice(0, listed.size[s]), factor = listed.factor.row(s);
      int64_t u = left[member[0]];
      for (int64_t i : member) u = std::min(u, left[i]);
      if (sweep < last) u = std::min(u, is_guided ? static_cast<int64_t>(listed.guess[s]) : 1 + u / 4);
      if (u <= 0) continue;
      for (int64_t t = 0; t < n; t++) {
        const int64_t a = std::abs(factor[t]), f = undecided[t];
        if (a == 0) continue;
        const int64_t spare = penalty[f] * kFine * kFine - load(factor[t] < 0, f);
        if (a * u > spare) u = spare / a;
      }
      if (u <= 0) {
        listed.is_open[s] = 0;  // a literal has nothing left, and never will have
        continue;
      }
      for (int64_t t = 0; t < n; t++)
        if (factor[t]) load(factor[t] < 0, undecided[t]) += std::abs(factor[t]) * u;
      for (int64_t i : member) left[i] -= u;
      total += u;
      if (total > enough) return total;
    }
  }
  return total;
}

void begin_prices(const Prices& prices, const PointPairs& pairs, Ints undecided) {
  const int64_t points = pairs.weight.size, n = points + 2 * undecided.size;
  for (int64_t i = 0; i < n; i++) {
    const double whole = i < points ? static_cast<double>(pairs.weight[i]) / kFine : pairs.penalty[undecided[(i - points) / 2]];
    const float off = 1.0f + kApart * static_cast<float>(i * 37 % 101) / 101.0f;
    prices.left[i] = static_cast<float>(whole) * off;
    prices.price[i] = 0;
    prices.at_tight[i] = -1;
  }
  std::fill(prices.first.begin(), prices.first.begin() + points, -1);
  prices.number[LIMITS] = n;
  prices.number[TIGHT] = 0;
}

void add_groups(const Prices& prices, const PairList& listed, int64_t points, Ints undecided, int64_t first, int64_t end) {
  for (int64_t s = first; s < end; s++) {
    prices.at_used[s] = -1;
    float total = static_cast<float>(1 + listed.size[s]);
    for (int64_t k = 0; k < listed.size[s]; k++) {
      const int64_t i = listed.member(listed.place[s], k);
      prices.point(s, k) = i;
      prices.next(s, k) = prices.first[i];
      prices.first[i] = s * kMembers + k;
    }
    const Singles part = prices.part.row(s);
    for (int64_t t = 0; t < undecided.size; t++) {
      const float share = static_cast<float>(listed.factor(s, t)) / static_cast<float>(kFine);
      part[2 * t] = std::max(share, 0.0f);
      part[2 * t + 1] = std::max(-share, 0.0f);
      total += share * share;
    }
    prices.worth[s] = 1.0f / std::sqrt(std::sqrt(total));
  }
  for (int64_t t = 0; t < prices.number[TIGHT]; t++) write_taken(prices, points, t, end);
}

int64_t solve_prices(const Prices& prices, const PairList& listed, int64_t points, int64_t kept, float enough) {
  float total = 0;
  for (int64_t a = 0; a < prices.number[TIGHT]; a++) total += prices.multiplier[a];
  for (int64_t steps = 0; steps < kMostSteps; steps++) {
    loops().combine(whole_vectors(kept), prices.number[TIGHT], prices.gain.data, prices.taken.data, prices.taken.columns,
                    prices.cost.data);
    if (total > enough) return steps;
    int64_t group = -1, slack = -1;
    float most = kGain;
    for (int64_t s = 0; s < kept; s++) {
      const float worth = (1.0f - prices.cost[s]) * prices.worth[s];
      if (worth > most && prices.at_used[s] < 0) group = s, most = worth;
    }
    for (int64_t t = 0; t < prices.number[TIGHT]; t++)
      if (prices.gain[t] > most) group = -1, slack = t, most = prices.gain[t];
    if (group < 0 && slack < 0) return steps;
    const float gain = group >= 0 ? 1.0f - prices.cost[group] : most;
    const float won = take_step(prices, listed, points, kept, group, slack, gain);
    if (won < 0) return steps;
    total += won;
  }
  return kMostSteps;
}

void read_prices(const Prices& prices, const PairList& listed, int64_t points, Ints undecided, int64_t kept) {
  for (int64_t s = 0; s < kept; s++) {
    listed.guess[s] = 0;
    listed.gain[s] = 1.0f - prices.cost[s];
  }
  for (int64_t a = 0; a < prices.number[TIGHT]; a++)
    listed.guess[prices.used[a]] = std::max(0.0f, prices.multiplier[a]) * static_cast<float>(kFine);
  for (int64_t i = 0; i < prices.number[LIMITS]; i++) {
    const float price = std::max(0.0f, prices.price[i]);
    if (i < points)
      listed.demand[i] = price;
    else
      listed.rate((i - points) % 2, undecided[(i - points) / 2]) = price;
  }
}

}  // namespace supersparse::ratios
