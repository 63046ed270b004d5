#include "log_loss/cards.hpp"

#include <algorithm>

namespace supersparse::log_loss {
namespace {

constexpr int64_t kMostCodes = 20000;  // of rows that are numbered by a table of all codes
constexpr int64_t kLargestCode = (int64_t{1} << 31) - 1;
constexpr double kWorth = 0.7;    // of the rows: more are not worth to be merged
constexpr double kBreaks = 0.02;  // what a limit counts as broken in addition, if it is broken at all
constexpr int kNeighbours = 3;    // whole intercepts on either side of the best real one
constexpr double kNear = 1e-7;    // log odds: rows as near as this to the threshold may be on either side of it

// Number the codes that occur from 0, in place; returns how many. first: a row of each.
// By a table of all codes where they are few; otherwise each code has a place in a table of places, at its hash or the
// next one that is free.
int64_t numbered(Array<int32_t> ids, int64_t n, int64_t codes, std::vector<int32_t>& first) {
  thread_local std::vector<int32_t> table, own;
  const bool direct = codes <= std::min(kMostCodes, 8 * n);
  int bits = 6;
  while (!direct && (int64_t{1} << bits) < 2 * n) bits++;
  const int64_t places = direct ? codes : int64_t{1} << bits;
  table.assign(places, -1);
  own.resize(n);
  int32_t count = 0;
  for (int64_t i = 0; i < n; i++) {
    const int32_t code = ids[i];
    int64_t place = code;
    if (!direct) {
      place = static_cast<int64_t>((static_cast<uint64_t>(code) * 0x9E3779B97F4A7C15u) >> (64 - bits));
      while (table[place] >= 0 && own[table[place]] != code) place = (place + 1) & (places - 1);
    }
    if (table[place] < 0) {
      table[place] = count;
      own[count] = code;
      first[count++] = static_cast<int32_t>(i);
    }
    ids[i] = table[place];
  }
  return count;
}

}  // namespace

int64_t merge_rows(const RiskData& data, const Support& support, int64_t k) {
  const int64_t n = data.n_rows();
  const Array<int32_t> ids = support.ids;
  thread_local std::vector<int32_t> first;
  first.resize(n);
  first[0] = 0;
  int64_t groups = 1, codes = 1;  // cells at the last count, and the codes that they have now
  for (int64_t q = 0; q < k; q++)
    if (data.distinct[support.columns[q]] > kWorth * n) groups = n + 1;
  if (groups == 1) fill<int32_t>(ids, 0, n);
  for (int64_t q = 0; q <= k; q++) {
    const int64_t wide = q < k ? data.distinct[support.columns[q]] : 1;
    if (groups <= n && codes > groups && (q == k || codes * wide > kLargestCode)) codes = groups = numbered(ids, n, codes, first);
    codes *= wide;
    if (groups > kWorth * n || codes > kLargestCode) {
      groups = n + 1;
      break;
    }
    if (q < k) loops().append_code(ids.data, static_cast<int32_t>(wide), data.ranks.row(support.columns[q]).data, n);
  }
  if (groups > kWorth * n) {
    for (int64_t q = 0; q < k; q++) copy(support.x.row(q), data.x.row(support.columns[q]), n);
    copy(support.positive, data.positive, n);
    copy(support.negative, data.negative, n);
    return n;
  }
  fill(support.positive, 0.0, groups);
  fill(support.negative, 0.0, groups);
  for (int64_t i = 0; i < n; i++) {
    const int32_t g = ids[i];
    support.positive[g] += data.positive[i];
    support.negative[g] += data.negative[i];
  }
  for (int64_t q = 0; q < k; q++) {
    const Floats of_rows = data.x.row(support.columns[q]), of_groups = support.x.row(q);
    for (int64_t g = 0; g < groups; g++) of_groups[g] = of_rows[first[g]];
  }
  return groups;
}

void load(const RiskData& data, const Support& support, Ints columns, int64_t k) {
  if (support.state[kLoaded] && support.state[kSize] == k && same(support.columns, columns, k)) return;
  copy(support.columns, columns, k);
  support.state[kSize] = k;
  support.state[kRows] = merge_rows(data, support, k);
  support.state[kLoaded] = 1;
  support.counts[kWork] += data.n_rows() * (k + 1);
}

namespace {

// The best whole intercept: the loss is convex in it, so one of the two neighbours of the best real one is best; further
// ones are looked at until the loss surely rises.
CardLoss best_whole_intercept(const Scores& rows, double shift, Floats limits, Floats fit) {
  const double whole = std::floor(fit[1] - shift);
  double best = kInfinity, bound = kInfinity, chosen = whole, other = kInfinity;
  for (int side = 0; side < 2; side++) {
    for (int step = 0; step < kNeighbours; step++) {
      const double b = side ? whole + 1 + step : whole - step;
      LineSizes sizes;
      const Line at = rows.line(1, b + shift, sizes);
      const double f = at.loss;
      double falls = side ? -at.r : at.r;  // how fast the loss may still fall beyond it
      // by how much rounding can have changed the sum of the residuals, which the curvature tells too
      if (falls > -limits[4]) falls += limits[1] * sizes.residuals + limits[5] * at.c;
      const double beyond = falls > 0 && step == kNeighbours - 1 ? falls * 2 * limits[0] : 0;
      bound = std::min(bound, f - beyond - limits[1] * f - limits[3]);
      if (f < best) {
        other = best;
        best = f;
        chosen = b;
      } else {
        other = std::min(other, f);
      }
      if (falls <= 0) break;
    }
  }
  if (other - best < 1e-9) fit[3] = kInfinity;  // either may be the best
  fit[1] = chosen + shift;
  return {best, std::max(bound, 0.0)};
}

}  // namespace

CardLoss card_loss(const RiskData& data, const Support& support, Ints index, int64_t k, Floats fit, Accuracy accuracy, double enough) {
  const Scores rows{support.work.row(6), support.positive, support.negative, support.state[kRows]};
  fill(rows.score, 0.0, rows.n);
  double slope = kInfinity, shift = 0;
  for (int64_t q = 0; q < k; q++) {
    const int64_t j = support.columns[q];
    const double value = data.values(j, index[q]);
    if (value == 0) continue;
    add_column(rows.score, value * data.scale[j], support.x.row(q), rows.n);
    slope = std::min(slope, data.cap[j] / std::fabs(value));
    shift += value * data.offset[j];
  }
  if (slope == kInfinity) slope = 1;
  if (!data.slope_is_free) fit[0] = 1;
  const double f = calibrate(rows, fit, data.slope_is_free, slope, accuracy, enough);
  fit[2] = fit[3] = 0;
  if (!data.slope_is_free) return best_whole_intercept(rows, shift, data.limits, fit);
  if (accuracy == Accuracy::quick) return {f, -kInfinity};
  LineSizes sizes;
  const Line at = rows.line(fit[0], fit[1], sizes);
  // the next Newton step tells how far the best fit can be
  const double ga = at.rs, gb = at.r, hbb = at.c, hab = at.cs, haa = at.css, det = haa * hbb - hab * hab;
  if ((fit[0] >= slope && ga <= 0) || (fit[0] <= 0 && ga >= 0)) {
    fit[3] = hbb > 1e-12 ? std::fabs(gb) / hbb : kInfinity;
  } else if (det > 1e-12 * haa * hbb && hbb > 1e-12) {
    fit[2] = std::fabs(hbb * ga - hab * gb) / det;
    fit[3] = std::fabs(haa * gb - hab * ga) / det;
  } else {
    fit[2] = fit[3] = kInfinity;
  }
  return {at.loss, value_of_bound(at.loss - sizes.moment, at.loss + sizes.size, gb, ga, std::fabs(ga), 0, slope, data.limits)};
}

double rates_broken(const RiskData& data, const Support& support, Ints index, int64_t k, Floats fit) {
  const int64_t n_limits = data.rate_most.rows, n = data.n_rows();
  if (n_limits == 0) return 0;
  const Floats z = support.work.row(6), size = support.work.row(7);
  fill(z, fit[1], n);
  for (int64_t q = 0; q < k; q++) {
    const int64_t j = support.columns[q];
    const double value = data.values(j, index[q]);
    if (value != 0) add_column(z, fit[0] * value * data.scale[j], data.x.row(j), n);
  }
  for (int64_t i = 0; i < n; i++) {  // how far the log odds of a row can be from those of the best fit
    const double away = std::fabs(z[i] - fit[1]) / std::max(fit[0], 1e-300);
    size[i] = kNear * (1 + 1e-3 * std::fabs(z[i])) + 4 * fit[3];
    if (fit[2] > 0) size[i] += 4 * fit[2] * away;
  }
  double broken = 0;
  for (int64_t limit = 0; limit < n_limits; limit++) {
    const Floats missed = data.rates.layer(limit).row(0), alarmed = data.rates.layer(limit).row(1);
    double wrong = 0;
    for (int64_t i = 0; i < n; i++) {
      const double distance = z[i] - data.threshold;
      wrong += distance > size[i] ? alarmed[i] : distance < -size[i] ? missed[i] : std::min(alarmed[i], missed[i]);
    }
    if (wrong > data.rate_most(limit, 0)) broken += kBreaks + (wrong - data.rate_most(limit, 0)) / data.rate_most(limit, 1);
  }
  support.counts[kWork] += n * (k + n_limits);
  return broken;
}

bool support_may_obey(const RiskData& data, const Support& support) {
  const int64_t n = data.n_rows(), groups = support.state[kRows], n_limits = data.rate_most.rows;
  if (n_limits == 0 || groups == n) return true;
  std::vector<double> missed(groups), alarmed(groups), all_missed(groups), all_alarmed(groups);
  double together = 0, all_most = 0;
  for (int64_t limit = 0; limit < n_limits; limit++) {
    missed.assign(groups, 0.0);
    alarmed.assign(groups, 0.0);
    for (int64_t i = 0; i < n; i++) {
      missed[support.ids[i]] += data.rates(limit, 0, i);
      alarmed[support.ids[i]] += data.rates(limit, 1, i);
    }
    double least = 0;
    const double whole = data.rate_most(limit, 1);
    for (int64_t g = 0; g < groups; g++) {
      least += std::min(missed[g], alarmed[g]);
      all_missed[g] += missed[g] / whole;
      all_alarmed[g] += alarmed[g] / whole;
    }
    if (least > data.rate_most(limit, 0)) return false;
    all_most += data.rate_most(limit, 0) / whole;
  }
  for (int64_t g = 0; g < groups; g++) together += std::min(all_missed[g], all_alarmed[g]);
  return together <= all_most + 1e-9;
}

bool obeys_limits(const RiskData& data, const Support& support, Ints index, int64_t k) {
  for (int64_t limit = 0; limit < data.most.size; limit++) {
    double sum = 0;
    for (int64_t q = 0; q < k; q++) sum += data.tables(limit, support.columns[q], index[q]);
    if (sum > data.most[limit]) return false;
  }
  return true;
}

double penalty_of(const RiskData& data, const Support& support, Ints index, int64_t k) {
  double penalty = 0;
  for (int64_t q = 0; q < k; q++) penalty += data.penalty(support.columns[q], index[q]);
  return penalty;
}

double offer(const RiskData& data, const Support& support, const Best& best, Ints index, int64_t k, Floats start,
             double only_if, bool keeps) {
  if (!obeys_limits(data, support, index, k)) return kInfinity;
  const double penalty = penalty_of(data, support, index, k);
  double room_for_fit[4] = {start[0], start[1], 0, 0};
  const Floats fit{room_for_fit, 4};
  if (only_if < kInfinity) {
    const double enough = best.value[0] + only_if;
    if (card_loss(data, support, index, k, fit, Accuracy::quick, enough - penalty).loss + penalty > enough) return -kInfinity;
  }
  const auto [f, bound] = card_loss(data, support, index, k, fit, Accuracy::full, kInfinity);
  const int64_t room = support.found.rows;
  const double broken = rates_broken(data, support, index, k, fit);
  if (room && broken == 0 && bound + penalty < best.value[0] - data.tolerance && support.state[kFound] < room) {
    const Ints card = support.found.row(support.state[kFound]);
    support.found_bound[support.state[kFound]++] = bound + penalty;
    card[0] = k;
    copy(card.from(1), support.columns, k);
    copy(card.from(1 + k), index, k);
  }
  const double value = f + penalty + data.pull * broken;
  if ((keeps || !room) && value < best.value[0] - 1e-13) {
    best.value[0] = value;
    copy(best.index, data.zero, data.zero.size);
    for (int64_t q = 0; q < k; q++) best.index[support.columns[q]] = index[q];
    best.fit[0] = fit[0];
    best.fit[1] = fit[1];
  }
  return bound + penalty;
}

}  // namespace supersparse::log_loss
