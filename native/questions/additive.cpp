#include "questions/additive.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/lanes.hpp"
#include "questions/rows.hpp"

namespace supersparse {

Layout::Layout(const Problem& problem, const std::vector<int>& set) {
  for (size_t place = 0; place < set.size(); place++) {
    const int own = problem.questions[set[place]].answers - 1;
    first.push_back(size);
    heights.push_back(own);
    column.insert(column.end(), own, static_cast<int>(place));
    size += own;
  }
}

void products(const Cells& cells, const Layout& layout, const double* h, Vector& out) {
  const int p = layout.size, m = p - 1, n = cells.rows;
  constexpr int kBlock = 256;
  thread_local Vector indicator, inner;
  indicator.resize(static_cast<size_t>(m) * kBlock);
  inner.assign(static_cast<size_t>(m) * m, 0.0);
  double total = 0;
  for (int from = 0; from < n; from += kBlock) {
    const int block = std::min(kBlock, n - from);
    std::fill(indicator.begin(), indicator.begin() + static_cast<size_t>(m) * block, 0.0);
    for (size_t place = 0; place < layout.first.size(); place++) {
      const uint8_t* answer = cells.answer[place].data() + from;
      double* rows = indicator.data() + static_cast<std::ptrdiff_t>(layout.first[place] - 2) * block;
      for (int i = 0; i < block; i++)
        if (answer[i]) rows[static_cast<std::ptrdiff_t>(answer[i]) * block + i] = 1;
    }
    row_loops().add_products(block, m, indicator.data(), h + from, layout.column.data(), inner.data());
    for (int i = 0; i < block; i++) total += h[from + i];
  }
  out.assign(static_cast<size_t>(p) * p, 0.0);
  out[0] = total;
  for (int x = 0; x < m; x++) {
    const double own = inner[static_cast<size_t>(x) * m + x];
    out[x + 1] = out[static_cast<size_t>(x + 1) * p] = own;
    out[static_cast<size_t>(x + 1) * p + x + 1] = own;
    for (int y = x + 1; y < m; y++)
      out[static_cast<size_t>(x + 1) * p + y + 1] = out[static_cast<size_t>(y + 1) * p + x + 1] =
          inner[static_cast<size_t>(x) * m + y];
  }
}

void logits_of(const Cells& cells, const Layout& layout, const Vector& heights, Vector& out) {
  out.assign(cells.rows, heights[0]);
  double table[256] = {0};
  for (size_t place = 0; place < layout.first.size(); place++) {
    for (int b = 0; b < layout.heights[place]; b++) table[b + 1] = heights[layout.first[place] + b];
    row_loops().add_heights(cells.rows, layout.heights[place] + 1, cells.answer[place].data(), table, out.data());
  }
}

constexpr double kFarthest = 8;  // the most that a step of the fit moves a logit

static void margins(const Cells& cells, const Layout& layout, const Vector& r, Vector& out) {
  out.assign(layout.size, 0.0);
  for (double value : r) out[0] += value;
  for (size_t place = 0; place < layout.first.size(); place++) {
    double table[256] = {0};
    const uint8_t* answer = cells.answer[place].data();
    for (int i = 0; i < cells.rows; i++) table[answer[i]] += r[i];
    for (int b = 0; b < layout.heights[place]; b++) out[layout.first[place] + b] = table[b + 1];
  }
}

// The bound. Let c_i be what a step d moves the logit of row i, all |c_i| <= 1, rho = gradient + H d its residual, and
// phi(v) = e^-|v| + |v| - 1. Self-concordance gives softplus a Bregman term of at least h_i phi(v) at every v, so for every u
//   L(beta + u) >= L + g.u + sum h_i phi(x_i.u) = L + rho.u + sum h_i [phi(v_i) - c_i v_i]
//               >= L + rho.u - sum h_i phi*(c_i),    phi*(c) = |c| + (1 - |c|) log(1 - |c|)   (phi* = c^2 at most).
// For a card u = card - beta, and |rho.u| <= max|rho| (reach + sum |beta|).
static double lower_bound(const Cells& cells, Fit& fit, const Vector& step, const Vector& h, double reach) {
  const int p = fit.layout.size;
  Vector move;
  logits_of(cells, fit.layout, step, move);
  double taken = 0;
  for (int i = 0; i < cells.rows; i++) {
    if (!(cells.weight[i] > 0)) continue;
    const double c = std::fabs(move[i]);
    if (!(c <= 1)) return -std::numeric_limits<double>::infinity();
    taken += h[i] * (c < 1e-4 ? c * c : c + (c < 1 ? (1 - c) * std::log1p(-c) : 0.0));
  }
  double residual = 0, length = 0;
  for (int i = 0; i < p; i++) {
    double value = fit.slope[i];
    for (int k = 0; k < p; k++) value += fit.hessian[static_cast<size_t>(i) * p + k] * step[k];
    residual = std::max(residual, std::fabs(value));
    length += std::fabs(fit.heights[i]);
  }
  fit.extent = reach + length;
  return fit.loss - taken - residual * fit.extent - 1e-12;
}

// The largest that a step moves a logit, if that is more than `most`; else a bound on it.
static double farthest_move(const Cells& cells, const Layout& layout, const Vector& step, double most, Vector& moves) {
  double bound = std::fabs(step[0]);
  for (size_t place = 0; place < layout.first.size(); place++) {
    double largest = 0;
    for (int b = 0; b < layout.heights[place]; b++) largest = std::max(largest, std::fabs(step[layout.first[place] + b]));
    bound += largest;
  }
  if (bound <= most) return bound;
  logits_of(cells, layout, step, moves);
  double farthest = 0;
  for (double value : moves) farthest = std::max(farthest, std::fabs(value));
  return farthest;
}

void fit_additive(const Cells& cells, double reach, double accuracy, Fit& fit) {
  const int p = fit.layout.size, n = cells.rows;
  Vector r(n), h(n), factor, step(p), old, trial;
  fit.converged = false;
  fit.lower = -std::numeric_limits<double>::infinity();
  logits_of(cells, fit.layout, fit.heights, fit.logits);
  const RowLoops& loops = row_loops();
  fit.loss = loops.loss(n, fit.logits.data(), cells.weight.data(), cells.positive.data());
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 100; round++) {
    loops.loss_and_slopes(n, fit.logits.data(), cells.weight.data(), cells.positive.data(), r.data(), h.data());
    margins(cells, fit.layout, r, fit.slope);
    products(cells, fit.layout, h.data(), fit.hessian);
    factor = fit.hessian;
    factorize(factor.data(), p);
    for (int i = 0; i < p; i++) step[i] = -fit.slope[i];
    solve_factored(factor.data(), p, step.data());
    fit.decrement = 0;
    for (int i = 0; i < p; i++) fit.decrement -= fit.slope[i] * step[i];
    if (!(fit.decrement >= 0)) fit.decrement = 0;
    bool moved = false;
    const bool stalls = fit.decrement < 1e-14 && fit.decrement > 0.25 * before;
    before = fit.decrement;
    if (fit.decrement >= accuracy && !stalls) {
      // Where curvature is nearly gone a whole step leads where all of it is, and the fit ends far from its optimum.
      double size = std::min(1.0, kFarthest / farthest_move(cells, fit.layout, step, kFarthest, trial));
      old = fit.heights;
      for (int halving = 0; halving < 30 && !moved; halving++, size *= 0.5) {
        for (int i = 0; i < p; i++) fit.heights[i] = old[i] + size * step[i];
        logits_of(cells, fit.layout, fit.heights, trial);
        const double loss = loops.loss(n, trial.data(), cells.weight.data(), cells.positive.data());
        if (!(loss < fit.loss) && !(fit.decrement < 1e-11 && loss < fit.loss + 1e-14)) continue;
        fit.loss = loss;
        fit.logits = trial;
        moved = true;
      }
      if (!moved) fit.heights = old;
    }
    if (moved) continue;
    fit.lower = lower_bound(cells, fit, step, h, reach);
    fit.converged = fit.decrement < 1e-10 && fit.lower > fit.loss - 1e-8;
    return;
  }
}

