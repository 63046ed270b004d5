// Factor, solve and invert against the definition, dependent columns included.
#include "base/dense.hpp"

#include "tests/check.hpp"

using namespace supersparse;

int main() {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; round++) {
    const int n = 1 + static_cast<int>(random() % 12), rank = round % 3 == 0 ? (n + 1) / 2 : n;
    Vector root(static_cast<size_t>(n) * n, 0.0), matrix(root.size(), 0.0), factor, inverse(root.size());
    for (int i = 0; i < n; i++)
      for (int k = 0; k < rank; k++) root[i * n + k] = std::floor(7 * uniform(random)) - 3;
    for (int i = 0; i < n; i++) root[i * n + (i < rank ? i : 0)] += i < rank ? 9 : 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) matrix[i * n + j] = dot(&root[i * n], &root[j * n], n);
    factor = matrix;
    const Factor outcome = factorize(factor.data(), n);
    CHECK(outcome == (rank < n ? Factor::reduced : Factor::complete));
    // A right-hand side in the span has an exact solution, whichever coordinates were dropped.
    Vector x(n), b(n, 0.0);
    for (double& value : x) value = uniform(random) - 0.5;
    for (int i = 0; i < n; i++) b[i] = dot(&matrix[i * n], x.data(), n);
    Vector solved = b;
    solve_factored(factor.data(), n, solved.data());
    invert_factored(factor.data(), n, inverse.data());
    for (int i = 0; i < n; i++) {
      CHECK(std::fabs(dot(&matrix[i * n], solved.data(), n) - b[i]) < 1e-9);
      CHECK(std::fabs(dot(&inverse[i * n], b.data(), n) - solved[i]) < 1e-7);
    }
  }
}
