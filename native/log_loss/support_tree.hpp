// The proof over supports of 0/1 columns: every support of a node is excluded, most of them many at a time, or left to boxes.
//
// A node uses some columns and may use `room` more of a list; its child i uses column i of the list and only those behind it,
// so every support of full size is met once, and smaller ones are its cards with 0 points. Nodes with more than two columns
// to go are bounded as a whole and their lists sorted (all_columns.hpp). With at most three to go all singles, pairs or triples are
// screened together (screening.hpp), then bounded by their cells (packed_cells.hpp). What is left becomes a node with one
// column more, or supports, which boxes of points decide (boxes.hpp).
#pragma once
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "log_loss/all_columns.hpp"
#include "log_loss/boxes.hpp"
#include "log_loss/packed_cells.hpp"
#include "log_loss/screening.hpp"
#include "log_loss/support_search.hpp"

namespace supersparse::log_loss {

class SupportTree {
 public:
  SupportTree(const RiskData& data, const BitSets& bits, int64_t most_features);

  // Begins with the supports of `used` and up to `room` candidates; the range of a column is `low` to `high`.
  void start(Ints used, Ints candidates, int64_t room, Ints low, Ints high, Floats point);
  // Looks for good cards before the proof, for so much work; false once that is enough.
  bool find_cards(const Support& support, const Best& best, Ints low, Ints high, int64_t budget);
  // Goes on until all is excluded, which it returns, or the work reaches the budget.
  bool run(const Support& support, const Boxes& boxes, const Best& best, int64_t budget);
  // What is left, except for the support at hand: the status of every column (-1 out, 0 open, 1 used) and a bound on the loss.
  int64_t rest(Matrix<int8_t> status, Floats bounds) const;
  int64_t most_left() const;

 private:
  struct Node {
    std::vector<int32_t> columns;  // those that may be added, in order
    int64_t room = 0, next = 0, ends = 0;
    double bound = 0;
    CellRegression of_used;        // the regression on the used columns
    std::vector<double> point;     // of the regression on all columns
    bool is_screened = false;
  };
  double threshold(const Best& best) const { return best.value[0] - rows_.data.tolerance; }
  bool is_done(const Node& node) const { return node.next >= node.ends; }
  void use(int64_t depth, int32_t column);
  bool enter(int64_t depth, double threshold);
  void descend(int64_t depth);
  void screen_next(int64_t depth, double threshold);
  void screen_all(int64_t depth, double threshold);
  void use_left(int64_t depth, int64_t i, double threshold);
  void keep_unless_excluded(int64_t depth, const int32_t* more, int64_t count, double threshold);
  void keep_support(int64_t depth, const int32_t* more, int64_t count);
  void choose_alike(Ints used, Ints candidates);
  std::vector<std::vector<int32_t>> repeated(const std::vector<int32_t>& support) const;
  void open_next(const Support& support, const Boxes& boxes, const Best& best);
  int64_t worth_leaves(int64_t depth) const;

  const BinaryRows rows_;
  const int64_t most_;
  AllColumns all_;
  std::vector<std::unique_ptr<Screening>> screens_;
  PackedCells cells_;
  SupportSearch search_;
  std::vector<Node> nodes_;
  std::vector<int32_t> used_;
  std::vector<std::vector<uint16_t>> code_;  // of each merged row: its cell at each depth
  std::vector<uint16_t> spare_code_[2];
  CellRegression leaf_;
  std::vector<std::vector<Few>> left_;
  std::vector<char> is_left_;
  struct Kept {
    std::vector<int32_t> columns;
    bool is_final;  // its columns are taken as they are
  };
  std::deque<Kept> supports_;  // to be opened
  std::vector<std::vector<int32_t>> alike_;  // of the first column of a class: all of it that cards may use
  std::vector<int64_t> low_, high_;
  std::vector<double> start_;
  int64_t base_ = 0, depth_ = -1;
  double work_ = 0, proof_work_ = 0, fitted_ = 0, looked_at_ = 0, excluded_ = 0, by_cells_ = 0, relaxed_ = 0;
};

}  // namespace supersparse::log_loss
