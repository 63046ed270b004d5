#include "base/dense.hpp"

#include <cmath>

namespace supersparse {

Factor factorize(double* matrix, int n) {
  Factor outcome = Factor::complete;
  for (int j = 0; j < n; j++) {
    double* row = matrix + static_cast<size_t>(j) * n;
    const double diagonal = row[j];
    const double pivot = diagonal - dot(row, row, j);
    if (!(pivot > 1e-13 * diagonal) || !(pivot > 1e-280)) {
      if (outcome == Factor::complete) outcome = Factor::reduced;
      for (int i = j; i < n; i++) matrix[static_cast<size_t>(i) * n + j] = 0;
      continue;
    }
    if (pivot < 1e-9 * diagonal) outcome = Factor::doubtful;
    const double root = std::sqrt(pivot), inverse = 1 / root;
    row[j] = root;
    for (int i = j + 1; i < n; i++) {
      double* other = matrix + static_cast<size_t>(i) * n;
      other[j] = (other[j] - dot(other, row, j)) * inverse;
    }
  }
  return outcome;
}

void solve_factored(const double* factor, int n, double* x) {
  for (int i = 0; i < n; i++) {
    const double* row = factor + static_cast<size_t>(i) * n;
    x[i] = row[i] > 0 ? (x[i] - dot(row, x, i)) / row[i] : 0;
  }
  for (int i = n - 1; i >= 0; i--) {
    const double* row = factor + static_cast<size_t>(i) * n;
    if (!(row[i] > 0)) {
      x[i] = 0;
      continue;
    }
    x[i] /= row[i];
    for (int k = 0; k < i; k++) x[k] -= row[k] * x[i];
  }
}

void invert_factored(const double* factor, int n, double* inverse) {
  Vector unit(n);
  for (int column = 0; column < n; column++) {
    unit.assign(n, 0.0);
    unit[column] = 1;
    solve_factored(factor, n, unit.data());
    const bool dropped = !(factor[static_cast<size_t>(column) * n + column] > 0);
    for (int row = 0; row < n; row++) inverse[static_cast<size_t>(row) * n + column] = dropped ? 0 : unit[row];
  }
}

}  // namespace supersparse
