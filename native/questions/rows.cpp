// Compiled once for each version, with ROWS_VERSION its name.
#include "questions/rows.hpp"

#include "base/lanes.hpp"

namespace supersparse {
namespace {

LANES_INLINE void slopes(Eight s, Eight& value, Eight& sigma, Eight& curvature) {
  const Eight e = exponential(-magnitude(s)), inverse = 1.0 / (1.0 + e);
  value = larger(s, all(0.0)) + logarithm(1.0 + e);
  sigma = choose(s >= 0.0, inverse, e * inverse);
  curvature = e * inverse * inverse;
}

double loss(int n, const double* s, const double* w, const double* positive) {
  Eight total = all(0.0);
  for (int i = 0; i < n; i += kLanes) total += load(w + i) * softplus(load(s + i)) - load(positive + i) * load(s + i);
  return sum(total);
}

double loss_and_slopes(int n, const double* s, const double* w, const double* positive, double* r, double* h) {
  Eight total = all(0.0);
  for (int i = 0; i < n; i += kLanes) {
    const Eight logit = load(s + i), weight = load(w + i), share = load(positive + i);
    Eight value, sigma, curvature;
    slopes(logit, value, sigma, curvature);
    total += weight * value - share * logit;
    store(r + i, weight * sigma - share);
    store(h + i, weight * curvature);
  }
  return sum(total);
}

void line(int n, const double* total, const double* w, const double* positive, double slope, double centre, LineSums* out) {
  Eight all_loss = all(0.0), r = all_loss, rt = all_loss, h = all_loss, ht = all_loss, htt = all_loss;
  for (int i = 0; i < n; i += kLanes) {
    const Eight t = load(total + i), weight = load(w + i), share = load(positive + i), logit = t * slope + centre;
    Eight value, sigma, curvature;
    slopes(logit, value, sigma, curvature);
    const Eight residual = weight * sigma - share, own = weight * curvature, first = own * t;
    all_loss += weight * value - share * logit;
    r += residual;
    rt += residual * t;
    h += own;
    ht += first;
    htt += first * t;
  }
  *out = {sum(all_loss), sum(r), sum(rt), sum(h), sum(ht), sum(htt)};
}

int least_shape(int n, int m, const double* square, double factor, const double* price, const double* heights,
                const double* linear) {
  Eight best = all(1e300), index = all(0.0), here = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int z = 0; z < n; z += kLanes, here += 8.0) {
    Eight value = load(square + z) * factor + load(price + z);
    for (int i = 0; i < m; i++) value += load(heights + static_cast<int64_t>(i) * n + z) * linear[i];
    const EightInts lower = value < best;
    best = choose(lower, value, best);
    index = choose(lower, here, index);
  }
  int pick = 0;
  for (int lane = 1; lane < kLanes; lane++)
    if (best[lane] < best[pick] || (best[lane] == best[pick] && index[lane] < index[pick])) pick = lane;
  return static_cast<int>(index[pick]);
}

void add_heights(int n, int answers, const uint8_t* answer, const double* table, double* s) {
#ifdef __AVX512F__
  if (answers <= kLanes) {
    const __m512d heights = _mm512_loadu_pd(table);
    for (int i = 0; i < n; i += kLanes) {
      const __m512i eight = _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(answer + i)));
      store(s + i, load(s + i) + Eight(_mm512_permutexvar_pd(eight, heights)));
    }
    return;
  }
#endif
  static_cast<void>(answers);
  for (int i = 0; i < n; i++) s[i] += table[answer[i]];
}

void eliminate(int n, int m, const double* factor, const double* rows, int stride, const double* from, double* to) {
  int y = 0;
  for (; y + kLanes <= n; y += kLanes) {
    Eight value = load(from + y);
    for (int k = 0; k < m; k++) value -= load(rows + static_cast<int64_t>(k) * stride + y) * factor[k];
    store(to + y, value);
  }
  for (; y < n; y++) {
    double value = from[y];
    for (int k = 0; k < m; k++) value -= factor[k] * rows[static_cast<int64_t>(k) * stride + y];
    to[y] = value;
  }
}

