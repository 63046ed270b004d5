// The loops of the log loss: their versions against each other, bit by bit; exp, log and losses against long double.
#include "log_loss/loops.hpp"

#include <vector>

#include "log_loss/elementary.hpp"
#include "tests/check.hpp"

using namespace supersparse;
using namespace supersparse::log_loss;

namespace {

using Numbers = std::vector<double>;

// Everything that the loops make of n rows.
Numbers results(const Loops& own, int64_t n, const Numbers& z, const Numbers& positive, const Numbers& negative) {
  Numbers e(n), residual(n), curve(n), out, sums(8);
  const double *at = z.data(), *p = positive.data(), *q = negative.data();
  const auto add = [&](std::initializer_list<double> more) { out.insert(out.end(), more); };
  add({own.loss_at(at, p, q, e.data(), n), own.loss_on_line(at, 0.7, -0.2, p, q, n)});
  const Slopes slopes = own.slopes_at(at, e.data(), p, q, residual.data(), curve.data(), n);
  LineSizes sizes;
  const Line line = own.line(at, 0.7, -0.2, p, q, n), same = own.line_and_sizes(at, 0.7, -0.2, p, q, n, &sizes);
  CHECK(line.loss == out[1] && line.loss == same.loss && line.css == same.css);
  add({slopes.total, slopes.moment, slopes.size, line.loss, line.r, line.rs, line.c, line.cs, line.css});
  add({sizes.moment, sizes.size, sizes.residuals, own.entropy_of(p, q, at, n), own.total(at, n), own.dot(at, p, n)});
  own.column_sums(p, residual.data(), curve.data(), at, n, sums.data());
  own.dots_of_two_by_four(at, p, p, q, e.data(), at, n, sums.data(), sums.data() + 4);
  own.dots_of_four(q, p, q, e.data(), at, n, sums.data());
  own.add_column(e.data(), 0.3, at, n);
  own.add_four(e.data(), sums.data(), p, q, at, p, n);
  add({own.times(residual.data(), residual.data(), at, n)});
  for (const Numbers& more : {sums, e, residual, curve}) out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace

int main() {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20000; round++) {
    const double x = -700 * uniform(random) * uniform(random), small = uniform(random), tiny = std::exp(x * 0.98);
    const long double exact = std::exp(static_cast<long double>(x)), log_exact = std::log(static_cast<long double>(tiny));
    CHECK(std::fabs(exp_of_negative(x) - exact) <= (2 - x / 4) * 0x1p-52L * exact);
    CHECK(std::fabs(log_of_one_plus(small) - std::log1p(static_cast<long double>(small))) <= 4 * 0x1p-53L);
    CHECK(std::fabs(log_of(tiny) - log_exact) <= 4 * 0x1p-53L + 0x1p-52L * std::fabs(log_exact));
  }
  for (int64_t n : {1, 7, 8, 9, 255, 256, 257, 700}) {
    Numbers z(n), positive(n), negative(n), first;
    long double loss = 0;
    for (int64_t i = 0; i < n; i++) {
      z[i] = 60 * (uniform(random) - 0.5);
      positive[i] = uniform(random) / n;
      negative[i] = uniform(random) / n;
      const long double tail = std::log1p(std::exp(-std::fabs(static_cast<long double>(z[i]))));
      loss += positive[i] * (std::max(-z[i], 0.0) + tail) + negative[i] * (std::max(z[i], 0.0) + tail);
    }
    for (const char* name : {"baseline", "avx2", "avx512"}) {
      if (!choose_loop_version(name)) continue;
      const Numbers found = results(loops(), n, z, positive, negative);
      CHECK(std::fabs(found[0] - loss) <= 1e-14L * loss);
      if (first.empty()) first = found;
      CHECK(first == found);
    }
  }
  return 0;
}
