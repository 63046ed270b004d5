// Dense matrices of a few hundred rows, row major: factor, solve, invert. Dependent coordinates are dropped, no ridge is added.
#pragma once
#include <vector>

namespace supersparse {

using Vector = std::vector<double>;

enum class Factor { complete, reduced, doubtful };

// A = L L' in place (lower triangle). A pivot that falls to 1e-13 of its diagonal is a linear combination of those before it
// up to rounding: its row and column of L become 0 ("reduced"), so that L L' <= A and A - L L' is of the size of rounding.
// A pivot between 1e-13 and 1e-9 of its diagonal may be either ("doubtful"): who needs the space spanned must not go on.
Factor factorize(double* matrix, int n);
// Solve L L' x = b in place; dropped coordinates are 0.
void solve_factored(const double* factor, int n, double* x);
// (L L')^-1, with zeros for dropped coordinates.
void invert_factored(const double* factor, int n, double* inverse);

inline double dot(const double* a, const double* b, int n) {
  double lanes[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int lane = 0; lane < 4; lane++) lanes[lane] += a[i + lane] * b[i + lane];
  for (; i < n; i++) lanes[0] += a[i] * b[i];
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

}  // namespace supersparse
