// Compiled once for each version, with ROWS_VERSION its name.
#include "log_loss/loops.hpp"

#include "log_loss/by_eights.hpp"
#include "log_loss/elementary.hpp"

namespace supersparse::log_loss {
namespace {

LANES_INLINE Eight risk_of(Eight v, Eight w) { return (v >= 0.0 ? all(1.0) : w) / (1.0 + w); }

double loss_at(const double* z, const double* positive, const double* negative, double* e, int64_t n) {
  double total = 0;
  by_blocks(n, [&](int64_t from, int64_t to) __attribute__((always_inline)) {
    Eight part = all(0.0);
    by_eights(from, to, [&](int64_t i, auto eight) __attribute__((always_inline)) {
      Eight w;
      part += loss_of_row<Eight>(eight.of(z + i), eight.of(positive + i), eight.of(negative + i), w);
      eight.put(e + i, w);
    });
    total += sum(part);
  });
  return total;
}

Slopes slopes_at(const double* z, const double* e, const double* positive, const double* negative, double* residual,
                 double* curve, int64_t n) {
  Slopes out{0, 0, 0};
  by_blocks(n, [&](int64_t from, int64_t to) __attribute__((always_inline)) {
    Eight total = all(0.0), moment = total, size = total;
    by_eights(from, to, [&](int64_t i, auto eight) __attribute__((always_inline)) {
      const Eight v = eight.of(z + i), p = risk_of(v, eight.of(e + i)), own = eight.of(positive + i);
      const Eight weight = own + eight.of(negative + i), r = weight * p - own, rz = r * v;
      eight.put(residual + i, r);
      eight.put(curve + i, weight * p * (1.0 - p));
      total += r;
      moment += rz;
      size += magnitude(rz);
    });
    out.total += sum(total);
    out.moment += sum(moment);
    out.size += sum(size);
  });
  return out;
}

double loss_on_line(const double* score, double a, double b, const double* positive, const double* negative, int64_t n) {
  double total = 0;
  by_blocks(n, [&](int64_t from, int64_t to) __attribute__((always_inline)) {
    Eight part = all(0.0), w;
    by_eights(from, to, [&](int64_t i, auto eight) __attribute__((always_inline)) {
      part += loss_of_row<Eight>(eight.of(score + i) * a + b, eight.of(positive + i), eight.of(negative + i), w);
    });
    total += sum(part);
  });
  return total;
}

template <bool with_sizes>
LANES_INLINE Line sums_on_line(const double* score, double a, double b, const double* positive, const double* negative,
                               int64_t n, LineSizes* sizes) {
  Line out{0, 0, 0, 0, 0, 0};
  if constexpr (with_sizes) *sizes = {0, 0, 0};
  by_blocks(n, [&](int64_t from, int64_t to) __attribute__((always_inline)) {
    Eight loss = all(0.0), all_r = loss, rs = loss, all_c = loss, cs = loss, css = loss, moment = loss, size = loss, far = loss;
    by_eights(from, to, [&](int64_t i, auto eight) __attribute__((always_inline)) {
      const Eight s = eight.of(score + i), v = s * a + b, own = eight.of(positive + i), other = eight.of(negative + i);
      Eight w;
      loss += loss_of_row<Eight>(v, own, other, w);
      const Eight p = risk_of(v, w), weight = own + other, r = weight * p - own, c = weight * p * (1.0 - p), c_s = c * s;
      all_r += r;
      rs += r * s;
      all_c += c;
      cs += c_s;
      css += c_s * s;
      if constexpr (with_sizes) {
        const Eight rz = r * v;
        moment += rz;
        size += magnitude(rz);
        far += magnitude(r);
      }
    });
    out.loss += sum(loss);
    out.r += sum(all_r);
    out.rs += sum(rs);
    out.c += sum(all_c);
    out.cs += sum(cs);
    out.css += sum(css);
    if constexpr (with_sizes) {
      sizes->moment += sum(moment);
      sizes->size += sum(size);
      sizes->residuals += sum(far);
    }
  });
  return out;
}

Line line(const double* score, double a, double b, const double* positive, const double* negative, int64_t n) {
  return sums_on_line<false>(score, a, b, positive, negative, n, nullptr);
}

InterceptSums intercept_sums(const double* score, double a, double b, const double* positive, const double* negative, int64_t n) {
  InterceptSums out{0, 0};
  by_blocks(n, [&](int64_t from, int64_t to) __attribute__((always_inline)) {
    Eight all_r = all(0.0), all_c = all_r;
    by_eights(from, to, [&](int64_t i, auto eight) __attribute__((always_inline)) {
      const Eight v = eight.of(score + i) * a + b, own = eight.of(positive + i), weight = own + eight.of(negative + i);
      const Eight p = risk_of(v, exp_of_negative<Eight>(-magnitude(v)));
      all_r += weight * p - own;
      all_c += weight * p * (1.0 - p);
    });
    out.r += sum(all_r);
    out.c += sum(all_c);
  });
  return out;
}

Span span(const double* x, int64_t n) {
  Eight least = all(x[0]), most = least;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    least = smaller(load(x + i), least);
    most = larger(load(x + i), most);
  }
  for (; i < n; i++) {
    least = smaller(all(x[i]), least);
    most = larger(all(x[i]), most);
  }
  return {supersparse::least(least), -supersparse::least(-most)};
}

Line line_and_sizes(const double* score, double a, double b, const double* positive, const double* negative, int64_t n,
                    LineSizes* sizes) {
  return sums_on_line<true>(score, a, b, positive, negative, n, sizes);
}

double entropy_of(const double* risk, const double* positive, const double* negative, int64_t n) {
  double total = 0;
  const Eight floor = all(1e-300);
  by_blocks(n, [&](int64_t from, int64_t to) __attribute__((always_inline)) {
    Eight part = all(0.0);
    by_eights(from, to, [&](int64_t i, auto eight) __attribute__((always_inline)) {
      const Eight p = eight.of(risk + i), q = 1.0 - p;
      part -= (eight.of(positive + i) + eight.of(negative + i)) *
              (p * log_of<Eight>(larger(p, floor)) + q * log_of<Eight>(larger(q, floor)));
    });
    total += sum(part);
  });
  return total;
}

double total(const double* x, int64_t n) {
  double total = 0;
  by_blocks(n, [&](int64_t from, int64_t to) __attribute__((always_inline)) {
    Eight part = all(0.0);
    by_eights(from, to, [&](int64_t i, auto eight) __attribute__((always_inline)) { part += eight.of(x + i); });
    total += sum(part);
  });
  return total;
}

double dot(const double* x, const double* y, int64_t n) {
  double total = 0;
  by_blocks(n, [&](int64_t from, int64_t to) __attribute__((always_inline)) {
    Eight part = all(0.0);
    by_eights(from, to, [&](int64_t i, auto eight) __attribute__((always_inline)) { part += eight.of(x + i) * eight.of(y + i); });
    total += sum(part);
  });
  return total;
}

void column_sums(const double* x, const double* residual, const double* curve, const double* score, int64_t n, double* out) {
  Eight rx = all(0.0), cx = rx, cxx = rx, cxs = rx;
  by_eights(0, n, [&](int64_t i, auto eight) __attribute__((always_inline)) {
    const Eight own = eight.of(x + i), c = eight.of(curve + i) * own;
    rx += eight.of(residual + i) * own;
    cx += c;
    cxx += c * own;
    cxs += c * eight.of(score + i);
  });
  out[0] = sum(rx);
  out[1] = sum(cx);
  out[2] = sum(cxx);
  out[3] = sum(cxs);
}

void add_column(double* z, double factor, const double* x, int64_t n) {
  by_eights(0, n, [&](int64_t i, auto eight) __attribute__((always_inline)) {
    eight.put(z + i, eight.of(z + i) + factor * eight.of(x + i));
  });
}

void add_four(double* z, const double* factors, const double* a, const double* b, const double* c, const double* d, int64_t n) {
  const double of_a = factors[0], of_b = factors[1], of_c = factors[2], of_d = factors[3];
  by_eights(0, n, [&](int64_t i, auto eight) __attribute__((always_inline)) {
    const Eight more = of_a * eight.of(a + i) + of_b * eight.of(b + i) + of_c * eight.of(c + i) + of_d * eight.of(d + i);
    eight.put(z + i, eight.of(z + i) + more);
  });
}

double times(double* out, const double* x, const double* y, int64_t n) {
  Eight total = all(0.0);
  by_eights(0, n, [&](int64_t i, auto eight) __attribute__((always_inline)) {
    const Eight product = eight.of(x + i) * eight.of(y + i);
    eight.put(out + i, product);
    total += product;
  });
  return sum(total);
}

void dots_of_four(const double* v, const double* a, const double* b, const double* c, const double* d, int64_t n, double* out) {
  Eight va = all(0.0), vb = va, vc = va, vd = va;
  by_eights(0, n, [&](int64_t i, auto eight) __attribute__((always_inline)) {
    const Eight of_v = eight.of(v + i);
    va += of_v * eight.of(a + i);
    vb += of_v * eight.of(b + i);
    vc += of_v * eight.of(c + i);
    vd += of_v * eight.of(d + i);
  });
  out[0] += sum(va);
  out[1] += sum(vb);
  out[2] += sum(vc);
  out[3] += sum(vd);
}

void dots_of_two_by_four(const double* v, const double* w, const double* a, const double* b, const double* c, const double* d,
                         int64_t n, double* of_v, double* of_w) {
  Eight va = all(0.0), vb = va, vc = va, vd = va, wa = va, wb = va, wc = va, wd = va;
  by_eights(0, n, [&](int64_t i, auto eight) __attribute__((always_inline)) {
    const Eight own_v = eight.of(v + i), own_w = eight.of(w + i);
    const Eight own_a = eight.of(a + i), own_b = eight.of(b + i), own_c = eight.of(c + i), own_d = eight.of(d + i);
    va += own_v * own_a;
    vb += own_v * own_b;
    vc += own_v * own_c;
    vd += own_v * own_d;
    wa += own_w * own_a;
    wb += own_w * own_b;
    wc += own_w * own_c;
    wd += own_w * own_d;
  });
  of_v[0] += sum(va);
  of_v[1] += sum(vb);
  of_v[2] += sum(vc);
  of_v[3] += sum(vd);
  of_w[0] += sum(wa);
  of_w[1] += sum(wb);
  of_w[2] += sum(wc);
  of_w[3] += sum(wd);
}

void append_code(int32_t* ids, int32_t wide, const int32_t* ranks, int64_t n) {
  for (int64_t i = 0; i < n; i++) ids[i] = ids[i] * wide + ranks[i];
}

}  // namespace

#define LOOPS_JOIN(a, b) a##b
#define LOOPS_NAME(version) LOOPS_JOIN(loops_, version)
extern const Loops LOOPS_NAME(ROWS_VERSION);
const Loops LOOPS_NAME(ROWS_VERSION) = {
    loss_at, slopes_at, loss_on_line, line, intercept_sums, span, line_and_sizes, entropy_of, total, dot,
    column_sums, add_column, add_four, times, dots_of_four, dots_of_two_by_four, append_code};

}  // namespace supersparse::log_loss
