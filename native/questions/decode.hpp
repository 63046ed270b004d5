// The points of a set of questions: depth first over answers, with the slope projected out.
#pragma once
#include "base/clock.hpp"
#include "questions/additive.hpp"
#include "questions/columns.hpp"
#include "questions/incumbents.hpp"
#include "questions/leaf.hpp"

namespace supersparse {

// Looks at every card that asks exactly the set of `part` and begins with its prefix, save those that a bound excludes.
class Decoder {
 public:
  Decoder(const Problem& problem, const Cells& cells, const Fit& fit, Incumbents& incumbents, Clock& clock,
          bool use_minorant);

  // For about `budget` cards and partial cards; what is left open goes to `leave`. The minorant holds for later runs, too.
  void run(const Part& part, int64_t budget, const ColumnSearch::Parts& leave);
  // Of the last run.
  int64_t nodes() const { return nodes_; }
  int64_t leaves() const { return leaves_; }

 private:
  // What the heights so far leave open for a question: the points its answer 0 may have (bits), whether it may rise or fall.
  struct State {
    uint64_t anchors = 0;
    bool up = true, down = true;
  };
  // Of the assigned rows: A, B and C of decode.cpp, and what the assigned questions pay; of the questions whose answers are
  // all assigned, what they change of the reference.
  struct Sums {
    double square, product, fixed, price;
    Changes changes;
    // The best slope, and C less what it gains.
    double slope() const { return square > 0 && product > 0 ? product / square : 0; }
    double least() const { return fixed - (square > 0 && product > 0 ? product * product / square : 0); }
  };
  struct Child {
    double bound;  // of the loss, with prices beyond those of the sums before
    int height;
    State state;
    Sums sums;
  };

  bool extend(int place, int answer, int height, const State& from, State& to) const;
  const std::vector<Child>& children(int k, const Sums& sums);  // until it is asked again for k
  void assign(int k, const Child& child);
  void descend(int k, const Sums& sums);
  void leaf(const Sums& sums);
  double limit(double price) const { return incumbents_.allowed(price, static_cast<int>(cells_.set.size())); }
  double price_with(int place, int answer, int height) const;
  int changes_with(int place, int answer, int height, uint64_t anchors) const;

  const Problem& problem_;
  const Cells& cells_;
  Incumbents& incumbents_;
  Clock& clock_;
  Leaf leaf_;
  const int size_;
  const double base_price_;
  double constant_ = 0, room_until_ = 0;
  Vector pull_, heights_, root_;         // G = root' root, pull = root centre; by coordinate
  std::vector<int> place_, answer_;      // of each coordinate; the last is assigned first
  std::vector<std::vector<int>> values_; // heights by place and answer
  std::vector<State> states_;            // by coordinate, after it is assigned
  std::vector<std::vector<Child>> children_;  // by coordinate
  const Part* part_ = nullptr;
  const ColumnSearch::Parts* leave_ = nullptr;
  int64_t budget_ = 0, nodes_ = 0, leaves_ = 0, spent_ = 0;
};

}  // namespace supersparse
