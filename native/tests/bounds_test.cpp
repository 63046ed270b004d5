// Every bound against what it bounds: fits, the dual bound of sets of questions, the minorant.
#include <limits>

#include "questions/minorant.hpp"
#include "questions/rows.hpp"
#include "tests/check.hpp"

using namespace supersparse;

int main() {
  std::mt19937_64 random(3);
  int bounded = 0, below = 0;
  double tightest = 1;
  for (int round = 0; round < 150; round++) {
    const int count = 2 + static_cast<int>(random() % 4);
    Problem problem = random_problem(random, count, 40 + static_cast<int>(random() % 200), round % 2 ? 1.0 : 6.0);
    merge_rows(problem);
    const double reach = problem.reach();
    std::vector<int> all;
    for (int j = 0; j < count; j++) all.push_back(j);
    const auto fit = [&](const std::vector<int>& set, const Cells& cells) {
      Fit out(problem, set);
      fit_additive(cells, reach, 1e-24, out);
      return out;
    };
    const Cells rows = cells_of(problem, all);
    CHECK(rows.rows == problem.rows);
    const Fit root = fit(all, rows);
    CHECK(root.converged && root.lower <= root.loss && root.lower > root.loss - 1e-9);
    const Quadratic model = quadratic_of(root, root.hessian);
    DualBound dual(rows, root, model, reach);
    for (int set = 0; set < 1 << count; set++) {
      std::vector<int> members;
      for (int j = 0; j < count; j++)
        if (set >> j & 1) members.push_back(j);
      const Cells cells = cells_of(problem, members);
      const Fit own = fit(members, cells);
      CHECK(own.converged);
      const double bound = dual(members, -std::numeric_limits<double>::infinity());
      CHECK(bound <= own.loss);
      tightest = std::min(tightest, own.loss - bound);
      bounded++;
      if (members.empty()) continue;
      // The minorant at random deviations whose loss is below its threshold, from an inexact fit as well.
      Fit near = own;
      for (double& value : near.heights) value += (round % 3) * 1e-3 * (uniform(random) - 0.5);
      logits_of(cells, near.layout, near.heights, near.logits);
      Vector r(cells.rows), h(cells.rows);
      near.loss = row_loops().loss_and_slopes(cells.rows, near.logits.data(), cells.weight.data(), cells.positive.data(), r.data(), h.data());
      products(cells, near.layout, h.data(), near.hessian);
      near.slope.assign(near.layout.size, 0.0);
      for (int i = 0; i < cells.rows; i++) {
        near.slope[0] += r[i];
        for (size_t place = 0; place < members.size(); place++)
          if (const int b = cells.answer[place][i]) near.slope[near.layout.first[place] + b - 1] += r[i];
      }
      const double room = 0.02 * uniform(random) + 1e-4;
      Vector second;
      if (!minorant(cells, near, room, second)) continue;
      const int p = near.layout.size;
      for (int trial = 0; trial < 40; trial++) {
        Vector u(p), moved(p), logits;
        const double size = std::pow(10.0, -3 * uniform(random));
        double value = near.loss;
        for (int i = 0; i < p; i++) {
          u[i] = 4 * size * (uniform(random) - 0.5);
          moved[i] = near.heights[i] + u[i];
        }
        logits_of(cells, near.layout, moved, logits);
        const double loss = row_loops().loss(cells.rows, logits.data(), cells.weight.data(), cells.positive.data());
        for (int i = 0; i < p; i++) value += u[i] * near.slope[i] + 0.5 * u[i] * dot(&second[size_t(i) * p], u.data(), p);
        if (loss < near.loss + room) {
          below++;
          CHECK(value <= loss + 1e-13);
        }
      }
    }
  }
  CHECK(bounded > 1000 && below > 1000 && tightest < 1e-9);
}
