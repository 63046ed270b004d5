// A search for supports of 0/1 columns on which the regression has a small loss.
//
// A beam grows supports by the column that one Newton step says to gain most (the `gains` of screening.hpp); swaps improve the
// best of them; then some columns are left out at random, others come in, and swaps follow, over and over. The points of a
// support are only looked for where its regression is below the best card.
#pragma once
#include <map>
#include <random>
#include <vector>

#include "log_loss/screening.hpp"

namespace supersparse::log_loss {

class SupportSearch {
 public:
  SupportSearch(const BinaryRows& rows, int64_t most_features);

  // Goes on until the work reaches the budget, and rounds what it finds to cards.
  void run(const Support& support, const Best& best, Ints low, Ints high, double budget);
  double work() const { return work_; }
  // Of a first search, by how many supports there are.
  double first_budget() const;
  bool is_hard() const { return is_hard_; }

 private:
  using Columns = std::vector<int32_t>;  // sorted
  struct Scored {
    double loss;
    Columns columns;
  };
  bool is_large() const;
  size_t most_rounded() const;
  double loss_of(const Columns& columns);
  // The columns to add to these, best first.
  void rank(const Columns& columns);
  void grow();
  bool improve(Columns& columns, double& loss, int tries);
  void shake();
  void round(const Support& support, const Best& best, Ints low, Ints high);
  int random(int below) { return static_cast<int>(draw_() % static_cast<uint64_t>(below)); }

  const BinaryRows& rows_;
  int64_t size_;
  std::vector<int32_t> open_;  // the first column of each class
  Screening screening_;
  std::vector<std::vector<uint16_t>> code_;
  CellRegression regression_;
  std::map<Columns, double> known_;
  std::vector<Scored> full_;  // of full size, not rounded yet
  std::vector<std::pair<double, int32_t>> ranked_;
  std::mt19937_64 draw_{1};
  Columns current_;
  double current_loss_ = kInfinity, budget_ = 0, work_ = 0, start_ = 0;
  bool is_hard_ = false, has_grown_ = false;
};

}  // namespace supersparse::log_loss
