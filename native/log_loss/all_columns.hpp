// One bound for all that a node can still use: the regression on every column left, its risks turned into a dual point.
//
// What holds for a set of columns holds for its subsets, so a node is excluded if its whole set is. A Newton step s of the
// regression, with any weights W_i at all in its Hessian X'WX, moves the risks to q = p + (W/m) X s, clipped to [0, 1], and
// the inequality of binary_rows.hpp makes a bound of q. So the Hessian of a parent serves its children, and is made anew only
// where steps gain too little. Weights are whole multiples of a unit, in 16 bits, which makes the matrix exact.
//
// If the node is not excluded, its columns are sorted by what they do in the regression; the Hessian is factored in reverse
// order, so that every suffix of the columns is a leading block, and the first suffix that one bound excludes is found by
// bisection.
#pragma once
#include <vector>

#include "log_loss/binary_rows.hpp"

namespace supersparse::log_loss {

class AllColumns {
 public:
  AllColumns(const BinaryRows& rows, int64_t levels);

  struct Outcome {
    bool passed;
    double loss, bound;  // of the regression; the bound may be -infinity
  };
  // The regression on `columns` from point, which it improves: (b, beta of every column of the problem), with beta for x in
  // {0, 1}. The Hessian of `level` is the parent's until one is made.
  Outcome bound(int64_t level, const std::vector<int32_t>& columns, double threshold, std::vector<double>& point);

  // Where the first suffix of `order` starts that is excluded together with the `used` columns, no later than `last`.
  // point is that of `bound`.
  int64_t first_excluded(int64_t level, const std::vector<int32_t>& used, const std::vector<int32_t>& order, int64_t last,
                         double threshold, std::vector<double> point);

  void start(int64_t level) { source_[level] = level > 0 ? source_[level - 1] : -1; }
  double work() const { return work_; }

 private:
  Outcome run(int64_t level, const std::vector<int32_t>& columns, int64_t m, double threshold, std::vector<double>& point,
              bool may_renew);
  void make(int64_t level, const std::vector<int32_t>& columns, int64_t m);
  void factor(int64_t level, const std::vector<int32_t>& columns, int64_t m);
  void solve(int64_t m);
  double moved(int64_t level, const std::vector<int32_t>& columns, int64_t m, double threshold);

  struct Hessian {
    std::vector<int32_t> products;  // (columns + 1)²
    std::vector<double> weight;     // W, a multiple of `unit`
    double unit = 0;
  };
  const BinaryRows& rows_;
  const int64_t wide_;
  std::vector<int64_t> source_;  // of each level, the level whose Hessian it uses; -1 if none
  std::vector<Hessian> hessians_;
  std::vector<double> factor_, step_, slope_, logit_, tail_, residual_, curve_, shift_, risk_;
  std::vector<int16_t> whole_;
  std::vector<int32_t> gram_;
  double work_ = 0;
};

}  // namespace supersparse::log_loss
