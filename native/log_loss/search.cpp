#include "log_loss/search.hpp"

#include <algorithm>

#include "log_loss/shapes.hpp"

namespace supersparse::log_loss {
namespace {

constexpr int kScales = 24;
constexpr double kLast = 1e3;  // more than any loss

// The possible gain of adding each column to a model (b, beta...), by one Newton step for it alone.
void gains(const RiskData& data, const Support& support, Ints columns, Floats point, int64_t k, Floats out) {
  const int64_t n = data.n_rows();
  const Floats z = support.work.row(0), e = support.work.row(1), residual = support.work.row(2), curve = support.work.row(3);
  scores_at(z, point, 1, data.x, columns, k, n);
  loss_at(z, data.positive, data.negative, e, n);
  slopes_at(z, e, data.positive, data.negative, residual, curve, n);
  support.counts[kWork] += 2 * n * data.n_columns();
  const double c = 1e-12 + total(curve, n);
  for (int64_t j = 0; j < data.n_columns(); j++) {
    double sums[4];
    loops().column_sums(data.x.row(j).data, residual.data, curve.data, z.data, n, sums);
    const double g = sums[0], cross = sums[1], h = 1e-12 + sums[2];
    out[j] = 0.5 * g * g / std::max(h - cross * cross / c, 1e-12 + 1e-3 * h);
  }
  for (int64_t q = 0; q < k; q++) out[columns[q]] = -1;
}

// How much of its fewest points a column has where the regression (b, beta...) has its most points.
// That is at the least slope at which no column has more than its largest points. Less than half is rounded to 0, which
// no choice of points mends: their scales are too different.
double least_share(const RiskData& data, Ints columns, Floats point, int64_t k) {
  double slope = 0, share = kInfinity;
  for (int64_t q = 0; q < k; q++) {
    const Floats own = data.values.row(columns[q]);
    const double large = std::max(std::fabs(own[0]), std::fabs(own[own.size - 1]));
    slope = std::max(slope, std::fabs(point[1 + q]) / (large * data.scale[columns[q]]));
  }
  for (int64_t q = 0; q < k; q++) {
    double fewest = kInfinity;
    for (double value : data.values.row(columns[q]))
      if (value != 0) fewest = std::min(fewest, std::fabs(value));
    share = std::min(share, std::fabs(point[1 + q]) / std::max(slope * fewest * data.scale[columns[q]], 1e-300));
  }
  return share;
}

// Insert a support into a list sorted by loss; returns the new length.
int64_t keep(Ints columns, Floats point, double f, int64_t k, Matrix<int64_t> members, Matrix<double> points, Floats losses,
             int64_t count) {
  const int64_t most = losses.size;
  int64_t at = count;
  while (at > 0 && losses[at - 1] > f) at--;
  if (at >= most) return count;
  for (int64_t c = std::min(count, most - 1); c > at; c--) {
    losses[c] = losses[c - 1];
    copy(members.row(c), members.row(c - 1), k);
    copy(points.row(c), points.row(c - 1), k + 1);
  }
  losses[at] = f;
  copy(members.row(at), columns, k);
  copy(points.row(at), point, k + 1);
  return std::min(count + 1, most);
}

// Change one point at a time while that helps; index and fit receive the result.
double polish(const RiskData& data, const Support& support, Ints low, Ints high, Ints index, Floats fit, double value) {
  const int64_t k = support.state[kSize];
  std::vector<int64_t> room(index.data, index.data + k);
  const Ints trial = view(room);
  double room_for_fit[4] = {0, 0, 0, 0};
  const Floats start{room_for_fit, 4};
  for (bool improved = true; improved;) {
    improved = false;
    for (int64_t q = 0; q < k; q++) {
      const int64_t j = support.columns[q], from = std::max(low[j], index[q] - 6), to = std::min(high[j], index[q] + 6);
      for (int64_t v = from; v <= to; v++) {
        if (v == index[q]) continue;
        trial[q] = v;
        copy(start, fit, 2);
        const double next = card_value(data, support, trial, k, start, value);
        if (next < value - 1e-9) {
          value = next;
          improved = true;
          index[q] = v;
          copy(fit, start, 2);
        }
      }
      trial[q] = index[q];
    }
  }
  return value;
}

}  // namespace

int64_t extend(const RiskData& data, const Support& support, Matrix<int64_t> members, Matrix<double> points, int64_t n_members,
               int64_t size, Ints allowed, int64_t tries, double least, Matrix<int64_t> new_members, Matrix<double> new_points,
               Floats losses) {
  const int64_t p = data.n_columns();
  std::vector<double> room_out(p), room_beta(size + 2), room_reach(size + 1);
  std::vector<int64_t> room_trial(size + 1);
  const Floats out = view(room_out), beta = view(room_beta), reach = view(room_reach);
  const Ints trial = view(room_trial);
  int64_t count = 0;
  for (int64_t m = 0; m < n_members; m++) {
    const Ints own = members.row(m);
    const Floats point = points.row(m);
    gains(data, support, own, point, size, out);
    for (int64_t j = 0; j < p; j++)
      if (!allowed[j]) out[j] = -1;
    for (int64_t turn = 0; turn < tries; turn++) {
      const int64_t j = std::max_element(out.begin(), out.end()) - out.begin();
      if (out[j] < 0) break;
      out[j] = -1;
      int64_t at = 0;
      for (int64_t q = 0; q < size; q++)
        if (own[q] < j) at = q + 1;
      beta[0] = point[0];
      for (int64_t q = 0; q <= size; q++) {
        trial[q] = q < at ? own[q] : q == at ? j : own[q - 1];
        beta[1 + q] = q < at ? point[1 + q] : q == at ? 0 : point[q];
      }
      bool known = false;
      for (int64_t c = 0; c < count; c++) known = known || same(new_members.row(c), trial, size + 1);
      if (known) continue;
      load(data, support, trial, size + 1);
      const int64_t n = support.state[kRows];
      support.counts[kWork] += 5 * n * ((size + 1) * (size + 1) / 2 + 8);
      for (int64_t q = 0; q <= size; q++) reach[q] = data.reach[trial[q]];
      double f = fit_support(support.x, support.order, support.positive, support.negative, n, size + 1, reach, kInfinity,
                             data.limits, beta, support.work, 1e-5)
                     .loss;
      if (least_share(data, trial, beta, size + 1) < least) f += kLast;
      count = keep(trial, beta, f, size + 1, new_members, new_points, losses, count);
    }
  }
  return count;
}

double card_value(const RiskData& data, const Support& support, Ints index, int64_t k, Floats start, double enough) {
  if (!obeys_limits(data, support, index, k)) return kInfinity;
  const double penalty = penalty_of(data, support, index, k);
  const double f = card_loss(data, support, index, k, start, Accuracy::quick, enough - penalty).loss;
  support.counts[kWork] += 12 * support.state[kRows];
  return f + penalty + data.pull * rates_broken(data, support, index, k, start);
}

void round_support(const RiskData& data, const Support& support, const Best& best, Ints low, Ints high, Ints columns, int64_t k,
                   Floats point, double near, bool keeps) {
  struct Rounding {
    double value = kInfinity;
    std::vector<int64_t> index;
    double fit[4] = {0, 0, 0, 0};
  };
  load(data, support, columns, k);
  SlopeRange slopes;
  for (int64_t q = 0; q < k; q++) slopes.take(data, columns[q], low[columns[q]], high[columns[q]], point[1 + q]);
  if (!(slopes.least > 0)) return;
  const double least = 0.9 * slopes.least, most = std::min(std::max(1.5 * slopes.most, 1.01 * least), 60 * least);
  const int scales = data.slope_is_free ? kScales : 1;
  Rounding first, second, at;
  at.index.resize(k);
  std::vector<int64_t> last;
  for (int t = 0; t < scales; t++) {
    const double a = data.slope_is_free ? least * std::pow(most / least, static_cast<double>(t) / std::max(1, scales - 1)) : 1;
    for (int64_t q = 0; q < k; q++) {
      const int64_t j = columns[q];
      at.index[q] = nearest_value(data, j, low[j], high[j], point[1 + q] / (a * data.scale[j]));
    }
    if (at.index == last) continue;
    last = at.index;
    at.fit[0] = a;
    at.fit[1] = point[0];
    at.value = card_value(data, support, view(at.index), k, {at.fit, 4}, second.value);
    if (at.value < first.value - 1e-12) {
      second = first;
      first = at;
    } else if (at.value < second.value - 1e-12) {
      second = at;
    }
  }
  for (Rounding* own : {&first, &second}) {
    if (!(own->value < best.value[0] + std::fabs(near))) continue;
    const Ints index = view(own->index);
    const Floats fit{own->fit, 4};
    double value = own->value;
    if (near >= 0) value = polish(data, support, low, high, index, fit, value);
    if (value < best.value[0] + 1e-7) offer(data, support, best, index, k, fit, kInfinity, keeps);
  }
}

}  // namespace supersparse::log_loss
