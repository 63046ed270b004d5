// The least loss of a support by the entropy of its cells, from bits that are packed anew for each node.
//
// Rows that are equal on a support get the same risk, whatever the points, so no card on it has a smaller loss than the sum
// over its cells of m log m - p log p - q log q, with p and q the weights of the two classes and m = p + q. The rows of a
// cell of a node lie next to each other, positives and negatives apart, so that one more column costs a few words for each.
#pragma once
#include <vector>

#include "log_loss/binary_rows.hpp"

namespace supersparse::log_loss {

class PackedCells {
 public:
  PackedCells(const BinaryRows& rows, int64_t levels);

  // The node at a level uses the column `last` more than that of the level before, and tries these columns.
  void enter(int64_t level, int32_t last, const std::vector<int32_t>& columns);
  // The cells of the node at a level are divided by up to two more of its columns; level 0 uses none.
  void divide(int64_t level, const int32_t* more, int64_t count);
  // The least loss with one more column; it need not be more than `enough`.
  double bound(int32_t column, double enough);
  // The work of one bound, about, where a node's cells are divided by so many columns before.
  double cost(int64_t level, int64_t count) const;

 private:
  struct Level {
    int32_t last = -1;
    const std::vector<int32_t>* columns = nullptr;
    bool is_built = false;
    int64_t words = 0, stride = 0, segments = 0;
    std::vector<int32_t> first, length, ones;
    std::vector<uint64_t> bits;
  };
  void build(int64_t level);
  double mixed(int64_t positive, int64_t negative) const;

  const BinaryRows& rows_;
  std::vector<Level> levels_;
  std::vector<Move> moves_;
  std::vector<double> by_counts_;  // of p and q, where the table is small
  int64_t wide_ = 0;
  const Level* at_ = nullptr;
  int64_t parts_ = 1;
  std::vector<uint64_t> masks_[3];
  std::vector<int32_t> totals_, counts_;
};

}  // namespace supersparse::log_loss
