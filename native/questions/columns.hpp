// Which sets of questions must be looked at: depth first over questions, include or exclude, every prune verified.
#pragma once
#include <functional>

#include "base/clock.hpp"
#include "questions/dual.hpp"

namespace supersparse {

// What is left to do. Without `decoding`: all admissible sets that hold `included`, at least one of `active` and nothing
// else, of at most `most` questions. With it: the cards that ask exactly `included`, whose first heights (in the order of
// decode.hpp) are `prefix`.
struct Part {
  double bound = 0;  // of the objective of every card in it
  int most = 0;
  bool decoding = false;
  std::vector<int> included, active;  // questions
  std::vector<int> prefix;

  // Questions on the smallest card in it.
  int least() const { return static_cast<int>(included.size()) + (decoding ? 0 : 1); }
  bool operator<(const Part& other) const {  // std::push_heap: the least bound on top
    if (bound != other.bound) return bound > other.bound;
    return decoding != other.decoding ? decoding : included > other.included;
  }
};

class Incumbents;

class ColumnSearch {
 public:
  using Sets = std::function<void(const std::vector<int>&, double)>;
  using Parts = std::function<void(Part&&)>;

  ColumnSearch(const Problem& problem, const Cells& rows, const Fit& root, const Quadratic& model,
               const Incumbents& incumbents, Clock& clock, double reach, double floor, bool use_dual);

  // Work on a part for about `budget` units: sets that no bound excludes go to `sets` with a bound of their loss, what is
  // left open to `parts`.
  void run(const Part& part, int64_t budget, const Sets& sets, const Parts& parts);

  // The `count` sets of at most `most` questions with the least predicted objective, best first; no bound.
  std::vector<std::vector<int>> predicted(int count, int most, int64_t budget);

  // Heights of the answers of a set of questions where the root's quadratic is least.
  void predict(const std::vector<int>& set, Vector& heights);
  int64_t checks() const { return checks_; }

 private:
  // Of the matrices only the lower triangles, and of these the rows and columns of what is open.
  struct Level {
    Vector G, c;     // Schur complement on what is included: the gain of adding a question
    Vector K, t;     // inverse on what is included or active, and the heights there: the cost of dropping one
  };

  void start(const std::vector<int>& included, const std::vector<int>& active);
  // `drops` is the level whose K and t hold: that above, until a question is dropped here.
  void descend(int level, int drops, std::vector<int> active, int most, double explained, double dropped);
  void last_level(int level, const std::vector<int>& active, double explained);
  void group(int level, const std::vector<int>& members);
  void offer(double predicted);
  bool narrow(std::vector<int>& active) const;
  double verified(const std::vector<int>& active, double need);
  double allowed(double price, int size) const;
  double allowed_beyond(const std::vector<int>& active, int level, int size) const;
  double cheapest(const std::vector<int>& active) const;
  std::vector<int> questions_of(const std::vector<int>& places) const;
  void leave(const std::vector<int>& active, int most);
  bool stopping() const;
  double gain(const Vector& matrix, const Vector& side, int place);
  void sweep(const Vector& matrix, const Vector& side, int place, const std::vector<int>& active, Vector& to, Vector& side_to,
             bool diagonal);
  int width(int place) const { return layout_.heights[place]; }
  int at(int place) const { return layout_.first[place] - 1; }

  const Problem& problem_;
  const Cells& rows_;
  const Layout& layout_;
  const Quadratic& model_;
  const Incumbents& incumbents_;
  Clock& clock_;
  DualBound dual_;
  const bool use_dual_;
  double floor_;  // a bound on the loss of every card
  std::vector<Level> levels_;
  std::vector<int> place_of_;
  std::vector<int> included_;  // places
  double included_price_ = 0;
  double inherited_ = 0;
  int64_t budget_ = 0, spent_ = 0, checks_ = 0;
  const Sets* sets_ = nullptr;
  const Parts* parts_ = nullptr;
  size_t wanted_ = 0;  // of the predicted sets; 0: verify
  std::vector<std::pair<double, std::vector<int>>> found_;
  Vector block_, half_, strip_, product_, scratch_;
};

}  // namespace supersparse
