// The whole search on small problems against all cards, with and without incumbents and bounds; stopping and going on.
#include "questions/leaf.hpp"
#include "tests/check.hpp"

using namespace supersparse;

namespace {

double by_enumeration(const Problem& problem) {
  std::vector<std::vector<Points>> shapes;
  double best = 1e300;
  for (const Question& question : problem.questions) shapes.push_back(question.all_points(100000));
  std::vector<int> chosen(problem.count(), -1);
  for (;;) {
    Card card;
    double price = 0;
    for (int j = 0; j < problem.count(); j++) {
      if (chosen[j] < 0) continue;
      const Points& points = shapes[j][chosen[j]];
      price += problem.price(j, points);
      card.set.push_back(j);
      card.points.push_back(points);
    }
    if (problem.admits_set(card.set)) {
      fit_card(problem, cells_of(problem, card.set), card);
      best = std::min(best, card.loss + price);
    }
    int j = 0;
    for (; j < problem.count(); j++) {
      if (++chosen[j] < static_cast<int>(shapes[j].size())) break;
      chosen[j] = -1;
    }
    if (j == problem.count()) return best;
  }
}

}  // namespace

int main() {
  std::mt19937_64 random(4);
  for (int round = 0; round < 12; round++) {
    Problem problem = random_problem(random, 3, 60, round % 2 ? 1.5 : 5.0);
    Problem merged = problem;
    merge_rows(merged);
    const double best = by_enumeration(merged);
    for (int bounds = 0; bounds < 16; bounds++) {
      Options options;
      options.use_dual = bounds & 1;
      options.use_fit = bounds & 2;
      options.use_minorant = bounds & 4;
      options.search_incumbent = bounds & 8;
      options.threads = 1 + round % 3;
      Search search(problem, options);
      const Outcome outcome = search.run();
      CHECK(outcome.proven && !outcome.cards.empty());
      CHECK(std::fabs(outcome.cards[0].objective - best) < 1e-9);
      CHECK(outcome.bound <= best + 1e-9 && outcome.bound >= best - 3e-9);
    }
    // Stopped again and again, the bound rises and never passes the optimum; the rest is gone on with.
    std::vector<Part> open;
    std::vector<Card> cards;
    double last = -1;
    int runs = 0;
    for (;; runs++) {
      Options options;
      options.search_incumbent = false;
      options.work_limit = 1;
      Search search(problem, options);
      for (const Card& card : cards) CHECK(search.add_card(card));
      for (Part& part : open) CHECK(search.add_part(part));
      if (runs) options.work_limit = 200;
      const Outcome outcome = search.run();
      CHECK(outcome.bound <= best + 1e-9 && outcome.bound >= last - 1e-9);
      last = outcome.bound;
      open = outcome.open;
      cards = outcome.cards;
      if (outcome.proven || runs > 3) break;
    }
    Options rest;
    Search search(problem, rest);
    for (const Card& card : cards) CHECK(search.add_card(card));
    for (Part& part : open) CHECK(search.add_part(part));
    const Outcome outcome = search.run();
    CHECK(outcome.proven && std::fabs(outcome.cards[0].objective - best) < 1e-9);
    Part forged;
    forged.included = {0, 99};
    CHECK(!search.add_part(forged));
  }
}
