#include "log_loss/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "log_loss/bound.hpp"
#include "log_loss/loss.hpp"

namespace supersparse::log_loss {
namespace {

constexpr int kSteps = 12;        // Newton steps for each barrier weight
constexpr int kWeights = 14;      // barrier weights
constexpr double kAlike = 1e-1;   // relative change of the loss up to which its curvature is not computed again

// The variables of a relaxation, and the barrier that keeps them inside the box.
//
// Variables are the intercept, the slope a where it is free, beta_j of every column, and t_j <= a for each optional
// column, which stands for its use: a·low_j <= beta_j <= a·high_j, or with t_j in place of a, and the t_j add up to at
// most room·a.
class Barrier {
 public:
  Barrier(const CardBox& box, const SlopeRange& slope);

  double operator()(Floats theta) const;  // -Σ log of the distances to the sides of the box; kHuge outside
  double price(Floats theta) const;       // the costs
  // Moves point = (a, b, beta...) into the box, away from its sides.
  void start_inside(Floats point, Floats theta) const;
  // Adds the costs and mu times the barrier to gradient and curvature.
  void add_to(Floats theta, double mu, Floats gradient, Matrix<double> h) const;

  bool is_fixed(int64_t j) const { return fixed_[j]; }
  bool is_tied(int64_t variable) const { return variable >= base && variable < base + m_ && fixed_[variable - base]; }

  int64_t base, variables;  // the place of the first beta; how many variables there are
  bool any_fixed = false;

 private:
  double slope_of(Floats theta) const { return slope_.is_free ? theta[1] : 1.0; }
  double first_slope(Floats point) const;

