// exp and log against long double; the versions of the loops against each other, bit by bit.
#include "base/lanes.hpp"

#include <vector>

#include "questions/rows.hpp"
#include "tests/check.hpp"

using namespace supersparse;

int main() {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20000; round++) {
    double x[kLanes], e[kLanes], l[kLanes], s[kLanes];
    for (double& value : x) value = (uniform(random) - 0.5) * std::pow(10.0, 3 * uniform(random) - 1);
    store(e, exponential(load(x)));
    store(s, softplus(load(x)));
    double y[kLanes];
    for (int i = 0; i < kLanes; i++) y[i] = std::fabs(x[i]) + 1e-280;
    store(l, logarithm(load(y)));
    for (int i = 0; i < kLanes; i++) {
      const long double exact = std::exp(static_cast<long double>(x[i])), log_exact = std::log(static_cast<long double>(y[i]));
      const long double soft = std::max(x[i], 0.0) + std::log1p(std::exp(-std::fabs(static_cast<long double>(x[i]))));
      CHECK(std::fabs(e[i] - exact) <= 4e-16L * exact);
      CHECK(std::fabs(l[i] - log_exact) <= 3e-16L * std::fabs(log_exact) + 1e-300L);
      CHECK(std::fabs(s[i] - soft) <= 4e-16L + 1e-16L * soft);
    }
  }
  const int n = 512;
  std::vector<double> s(n), w(n), p(n), radius(n), first, h(n), r(n), ratio(n), table(256);
  std::vector<uint8_t> answer(n);
  for (int i = 0; i < n; i++) {
    s[i] = 40 * (uniform(random) - 0.5);
    w[i] = uniform(random) / n;
    p[i] = w[i] * uniform(random);
    radius[i] = 5 * uniform(random) * uniform(random);
    answer[i] = static_cast<uint8_t>(random());
  }
  for (double& value : table) value = uniform(random);
  for (const char* name : {"baseline", "avx2", "avx512"}) {
    if (!choose_loop_version(name)) continue;
    const RowLoops& loops = row_loops();
    std::vector<double> out{loops.loss(n, s.data(), w.data(), p.data()), loops.loss_and_slopes(n, s.data(), w.data(), p.data(), r.data(), h.data())};
    loops.curvature_ratio(n, s.data(), radius.data(), ratio.data());
    out.insert(out.end(), r.begin(), r.end());
    out.insert(out.end(), h.begin(), h.end());
    out.insert(out.end(), ratio.begin(), ratio.end());
    for (int answers : {2, 4, 8, 9, 64}) {
      std::vector<uint8_t> below = answer;
      std::vector<double> sums = s;
      for (uint8_t& value : below) value %= answers;
      loops.add_heights(n, answers, below.data(), table.data(), sums.data());
      for (int i = 0; i < n; i++) CHECK(sums[i] == s[i] + table[below[i]]);
    }
    for (int length : {1, 7, 8, 29}) {
      std::vector<double> left(length);
      loops.eliminate(length, 3, w.data(), s.data(), 50, p.data(), left.data());
      for (int y = 0; y < length; y++) CHECK(left[y] == p[y] - s[y] * w[0] - s[50 + y] * w[1] - s[100 + y] * w[2]);
    }
    if (first.empty()) first = out;
    CHECK(first == out);
    // The ratio is below 2 D(v) / (h v^2) for every |v| <= radius, in long double.
    for (int i = 0; i < n; i++)
      for (int k = -8; k <= 8; k++) {
        const long double v = radius[i] * k / 8.0L, z = s[i], e = std::exp(-std::fabs(z));
        if (std::fabs(v) < 1e-3L) continue;
        const auto soft = [](long double t) { return std::max(t, 0.0L) + std::log1p(std::exp(-std::fabs(t))); };
        const long double sigma = z >= 0 ? 1 / (1 + e) : e / (1 + e), curvature = e / ((1 + e) * (1 + e));
        CHECK(ratio[i] <= 2 * (soft(z + v) - soft(z) - sigma * v) / (curvature * v * v) + 1e-9L + 1e-18L * (4 + std::fabs(z)) / (curvature * v * v));
      }
  }
}