void leverages(const Cells& cells, const Layout& layout, const Vector& inverse, Vector& out) {
  const int p = layout.size;
  const size_t k = layout.first.size();
  out.resize(cells.rows);
  std::vector<int> held;
  for (int i = 0; i < cells.rows; i++) {
    held.assign(1, 0);
    for (size_t place = 0; place < k; place++)
      if (const int b = cells.answer[place][i]) held.push_back(layout.first[place] + b - 1);
    double total = 0;
    for (int x : held) {
      const double* row = inverse.data() + static_cast<size_t>(x) * p;
      for (int y : held) total += row[y];
    }
    out[i] = std::max(total, 0.0);
  }
}

Quadratic quadratic_of(const Fit& fit, const Vector& second_order) {
  Quadratic model;
  const int p = fit.layout.size, m = p - 1;
  const double corner = second_order[0];
  model.size = m;
  model.G.resize(static_cast<size_t>(m) * m);
  Vector g(m), shift;
  for (int i = 0; i < m; i++) {
    const double* row = &second_order[static_cast<size_t>(i + 1) * p];
    g[i] = fit.slope[i + 1] - fit.slope[0] * row[0] / corner;
    for (int k = 0; k < m; k++) model.G[static_cast<size_t>(i) * m + k] = row[k + 1] - row[0] * second_order[k + 1] / corner;
  }
  Vector factor = model.G;
  factorize(factor.data(), m);
  shift = g;
  solve_factored(factor.data(), m, shift.data());
  model.centre.resize(m);
  model.constant = fit.loss - 0.5 * fit.slope[0] * fit.slope[0] / corner;
  for (int i = 0; i < m; i++) {
    model.centre[i] = fit.heights[i + 1] - shift[i];
    model.constant -= 0.5 * g[i] * shift[i];
  }
  model.pull.assign(m, 0.0);
  for (int i = 0; i < m; i++) {
    const double* row = &model.G[static_cast<size_t>(i) * m];
    model.pull[i] = dot(row, model.centre.data(), m);
    model.energy += model.pull[i] * model.centre[i];
    model.residual = std::max(model.residual, std::fabs(g[i] - dot(row, shift.data(), m)));
  }
  return model;
}

}  // namespace supersparse
