#include "log_loss/bound.hpp"

#include <algorithm>

#include "base/dense.hpp"

namespace supersparse::log_loss {
namespace {

double dot_below(const double* a, const double* b, int64_t n) {
  return n < 24 ? supersparse::dot(a, b, static_cast<int>(n)) : loops().dot(a, b, n);
}

}  // namespace

bool solve(Matrix<double> h, int64_t n, Floats x) {
  for (int64_t j = 0; j < n; j++) {
    const double* of_j = h.row(j).data;
    double s = of_j[j] - dot_below(of_j, of_j, j);
    if (!(s > 0)) return false;
    s = std::sqrt(s);
    h(j, j) = s;
    const double inverse = 1 / s;
    for (int64_t i = j + 1; i < n; i++) {
      double* of_i = h.row(i).data;
      of_i[j] = (of_i[j] - dot_below(of_i, of_j, j)) * inverse;
    }
  }
  for (int64_t i = 0; i < n; i++) x[i] = (x[i] - dot_below(h.row(i).data, x.data, i)) / h(i, i);
  for (int64_t i = n - 1; i >= 0; i--) {
    x[i] /= h(i, i);
    for (int64_t k = 0; k < i; k++) x[k] -= h(i, k) * x[i];
  }
  return true;
}

void scores_at(Floats z, Floats point, int64_t first, Matrix<double> x, Ints columns, int64_t m, int64_t n) {
  const Loops& own = loops();
  fill(z, point[0], n);
  int64_t j = 0;
  for (; j + 4 <= m; j += 4)
    own.add_four(z.data, &point[first + j], x.row(columns[j]).data, x.row(columns[j + 1]).data, x.row(columns[j + 2]).data,
                 x.row(columns[j + 3]).data, n);
  for (; j < m; j++) own.add_column(z.data, point[first + j], x.row(columns[j]).data, n);
}

void dots(Floats v, Matrix<double> x, Ints columns, int64_t m, int64_t n, Floats out) {
  const Loops& own = loops();
  // what would be beyond the last column is the last once more, and goes nowhere
  const auto column = [&](int64_t j) { return x.row(columns[std::min(j, m - 1)]).data; };
  fill(out, 0.0, m);
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t size = std::min(n - start, kBlock);
    for (int64_t j = 0; j < m; j += 4) {
      double sums[4] = {0, 0, 0, 0};
      own.dots_of_four(v.data + start, column(j) + start, column(j + 1) + start, column(j + 2) + start, column(j + 3) + start,
                       size, sums);
      for (int64_t k = 0; k < std::min<int64_t>(4, m - j); k++) out[j + k] += sums[k];
    }
  }
}

// By blocks of rows, which stay in the processor's cache for all pairs of columns; of these, two and four columns at a time.
void curvature_of(Matrix<double> x, Ints columns, Floats weights, int64_t m, int64_t n, Matrix<double> h) {
  const Loops& own = loops();
  thread_local std::vector<double> sums;
  double weighed[2][kBlock];
  const int64_t width = m + 5;
  sums.assign((m + 3) * width, 0.0);
  const auto column = [&](int64_t j) { return x.row(columns[std::min(j, m - 1)]).data; };
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t size = std::min(n - start, kBlock);
    sums[0] += own.total(weights.data + start, size);
    for (int64_t j = 0; j < m; j += 2) {
      // an odd last column counts twice, and goes where `sums` has more room than h
      double* of_first = &sums[(1 + j) * width];
      double* of_second = of_first + width;
      of_first[0] += own.times(weighed[0], weights.data + start, column(j) + start, size);
      of_second[0] += own.times(weighed[1], weights.data + start, column(j + 1) + start, size);
      for (int64_t k = 0; k < j + 2; k += 4)
        own.dots_of_two_by_four(weighed[0], weighed[1], column(k) + start, column(k + 1) + start, column(k + 2) + start,
                                column(k + 3) + start, size, of_first + 1 + k, of_second + 1 + k);
    }
  }
  for (int64_t j = 0; j <= m; j++)
    for (int64_t k = 0; k <= j; k++) h(j, k) = h(k, j) = sums[j * width + k];
}

Reach least_reach(Floats g, Floats low, Floats high, Ints optional, Floats cost, int64_t m, int64_t room, Floats pick) {
  Reach out{0, 0};
  int64_t count = 0;
  for (int64_t j = 0; j < m; j++) {
    double v = std::min(g[j] * low[j], g[j] * high[j]);
    if (optional[j]) {
      v += cost[j];
      if (v < 0) {
        pick[count++] = v;
        out.magnitude -= v;
      }
    } else {
      out.total += v;
      out.magnitude += std::fabs(v);
    }
  }
  for (int64_t q = 0; q < std::min(count, room); q++) {  // the most negative, by selection: room is small
    if (count > room)
      for (int64_t c = q + 1; c < count; c++)
        if (pick[c] < pick[q]) std::swap(pick[q], pick[c]);
    out.total += pick[q];
  }
  return out;
}

