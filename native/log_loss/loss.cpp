#include "log_loss/loss.hpp"

#include <algorithm>

namespace supersparse::log_loss {
namespace {

constexpr double kHope = 2.0;  // four times what a quadratic model promises

// The best slope in [0, most], each slope with its best intercept; slow and sure.
void bisect_slope(const Scores& rows, double most, Floats start) {
  double low = 0, high = most, b = start[1], a = most;
  for (int turn = 0; turn < 200; turn++) {
    b = best_intercept(rows, a, b);
    const double slope = rows.line(a, b).rs;
    (slope > 0 ? high : low) = a;
    if (a == most && slope <= 0) break;
    const double middle = low > 0.01 * high ? 0.5 * (low + high) : 0.1 * high;
    if (middle == low || middle == high || high < 1e-300) break;
    a = middle;
  }
  start[0] = a;
  start[1] = best_intercept(rows, a, b);
}

}  // namespace

// By Newton steps within a bracket. At the best intercept the mean risk is the share of positive weight, so the log odds
// of that share lie between the smallest and the largest logit.
double best_intercept(const Scores& rows, double a, double b) {
  const auto [least, most] = loops().span(rows.score.data, rows.n);
  const double odds = std::log(total(rows.positive, rows.n) / total(rows.negative, rows.n));
  double low = odds - a * most - 1e-9, high = odds - a * least + 1e-9;
  if (!(low <= b && b <= high)) b = 0.5 * (low + high);
  for (int turn = 0; turn < 100; turn++) {
    const InterceptSums at = loops().intercept_sums(rows.score.data, a, b, rows.positive.data, rows.negative.data, rows.n);
    (at.r > 0 ? high : low) = b;
    double step = at.c > 0 ? at.r / at.c : kInfinity, next = b - step;
    if (!(low < next && next < high)) next = 0.5 * (low + high);
    if (std::fabs(next - b) <= 1e-15 * (1 + std::fabs(b))) break;
    b = next;
  }
  return b;
}

double calibrate(const Scores& rows, Floats start, bool slope_is_free, double most, Accuracy accuracy, double enough) {
  const bool accurate = accuracy == Accuracy::full;
  if (!slope_is_free) {
    start[1] = best_intercept(rows, start[0], start[1]);
    return rows.loss(start[0], start[1]);
  }
  double a = std::min(std::max(start[0], 0.0), most), b = start[1];
  Line at = rows.line(a, b);
  double f = at.loss, merit = kInfinity, far = kInfinity;
  bool again = true;
  for (int turn = 0; turn < (accurate ? 80 : 8); turn++) {
    const double ga = at.rs, gb = at.r, hbb = at.c, hab = at.cs, haa = at.css;
    double step_a = 0, step_b = -gb / (hbb + 1e-300);
    const bool at_end = (a >= most && ga <= 0) || (a <= 0 && ga >= 0);
    far = std::fabs(gb) * (1 + std::fabs(b)) + (at_end ? 0 : std::fabs(ga) * most);
    if (!at_end) {
      const double det = haa * hbb - hab * hab;
      if (det > 1e-13 * haa * hbb) {
        step_a = -(hbb * ga - hab * gb) / det;
        step_b = -(haa * gb - hab * ga) / det;
      } else {
        step_a = -0.5 * ga / (haa + 1e-300);
        step_b = -0.5 * gb / (hbb + 1e-300);
      }
    }
    const double gain = -(ga * step_a + gb * step_b);
    if (gain < (accurate ? 1e-26 : 1e-9)) break;
    if (!accurate && f - kHope * gain > enough) {
      f -= 0.5 * gain;
      break;
    }
    if (gain < 1e-12 && gain > 0.5 * merit) break;  // rounding leaves nothing to gain
    merit = gain;
    double t = 1, new_a = a;
    Line next{};
    bool moved = false;
    for (int halving = 0; halving < 20; halving++) {
      new_a = std::min(std::max(a + t * step_a, 0.0), most);
      next = rows.line(new_a, b + t * step_b);
      if (next.loss < f || (gain < 1e-9 && next.loss <= f + 1e-14)) {  // at the end the gradient tells more than f
        moved = true;
        break;
      }
      t *= 0.4;
    }
    if (!moved) {
      if (!again || gain < 1e-9) break;
      again = false;  // so steep that no row says anything: start where they do
      double size = 0;
      for (int64_t i = 0; i < rows.n; i++) size = std::max(size, std::fabs(rows.score[i]));
      a = std::min(most, 1 / std::max(size, 1e-300));
      b = best_intercept(rows, a, 0);
      at = rows.line(a, b);
      f = at.loss;
      merit = kInfinity;
      continue;
    }
    const double better = f - next.loss;
    a = new_a;
    b += t * step_b;
    at = next;
    f = at.loss;
    if (!accurate && better < 1e-8) break;
  }
  start[0] = a;
  start[1] = b;
  if (accurate && !(far < 1e-11)) {
    bisect_slope(rows, most, start);
    const double slow = rows.loss(start[0], start[1]);
    if (slow > f) {  // both have converged as far as rounding allows
      start[0] = a;
      start[1] = b;
    } else {
      f = slow;
    }
  }
  return f;
}

}  // namespace supersparse::log_loss
