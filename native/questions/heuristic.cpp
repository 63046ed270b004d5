#include "questions/heuristic.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/lanes.hpp"
#include "questions/leaf.hpp"
#include "questions/rows.hpp"

namespace supersparse {
namespace {

constexpr size_t kMostShapes = 6000;  // of a question; with more, only the decoder's cards are changed

// Changes of single points, and of all from one answer on, as long as the objective falls.
class Climb {
 public:
  Climb(const Problem& problem, const Cells& cells, Incumbents& incumbents, Clock& clock)
      : problem_(problem), cells_(cells), incumbents_(incumbents), clock_(clock), leaf_(problem, cells) {}

  void run(std::vector<Points> points, double slope) {
    double price = problem_.price(cells_.set, points);
    card_ = {cells_.set, std::move(points), slope, std::nan("")};
    leaf_.set(card_.points);
    spend(static_cast<int>(card_.set.size()) + 1);
    leaf_.fit(card_.points[0], 1e300, card_);
    double objective = incumbents_.objective_of(card_.loss, price);
    incumbents_.offer(card_);
    if (objective > incumbents_.best_within(static_cast<int>(card_.set.size())) * 1.01) return;
    for (bool better = true; better && !clock_.stopped();) {
      better = false;
      if (!seen_.insert(card_.points).second) return;  // an earlier climb came by
      for (size_t place = 0; place < card_.points.size(); place++) better |= change(static_cast<int>(place), objective, price);
    }
  }

 private:
  bool change(int place, double& objective, double& price) {
    const int question = cells_.set[place], answers = static_cast<int>(card_.points[place].size());
    bool better = false;
    leaf_.hold(place);
    spend(1);
    Points own = card_.points[place];
    double own_price = problem_.price(question, own);
    for (int b = 0; b < answers; b++)
      for (int last = b; last < answers; last += std::max(1, answers - 1 - b))
        for (int change : {-1, 1}) {
          Points trial = own;
          for (int e = b; e <= last; e++) trial[e] += change;
          trial = points_of(trial);
          if (trial == own || !problem_.questions[question].admits(trial)) continue;
          const double trial_price = price - own_price + problem_.price(question, trial);
          Card next{{}, {}, card_.slope, card_.offset};
          const double threshold = objective - 1e-12 - incumbents_.objective_of(0, trial_price);
          if (!leaf_.fit(trial, threshold, next) || next.loss >= threshold) continue;
          objective = incumbents_.objective_of(next.loss, trial_price);
          price = trial_price;
          own_price = problem_.price(question, trial);
          own = card_.points[place] = trial;
          card_.slope = next.slope;
          card_.offset = next.offset;
          card_.loss = next.loss;
          card_.limited = next.limited;
          incumbents_.offer(card_);
          better = true;
        }
    if (better) leaf_.take(own);
    return better;
  }

  void spend(int columns) { clock_.spend(int64_t{cells_.rows} * columns); }

  const Problem& problem_;
  const Cells& cells_;
  Incumbents& incumbents_;
  Clock& clock_;
  Leaf leaf_;
  Card card_;
  std::set<std::vector<Points>> seen_;
};

}  // namespace

const Heuristic::Shapes& Heuristic::shapes_of(int question) {
  const Question& own = problem_.questions[question];
  for (const auto& [other, shapes] : shapes_)
    if (own.same_rules(problem_.questions[other])) return shapes;
  Shapes& out = shapes_[question];
  out.points = own.all_points(kMostShapes);
  while (out.points.size() % kLanes) out.points.push_back(out.points.back());
  for (int b = 1; b < own.answers; b++)
    for (const Points& points : out.points) out.heights.push_back(points[b] - points[0]);
  for (const Points& points : out.points) out.price.push_back(problem_.change_price * own.changes(points));
  return out;
}

void Heuristic::improve(const Cells& cells, const Fit& fit) {
  const int k = static_cast<int>(cells.set.size());
  const Quadratic model = quadratic_of(fit, fit.hessian);
  const int p = model.size;
  double widest = 0;
  for (int i = 1; i <= p; i++) widest = std::max(widest, std::fabs(fit.heights[i]));
  if (!(widest > 1e-9) || k == 0) return;
  std::vector<const Shapes*> shapes(k);
  std::vector<Vector> squares(k);  // half of heights' G heights
  int largest = 1;
  for (int place = 0; place < k; place++) {
    largest = std::max(largest, problem_.questions[cells.set[place]].largest());
    shapes[place] = &shapes_of(cells.set[place]);
    const int count = shapes[place]->count(), first = fit.layout.first[place] - 1, m = fit.layout.heights[place];
    if (!count) return;
    squares[place].assign(count, 0.0);
    for (int i = 0; i < m; i++)
      for (int j = 0; j <= i; j++) {
        const double entry = model.G[static_cast<size_t>(first + i) * p + first + j] * (i == j ? 0.5 : 1.0);
        const double* a = &shapes[place]->heights[static_cast<size_t>(i) * count];
        const double* b = &shapes[place]->heights[static_cast<size_t>(j) * count];
        for (int z = 0; z < count; z++) squares[place][z] += entry * a[z] * b[z];
      }
  }
  Climb climb(problem_, cells, incumbents_, clock_);
  std::set<std::vector<int>> seen;
  const double coarsest = largest > 6 ? largest / 10.0 : 0.5;
  for (int scale = 1; scale <= 2 * largest && !clock_.stopped(); scale++) {
    double slope = widest / (0.5 * scale + coarsest);
    std::vector<int> chosen(k, -1);
    Vector x(p, 0.0);
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
        const Shapes& own = *shapes[place];
        const int pick = row_loops().least_shape(own.count(), m, squares[place].data(), slope * slope, own.price.data(),
                                                 own.heights.data(), linear);
        if (pick == chosen[place]) continue;
        changed = true;
        chosen[place] = pick;
        for (int i = 0; i < m; i++) x[first + i] = own.heights[static_cast<size_t>(i) * own.count() + pick];
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
    for (int place = 0; place < k; place++) points.push_back(shapes[place]->points[chosen[place]]);
    climb.run(std::move(points), slope);
  }
}

}  // namespace supersparse
