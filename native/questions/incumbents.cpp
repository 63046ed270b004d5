#include "questions/incumbents.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace supersparse {
namespace {

bool better(const Card& a, const Card& b) {
  return a.objective != b.objective ? a.objective < b.objective : a.stands_before(b);
}

}  // namespace

Incumbents::Incumbents(const Problem& problem, bool by_size, double slack, size_t most_kept, Judge judge)
    : problem_(problem), by_size_(by_size), slack_(slack), most_kept_(most_kept), judge_(std::move(judge)),
      best_of_size_(problem.most + 1, std::numeric_limits<double>::max()),
      limit_(new std::atomic<double>[problem.most + 1]), best_(std::numeric_limits<double>::max()) {
  for (int size = 0; size <= problem.most; size++) limit_[size] = std::numeric_limits<double>::max();
}

double Incumbents::window(double best) const { return best + std::max(kTie, slack_ * best); }

double Incumbents::best_within(int size) const {
  std::lock_guard<std::mutex> guard(lock_);
  return *std::min_element(best_of_size_.begin(), best_of_size_.begin() + size + 1);
}

void Incumbents::tighten() {
  double best = std::numeric_limits<double>::max();
  for (int size = 0; size <= problem_.most; size++) {
    best = std::min(best, best_of_size_[size]);
    if (by_size_ && best < std::numeric_limits<double>::max()) limit_[size] = window(best);
  }
  best_ = best;
  if (!by_size_ && best < std::numeric_limits<double>::max()) limit_[0] = window(best);
  std::erase_if(cards_, [&](const Card& card) { return card.objective > limit_for(card); });
}

void Incumbents::offer(Card card) {
  int divisor = 0;
  for (size_t place = 0; place < card.set.size(); place++)
    for (int value : card.points[place]) divisor = std::gcd(divisor, value);
  if (divisor > 1) {  // the same risks in lowest terms, where these are allowed
    std::vector<Points> lower = card.points;
    bool fits = true;
    for (size_t place = 0; place < lower.size(); place++) {
      for (int& value : lower[place]) value /= divisor;
      fits &= problem_.questions[card.set[place]].admits(lower[place]);
    }
    if (fits && problem_.admits_changes(card.set, lower)) {
      card.points = lower;
      card.slope *= divisor;
    }
  }
  if (!problem_.admits_changes(card.set, card.points)) return;
  card.objective = objective_of(card.loss, problem_.price(card.set, card.points));
  std::lock_guard<std::mutex> guard(lock_);
  if (card.objective > limit_for(card)) return;
  if (!seen_.insert({card.set, card.points}).second || (judge_ && !judge_(card))) return;
  double& best = best_of_size_[card.set.size()];
  const bool is_better = card.objective < best;
  best = std::min(best, card.objective);
  cards_.push_back(std::move(card));
  if (is_better) tighten();
  if (cards_.size() > most_kept_) drop_one();
}

// The worst card goes, or the last of ties; of sizes apart that of which there are most. What is kept is no longer all there is.
void Incumbents::drop_one() {
  std::vector<int> count(problem_.most + 1, 0);
  for (const Card& card : cards_) count[card.set.size()]++;
  const size_t crowded = std::max_element(count.begin(), count.end()) - count.begin();
  const auto stays = [&](const Card& a, const Card& b) {
    const bool a_crowds = a.set.size() == crowded, b_crowds = b.set.size() == crowded;
    if (by_size_ && a_crowds != b_crowds) return b_crowds;
    return slack_ > 0 ? better(a, b) : a.stands_before(b);
  };
  cards_.erase(std::max_element(cards_.begin(), cards_.end(), stays));
  overflowed_ = true;
}

std::vector<Card> Incumbents::kept() const {
  std::lock_guard<std::mutex> guard(lock_);
  std::vector<Card> cards = cards_;
  // Ties are within kTie of the best of what is left, so that the order does not depend on who came first.
  std::sort(cards.begin(), cards.end(), better);
  for (size_t from = 0; from < cards.size();) {
    size_t to = from;
    while (to < cards.size() && cards[to].objective <= cards[from].objective + kTie) to++;
    std::sort(cards.begin() + from, cards.begin() + to, [](const Card& a, const Card& b) { return a.stands_before(b); });
    from = to;
  }
  return cards;
}

}  // namespace supersparse
