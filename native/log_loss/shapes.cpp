#include "log_loss/shapes.hpp"

#include <algorithm>

#include "log_loss/bound.hpp"

namespace supersparse::log_loss {
namespace {

constexpr int kSlopes = 24;
constexpr int kSweeps = 12;

// The loss of a c is about base + a (slope c) + a^2 (c curve c) / 2, for the points times the scales c.
struct Model {
  double base;
  bool slope_is_free;
  std::vector<double> slope, room;
  Matrix<double> curve;

  double estimate(double linear, double square) const {
    if (!slope_is_free) return base + linear + 0.5 * square;
    return linear >= 0 || square <= 0 ? base : base - 0.5 * linear * linear / square;
  }
};

// Expand the loss of the support at hand at a point.
Model model_at(const RiskData& data, const Support& support, Floats beta, double b) {
  const int64_t k = support.state[kSize], n = support.state[kRows];
  const Floats z = support.work.row(0), e = support.work.row(1), residual = support.work.row(2), curve = support.work.row(3),
               c = support.work.row(4);
  fill(z, b, n);
  for (int64_t q = 0; q < k; q++) add_column(z, beta[q], support.x.row(q), n);
  const double f = loss_at(z, support.positive, support.negative, e, n);
  double slope_b = slopes_at(z, e, support.positive, support.negative, residual, curve, n).total;
  support.counts[kWork] += n * (k * k + 8);
  Model model{f, data.slope_is_free != 0, std::vector<double>(k), std::vector<double>(k * k), {}};
  model.curve = {model.room.data(), k, k};
  std::vector<double> g(k), cross(k);
  const double hbb = 1e-12 + total(curve, n);
  const Matrix<double> h = model.curve;
  for (int64_t q = 0; q < k; q++) {
    g[q] = dot(residual, support.x.row(q), n);
    cross[q] = times(c, curve, support.x.row(q), n);
    for (int64_t other = 0; other <= q; other++) h(q, other) = h(other, q) = dot(c, support.x.row(other), n);
    h(q, q) += 1e-12;
  }
  for (int64_t q = 0; q < k; q++) {
    model.slope[q] = g[q];
    model.base -= g[q] * beta[q];
    slope_b -= cross[q] * beta[q];
    for (int64_t other = 0; other < k; other++) {
      model.slope[q] -= h(q, other) * beta[other];
      model.base += 0.5 * beta[q] * h(q, other) * beta[other];
    }
  }
  model.base -= 0.5 * slope_b * slope_b / hbb;
  for (int64_t q = 0; q < k; q++) {
    model.slope[q] -= slope_b * cross[q] / hbb;
    for (int64_t other = 0; other < k; other++) h(q, other) -= cross[q] * cross[other] / hbb;
  }
  return model;
}

void keep(Shapes& shapes, double estimate, Ints index, int64_t k) {
  for (int64_t c = 0; c < shapes.count; c++)
    if (same(shapes.index(c), index, k)) return;
  const int64_t room = static_cast<int64_t>(shapes.estimate.size());
  int64_t at = shapes.count;
  if (at == room) {
    if (estimate >= shapes.estimate[--at]) return;
  } else {
    shapes.count++;
  }
  for (; at > 0 && shapes.estimate[at - 1] > estimate; at--) {
    shapes.estimate[at] = shapes.estimate[at - 1];
    copy(shapes.index(at), shapes.index(at - 1), k);
  }
  shapes.estimate[at] = estimate;
  copy(shapes.index(at), index, k);
}

// Change one point, or two, while the model says that this helps; keep the result.
void improve_by_model(const RiskData& data, const Support& support, Ints low, Ints high, const Model& model, Ints index,
                      bool in_pairs, Shapes& shapes) {
  const int64_t k = support.state[kSize];
  const Matrix<double> curve = model.curve;
  const std::vector<double>& slope = model.slope;
  std::vector<double> c(k), hc(k);
  double penalty = 0;
  for (int64_t q = 0; q < k; q++) {
    const int64_t j = support.columns[q];
    c[q] = data.values(j, index[q]) * data.scale[j];
    penalty += data.penalty(j, index[q]);
  }
  for (int sweep = 0; sweep < kSweeps; sweep++) {
    double linear = 0, square = 0;
    for (int64_t q = 0; q < k; q++) {
      hc[q] = 0;
      for (int64_t other = 0; other < k; other++) hc[q] += curve(q, other) * c[other];
      linear += slope[q] * c[q];
      square += c[q] * hc[q];
    }
    double best = model.estimate(linear, square) + penalty - 1e-10;
    int64_t columns[2] = {-1, -1}, values[2] = {0, 0};
    for (int64_t q = 0; q < k; q++) {
      const int64_t j = support.columns[q];
      for (int64_t v = low[j]; v <= high[j]; v++) {
        const double d = data.values(j, v) * data.scale[j] - c[q];
        const double linear_q = linear + slope[q] * d, square_q = square + 2 * d * hc[q] + d * d * curve(q, q);
        const double paid = penalty + data.penalty(j, v) - data.penalty(j, index[q]);
        const double value = model.estimate(linear_q, square_q) + paid;
        if (value < best) {
          best = value;
          columns[0] = q, columns[1] = -1, values[0] = v;
        }
        for (int64_t other = 0; in_pairs && other < q; other++) {
          const int64_t i = support.columns[other];
          const double along = hc[other] + d * curve(q, other), own = curve(other, other), by = slope[other];
          for (int64_t w = low[i]; w <= high[i]; w++) {
            const double step = data.values(i, w) * data.scale[i] - c[other];
            const double both = model.estimate(linear_q + by * step, square_q + 2 * step * along + step * step * own) + paid +
                                data.penalty(i, w) - data.penalty(i, index[other]);
            if (both < best) {
              best = both;
              columns[0] = q, columns[1] = other, values[0] = v, values[1] = w;
            }
          }
        }
      }
    }
    if (columns[0] < 0) break;
    for (int which = 0; which < 2; which++) {
      const int64_t q = columns[which], v = values[which];
      if (q < 0) continue;
      const int64_t j = support.columns[q];
      penalty += data.penalty(j, v) - data.penalty(j, index[q]);
      index[q] = v;
      c[q] = data.values(j, v) * data.scale[j];
    }
  }
  double linear = 0, square = 0;
  for (int64_t q = 0; q < k; q++) {
    linear += slope[q] * c[q];
    for (int64_t other = 0; other < k; other++) square += c[q] * curve(q, other) * c[other];
  }
  keep(shapes, model.estimate(linear, square) + penalty, index, k);
}

}  // namespace

void SlopeRange::take(const RiskData& data, int64_t j, int64_t low, int64_t high, double beta) {
  const double large = std::max(std::fabs(data.values(j, low)), std::fabs(data.values(j, high))) * data.scale[j];
  least = std::max(least, std::fabs(beta) / std::max(large, 1e-300));
  double small = kInfinity;
  for (int64_t v = low; v <= high; v++)
    if (data.values(j, v) != 0) small = std::min(small, std::fabs(data.values(j, v)));
  most = std::max(most, std::fabs(beta) / (small * data.scale[j]));
}

int64_t nearest_value(const RiskData& data, int64_t j, int64_t low, int64_t high, double wanted) {
  int64_t nearest = low;
  for (int64_t v = low; v <= high; v++)
    if (std::fabs(data.values(j, v) - wanted) < std::fabs(data.values(j, nearest) - wanted)) nearest = v;
  return nearest;
}

void shape(const RiskData& data, const Support& support, Ints low, Ints high, Floats beta, double b, double enough, Shapes& shapes) {
  const int64_t k = support.state[kSize];
  shapes.count = 0;
  const Model model = model_at(data, support, beta, b);
  for (int64_t q = 0; q < k; q++) {
    if (beta[q] != 0) continue;  // a new column: its value next to the others
    double rise = model.slope[q];
    for (int64_t other = 0; other < k; other++) rise += model.curve(q, other) * beta[other];
    beta[q] = -rise / std::max(model.curve(q, q), 1e-12);
  }
  SlopeRange slopes;
  for (int64_t q = 0; q < k; q++) slopes.take(data, support.columns[q], low[support.columns[q]], high[support.columns[q]], beta[q]);
  if (!(slopes.least > 0)) return;
  const double least = 0.3 * slopes.least;  // the largest points end at their limit
  const double most = std::min(std::max(1.5 * slopes.most, 1.01 * least), 200 * least);
  std::vector<int64_t> at(k), before(k);
  const Ints index = view(at), last = view(before);
  Shapes singly(static_cast<int64_t>(shapes.estimate.size()), k);
  for (int t = 0; t < (data.slope_is_free ? kSlopes : 1); t++) {
    const double a = data.slope_is_free ? least * std::pow(most / least, static_cast<double>(t) / (kSlopes - 1)) : 1;
    for (int64_t q = 0; q < k; q++) {
      const int64_t j = support.columns[q];
      index[q] = nearest_value(data, j, low[j], high[j], beta[q] / (a * data.scale[j]));
    }
    if (t > 0 && same(index, last, k)) continue;
    copy(last, index, k);
    improve_by_model(data, support, low, high, model, index, false, singly);
  }
  for (int64_t c = 0; c < singly.count; c++) {
    if (singly.estimate[c] > enough) break;
    copy(index, singly.index(c), k);
    improve_by_model(data, support, low, high, model, index, true, shapes);
  }
}

}  // namespace supersparse::log_loss
