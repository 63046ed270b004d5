// A problem whose columns have two values each, as the screens of whole sets of columns have it.
//
// Column j of the data is low_j + width_j x_ij with x_ij 0 or 1. For risks q_i in [0, 1] and residuals r_i = m_i q_i - pos_i
// (m_i and pos_i the weight of a row and of its positives), convexity gives for every card, h being the entropy,
//
//     loss  >=  sum m_i h(q_i) + sum_i r_i (b + sum_j beta_j (low_j + width_j x_ij))
//           >=  sum m_i h(q_i) - B |sum r_i| - sum_j cap_j |sum_i r_i x_ij|,
//
// with cap_j = width_j times the most that |beta_j| may be, and B as large as |b + sum_j beta_j low_j| on any card. Solvers
// need not be exact: what they leave of the residuals is paid for. Columns that are equal, or complementary (one is 1 where the
// other is 0), are one here, which is as good as its first and has the caps of all of them; to complement a column shifts b by
// its beta, which B allows for. Rounding is covered by `margin`: sums of n terms are off
// by limits[1] of their magnitudes, and those of residuals count with B and the caps of a card's columns.
#pragma once
#include <vector>

#include "log_loss/cells.hpp"
#include "log_loss/loss.hpp"
#include "log_loss/screen_loops.hpp"

namespace supersparse::log_loss {

class BinaryRows {
 public:
  BinaryRows(const RiskData& data, const BitSets& bits, int64_t most_features);

  RiskData data;  // with the reach of a class in that of each of its columns
  const BitSets sets;  // over the rows before they were merged
  const int64_t n, columns, words, padded;
  std::vector<double> positive, negative, weight;  // of merged rows; 0 beyond the last
  std::vector<double> cap;
  std::vector<int32_t> first_alike;  // of each column, the first that is equal or complementary; itself if none is
  double intercept_cap, margin;

  const uint64_t* bits(int64_t j) const { return bits_.data() + j * words; }
  const int16_t* whole(int64_t j) const { return whole_.data() + (j + 1) * padded; }  // -1: the intercept
  double sum_where(int64_t j, const double* v) const { return screen_loops().sum_where(bits(j), v, words); }

 private:
  std::vector<uint64_t> bits_;
  std::vector<int16_t> whole_;
  std::vector<double> reach_;
};

// The regression on a few columns, whose values are the bits of a row's cell.
struct CellRegression {
  std::vector<double> fit, risk;  // (b, beta), the start as well unless empty; of each cell
  double loss = 0;

  void run(const BinaryRows& rows, const std::vector<uint16_t>& code, int64_t size);
  // Whether a bound of the regression on these columns, of which the code has the bits, passes the threshold.
  bool excludes(const BinaryRows& rows, const std::vector<uint16_t>& code, const int32_t* columns, int64_t size, double threshold);

 private:
  struct Sample {
    Matrix<double> x, work;
    Floats positive, negative;
    int64_t cells;
  };
  Sample sample_of(const BinaryRows& rows, const std::vector<uint16_t>& code, int64_t size);

  std::vector<double> room_, caps_;
  std::vector<int64_t> order_;
  std::vector<int32_t> place_;    // of a cell among those with rows; -1 if it has none
  std::vector<uint16_t> cells_;   // those with rows
};

// The cells divided by one more column.
void divide_cells(const BinaryRows& rows, const std::vector<uint16_t>& before, int32_t column, int64_t place,
                  std::vector<uint16_t>& after);

}  // namespace supersparse::log_loss
