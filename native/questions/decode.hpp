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

  // For about `budget` cards and partial cards; what is left open goes to `leave`.
  void run(const Part& part, int64_t budget, const ColumnSearch::Parts& leave);
  int64_t nodes() const { return nodes_; }
  int64_t leaves() const { return leaves_; }
  // All legal points of a question, as heights over answer 0, or none if there are more than `most`.
  static std::vector<Points> shapes(const Question& question, size_t most);

 private:
  // What the heights so far leave open for a question: the points its answer 0 may have (bits), whether it may rise or fall.
  struct State {
    uint64_t anchors = 0;
    bool up = true, down = true;
  };
  struct Child {
    double bound;
    int height;
  };

  bool prepare();
  bool extend(int place, int answer, int height, const State& from, State& to) const;
  void children(int k, double square, double product, double fixed, double price, std::vector<Child>& out);
  void descend(int k, double square, double product, double fixed, double price);
  void leaf(double slope);
  double limit(double price) const;
  double price_with(int place, int answer, int height) const;

  const Problem& problem_;
  const Cells& cells_;
  const Fit& fit_;
  Incumbents& incumbents_;
  Clock& clock_;
  Leaf leaf_;
  const bool use_minorant_;
  int size_ = 0;
  double constant_ = 0, room_until_ = 0, base_price_ = 0;
  Vector root_, pull_, heights_;         // G = root' root; root centre; by coordinate
  std::vector<int> place_, answer_;      // of each coordinate; the last is assigned first
  std::vector<std::vector<int>> values_; // heights by place and answer
  std::vector<State> states_;            // by coordinate, after it is assigned
  const Part* part_ = nullptr;
  const ColumnSearch::Parts* leave_ = nullptr;
  int64_t budget_ = 0, nodes_ = 0, leaves_ = 0, spent_ = 0;
};

}  // namespace supersparse
