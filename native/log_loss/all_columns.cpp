#include "log_loss/all_columns.hpp"

#include <algorithm>
#include <cmath>

namespace supersparse::log_loss {
namespace {

constexpr double kDependent = 1e-8;  // of its diagonal: a pivot that falls to this gets no step
constexpr double kLongest = 6;       // of a step, in logits
constexpr int kSteps = 25, kStepsOfSuffix = 8, kRenewals = 4;
constexpr double kSlow = 0.2;        // a step that gains more than this share of the last one asks for a new Hessian
constexpr int kSettle = 3;           // steps after the bound is out of reach, for the order of the columns

}  // namespace

AllColumns::AllColumns(const BinaryRows& rows, int64_t levels)
    : rows_(rows), wide_(rows.columns + 1), source_(levels, -1), hessians_(levels), factor_(wide_ * wide_), step_(wide_),
      slope_(wide_), logit_(rows.padded), tail_(rows.padded), residual_(rows.padded), curve_(rows.padded), shift_(rows.padded),
      risk_(rows.padded), whole_(rows.padded), gram_(wide_ * wide_) {}

// The Hessian of these columns at the curvature at hand.
void AllColumns::make(int64_t level, const std::vector<int32_t>& columns, int64_t m) {
  Hessian& own = hessians_[level];
  own.products.resize(wide_ * wide_);
  own.weight.assign(rows_.padded, 0.0);
  double most = 1e-300;
  for (int64_t i = 0; i < rows_.n; i++) most = std::max(most, curve_[i]);
  const double total = loops().total(curve_.data(), rows_.n);
  own.unit = std::max(most / 32767, total / 2147483000.0) * (1 + 1e-12);
  for (int64_t i = 0; i < rows_.n; i++) {
    whole_[i] = static_cast<int16_t>(curve_[i] / own.unit);
    own.weight[i] = whole_[i] * own.unit;
  }
  std::vector<const int16_t*> x(m + 1);
  for (int64_t a = 0; a <= m; a++) x[a] = rows_.whole(a ? columns[a - 1] : -1);
  screen_loops().gram(x.data(), m + 1, m + 1, whole_.data(), rows_.padded, gram_.data(), wide_);
  for (int64_t a = 0; a <= m; a++)
    for (int64_t c = a; c <= m; c++) {
      const int64_t i = a ? columns[a - 1] + 1 : 0, k = c ? columns[c - 1] + 1 : 0;
      own.products[i * wide_ + k] = own.products[k * wide_ + i] = gram_[a * wide_ + c];
    }
  source_[level] = level;
  work_ += 0.06 * static_cast<double>((m + 1) * (m + 1) * rows_.padded / 2);
}

// U'U of the Hessian of intercept and columns, in this order. Columns that depend on those before them get no step.
void AllColumns::factor(int64_t level, const std::vector<int32_t>& columns, int64_t m) {
  const Hessian& own = hessians_[source_[level]];
  std::vector<double> diagonal(m + 1);
  const auto id = [&](int64_t a) { return a ? columns[a - 1] + 1 : 0; };
  for (int64_t i = 0; i <= m; i++) {
    const int32_t* from = own.products.data() + id(i) * wide_;
    double* to = factor_.data() + i * wide_;
    for (int64_t k = i; k <= m; k++) to[k] = from[id(k)] * own.unit;
    diagonal[i] = to[i];
    to[i] *= 1 + 1e-10;
  }
  for (int64_t k = 0; k <= m; k++) {
    double* of_k = factor_.data() + k * wide_;
    if (!(of_k[k] > kDependent * diagonal[k])) {
      std::fill(of_k + k + 1, of_k + m + 1, 0.0);
      of_k[k] = 1e150;
      continue;
    }
    const double inverse = 1 / std::sqrt(of_k[k]);
    for (int64_t c = k; c <= m; c++) of_k[c] *= inverse;
    for (int64_t i = k + 1; i <= m; i++)
      if (of_k[i] != 0) loops().add_column(factor_.data() + i * wide_ + i, -of_k[i], of_k + i, m + 1 - i);
  }
  work_ += 0.06 * static_cast<double>(m * m * m);
}

// step_ receives the solution for the slopes; its first entry belongs to the intercept.
void AllColumns::solve(int64_t m) {
  for (int64_t i = 0; i <= m; i++) {
    const double* own = factor_.data() + i * wide_;
    step_[i] /= own[i];
    loops().add_column(step_.data() + i + 1, -step_[i], own + i + 1, m - i);
  }
}

// The bound of the risks that the step in `shift_` leads to.
double AllColumns::moved(int64_t level, const std::vector<int32_t>& columns, int64_t m, double threshold) {
  const Hessian& own = hessians_[source_[level]];
  std::vector<double>& left = tail_;  // its residuals
  const double total = proof_loops().move_risks(residual_.data(), own.weight.data(), shift_.data(), rows_.positive.data(),
                                                rows_.negative.data(), risk_.data(), left.data(), rows_.n);
  double bound = loops().entropy_of(risk_.data(), rows_.positive.data(), rows_.negative.data(), rows_.n) - rows_.margin;
  if (bound < threshold) return bound;
  bound -= rows_.intercept_cap * std::fabs(total);
  for (int64_t a = 0; a < m && bound >= threshold; a++)
    bound -= rows_.cap[columns[a]] * std::fabs(rows_.sum_where(columns[a], left.data()));
  return bound;
}

AllColumns::Outcome AllColumns::run(int64_t level, const std::vector<int32_t>& columns, int64_t m, double threshold,
                                    std::vector<double>& point, bool may_renew) {
  const int64_t n = rows_.n;
  std::vector<const uint64_t*> bits(m);
  for (int64_t a = 0; a < m; a++) bits[a] = rows_.bits(columns[a]);
  std::vector<double> at(m + 1), before, direction(m + 1);
  at[0] = point[0];
  for (int64_t a = 0; a < m; a++) at[1 + a] = point[1 + columns[a]];
  Outcome out{false, kInfinity, -kInfinity};
  double last_loss = kInfinity, length = 1, last_gain = 0, gain_before = kInfinity;
  int renewals = 0, settled = 0;
  for (int turn = 0; turn < (may_renew ? kSteps : kStepsOfSuffix); turn++) {
    work_ += static_cast<double>((m / 8 + 12) * n) * 0.6;
    screen_loops().scores(bits.data(), at.data() + 1, m, at[0], logit_.data(), rows_.words);
    const double loss = loops().loss_at(logit_.data(), rows_.positive.data(), rows_.negative.data(), tail_.data(), n);
    if (turn && !(loss <= last_loss - 1e-4 * length * last_gain)) {
      length *= 0.35;
      if (length < 1e-3) break;
      for (int64_t a = 0; a <= m; a++) at[a] = before[a] + length * direction[a];
      gain_before = 0;
      continue;
    }
    out.loss = loss;
    if (loss < threshold && (!may_renew || settled++ >= kSettle || (turn && last_gain < 0.02 * (threshold - loss)))) break;
    step_[0] = -loops().slopes_at(logit_.data(), tail_.data(), rows_.positive.data(), rows_.negative.data(), residual_.data(),
                                  curve_.data(), n).total;
    if (source_[level] < 0 || (may_renew && turn && last_gain > kSlow * gain_before && renewals < kRenewals)) {
      make(level, columns, m);
      factor(level, columns, m);
      renewals++;
    }
    for (int64_t a = 0; a < m; a++) step_[1 + a] = -rows_.sum_where(columns[a], residual_.data());
    solve(m);
    double gain = 0;
    for (int64_t a = 0; a <= m; a++) gain += step_[a] * step_[a];
    for (int64_t i = m; i >= 0; i--) {
      const double* own = factor_.data() + i * wide_;
      step_[i] = (step_[i] - loops().dot(own + i + 1, step_.data() + i + 1, m - i)) / own[i];
    }
    if (loss - 0.5 * gain >= threshold) {
      screen_loops().scores(bits.data(), step_.data() + 1, m, step_[0], shift_.data(), rows_.words);
      const double bound = moved(level, columns, m, threshold);
      if (bound >= threshold) {
        out.passed = true;
        out.bound = bound;
        break;
      }
    }
    if (gain < 1e-9 * threshold) break;
    before = at;
    std::copy_n(step_.data(), m + 1, direction.data());
    last_loss = loss;
    gain_before = turn ? last_gain : kInfinity;
    last_gain = gain;
    double farthest = 0;
    for (double d : direction) farthest = std::max(farthest, std::fabs(d));
    length = farthest > kLongest ? kLongest / farthest : 1;
    for (int64_t a = 0; a <= m; a++) at[a] = before[a] + length * direction[a];
  }
  point[0] = at[0];
  for (int64_t a = 0; a < m; a++) point[1 + columns[a]] = at[1 + a];
  return out;
}

AllColumns::Outcome AllColumns::bound(int64_t level, const std::vector<int32_t>& columns, double threshold,
                                      std::vector<double>& point) {
  const int64_t m = static_cast<int64_t>(columns.size());
  if (source_[level] >= 0) factor(level, columns, m);
  return run(level, columns, m, threshold, point, true);
}

int64_t AllColumns::first_excluded(int64_t level, const std::vector<int32_t>& used, const std::vector<int32_t>& order,
                                   int64_t last, double threshold, std::vector<double> point) {
  std::vector<int32_t> columns = used;
  columns.insert(columns.end(), order.rbegin(), order.rend());
  if (source_[level] < 0) return last;
  factor(level, columns, static_cast<int64_t>(columns.size()));
  int64_t open = 0, closed = last;
  while (closed - open > 1) {
    const int64_t middle = (open + closed) / 2, m = static_cast<int64_t>(columns.size()) - middle;
    std::vector<double> at = point;
    if (run(level, columns, m, threshold, at, false).passed) {
      closed = middle;
    } else {
      open = middle;
      point = std::move(at);
    }
  }
  return closed;
}

}  // namespace supersparse::log_loss