  const CardBox& box_;
  const SlopeRange& slope_;
  int64_t m_, n_t_ = 0;
  std::vector<Flag> fixed_;
  std::vector<int64_t> of_t_;  // the place of t_j; -1 if it has none
};

Barrier::Barrier(const CardBox& box, const SlopeRange& slope)
    : base(slope.is_free ? 2 : 1), box_(box), slope_(slope), m_(box.low.size), fixed_(m_), of_t_(m_, -1) {
  int64_t optional = 0;
  bool priced = false;
  for (int64_t j = 0; j < m_; j++) {
    fixed_[j] = box.low[j] == box.high[j];
    any_fixed |= fixed_[j] != 0;
    if (box.optional[j] && !fixed_[j]) {
      optional++;
      priced |= box.cost[j] > 0;
    }
  }
  if (optional > box.room || priced)
    for (int64_t j = 0; j < m_; j++)
      if (box.optional[j] && !fixed_[j]) of_t_[j] = base + m_ + n_t_++;
  variables = base + m_ + n_t_;
}

double Barrier::operator()(Floats theta) const {
  const double a = slope_of(theta);
  double total = 0, used = 0;
  if (slope_.is_free) {
    if (a <= slope_.low || a >= slope_.high) return kHuge;
    total -= std::log((slope_.high - a) * (a - slope_.low));
  }
  for (int64_t j = 0; j < m_; j++) {
    if (fixed_[j]) continue;
    const double beta = theta[base + j];
    double width = a;
    if (of_t_[j] >= 0) {
      width = theta[of_t_[j]];
      used += width;
      if (width >= a) return kHuge;
      total -= std::log(a - width);
    }
    const double above = box_.high[j] * width - beta, below = beta - box_.low[j] * width;
    if (above <= 0 || below <= 0) return kHuge;
    total -= std::log(above * below);
  }
  if (n_t_) {
    const double left = static_cast<double>(box_.room) * a - used;
    if (left <= 0) return kHuge;
    total -= std::log(left);
  }
  return total;
}

double Barrier::price(Floats theta) const {
  double total = 0;
  for (int64_t j = 0; j < m_; j++)
    if (of_t_[j] >= 0) total += box_.cost[j] * theta[of_t_[j]];
  return total;
}

double Barrier::first_slope(Floats point) const {
  double least = 0, most = kHuge;
  for (int64_t j = 0; j < m_; j++) {
    const double size = std::fabs(point[2 + j]), low = box_.low[j], high = box_.high[j];
    if (box_.optional[j] || !(size > 0)) continue;
    least = std::max(least, size / std::max(std::fabs(low), std::fabs(high)));
    if (low > 0 || high < 0) most = std::min(most, size / std::min(std::fabs(low), std::fabs(high)));
  }
  double a = point[0];
  if (least > 0) a = most < kHuge ? std::sqrt(least * most) : std::max(a, 1.3 * least);
  const double width = slope_.high - slope_.low;
  return std::min(std::max(a, slope_.low + 1e-6 * width), slope_.high - 0.1 * width);
}

void Barrier::start_inside(Floats point, Floats theta) const {
  const double a = slope_.is_free ? first_slope(point) : 1.0;
  if (slope_.is_free) theta[1] = a;
  theta[0] = point[1];
  double total = 0;
  for (int64_t j = 0; j < m_; j++) {
    const double bottom = box_.low[j] * a, top = box_.high[j] * a, margin = 0.15 * (top - bottom);
    theta[base + j] = fixed_[j] ? bottom : std::max(bottom + margin, std::min(top - margin, point[2 + j]));
    if (of_t_[j] >= 0) total += std::fabs(theta[base + j]) / std::max(-box_.low[j], box_.high[j]);
  }
  const double allowed = 0.8 * static_cast<double>(box_.room) * a;
  const double shrink = total > 0.9 * allowed ? 0.9 * allowed / total : 1.0;
  const double spare = (allowed - total * shrink) / static_cast<double>(std::max<int64_t>(1, n_t_));
  for (int64_t j = 0; j < m_; j++) {
    if (of_t_[j] < 0) continue;
    // the least t that holds beta on its side of 0
    double beta = theta[base + j] * shrink;
    const double side = beta > 0 ? box_.high[j] : -box_.low[j];
    if (side <= 0) beta = 0;
    const double bottom = beta == 0 ? 0.0 : std::fabs(beta) / side;
    double t = bottom + spare;
    if (t >= 0.95 * a) t = bottom + 0.5 * (a - bottom);
    theta[of_t_[j]] = t;
    // stay strictly inside where one side of the box is 0
    if (beta == 0 && box_.high[j] == 0) beta = 0.3 * box_.low[j] * t;
    if (beta == 0 && box_.low[j] == 0) beta = 0.3 * box_.high[j] * t;
    theta[base + j] = beta;
  }
}

void Barrier::add_to(Floats theta, double mu, Floats gradient, Matrix<double> h) const {
  const double a = slope_of(theta);
  if (slope_.is_free) {
    const double above = slope_.high - a, below = a - slope_.low;
    gradient[1] += mu / above - mu / below;
    h(1, 1) += mu / (above * above) + mu / (below * below);
  }
  double used = 0;
  for (int64_t j = 0; j < m_; j++) {
    if (fixed_[j]) continue;
    const int64_t row = base + j, wide = of_t_[j] >= 0 ? of_t_[j] : 1;
    const double low = box_.low[j], high = box_.high[j], width = of_t_[j] >= 0 ? theta[wide] : a;
    if (of_t_[j] >= 0) {
      used += width;
      const double left = a - width, c = mu / (left * left);
      gradient[wide] += box_.cost[j] + mu / left;
      h(wide, wide) += c;
      if (slope_.is_free) {
        gradient[1] -= mu / left;
        h(1, 1) += c;
        h(wide, 1) -= c;
      }
    }
    const double above = high * width - theta[row], below = theta[row] - low * width;
    const double c1 = mu / (above * above), c2 = mu / (below * below);
    gradient[row] += mu / above - mu / below;
    h(row, row) += c1 + c2;
    if (of_t_[j] >= 0 || slope_.is_free) {
      gradient[wide] += -mu * high / above + mu * low / below;
      h(wide, wide) += c1 * high * high + c2 * low * low;
      h(std::max(wide, row), std::min(wide, row)) += -c1 * high - c2 * low;
    }
  }
  if (n_t_ == 0) return;
  const double room = static_cast<double>(box_.room), left = room * a - used, c = mu / (left * left);
  for (int64_t t = base + m_; t < variables; t++) {
    gradient[t] += mu / left;
    for (int64_t k = base + m_; k <= t; k++) h(t, k) += c;
    if (slope_.is_free) h(t, 1) -= c * room;
  }
  if (slope_.is_free) {
    gradient[1] -= mu * room / left;
    h(1, 1) += c * room * room;
  }
}

}  // namespace

Relaxed relax(const Sample& sample, const CardBox& box, const SlopeRange& slope, double threshold, Floats limits,
              Floats point, Floats dual, Matrix<double> work, Matrix<double> gram, double haste) {
  const int64_t n = sample.n, m = sample.size();
  const Floats z = work.row(0), e = work.row(1), residual = work.row(2), curve = work.row(3);
  const Floats scratch = work.row(4), joint = work.row(5);
  const Barrier barrier(box, slope);
  const int64_t base = barrier.base, nv = barrier.variables;
  std::vector<double> own_vectors(6 * nv), own_h(nv * nv);
  const Matrix<double> vectors{own_vectors.data(), 6, nv}, h{own_h.data(), nv, nv};
  const Floats theta = vectors.row(0), trial = vectors.row(1), gradient = vectors.row(2);
  const Floats step = vectors.row(3), g = vectors.row(4), pick = vectors.row(5);
  barrier.start_inside(point, theta);
  std::fill_n(joint.data, n, 0.0);
  for (int64_t j = 0; j < m; j++)
    if (barrier.is_fixed(j) && box.low[j] != 0) add_column(joint, box.low[j], sample.column(j), n);
  const auto loss_of = [&](Floats at) {
    scores_at(z, at, base, sample.x, sample.columns, m, n);
    return loss_at(z, sample.positive, sample.negative, e, n);
  };
  double wall = barrier(theta), f = 0, price = 0, best = -kHuge, mu = 1.2e-4, f_of_gram = kHuge;
  bool passed = false, stale = true, last = false;
  int steps = 0;
  for (int turn = 0; turn <= kSteps * kWeights && wall < kHuge; turn++) {
    if (stale) {
      f = loss_of(theta);
      price = barrier.price(theta);
      stale = false;
    }
    const auto [gb, moment, moments] = slopes_at(z, e, sample.positive, sample.negative, residual, curve, n);
    dots(residual, sample.x, sample.columns, m, n, g);
    const auto [reach, magnitude] = least_reach(g, box.low, box.high, box.optional, box.cost, m, box.room, pick);
    const double bound = value_of_bound(f - moment, f + moments, gb, reach, magnitude, slope.low, slope.high, limits);
    if (bound > best) {
      best = bound;
      dual[0] = f - moment - std::fabs(gb) * limits[0] - limits[1] * (f + moments) - limits[2];
      for (int64_t j = 0; j < m; j++) dual[1 + j] = g[j];
    }
    if (best >= threshold) {
      passed = true;
      break;
    }
    if (last) break;
    // Newton step of loss + costs + mu·barrier
    for (int64_t i = 0; i < nv; i++) {
      gradient[i] = 0;
      for (int64_t k = 0; k <= i; k++) h(i, k) = 0;
    }
    gradient[0] = gb;
    if (std::fabs(f - f_of_gram) > kAlike * f) {
      curvature_of(sample.x, sample.columns, curve, m, n, gram);
      f_of_gram = f;
    }
    h(0, 0) = gram(0, 0) + 1e-13;
    for (int64_t j = 0; j < m; j++) {
      const int64_t row = base + j;
      if (barrier.is_fixed(j)) {
        h(row, row) = 1;
        continue;
      }
      gradient[row] = g[j];
      h(row, 0) = gram(1 + j, 0);
      for (int64_t k = 0; k <= j; k++)
        if (!barrier.is_fixed(k)) h(row, base + k) = gram(1 + j, 1 + k);
      h(row, row) += 1e-13;
      if (barrier.any_fixed && slope.is_free) {
        times(scratch, curve, sample.column(j), n);
        h(row, 1) = dot(scratch, joint, n);
      }
    }
    if (slope.is_free && barrier.any_fixed) {
      gradient[1] = dot(residual, joint, n);
      h(1, 0) = times(scratch, curve, joint, n);
      h(1, 1) = dot(scratch, joint, n);
    }
    barrier.add_to(theta, mu, gradient, h);
    for (int64_t i = 0; i < nv; i++) {
      step[i] = -gradient[i];
      h(i, i) *= 1 + 1e-14;
    }
    if (!solve(h, nv, step)) {
      last = true;  // nothing more to learn here
      continue;
    }
    double gain = 0;
    for (int64_t i = 0; i < nv; i++) {
      if (!barrier.is_tied(i))
        gain -= gradient[i] * step[i];
      else if (slope.is_free)
        step[i] = step[1] * box.low[i - base];
    }
    steps++;
    const double left = threshold - f - price;
    const double enough = f + price >= threshold ? 1e-3 * mu : std::max(0.1 * mu, haste * left);
    const bool centred = gain < enough;
    bool moved = false;
    if (gain > 0) {
      const double now = f + price + mu * wall;
      double t = 1;
      for (int tried = 0; tried < 40 && !moved; tried++) {
        for (int64_t i = 0; i < nv; i++) trial[i] = theta[i] + t * step[i];
        const double new_wall = barrier(trial);
        if (new_wall < kHuge) {
          const double loss = loss_of(trial), new_price = barrier.price(trial), value = loss + new_price + mu * new_wall;
          if (value <= now - 1e-3 * t * gain || (centred && value <= now)) {
            moved = true;
            f = loss, wall = new_wall, price = new_price;
            std::copy_n(trial.data, nv, theta.data);
          }
        }
        t *= tried < 3 ? 0.5 : 0.3;
      }
      stale = !moved;
    }
    if (centred || !moved || steps == kSteps) {
      last = (f + price < threshold && mu <= 2e-4) || mu < 2e-11;
      mu *= 0.12;
      steps = 0;
    }
  }
  point[0] = slope.is_free ? theta[1] : 1.0;
  point[1] = theta[0];
  for (int64_t j = 0; j < m; j++) point[2 + j] = theta[base + j];
  return {passed, best, f + price};
}

}  // namespace supersparse::log_loss
