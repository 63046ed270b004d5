// Bounds of all singles, pairs and triples of columns at once, from one Gram matrix at the regression on the used columns.
//
// Let p be the risks of that regression, L its loss at logits eta, r = m p - pos its residuals, and W_i <= m_i p_i (1 - p_i).
// For a set S of the used columns and up to three more let s solve X_S'WX_S s = -X_S'r, and u = X_S s. If q = p + (W/m) u lies
// in [0, 1], its residuals are 0 on every column of S and on the intercept, so no card on S costs less than
//
//     sum m h(q)  =  sum (m h(q) + (m q - pos) eta)  =  L - sum m KL(q, p),
//
// because eta is a combination of columns of S, and the divergence of q from p is what h lies below its tangent at p. With d = q - p = t p (1 - p) u for some t in [0, 1],
//
//     KL(q, p) = d^2 int_0^1 (1 - x) / ((p + x d)(1 - p - x d)) dx,   (p + x d)(1 - p - x d) = p (1 - p)(1 + x t (1 - p) u)(1 - x t p u).
//
// Let V be at least p u where u > 0 and -(1 - p) u where u < 0, V < 1 (so q is in [0, 1]), and rho the least of (1 - p)/p and
// p/(1 - p). Then the product is at least p (1 - p)(1 + x rho V)(1 - x V), hence m KL <= W u^2 kappa(V)/2 with
// kappa(V) = 2 int (1 - x) / ((1 + x rho V)(1 - x V)) dx, a power series in V whose terms from V^3 on are at most their sum at
// V = 1 times V^3. As sum W u^2 = g'H^-1 g =: gain,
//
//     every card on S costs at least  L - kappa(V) gain / 2.
//
// V: a used cell c adds its own part of u, at most `reached_`; column t adds s_t (x_t - m_t(c)) with m_t(c) its regression on
// the used columns. So V <= reached + max(sum s_t+ R0 + s_t- R1, sum s_t+ R2 + s_t- R3), with R the maxima over the cells of
// p (1 - m_t)+, p (m_t)+, (1 - p)(m_t)+ and (1 - p)(1 - m_t)+. These numbers cost a few operations for each pair of columns.
//
// A cell of the used columns with rows of one class alone costs nothing at a risk of 0 or 1, and its residuals are 0 there. So
// it is left out of all sums: its rows have W = 0, keep q = p, and L is the loss of the others. A column with rows in such
// cells alone changes nothing; nor does one that is a combination of the used ones on the live cells. Used columns that depend on each other on the other cells are replaced by a basis: a combination
// of columns without residuals has none either.
//
// The solution runs over the Schur complements of the used columns and of column i. A column whose pivot is below
// 1e-5 of its diagonal cannot be judged, and neither can a pair with 1 - rho^2 < 0.01: they are left over. So rounding,
// 5e-16 of the diagonals, grows to at most 3e-8 of a swept entry and 1e-5 of a gain; gains and V are increased by 1e-4.
#pragma once
#include <vector>

#include "log_loss/binary_rows.hpp"

namespace supersparse::log_loss {

struct Few {
  int32_t a, b;  // places of two more columns of a triple, or of one (b = -1)
};

class Screening {
 public:
  explicit Screening(const BinaryRows& rows);

  // At a regression on the used columns: cells are numbered by their bits, risk has one of each, `code` the cell of a row.
  // False if nothing can be screened, because rounding cannot tell the used columns apart.
  bool prepare(const std::vector<int32_t>& used, std::vector<double> risk, const std::vector<uint16_t>& code,
               const std::vector<int32_t>& columns, bool for_pairs);
  // The sets of i and up to two columns behind it, of `room` in all, that may be below the threshold.
  void left_with(int64_t i, int64_t room, double threshold, std::vector<Few>& left);
  // Twice what the loss falls by, about, with each column alone.
  const std::vector<double>& gains() const { return gains_; }
  double work() const { return work_; }

 private:
  bool leave_out_pure(std::vector<double>& risk, const std::vector<uint16_t>& code, std::vector<char>& is_live);
  bool factor(const std::vector<int32_t>& used, const std::vector<double>& risk, const std::vector<char>& is_live);
  void judge_columns(const std::vector<double>& risk, const std::vector<char>& is_live);
  void find_idle(const std::vector<uint16_t>& code, const std::vector<char>& is_live, const std::vector<int32_t>& columns);
  void multiply();
  void of_one(int64_t i, double enough, std::vector<Few>& left) const;
  void of_two(int64_t i, double enough, std::vector<Few>& left);
  void of_three(int64_t i, double enough, std::vector<Few>& left);

  const BinaryRows& rows_;
  int64_t size_ = 0, wide_ = 0, used_ = 0;
  double loss_ = 0, base_ = 0, reached_ = 0, ratio_[3] = {0, 0, 0}, unit_ = 1, work_ = 0;
  std::vector<int32_t> basis_;  // of the used columns (-1 is the intercept), independent of each other
  std::vector<double> lower_, slope_used_;                       // the factor of the basis, and its solved gradient
  std::vector<double> solved_, back_used_;                       // of each column, by row of the basis
  std::vector<double> matrix_, slope_, diagonal_, gains_, reach_[4];
  std::vector<double> scale_, z_, back_, scaled_[4];             // after a sweep
  std::vector<double> residual_;
  std::vector<char> is_idle_;  // of each column: it changes nothing
  std::vector<int16_t> whole_;
  std::vector<int32_t> gram_, found_;
  std::vector<const int16_t*> x_;
};

}  // namespace supersparse::log_loss
