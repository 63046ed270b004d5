// What tests in Python ask of the compiled core beyond api.h: its functions and bounds, to hold against 40-digit arithmetic.
#include <limits>

#include "base/lanes.hpp"
#include "base/sorting.hpp"
#include "errors/ratio_prices.hpp"
#include "errors/ratio_separation.hpp"
#include "from_c.hpp"
#include "kernel.hpp"
#include "questions/dual.hpp"
#include "questions/leaf.hpp"
#include "questions/minorant.hpp"

using namespace supersparse;

namespace {

struct Inner {
  Flags flag;
  int64_t factor;
};

struct Outer {
  Ints whole;
  Inner inner;
  Matrix<double> table;
  double share;
};

}  // namespace

extern "C" {

// Writes the order of the keys, and sorts the items 0 to n - 1 by them.
SUPERSPARSE_API int32_t ss_probe_orders(const Ints* keys, const Ints* order, const Ints* items, int64_t* answer) {
  return guarded([&] {
    const std::vector<int64_t> found = order_of(*keys);
    std::copy(found.begin(), found.end(), order->data);
    std::vector<int64_t> spare(keys->size), place(2 * keys->size + 2);
    for (int64_t t = 0; t < items->size; t++) (*items)[t] = t;
    sort_by(*keys, *items, items->size, view(spare), view(place));
    *answer = keys->size;
  });
}

// Doubles the table's rows that are flagged, and adds up what else arrives.
SUPERSPARSE_API int32_t ss_probe_struct(const Outer* outer, double more, const Words* words, int64_t* answer) {
  return guarded([&] {
    require(outer->table.rows == outer->inner.flag.size, "a row needs its flag");
    for (int64_t i = 0; i < outer->table.rows; i++)
      if (outer->inner.flag[i])
        for (double& value : outer->table.row(i)) value *= 2;
    double sum = outer->share + more;
    for (int64_t value : outer->whole) sum += static_cast<double>(value * outer->inner.factor);
    for (uint64_t word : *words) sum += static_cast<double>(word >> 60);
    *answer = static_cast<int64_t>(sum);
  });
}

// Elementwise softplus and log as the loops compute them, n a multiple of eight.
SUPERSPARSE_API void ss_probe_functions(int64_t n, const double* x, double* values, double* logs) {
  for (int64_t i = 0; i < n; i += kLanes) {
    store(values + i, softplus(load(x + i)));
    store(logs + i, logarithm(load(x + i)));
  }
}

// Of the questions that `points` ask, the dual bound and that of their fit; of these points loss, slope, offset and the
// value of the minorant made for losses less than `room` above the fit's (minus infinity without one).
SUPERSPARSE_API void ss_probe_bounds(const ss_problem* problem, const int32_t* points, double room, double* numbers) {
  const double none = -std::numeric_limits<double>::infinity();
  Problem own = problem_of(*problem);
  const double reach = own.reach();
  merge_rows(own);
  std::vector<int> answers, everything;
  for (int j = 0; j < own.count(); everything.push_back(j++)) answers.push_back(own.questions[j].answers);
  Card card = card_of(answers, points);
  const Cells rows = cells_of(own, everything), cells = cells_of(own, card.set);
  const auto fitted = [&](const Cells& merged) {
    Fit fit(own, merged.set);
    fit_additive(merged, reach, 1e-24, fit);
    return fit;
  };
  const Fit root = fitted(rows), fit = fitted(cells);
  const Quadratic model = quadratic_of(root, root.hessian);
  DualBound dual(rows, root, model, reach);
  fit_card(own, cells, card);
  double below = none;
  Vector second, u(fit.layout.size);
  if (minorant(cells, fit, room, second)) {
    u[0] = card.offset - fit.heights[0];
    for (size_t place = 0, i = 1; place < card.set.size(); place++) {
      u[0] += card.slope * card.points[place][0];
      for (size_t b = 1; b < card.points[place].size(); b++, i++)
        u[i] = card.slope * (card.points[place][b] - card.points[place][0]) - fit.heights[i];
    }
    below = fit.loss;
    for (size_t i = 0; i < u.size(); i++)
      below += u[i] * (fit.slope[i] + 0.5 * dot(&second[i * u.size()], u.data(), fit.layout.size));
  }
  const double values[] = {dual(card.set, none), fit.lower, card.loss, card.slope, card.offset, below};
  std::copy(values, values + 6, numbers);
}

// Multipliers by the first groups of the packing, then by the others too.
SUPERSPARSE_API int32_t ss_probe_ratio_prices(const ratios::BoxStack* stack, const ratios::PointPairs* pairs, const Ints* undecided,
                                              int64_t first, int64_t kept, double enough, int64_t*) {
  return guarded([&] {
    const ratios::Prices& prices = stack->prices;
    const int64_t points = pairs->weight.size;
    ratios::begin_prices(prices, *pairs, *undecided);
    ratios::add_groups(prices, stack->listed, points, *undecided, 0, first);
    ratios::solve_prices(prices, stack->listed, points, first, static_cast<float>(enough));
    ratios::add_groups(prices, stack->listed, points, *undecided, first, kept);
    ratios::solve_prices(prices, stack->listed, points, kept, static_cast<float>(enough));
    ratios::read_prices(prices, stack->listed, points, *undecided, kept);
  });
}

SUPERSPARSE_API int32_t ss_probe_separation(const ratios::Separation* s, int64_t n_positive, const ratios::Singles* low,
                                            const ratios::Singles* high, double gap, int64_t* answer) {
  return guarded([&] { *answer = ratios::separate(*s, n_positive, *low, *high, gap); });
}

}  // extern "C"
