// The least loss of a support by the entropy of its cells.
//
// Rows that are equal on a support get the same risk, whatever the points, so no card on it has a smaller loss than the
// sum over its cells of m·log m - p·log p - q·log q, with p and q the weights of the two classes and m = p + q. Binary
// columns and whole row weights use bit sets; other tables count over the ranks of the values.
#pragma once
#include <vector>

#include "base/array.hpp"
#include "log_loss/loss.hpp"
#include "log_loss/proof_loops.hpp"

namespace supersparse::log_loss {

// The named tuples of engine/risk/kernels.py, which say what each field is.
struct BitSets {
  Matrix<uint64_t> columns;
  Words all;
  int64_t split;
  Floats of_positive, of_negative, of_both;
  double unit_positive, unit_negative;
};

struct Cells {
  Matrix<int32_t> ids;
  Ints groups;
  Cube<uint64_t> masks;
  Matrix<int64_t> positive, negative;
  Ints position, state;
};

// The cells after each level of an enumeration.
class Partition {
 public:
  Partition(const RiskData& data, const BitSets& bits, const Cells& cells) : data_(data), bits_(bits), cells_(cells) {}

  void start();                            // all rows in one cell
  void refine(int64_t level, int64_t j);   // splits the cells of a level by column j into those of the next level
  // The least loss on the columns of a level and column j (none if j < 0); stops early above `enough`.
  double bound(int64_t level, int64_t j, double enough);

 private:
  SharedOnes inside(int64_t level, int64_t cell, int64_t j) const;
  double mixed_counts(int64_t p, int64_t q) const;
  double of_bits(int64_t level, int64_t j, double enough) const;
  double of_ranks(int64_t level, int64_t j);
  void refine_bits(int64_t level, int64_t j);
  void refine_ranks(int64_t level, int64_t j);
  bool are_too_many(int64_t size) const { return size > 4096 || size > 2 * data_.n_rows() + 64; }

  const RiskData& data_;
  const BitSets& bits_;
  const Cells& cells_;
  std::vector<int32_t> table_;
  std::vector<double> weights_;
};

}  // namespace supersparse::log_loss
