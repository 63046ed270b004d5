#include "questions/heuristic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "questions/leaf.hpp"

namespace supersparse {
namespace {

constexpr size_t kMostShapes = 6000;  // of a question; with more, only the decoder's cards are changed

class Climb {
 public:
  Climb(const Problem& problem, const Cells& cells, Incumbents& incumbents, Clock& clock)
      : problem_(problem), cells_(cells), incumbents_(incumbents), clock_(clock) {}

  // Objective of points, offered; infinite where no question is left.
  double judge(const std::vector<Points>& points, double slope) {
    Card card;
    double price = 0;
    for (size_t place = 0; place < points.size(); place++) {
      if (!problem_.admits_points(cells_.set[place], points[place])) return 1e300;
      price += problem_.price(cells_.set[place], points[place]);
    }
    clock_.spend(static_cast<int64_t>(cells_.rows) * static_cast<int64_t>(points.size()));
    card.set = cells_.set;
    card.points = points;
    card.slope = slope;
    fit_card(problem_, cells_, points, 1e300, card);
    slope_ = card.slope;
    const double objective = incumbents_.objective_of(card.loss, price);
    incumbents_.offer(std::move(card));
    return objective;
  }

  void run(std::vector<Points> points, double objective, double slope) {
    for (bool better = true; better && !clock_.stopped();) {
      better = false;
      for (size_t place = 0; place < points.size(); place++) {
        const int answers = static_cast<int>(points[place].size());
        for (int b = 0; b < answers; b++)
          for (int last : {b, answers - 1})
            for (int change : {-1, 1}) {
              const Points before = points[place];
              Points& own = points[place];
              for (int e = b; e <= last; e++) own[e] += change;
              const int lowest = *std::min_element(own.begin(), own.end());
              for (int& value : own) value -= lowest;
              const double trial = own == before ? 1e300 : judge(points, slope);
              if (trial < objective - 1e-12) {
                objective = trial;
                slope = slope_;
                better = true;
              } else {
                own = before;
              }
            }
      }
    }
  }

  double slope() const { return slope_; }

 private:
  const Problem& problem_;
  const Cells& cells_;
  Incumbents& incumbents_;
  Clock& clock_;
  double slope_ = 0;
};

}  // namespace

void improve(const Problem& problem, const Cells& cells, const Fit& fit, Incumbents& incumbents, Clock& clock) {
  const int k = static_cast<int>(cells.set.size());
  Climb climb(problem, cells, incumbents, clock);
  const Quadratic model = quadratic_of(fit, fit.hessian);
  const int p = model.size;
  double widest = 0;
  for (int i = 1; i <= p; i++) widest = std::max(widest, std::fabs(fit.heights[i]));
  if (!(widest > 1e-9) || k == 0) return;
  std::vector<std::vector<Points>> shapes(k);
  std::vector<Vector> squares(k);
  int largest = 1;
  for (int place = 0; place < k; place++) {
    const Question& question = problem.questions[cells.set[place]];
    largest = std::max(largest, 63 - std::countl_zero(question.allowed));
    shapes[place] = Decoder::shapes(question, kMostShapes);
    if (shapes[place].empty()) return;
    const int first = fit.layout.first[place] - 1, m = fit.layout.heights[place];
    for (const Points& shape : shapes[place]) {
      double value = 0;
      for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) value += shape[i + 1] * model.G[static_cast<size_t>(first + i) * p + first + j] * shape[j + 1];
      squares[place].push_back(value);
    }
  }
  std::set<std::vector<int>> seen;
  const double coarsest = largest > 6 ? largest / 10.0 : 0.5;
  for (int scale = 1; scale <= 2 * largest && !clock.stopped(); scale++) {
    double slope = widest / (0.5 * scale + coarsest);
    std::vector<int> chosen(k, -1);
    Vector x(p, 0.0), side(p);
    for (int sweep = 0; sweep < 12; sweep++) {
      bool changed = false;
      for (int place = 0; place < k; place++) {
        const int first = fit.layout.first[place] - 1, m = fit.layout.heights[place];
        double linear[256];
        for (int i = 0; i < m; i++) {
          const double* row = &model.G[static_cast<size_t>(first + i) * p];
          double value = dot(row, x.data(), p);
          for (int j = 0; j < m; j++) value -= row[first + j] * x[first + j];
          linear[i] = slope * (slope * value - model.pull[first + i]);
        }
        double best = 1e300;
        int pick = -1;
        for (size_t shape = 0; shape < shapes[place].size(); shape++) {
          double value = 0.5 * slope * slope * squares[place][shape];
          for (int i = 0; i < m; i++) value += shapes[place][shape][i + 1] * linear[i];
          if (problem.change_price > 0) {
            const Points& heights = shapes[place][shape];
            for (int b = 1; b < problem.questions[cells.set[place]].ordered; b++)
              value += problem.change_price * (heights[b] != heights[b - 1]);
          }
          if (value < best) {
            best = value;
            pick = static_cast<int>(shape);
          }
        }
        if (pick == chosen[place]) continue;
        changed = true;
        chosen[place] = pick;
        for (int i = 0; i < m; i++) x[first + i] = shapes[place][pick][i + 1];
      }
      double xx = 0, xt = 0;
      for (int i = 0; i < p; i++) {
        xx += x[i] * dot(&model.G[static_cast<size_t>(i) * p], x.data(), p);
        xt += x[i] * model.pull[i];
      }
      if (xx > 0 && xt > 0) slope = xt / xx;
      if (!changed) break;
    }
    if (!seen.insert(chosen).second) continue;
    std::vector<Points> points;
    for (int place = 0; place < k; place++) {
      Points own = shapes[place][chosen[place]];
      const int lowest = *std::min_element(own.begin(), own.end());
      for (int& value : own) value -= lowest;
      points.push_back(std::move(own));
    }
    const double objective = climb.judge(points, slope);
    if (objective <= incumbents.best_within(k) * 1.01) climb.run(std::move(points), objective, climb.slope());
  }
}

}  // namespace supersparse
