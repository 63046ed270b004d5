#include "log_loss/projection.hpp"

#include <algorithm>
#include <cmath>

#include "log_loss/bound.hpp"
#include "log_loss/cards.hpp"
#include "log_loss/proof_loops.hpp"

namespace supersparse::log_loss {
namespace {

constexpr int kProjections = 8;
constexpr int64_t kMerged = 6;  // with fewer than one in this number of rows left on a support, regressions on those cost less
constexpr double kFitAccuracy = 1e-6;  // of the regression without the last column

// Takes the rows whose risk is at an end out of the curvature; its lower triangle is all that counts.
void leave_out(const Sample& sample, Floats risk, Floats curve, Floats row, Matrix<double> h) {
  const int64_t m = sample.size();
  row[0] = 1;
  for (int64_t i = 0; i < sample.n; i++) {
    if (risk[i] > 0 && risk[i] < 1) continue;
    for (int64_t j = 0; j < m; j++) row[1 + j] = sample.x(sample.columns[j], i);
    for (int64_t j = 0; j <= m; j++) {
      const double weighed = curve[i] * row[j];
      for (int64_t k = 0; k <= j; k++) h(j, k) -= weighed * row[k];
    }
  }
}

// The bound that passes the threshold, from a regression that has not converged; -kHuge if none was found.
//
// rows[0] and rows[1] are residuals and curvature of its rows, three more rows are room; `gram` is the curvature with
// the intercept first, `step` the Newton step, which changes; `expected` the loss after it.
double projected_bound(const Sample& sample, const CardBox& box, double slope_high, double threshold, Floats limits,
                       Matrix<double> gram, Floats step, double expected, Matrix<double> rows) {
  const int64_t n = sample.n, m = sample.size(), size = m + 1;
  const Floats residual = rows.row(0), curve = rows.row(1), shift = rows.row(2), risk = rows.row(3), moved = rows.row(4);
  std::vector<double> own(size * size + 4 * size);
  const Matrix<double> h{own.data(), size, size}, vectors{own.data() + size * size, 4, size};
  const Floats g = vectors.row(0), pick = vectors.row(1), row = vectors.row(2), more = vectors.row(3);
  for (int turn = 0; turn < kProjections; turn++) {
    scores_at(shift, step, 1, sample.x, sample.columns, m, n);
    const double gb = proof_loops().move_risks(residual.data, curve.data, shift.data, sample.positive.data,
                                              sample.negative.data, risk.data, moved.data, n);
    dots(moved, sample.x, sample.columns, m, n, g);
    more[0] = -gb;
    for (int64_t j = 0; j < m; j++) more[1 + j] = -g[j];
    const auto [reach, magnitude] = least_reach(g, box.low, box.high, box.optional, box.cost, m, box.room, pick);
    if (value_of_bound(expected, expected, gb, reach, magnitude, 0, slope_high, limits) >= threshold) {
      const double entropy = entropy_of(risk, sample.positive, sample.negative, n);
      const double bound = value_of_bound(entropy, entropy, gb, reach, magnitude, 0, slope_high, limits);
      if (bound >= threshold) return bound;
      expected = std::min(expected, entropy);
      if (expected < threshold) break;
    }
    for (int64_t j = 0; j < size; j++) {
      for (int64_t k = 0; k <= j; k++) h(j, k) = gram(j, k);
      h(j, j) += 1e-13;
    }
    leave_out(sample, risk, curve, row, h);
    if (!solve(h, size, more)) break;
    for (int64_t j = 0; j < size; j++) step[j] += more[j];
  }
  return -kHuge;
}

}  // namespace

WithoutLast::WithoutLast(const RiskData& data, int64_t most)
    : data_(data), own_rows_(6 * data.x.columns), own_gram_((most + 1) * (most + 1)), own_slopes_(most + 1) {
  rows_ = {own_rows_.data(), 6, data.x.columns};
  gram_ = {own_gram_.data(), most + 1, most + 1};
  slopes_ = view(own_slopes_);
}

bool WithoutLast::fit(const Support& support, Ints columns, int64_t k, Floats point) {
  const int64_t n = data_.x.columns;
  std::copy_n(columns.data, k, support.columns.data);
  support.state[kLoaded] = 0;
  support.state[kSize] = k;
  const int64_t merged = support.state[kRows] = merge_rows(data_, support, k);
  support.counts[kWork] += n * k;
  loss_ = -1;
  if (merged * kMerged < n) return false;
  std::vector<double> own_reach(k);
  const Floats reach = view(own_reach);
  for (int64_t q = 0; q < k; q++) {
    reach[q] = data_.reach[columns[q]];
    point[1 + q] = std::max(-reach[q], std::min(reach[q], point[1 + q]));
  }
  support.counts[kWork] += 5 * merged * (k * k / 2 + 8) + n * (k * k / 2 + 2 * k + 12);
  fit_support(support.x, support.order, support.positive, support.negative, merged, k, reach, kInfinity, data_.limits,
              point, support.work, kFitAccuracy);
  const Floats z = rows_.row(2), e = rows_.row(3);
  scores_at(z, point, 1, data_.x, columns, k, n);
  loss_ = loss_at(z, data_.positive, data_.negative, e, n);
  slopes_[0] = slopes_at(z, e, data_.positive, data_.negative, rows_.row(0), rows_.row(1), n).total;
  dots(rows_.row(0), data_.x, columns, k, n, slopes_.from(1));
  curvature_of(data_.x, columns, rows_.row(1), k, n, gram_);
  return true;
}

bool WithoutLast::excludes(Ints columns, int64_t k, double threshold, Floats step) {
  const int64_t n = data_.x.columns, size = k + 2, last = k + 1;
  const Floats own = data_.x.row(columns[k]), weighed = rows_.row(5);
  gram_(last, 0) = gram_(0, last) = times(weighed, rows_.row(1), own, n);
  for (int64_t q = 0; q < k; q++) gram_(last, 1 + q) = gram_(1 + q, last) = dot(weighed, data_.x.row(columns[q]), n);
  gram_(last, last) = dot(weighed, own, n);
  slopes_[last] = dot(rows_.row(0), own, n);
  std::vector<double> room(size * size + 4 * size);
  std::vector<int64_t> none(size);
  const Matrix<double> h{room.data(), size, size}, vectors{room.data() + size * size, 4, size};
  const Floats low = vectors.row(0), high = vectors.row(1), free = vectors.row(2), moves = vectors.row(3);
  for (int64_t a = 0; a < size; a++) {
    for (int64_t b = 0; b <= a; b++) h(a, b) = gram_(a, b);
    h(a, a) += 1e-12;
    step[a] = -slopes_[a];
  }
  double gain = kInfinity;
  if (solve(h, size, step)) {
    gain = 0;
    for (int64_t a = 0; a < size; a++) gain -= slopes_[a] * step[a];
  }
  if (!(gain < loss_)) {  // columns that are almost the same: the step leads anywhere
    std::fill_n(step.data, size, 0.0);
    return false;
  }
  const double expected = loss_ - 0.5 * gain;
  if (expected < threshold) return false;
  for (int64_t q = 0; q <= k; q++) {
    high[q] = data_.reach[columns[q]];
    low[q] = -high[q];
  }
  std::copy_n(step.data, size, moves.data);
  const Sample sample{data_.x, columns.slice(0, k + 1), data_.positive, data_.negative, n};
  return projected_bound(sample, {low, high, view(none), free, 0}, 1, threshold, data_.limits, gram_, moves, expected,
                         rows_) > -kHuge;
}

namespace {

constexpr int kSteps = 40;
constexpr double kAccuracy = 1e-8;  // gain of the last step where the bound cannot pass
constexpr double kSlow = 0.1;  // of the gain of the step before: with more than that left, the curvature is computed again

// A slope at which the weights are well inside the box.
double slope_of(const CardBox& box, Floats beta) {
  double steepest = 0, shares = 0;
  for (int64_t j = 0; j < box.low.size; j++) {
    const double share = std::fabs(beta[j]) / (beta[j] > 0 ? box.high[j] : -box.low[j]);
    steepest = std::max(steepest, share);
    shares += box.optional[j] ? share : 0.0;
  }
  return 1.4 * std::max(steepest, shares / static_cast<double>(std::max<int64_t>(box.room, 1)));
}

}  // namespace

Relaxed relax_open(const Sample& sample, const CardBox& box, double slope_high, double threshold, Floats limits,
                   Floats point, Floats dual, Matrix<double> work, Matrix<double> gram) {
  const int64_t n = sample.n, m = sample.size(), size = m + 1;
  const Floats z = work.row(0), e = work.row(1), residual = work.row(2), curve = work.row(3);
  const Matrix<double> rest{work.row(2).data, work.rows - 2, work.columns};
  std::vector<double> own(size * size + 5 * size);
  const Matrix<double> h{own.data(), size, size}, vectors{own.data() + size * size, 5, size};
  const Floats theta = vectors.row(0), trial = vectors.row(1), step = vectors.row(2), g = vectors.row(3), pick = vectors.row(4);
  const auto logits_and_loss = [&] {
    scores_at(z, theta, 1, sample.x, sample.columns, m, n);
    return loss_at(z, sample.positive, sample.negative, e, n);
  };
  std::copy_n(point.data + 1, size, theta.data);
  double f = logits_and_loss(), best = -kHuge, before = kHuge;
  bool passed = false, last = false, is_stale = true;
  for (int turn = 0; turn < kSteps; turn++) {
    const auto [gb, moment, moments] = slopes_at(z, e, sample.positive, sample.negative, residual, curve, n);
    dots(residual, sample.x, sample.columns, m, n, g);
    const auto [reach, magnitude] = least_reach(g, box.low, box.high, box.optional, box.cost, m, box.room, pick);
    const double bound = value_of_bound(f - moment, f + moments, gb, reach, magnitude, 0, slope_high, limits);
    if (bound > best) {
      best = bound;
      dual[0] = f - moment - std::fabs(gb) * limits[0] - limits[1] * (f + moments) - limits[2];
      std::copy_n(g.data, m, dual.data + 1);
    }
    if (best >= threshold) {
      passed = true;
      break;
    }
    if (last) break;
    double gain = 0;
    for (int again = 0; again < 2; again++) {
      if (is_stale) curvature_of(sample.x, sample.columns, curve, m, n, gram);
      for (int64_t j = 0; j < size; j++) {
        std::copy_n(gram.row(j).data, size, h.row(j).data);
        h(j, j) += 1e-13;
        step[j] = j == 0 ? -gb : -g[j - 1];
      }
      if (!solve(h, size, step)) return {false, best, f};
      gain = gb * -step[0];
      for (int64_t j = 0; j < m; j++) gain -= g[j] * step[1 + j];
      if (is_stale || again || gain < kSlow * before) break;
      is_stale = true;
    }
    before = gain;
    is_stale = false;
    if (!(gain > 1e-15)) break;
    last = f - gain < threshold && gain < kAccuracy;
    if (f - 0.5 * gain >= threshold) {
      std::copy_n(step.data, size, trial.data);
      const double projected =
          projected_bound(sample, box, slope_high, threshold, limits, gram, trial, f - 0.5 * gain, rest);
      if (projected >= threshold) {
        passed = true;
        best = projected;
        break;
      }
    }
    const auto [t, loss] = step_back(sample.x, sample.columns, sample.positive, sample.negative, n, m, theta, step, gain, f,
                                     trial, z, e);
    if (t == 0) {  // rounding leaves nothing to gain
      logits_and_loss();
      slopes_at(z, e, sample.positive, sample.negative, residual, curve, n);
      break;
    }
    is_stale = t < 1;
    f = loss;
    std::copy_n(trial.data, size, theta.data);
  }
  std::copy_n(theta.data, size, point.data + 1);
  point[0] = std::min(slope_of(box, theta.from(1)), slope_high);
  return {passed, best, f};
}

}  // namespace supersparse::log_loss