void add_products(int block, int p, const double* indicator, const double* h, const int* column, double* H) {
  alignas(64) double weighted[256];
  for (int x = 0; x < p; x++) {
    const double* row = indicator + static_cast<int64_t>(x) * block;
    Eight diagonal = all(0.0);
    for (int i = 0; i < block; i += kLanes) {
      const Eight product = load(h + i) * load(row + i);
      store(weighted + i, product);
      diagonal += product;
    }
    double* out = H + static_cast<int64_t>(x) * p;
    out[x] += sum(diagonal);
    int y = x + 1;
    while (y < p && column[y] == column[x]) y++;  // two answers of one question never hold together
    for (; y + 4 <= p; y += 4) {
      const double* other = indicator + static_cast<int64_t>(y) * block;
      Eight a = all(0.0), b = a, c = a, d = a;
      for (int i = 0; i < block; i += kLanes) {
        const Eight left = load(weighted + i);
        a += left * load(other + i);
        b += left * load(other + block + i);
        c += left * load(other + 2 * block + i);
        d += left * load(other + 3 * block + i);
      }
      out[y] += sum(a);
      out[y + 1] += sum(b);
      out[y + 2] += sum(c);
      out[y + 3] += sum(d);
    }
    for (; y < p; y++) {
      const double* other = indicator + static_cast<int64_t>(y) * block;
      Eight a = all(0.0);
      for (int i = 0; i < block; i += kLanes) a += load(weighted + i) * load(other + i);
      out[y] += sum(a);
    }
  }
}

double dual_step(int n, const double* s, const double* s0, const double* curvature, const double* alpha, double* delta) {
  Eight most = all(1e300);
  for (int i = 0; i < n; i += kLanes) {
    const Eight step = load(curvature + i) * (load(s + i) - load(s0 + i)), from = load(alpha + i);
    store(delta + i, step);
    const Eight room = choose(step > 0.0, 1.0 - from, from);
    most = smaller(most, room / (magnitude(step) + 1e-300));
  }
  return least(most);
}

double entropy(int n, const double* alpha, const double* delta, double theta, const double* w) {
  Eight total = all(0.0);
  const Eight floor = all(1e-300);
  for (int i = 0; i < n; i += kLanes) {
    const Eight a = load(alpha + i) + theta * load(delta + i), b = 1.0 - a;
    const Eight first = larger(a, floor), second = larger(b, floor);
    total -= load(w + i) * (first * logarithm(first) + second * logarithm(second));
  }
  return sum(total);
}

// 2 D(v) / (h v^2) is quasi-concave in v, D(v) = softplus(s + v) - softplus(s) - sigma(s) v, h = sigma'(s): its least value
// for |v| <= r is at an end. Where the difference is lost in rounding (|s| > 15 or r < 0.1) the bound 2 g(r) / r^2 of
// self-concordance is taken, g(r) = e^-r + r - 1; for small r it is at least 1 - r/3. The difference errs by less than
// 4e-16 (4 + |s| + r) (three softplus, each by 4e-16 and 1e-16 of its value), and eight times that is taken off.
void curvature_ratio(int n, const double* s, const double* radius, double* ratio) {
  for (int i = 0; i < n; i += kLanes) {
    const Eight logit = load(s + i), r = load(radius + i);
    Eight value, sigma, h;
    slopes(logit, value, sigma, h);
    const Eight square = h * r * r + 1e-300;
    const Eight above = softplus(logit + r) - value - sigma * r, below = softplus(logit - r) - value + sigma * r;
    const Eight error = 3.2e-15 * (4.0 + magnitude(logit) + r);
    const Eight own = (2.0 * (smaller(above, below) - error)) / square * (1.0 - 1e-12);
    const Eight g = exponential(-r) + r - 1.0;
    const Eight common = choose(r < 0.1, 1.0 - r / 3.0, 2.0 * (g - 1e-15 * (1.0 + r)) / (r * r + 1e-300) * (1.0 - 1e-12));
    const Eight safe = choose(magnitude(logit) > 15.0, common, choose(r < 0.1, common, larger(own, common)));
    store(ratio + i, larger(smaller(safe, all(1.0)), all(0.0)));
  }
}

}  // namespace

#define ROWS_JOIN(a, b) a##b
#define ROWS_NAME(version) ROWS_JOIN(rows_, version)
extern const RowLoops ROWS_NAME(ROWS_VERSION);
const RowLoops ROWS_NAME(ROWS_VERSION) = {loss,      loss_and_slopes, line,      least_shape, add_heights,
                                          eliminate, add_products,    dual_step, entropy,     curvature_ratio};

}  // namespace supersparse
