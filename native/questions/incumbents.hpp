// The best cards so far, shared by all threads, and what a card may lose and still matter.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "questions/problem.hpp"

namespace supersparse {

class Incumbents {
 public:
  // Says whether a card obeys what only the caller can check (limits on rates); called by one thread at a time.
  using Judge = std::function<bool(const Card&)>;

  // `by_size`: the least loss of every size apart, without prices. `slack`: keep all cards within (1 + slack) of the best.
  Incumbents(const Problem& problem, bool by_size, double slack, size_t most_kept, Judge judge);

  bool by_size() const { return by_size_; }
  double objective_of(double loss, double price) const { return by_size_ ? loss : loss + price; }
  // The loss from which on a set of `size` questions that pays at least `price` cannot matter: nothing in it is among the
  // cards kept. It never rises, and larger sizes are never allowed more.
  double allowed(double price, int size) const {
    return by_size_ ? limit_[size].load(std::memory_order_relaxed) : limit_[0].load(std::memory_order_relaxed) - price;
  }
  // Keep a card (with its loss) that is allowed, new and among the best.
  void offer(Card card);
  double best() const { return best_.load(std::memory_order_relaxed); }
  // Least objective with at most `size` questions.
  double best_within(int size) const;
  // All cards kept, best first, ties by Card::stands_before.
  std::vector<Card> kept() const;
  bool overflowed() const { return overflowed_; }

 private:
  double window(double best) const;
  double limit_for(const Card& card) const { return limit_[by_size_ ? card.set.size() : 0].load(); }
  void tighten();
  void drop_one();

  const Problem& problem_;
  const bool by_size_;
  const double slack_;
  const size_t most_kept_;
  Judge judge_;
  mutable std::mutex lock_;
  std::vector<Card> cards_;
  std::set<std::pair<std::vector<int>, std::vector<Points>>> seen_;  // sets and points of cards judged
  std::vector<double> best_of_size_;
  std::unique_ptr<std::atomic<double>[]> limit_;
  std::atomic<double> best_;
  bool overflowed_ = false;
};

constexpr double kTie = 1e-9;  // objectives this close are ties

}  // namespace supersparse
