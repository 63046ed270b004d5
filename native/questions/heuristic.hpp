// Good cards before the proof.
#pragma once
#include <map>

#include "questions/decode.hpp"

namespace supersparse {

class Heuristic {
 public:
  Heuristic(const Problem& problem, Incumbents& incumbents, Clock& clock)
      : problem_(problem), incumbents_(incumbents), clock_(clock) {}
  // From the fit of a set: for a range of slopes, choose the best points of one question after the other in the quadratic
  // model, then change single points as long as the exact objective falls.
  void improve(const Cells& cells, const Fit& fit);

 private:
  // All legal points of a question, padded by copies of the last; their heights over answer 0, by answer from 1 on; what
  // their changes cost.
  struct Shapes {
    std::vector<Points> points;
    Vector heights, price;
    int count() const { return static_cast<int>(points.size()); }  // a multiple of eight
  };
  const Shapes& shapes_of(int question);

  const Problem& problem_;
  Incumbents& incumbents_;
  Clock& clock_;
  std::map<int, Shapes> shapes_;  // by the first question with the same rules
};

}  // namespace supersparse