Step step_back(Matrix<double> x, Ints columns, Floats positive, Floats negative, int64_t n, int64_t m, Floats point,
               Floats step, double gain, double f, Floats trial, Floats z, Floats e) {
  double t = 1;
  for (int halving = 0; halving < 12; halving++) {
    for (int64_t j = 0; j <= m; j++) trial[j] = point[j] + t * step[j];
    scores_at(z, trial, 1, x, columns, m, n);
    const double next = loss_at(z, positive, negative, e, n);
    if (next <= f - 1e-4 * t * gain) return {t, next};
    t *= 0.5;
  }
  return {0, f};
}

SupportFit fit_support(Matrix<double> x, Ints columns, Floats positive, Floats negative, int64_t n, int64_t m, Floats reach,
                       double threshold, Floats limits, Floats point, Matrix<double> work, double accuracy) {
  const Floats z = work.row(0), e = work.row(1), residual = work.row(2), curve = work.row(3);
  const int64_t size = m + 1;
  std::vector<double> room(size * (size + 3));
  const Matrix<double> h{room.data(), size, size};
  const Matrix<double> vectors{room.data() + size * size, 3, size};
  const Floats step = vectors.row(0), g = vectors.row(1), trial = vectors.row(2);
  scores_at(z, point, 1, x, columns, m, n);
  double f = loss_at(z, positive, negative, e, n);
  for (int turn = 0; turn < 9; turn++) {
    const Slopes at = slopes_at(z, e, positive, negative, residual, curve, n);
    g[0] = at.total;
    dots(residual, x, columns, m, n, g.from(1));
    double far = 0;
    for (int64_t j = 0; j < m; j++) far += std::fabs(g[1 + j]) * reach[j];
    if (value_of_bound(f - at.moment, f + at.size, at.total, -far, far, 0, 1, limits) >= threshold) return {true, f};
    curvature_of(x, columns, curve, m, n, h);
    for (int64_t j = 0; j < size; j++) {
      h(j, j) += 1e-12;
      step[j] = -g[j];
    }
    if (!solve(h, size, step)) break;
    double gain = 0;
    for (int64_t j = 0; j < size; j++) gain -= g[j] * step[j];
    if (!(gain > 1e-13) || (f - gain < threshold && gain < accuracy)) break;  // it cannot pass any more
    const Step back = step_back(x, columns, positive, negative, n, m, point, step, gain, f, trial, z, e);
    if (back.length == 0) break;
    copy(point, trial, size);
    f = back.loss;
  }
  return {false, f};
}

bool tighten(Matrix<double> values, Ints zero, Floats scale, Ints columns, Ints optional, Floats cost, Floats dual,
             int64_t room, double threshold, Ints low, Ints high) {
  const int64_t m = optional.size;
  std::vector<double> least(m), terms(m), pick;
  double total = dual[0], magnitude = 1;
  for (int64_t q = 0; q < m; q++) {
    const int64_t j = columns[q];
    const double g = dual[1 + q] * scale[j], first = g * values(j, low[q]), last = g * values(j, high[q]);
    least[q] = std::min(first, last);
    magnitude += std::max(std::fabs(first), std::fabs(last)) + cost[q];
    if (optional[q]) {
      terms[q] = std::min(0.0, least[q] + cost[q]);
      pick.push_back(terms[q]);
    } else {
      total += least[q];
    }
  }
  const int64_t count = static_cast<int64_t>(pick.size());
  double last = 0, top = 0;
  for (int64_t q = 0; q < std::min(count, room); q++) {
    for (int64_t c = q + 1; c < count; c++)
      if (pick[c] < pick[q]) std::swap(pick[q], pick[c]);
    top += pick[q];
    last = pick[q];
  }
  if (count < room) last = 0;
  const double slack = 2e-15 * (m + 4) * magnitude;
  for (int64_t q = 0; q < m; q++) {
    const int64_t j = columns[q];
    const double g = dual[1 + q] * scale[j];
    const bool open = optional[q];  // then the best others, and its own cost
    const double rest = open ? total + (terms[q] <= last ? top - terms[q] : top - last) + cost[q] - slack
                             : total + top - least[q] - slack;
    while (high[q] >= low[q] && !(open && high[q] <= zero[j]) && !(rest + g * values(j, high[q]) < threshold)) high[q]--;
    while (low[q] <= high[q] && !(open && low[q] >= zero[j]) && !(rest + g * values(j, low[q]) < threshold)) low[q]++;
    if (!open && low[q] > high[q]) return true;
  }
  return false;
}

}  // namespace supersparse::log_loss
