#include "log_loss/cone.hpp"

#include <algorithm>
#include <cmath>

#include "log_loss/bound.hpp"
#include "log_loss/proof_loops.hpp"
#include "log_loss/loss.hpp"

namespace supersparse::log_loss {
namespace {

constexpr int kSteps = 25;
constexpr int kShrinks = 12;      // of the slope, to a tenth each
constexpr double kSteep = 1.0;    // a loss above this is worse than that of a constant risk

Matrix<double> matrix(std::vector<double>& of, int64_t rows, int64_t columns) {
  return {of.data(), rows, columns};
}

double logits_and_loss(const Sample& sample, Floats point, Matrix<double> work) {
  scores_at(work.row(0), point.from(1), 1, sample.x, sample.columns, sample.size(), sample.n);
  return loss_at(work.row(0), sample.positive, sample.negative, work.row(1), sample.n);
}

// f + g·d + d·h·d/2 as a function of beta alone, least over the intercept; point = (b, beta...).
//
// out[q] = (linear, curvature...) of each column, out[m] = (constant, 1, and the intercept's own:
// -b = out[m, 2] + Σ out[m, 3 + q]·beta_q).
void without_intercept(double f, Floats g, Matrix<double> h, Floats point, int64_t m, Matrix<double> out) {
  double base = f, magnitude = 1;
  for (int64_t j = 0; j <= m; j++) {
    base -= g[j] * point[j];
    for (int64_t k = 0; k <= m; k++) {
      const double term = 0.5 * point[j] * h(j, k) * point[k];
      base += term;
      magnitude += std::fabs(term);
    }
  }
  double first = g[0];
  for (int64_t k = 0; k <= m; k++) first -= h(0, k) * point[k];
  base -= 0.5 * first * first / h(0, 0);
  out(m, 0) = base - 1e-13 * magnitude, out(m, 1) = 1, out(m, 2) = first / h(0, 0);
  for (int64_t j = 0; j < m; j++) {
    double linear = g[1 + j];
    for (int64_t k = 0; k <= m; k++) linear -= h(1 + j, k) * point[k];
    out(m, 3 + j) = h(1 + j, 0) / h(0, 0);
    out(j, 0) = linear - first * out(m, 3 + j);
    for (int64_t k = 0; k < m; k++) out(j, 1 + k) = h(1 + j, 1 + k) - h(1 + j, 0) * h(1 + k, 0) / h(0, 0);
  }
}

}  // namespace

bool ConeSearch::set_up(Matrix<double> model, const Cone& cone, double a, int64_t& count) {
  const int64_t m = cone.low.size;
  const Matrix<double> h = matrix(h_, m + 1, m + 1);
  const auto end = [&](int64_t j) { return side_[j] == 1 ? cone.high[j] : cone.low[j]; };
  count = 0;
  for (int64_t j = 0; j < m; j++) {
    if (side_[j] != 0) continue;
    int64_t others = 0;
    for (int64_t k = 0; k <= j; k++)
      if (side_[k] == 0) h(count, others++) = model(j, 1 + k);
    new_[count++] = -model(j, 0);
  }
  double along = 0, square = 0;
  for (int64_t q = 0; q < count; q++) h(count, q) = 0;
  for (int64_t j = 0; j < m; j++) {
    const double c = side_[j] == 0 ? 0.0 : end(j);
    if (c == 0) continue;
    along -= model(j, 0) * c;
    int64_t others = 0;
    for (int64_t k = 0; k < m; k++) {
      if (side_[k] == 0)
        h(count, others++) += c * model(k, 1 + j);
      else
        square += c * model(j, 1 + k) * end(k);
    }
  }
  if (cone.slope_is_free && square > 0) {
    h(count, count) = square, new_[count] = along;
    return true;
  }
  for (int64_t q = 0; q < count; q++) new_[q] -= a * h(count, q);
  return false;
}

double ConeSearch::least(Matrix<double> model, const Cone& cone, Floats point) {
  const int64_t m = cone.low.size;
  const Floats low = cone.low, high = cone.high, beta = point.from(2);
  h_.resize((m + 1) * (m + 1));
  new_.resize(m + 1);
  side_.resize(m);
  const auto end = [&](int64_t j) { return side_[j] == 1 ? high[j] : low[j]; };
  double a = cone.slope_is_free ? std::max(point[0], 1e-12) : 1.0;
  for (int64_t j = 0; j < m; j++) {
    side_[j] = low[j] == high[j] ? 2 : beta[j] <= a * low[j] ? -1 : beta[j] >= a * high[j] ? 1 : 0;
    if (side_[j]) beta[j] = a * end(j);
  }
  for (int64_t turn = 0; turn < 6 * m + 6; turn++) {
    int64_t count;
    const bool moves = set_up(model, cone, a, count);
    if (!solve(matrix(h_, m + 1, m + 1), count + moves, view(new_))) break;
    // go there, or as far as the next side
    const double new_a = moves ? new_[count] : a;
    double t = 1;
    int64_t at = -1, to = 0;
    count = 0;
    for (int64_t j = 0; j < m; j++) {
      if (side_[j] != 0) continue;
      for (const int64_t side : {-1, 1}) {
        const double bound = side < 0 ? low[j] : high[j], sign = side < 0 ? 1.0 : -1.0;
        const double room = std::max(sign * (beta[j] - a * bound), 0.0), then = sign * (new_[count] - new_a * bound);
        if (then < 0 && room / (room - then) < t) t = room / (room - then), at = j, to = side;
      }
      count++;
    }
    if (moves && new_a <= 0 && a / (a - new_a) <= t) {  // the cone ends here: no points at all
      a = 0;
      for (int64_t j = 0; j < m; j++) beta[j] = 0;
      break;
    }
    a += t * (new_a - a);
    count = 0;
    for (int64_t j = 0; j < m; j++) {
      if (side_[j] == 0)
        beta[j] += t * (new_[count++] - beta[j]);
      else
        beta[j] = a * end(j);
    }
    if (at >= 0) {
      side_[at] = to;
      beta[at] = a * end(at);
      continue;
    }
    double worst = 1e-13;
    for (int64_t j = 0; j < m; j++) {
      if (side_[j] != -1 && side_[j] != 1) continue;
      double slope = model(j, 0);
      for (int64_t k = 0; k < m; k++) slope += model(j, 1 + k) * beta[k];
      if (static_cast<double>(side_[j]) * slope > worst) worst = static_cast<double>(side_[j]) * slope, at = j;
    }
    if (at < 0) break;
    side_[at] = 0;
  }
  double square = 0, reach = 0, magnitude = 0, b = -model(m, 2);
  for (int64_t j = 0; j < m; j++) {
    double slope = model(j, 0), terms = std::fabs(model(j, 0));
    for (int64_t k = 0; k < m; k++) {
      const double term = model(j, 1 + k) * beta[k];
      slope += term;
      terms += std::fabs(term);
      square += beta[j] * term;
    }
    reach += std::min(slope * low[j], slope * high[j]);
    magnitude += terms * (std::fabs(beta[j]) + cone.slope_high * std::max(std::fabs(low[j]), std::fabs(high[j])));
    b -= model(m, 3 + j) * beta[j];
  }
  point[0] = a, point[1] = b;
  if (cone.slope_is_free) reach = cone.slope_high * std::min(reach, 0.0);
  return model(m, 0) - 0.5 * square + reach - 1e-14 * magnitude;
}

Relaxed relax_box(const Sample& sample, const Cone& cone, double threshold, Floats limits, double accuracy, Floats point,
                  Floats dual, Matrix<double> work, Floats gradient, Matrix<double> model) {
  const int64_t n = sample.n, m = sample.size(), size = m + 1;
  const Floats low = cone.low, high = cone.high, z = work.row(0), e = work.row(1), residual = work.row(2), curve = work.row(3);
  std::vector<double> own_h(size * size), own(2 * (2 + m));
  const Matrix<double> h = matrix(own_h, size, size), points = matrix(own, 2, 2 + m);
  const Floats start = points.row(0), trial = points.row(1);
  ConeSearch search;
  double a = cone.slope_is_free ? std::max(point[0], 1e-12) : 1.0;
  const auto into_cone = [&] {
    for (int64_t j = 0; j < m; j++) point[2 + j] = std::min(std::max(point[2 + j], a * low[j]), a * high[j]);
    point[0] = a;
    return logits_and_loss(sample, point, work);
  };
  double best = -kHuge, f = into_cone();
  for (int shrink = 0; shrink < kShrinks && cone.slope_is_free && !(f < kSteep); shrink++) {
    // from where no row says anything, no step leads back
    double of_positive = 0, of_negative = 0;
    for (int64_t i = 0; i < n; i++) {
      of_positive += sample.positive[i];
      of_negative += sample.negative[i];
    }
    a *= 0.1;
    point[1] = std::log(of_positive / of_negative);
    f = into_cone();
  }
  for (int step = 0; step < kSteps; step++) {
    const auto [gb, moment, moments] = slopes_at(z, e, sample.positive, sample.negative, residual, curve, n);
    gradient[0] = gb;
    double reach = 0, magnitude = 0;
    for (int64_t j = 0; j < m; j++) {
      const double g = dot(residual, sample.column(j), n);
      gradient[1 + j] = g;
      reach += std::min(g * low[j], g * high[j]);
      magnitude += std::fabs(g) * std::max(std::fabs(low[j]), std::fabs(high[j]));
    }
    const double slope_low = cone.slope_is_free ? 0.0 : 1.0;
    const double bound = value_of_bound(f - moment, f + moments, gb, reach, magnitude, slope_low, cone.slope_high, limits);
    if (bound > best) {
      best = bound;
      dual[0] = f - moment - std::fabs(gb) * limits[0] - limits[1] * (f + moments) - limits[2];
      for (int64_t j = 0; j < m; j++) dual[1 + j] = gradient[1 + j];
    }
    if (best >= threshold) return {true, best, f};
    curvature_of(sample.x, sample.columns, curve, m, n, h);
    for (int64_t j = 0; j < size; j++) h(j, j) += 1e-13;
    without_intercept(f, gradient, h, point.from(1), m, model);
    if (step == kSteps - 1) break;
    std::copy_n(point.data, 2 + m, trial.data);
    search.least(model, cone, trial);
    double gain = 0;
    for (int64_t j = 0; j < size; j++) gain -= gradient[j] * (trial[1 + j] - point[1 + j]);
    if (!(gain > 1e-10) || (f < threshold && gain < accuracy)) break;
    std::copy_n(point.data, 2 + m, start.data);
    double t = 1, loss = f;
    bool moved = false;
    for (int tried = 0; tried < 12 && !moved; tried++) {
      for (int64_t j = 0; j < 2 + m; j++) point[j] = start[j] + t * (trial[j] - start[j]);
      loss = logits_and_loss(sample, point, work);
      moved = loss <= f - 1e-4 * t * gain;
      t *= 0.5;
    }
    if (!moved) {  // rounding leaves nothing to gain
      std::copy_n(start.data, 2 + m, point.data);
      f = logits_and_loss(sample, point, work);
      slopes_at(z, e, sample.positive, sample.negative, residual, curve, n);
      break;
    }
    f = loss;
  }
  return {false, best, f};
}

namespace {

constexpr double kShrink = 1e-10;       // of the curvature, relative to its diagonal: more than rounding can have added
constexpr double kLeastShare = 0.04;    // of the curvature that must be left for the quadratic to be worth anything
constexpr int kRefinements = 2;
constexpr double kFarthest = 2.5;       // how far the logits of most rows may be from the relaxed ones

// The lower triangular factor of h - less·of; false if that is not positive definite.
bool factorised(Matrix<double> h, int64_t size, Matrix<double> factor, Floats step, double less, Matrix<double> of) {
  for (int64_t j = 0; j < size; j++) {
    step[j] = 0;
    for (int64_t k = 0; k <= j; k++) factor(j, k) = h(j, k) - less * of(j, k);
    factor(j, j) -= kShrink * of(j, j);
  }
  return solve(factor, size, step);
}

// Splits a gradient into one that no card of the box can go against, up to what is returned, and an error.
//
// The first is 0 for columns inside their range, and for the others adds up to 0 along the cone.
double split_gradient(Floats gradient, const Cone& cone, Floats point, Floats error) {
  const int64_t m = cone.low.size;
  const Floats low = cone.low, high = cone.high;
  const double a = point[0];
  double rises = 0, falls = 0;
  error[0] = gradient[0];
  for (int64_t j = 0; j < m; j++) {
    const double g = gradient[1 + j], tiny = 1e-9 * a * (high[j] - low[j]);
    const bool is_kept = low[j] == high[j] || (point[2 + j] - a * low[j] <= tiny && g >= 0) ||
                         (a * high[j] - point[2 + j] <= tiny && g <= 0);
    error[1 + j] = is_kept ? 0.0 : g;
    if (is_kept) {
      const double term = std::min(g * low[j], g * high[j]);
      rises += std::max(term, 0.0);
      falls -= std::min(term, 0.0);
    }
  }
  double total = 0, against = 0;
  for (int64_t j = 0; j < m; j++) {
    const double g = gradient[1 + j];
    if (error[1 + j] != 0) continue;
    const double term = std::min(g * low[j], g * high[j]);
    double share = 1;
    if (cone.slope_is_free && term > 0 && rises > falls) share = falls / rises;
    if (cone.slope_is_free && term < 0 && falls > rises) share = rises / falls * (1 - 1e-14);
    error[1 + j] = g - share * g;
    total += share * term;
    against += share * g * point[2 + j];
  }
  if (cone.slope_is_free) return std::max(against, 0.0) + 1e-14 * cone.slope_high * (rises + falls);
  return against - total + 1e-14 * (rises + falls);
}

// error·A^-1·error from the lower triangular factor of A.
double squared(Matrix<double> factor, Floats error, int64_t size, Floats out) {
  double total = 0;
  for (int64_t j = 0; j < size; j++) {
    double t = error[j];
    for (int64_t k = 0; k < j; k++) t -= factor(j, k) * out[k];
    out[j] = t / factor(j, j);
    total += out[j] * out[j];
  }
  return total * (1 + 1e-6);
}

// sqrt(x_i·H^-1·x_i) of each row, from the lower triangular factor of H; by blocks of rows, which stay in the cache.
void leverages(const Sample& sample, Matrix<double> factor, Floats out) {
  const int64_t m = sample.size();
  std::vector<double> own((m + 1) * kBlock);
  const Matrix<double> rows = matrix(own, m + 1, kBlock);
  for (int64_t from = 0; from < sample.n; from += kBlock) {
    const int64_t size = std::min(kBlock, sample.n - from);
    const Floats sums = out.slice(from, from + size);
    for (int64_t j = 0; j <= m; j++) {
      const Floats row = rows.row(j);
      if (j == 0)
        std::fill_n(row.data, size, 1.0);
      else
        std::copy_n(sample.column(j - 1).data + from, size, row.data);
      for (int64_t k = 0; k < j; k++) add_column(row, -factor(j, k), rows.row(k), size);
      const double scale = 1.0 / factor(j, j);
      for (int64_t i = 0; i < size; i++) {
        row[i] *= scale;
        sums[i] = (j ? sums[i] : 0.0) + row[i] * row[i];
      }
    }
    for (int64_t i = 0; i < size; i++) sums[i] = std::sqrt(sums[i]) * (1 + 1e-6);  // more than rounding
  }
}

double rounding(double f, Floats z, Floats residual, int64_t n, Floats limits) {
  double moments = 0;
  for (int64_t i = 0; i < n; i++) moments += std::fabs(residual[i] * z[i]);
  return limits[1] * (f + moments) + 2 * limits[2];
}

}  // namespace

int quadratic_below(const Sample& sample, const Cone& cone, double threshold, Floats limits, Floats point, double f,
                    Floats g, Matrix<double> work, Cube<double> out) {
  const int64_t n = sample.n, m = sample.size(), size = m + 1;
  const Floats z = work.row(0), residual = work.row(2), curve = work.row(3), weights = work.row(5), leverage = work.row(6);
  const Matrix<double> region = out.layer(kRegion);
  out(kBelow, m, 1) = 0;
  std::vector<double> own(3 * size * size + 2 * size);
  const Cube<double> matrices{own.data(), 3, size, size};
  const Matrix<double> h = matrices.layer(0), below = matrices.layer(1), factor = matrices.layer(2);
  const Floats error{own.data() + 3 * size * size, size}, step{own.data() + 3 * size * size + size, size};
  const auto curvature = [&](Floats of, Matrix<double> into) { curvature_of(sample.x, sample.columns, of, m, n, into); };
  curvature(curve, h);
  if (!factorised(h, size, factor, step, 0, h)) return 0;
  const double against = split_gradient(g, cone, point, error);
  double slack = std::sqrt(squared(factor, error, size, step));
  const double lowest = f - rounding(f, z, residual, n, limits), left = std::max(threshold - (lowest - against), 1e-6);
  if (2 * left * static_cast<double>(size) > kFarthest * kFarthest * h(0, 0)) return 0;
  leverages(sample, factor, leverage);
  // the share of the curvature that is left on an ellipsoid large enough for that share
  double share = 0.9;
  for (bool tried = false;;) {
    if (share < kLeastShare) return 0;
    const double radius = (slack + std::sqrt(slack * slack + 2 * share * left)) / share * (1 + 1e-9);
    const double kept = proof_loops().region_weights(curve.data, leverage.data, radius, weights.data, n) / static_cast<double>(size);
    if (kept < share * (tried ? 1.02 : 1.0)) {
      share = tried ? 0.85 * share : std::min(0.95 * share, std::max(0.7 * share, kept));
      continue;
    }
    curvature(weights, below);
    if (factorised(below, size, factor, step, share * (1 + 1e-9), h)) break;
    share *= 0.85;
    tried = true;
  }
  if (lowest - against - slack * slack / (2 * share) >= threshold) return 2;
  for (int again = 0; again <= kRefinements; again++) {
    for (int64_t j = 0; j < size; j++) below(j, j) *= 1 - kShrink;
    if (again == kRefinements) break;
    if (!factorised(below, size, factor, step, 0, below)) return 0;
    leverages(sample, factor, leverage);
    slack = std::sqrt(squared(factor, error, size, step));
    const double radius = (slack + std::sqrt(slack * slack + 2 * left)) * (1 + 1e-9);
    for (int64_t j = 0; j < size; j++) {
      region(size, j) = point[1 + j];
      for (int64_t k = 0; k < size; k++) region(j, k) = below(j, k);
    }
    region(size, size) = radius * radius;
    if (again == kRefinements - 1) {
      proof_loops().least_weights(curve.data, leverage.data, radius, weights.data, n);
      curvature(weights, h);
    }
    proof_loops().region_weights(curve.data, leverage.data, radius, weights.data, n);
    curvature(weights, below);
  }
  if (!factorised(h, size, out.layer(kConvex), step, 0, h)) return 0;
  without_intercept(lowest, g, below, point.from(1), m, out.layer(kBelow));
  return 1;
}

bool is_above(const Sample& sample, const Cone& cone, double threshold, Floats limits, Floats point, Matrix<double> work,
              Floats gradient, Cube<double> quadratic) {
  const int64_t n = sample.n, m = sample.size(), size = m + 1;
  const Matrix<double> region = quadratic.layer(kRegion);
  double square = 0;
  for (int64_t j = 0; j < size; j++)
    for (int64_t k = 0; k < size; k++)
      square += (point[1 + j] - region(size, j)) * region(j, k) * (point[1 + k] - region(size, k));
  if (!(square <= region(size, size))) return false;
  const double f = logits_and_loss(sample, point, work);
  if (f < threshold) return false;
  const Floats residual = work.row(2);
  const auto [gb, moment, moments] =
      slopes_at(work.row(0), work.row(1), sample.positive, sample.negative, residual, work.row(3), n);
  gradient[0] = gb;
  for (int64_t j = 0; j < m; j++) gradient[1 + j] = dot(residual, sample.column(j), n);
  std::vector<double> own(2 * size);
  const Floats error{own.data(), size}, step{own.data() + size, size};
  const double lowest = f - limits[1] * (f + moments) - 2 * limits[2] - split_gradient(gradient, cone, point, error);
  return lowest - 0.5 * squared(quadratic.layer(kConvex), error, size, step) >= threshold;
}

}  // namespace supersparse::log_loss
