#include "log_loss/screening.hpp"

#include <algorithm>
#include <cmath>

#include "base/lanes.hpp"

namespace supersparse::log_loss {
namespace {

constexpr double kLeastPivot = 1e-5;  // of the diagonal, for a column to be judged
constexpr double kIdle = 1e-150;    // the scale of a column that changes nothing
constexpr double kLargestMove = 0.999, kSafer = 1 + 1e-4;

// The first of these columns that are independent on the live cells, with the intercept first. Minors of matrices of 0
// and 1 are whole and small, so a pivot is 0 or far from it.
std::vector<int32_t> independent(const std::vector<int32_t>& used, const std::vector<char>& is_live) {
  std::vector<int32_t> basis{-1};
  std::vector<std::vector<double>> reduced{std::vector<double>(is_live.size())};
  std::vector<size_t> pivots;
  const auto keep = [&](std::vector<double> own) {
    for (size_t k = 0; k < pivots.size(); k++) {
      const double factor = own[pivots[k]] / reduced[k][pivots[k]];
      if (factor != 0)
        for (size_t c = 0; c < own.size(); c++) own[c] -= factor * reduced[k][c];
    }
    size_t at = 0;
    for (size_t c = 0; c < own.size(); c++)
      if (std::fabs(own[c]) > std::fabs(own[at])) at = c;
    if (std::fabs(own[at]) < 1e-6) return false;
    reduced[pivots.size()] = std::move(own);
    pivots.push_back(at);
    reduced.emplace_back();
    return true;
  };
  std::vector<double> own(is_live.begin(), is_live.end());
  keep(own);
  for (size_t q = 0; q < used.size(); q++) {
    for (size_t c = 0; c < own.size(); c++) own[c] = is_live[c] && (c >> q & 1);
    if (keep(own)) basis.push_back(static_cast<int32_t>(q));
  }
  return basis;
}

}  // namespace

Screening::Screening(const BinaryRows& rows) : rows_(rows) {}

// Puts the risks of cells with one class at 0 or 1, and the loss of the others into loss_. A cell is live where a row of it has
// W > 0. False if another cell is not: its residuals could not be moved.
bool Screening::leave_out_pure(std::vector<double>& risk, const std::vector<uint16_t>& code, std::vector<char>& is_live) {
  std::vector<double> positive(risk.size()), negative(risk.size());
  for (int64_t i = 0; i < rows_.n; i++) positive[code[i]] += rows_.positive[i], negative[code[i]] += rows_.negative[i];
  loss_ = 0;
  for (size_t c = 0; c < risk.size(); c++) {
    if (negative[c] == 0)
      risk[c] = 1;
    else if (positive[c] == 0)
      risk[c] = 0;
    else if (risk[c] > 0 && risk[c] < 1)
      loss_ -= positive[c] * std::log(risk[c]) + negative[c] * std::log1p(-risk[c]);
    else
      return false;
  }
  residual_.assign(rows_.padded, 0.0);
  whole_.assign(rows_.padded, 0);
  double most = 0, total = 0;
  for (int64_t i = 0; i < rows_.n; i++) {
    const double p = risk[code[i]], curve = rows_.weight[i] * p * (1 - p);
    residual_[i] = p == 0 || p == 1 ? 0 : rows_.weight[i] * p - rows_.positive[i];
    most = std::max(most, curve);
    total += curve;
  }
  if (!(most > 0)) return false;
  unit_ = std::max(most / 32767, total / 2147483000.0) * (1 + 1e-12);
  const double share = (1 - 1e-12) / unit_;
  for (int64_t i = 0; i < rows_.n; i++) {
    const double p = risk[code[i]];
    whole_[i] = static_cast<int16_t>(rows_.weight[i] * p * (1 - p) * share);
    if (whole_[i]) is_live[code[i]] = 1;
  }
  for (size_t c = 0; c < risk.size(); c++)
    if (positive[c] > 0 && negative[c] > 0 && !is_live[c]) return false;
  return true;
}

bool Screening::prepare(const std::vector<int32_t>& used, std::vector<double> risk, const std::vector<uint16_t>& code,
                        const std::vector<int32_t>& columns, bool for_pairs) {
  const int64_t n = rows_.n;
  size_ = static_cast<int64_t>(columns.size()), wide_ = size_ + kLanes;
  std::vector<char> is_live(risk.size());
  work_ += 6.0 * static_cast<double>(n);
  if (!leave_out_pure(risk, code, is_live)) return false;
  basis_ = independent(used, is_live);
  used_ = static_cast<int64_t>(basis_.size());
  x_.resize(used_ + size_);
  for (int64_t a = 0; a < used_; a++) x_[a] = rows_.whole(a ? used[basis_[a]] : -1);
  for (int64_t q = 0; q < size_; q++) x_[used_ + q] = rows_.whole(columns[q]);
  gram_.resize(used_ * (used_ + size_));
  screen_loops().gram(x_.data(), used_ + size_, used_, whole_.data(), rows_.padded, gram_.data(), used_ + size_);
  slope_.assign(wide_, 0.0);
  diagonal_.assign(wide_, 0.0);
  for (int64_t q = 0; q < size_; q++) {
    slope_[q] = -rows_.sum_where(columns[q], residual_.data());
    diagonal_[q] = gram_[used_ + q] * unit_;
  }
  work_ += 0.06 * static_cast<double>(used_ * size_ * rows_.padded) + 0.3 * static_cast<double>(size_ * n) / 8;
  if (!factor(used, risk, is_live)) return false;
  judge_columns(risk, is_live);
  find_idle(code, is_live, columns);
  if (for_pairs) multiply();
  return true;
}

// The factor of the basis, the gain of its own gradient, and how far that moves a risk.
bool Screening::factor(const std::vector<int32_t>& used, const std::vector<double>& risk, const std::vector<char>& is_live) {
  const int64_t m = used_, stride = used_ + size_;
  lower_.assign(m * m, 0.0);
  slope_used_.assign(m, 0.0);
  for (int64_t a = 0; a < m; a++) {
    slope_used_[a] = a ? -rows_.sum_where(used[basis_[a]], residual_.data()) : -loops().total(residual_.data(), rows_.n);
    for (int64_t b = 0; b <= a; b++) lower_[a * m + b] = gram_[b * stride + a] * unit_;
  }
  base_ = 0;
  for (int64_t a = 0; a < m; a++) {
    const double own = lower_[a * m + a];
    for (int64_t b = 0; b <= a; b++) {
      double sum = lower_[a * m + b];
      for (int64_t k = 0; k < b; k++) sum -= lower_[a * m + k] * lower_[b * m + k];
      if (b < a) {
        lower_[a * m + b] = sum / lower_[b * m + b];
      } else {
        if (!(sum > kLeastPivot * own)) return false;
        lower_[a * m + a] = std::sqrt(sum);
      }
    }
    for (int64_t k = 0; k < a; k++) slope_used_[a] -= lower_[a * m + k] * slope_used_[k];
    slope_used_[a] /= lower_[a * m + a];
    base_ += slope_used_[a] * slope_used_[a];
  }
  std::vector<double> step = slope_used_;
  for (int64_t a = m - 1; a >= 0; a--) {
    for (int64_t k = a + 1; k < m; k++) step[a] -= lower_[k * m + a] * step[k];
    step[a] /= lower_[a * m + a];
  }
  reached_ = 0;
  double largest = 0.5;
  for (size_t c = 0; c < risk.size(); c++) {
    if (!is_live[c]) continue;
    double move = 0;
    for (int64_t a = 0; a < m; a++) move += a == 0 || (c >> basis_[a] & 1) ? step[a] : 0.0;
    reached_ = std::max(reached_, std::fabs(move));
    largest = std::max({largest, risk[c], 1 - risk[c]});
  }
  reached_ *= kSafer;
  const double rho = (1 - largest) / largest;
  ratio_[0] = (1 - rho * rho) / (1 + rho) / 3;
  ratio_[1] = (1 + rho * rho * rho) / (1 + rho) / 6;
  ratio_[2] = 2.0 / 61 * 1.01;
  double power = rho * rho * rho * rho;
  for (int k = 3; k < 60; k++, power *= -rho) ratio_[2] += 2 * (1 - power) / (1 + rho) / ((k + 1.0) * (k + 2.0));
  return true;
}

// Each column swept by the basis: its gradient, its own gain, and its reach over the cells.
void Screening::judge_columns(const std::vector<double>& risk, const std::vector<char>& is_live) {
  const int64_t m = used_, stride = used_ + size_;
  solved_.assign(m * wide_, 0.0);
  back_used_.assign(m * wide_, 0.0);
  gains_.assign(size_, 0.0);
  for (int64_t a = 0; a < m; a++) {
    double* own = solved_.data() + a * wide_;
    for (int64_t q = 0; q < size_; q++) own[q] = gram_[a * stride + used_ + q] * unit_;
    for (int64_t k = 0; k < a; k++) loops().add_column(own, -lower_[a * m + k], solved_.data() + k * wide_, size_);
    for (int64_t q = 0; q < size_; q++) own[q] /= lower_[a * m + a];
    loops().add_column(slope_.data(), -slope_used_[a], own, size_);
  }
  for (int64_t q = 0; q < size_; q++) {
    double pivot = diagonal_[q];
    for (int64_t a = 0; a < m; a++) pivot -= solved_[a * wide_ + q] * solved_[a * wide_ + q];
    gains_[q] = pivot > kLeastPivot * diagonal_[q] ? slope_[q] * slope_[q] / pivot : 0;
  }
  for (int64_t a = m - 1; a >= 0; a--) {
    double* own = back_used_.data() + a * wide_;
    std::copy_n(solved_.data() + a * wide_, size_, own);
    for (int64_t k = a + 1; k < m; k++) loops().add_column(own, -lower_[k * m + a], back_used_.data() + k * wide_, size_);
    for (int64_t q = 0; q < size_; q++) own[q] /= lower_[a * m + a];
  }
  for (auto& own : reach_) own.assign(wide_, 0.0);
  std::vector<double> mean(size_);
  for (size_t c = 0; c < risk.size(); c++) {
    if (!is_live[c]) continue;
    std::fill(mean.begin(), mean.end(), 0.0);
    for (int64_t a = 0; a < m; a++)
      if (a == 0 || (c >> basis_[a] & 1)) loops().add_column(mean.data(), 1.0, back_used_.data() + a * wide_, size_);
    const double p = risk[c];
    for (int64_t q = 0; q < size_; q++) {
      const double above = std::max(1 - mean[q], 0.0), below = std::max(mean[q], 0.0);
      reach_[0][q] = std::max(reach_[0][q], p * above);
      reach_[1][q] = std::max(reach_[1][q], p * below);
      reach_[2][q] = std::max(reach_[2][q], (1 - p) * below);
      reach_[3][q] = std::max(reach_[3][q], (1 - p) * above);
    }
  }
  for (auto& own : reach_)
    for (double& r : own) r = r * kSafer + 1e-9;
  work_ += static_cast<double>(size_ * (m * m + static_cast<int64_t>(risk.size()) * (m + 8)));
}

// Columns that are constant on each live cell, as a combination of the basis is: its values there are whole numbers over small
// minors, so that rounding cannot hide what differs.
void Screening::find_idle(const std::vector<uint16_t>& code, const std::vector<char>& is_live, const std::vector<int32_t>& columns) {
  is_idle_.assign(size_, 0);
  std::vector<char> value(is_live.size());
  for (int64_t q = 0; q < size_; q++) {
    double pivot = diagonal_[q];
    for (int64_t a = 0; a < used_; a++) pivot -= solved_[a * wide_ + q] * solved_[a * wide_ + q];
    if (pivot > kLeastPivot * diagonal_[q]) continue;
    const int16_t* x = rows_.whole(columns[q]);
    std::fill(value.begin(), value.end(), -1);
    bool is_idle = true;
    for (int64_t i = 0; i < rows_.n && is_idle; i++) {
      char& own = value[code[i]];
      is_idle = !is_live[code[i]] || own < 0 || own == x[i];
      own = static_cast<char>(x[i]);
    }
    for (size_t c = 0; c < value.size() && is_idle; c++) {
      if (!is_live[c]) continue;
      double combined = 0;
      for (int64_t a = 0; a < used_; a++) combined += a == 0 || (c >> basis_[a] & 1) ? back_used_[a * wide_ + q] : 0.0;
      is_idle = std::fabs(combined - value[c]) < 1e-6;
    }
    is_idle_[q] = is_idle;
    work_ += static_cast<double>(rows_.n);
  }
}

// The matrix of the columns, swept by the basis.
void Screening::multiply() {
  const int64_t stride = size_;
  gram_.resize(std::max<size_t>(gram_.size(), size_ * size_));
  screen_loops().gram(x_.data() + used_, size_, size_, whole_.data(), rows_.padded, gram_.data(), stride);
  matrix_.resize(std::max<size_t>(matrix_.size(), size_ * wide_));
  for (int64_t i = 0; i < size_; i++) {
    double* own = matrix_.data() + i * wide_;
    for (int64_t k = i; k < size_; k++) own[k] = gram_[i * stride + k] * unit_;
    for (int64_t a = 0; a < used_; a++)
      loops().add_column(own + i, -solved_[a * wide_ + i], solved_.data() + a * wide_ + i, size_ - i);
  }
  work_ += static_cast<double>(size_ * size_) * (0.03 * static_cast<double>(rows_.padded) + 0.3 * static_cast<double>(used_) + 1);
}

void Screening::left_with(int64_t i, int64_t room, double threshold, std::vector<Few>& left) {
  left.clear();
  const double enough = 2 * (loss_ - threshold - 2 * rows_.margin);
  if (room == 1)
    of_one(i, enough, left);
  else if (room == 2)
    of_two(i, enough, left);
  else
    of_three(i, enough, left);
}

void Screening::of_one(int64_t i, double enough, std::vector<Few>& left) const {
  if (is_idle_[i] && base_ * kSafer * (1 + reached_ * (ratio_[0] + reached_ * (ratio_[1] + reached_ * ratio_[2]))) < enough && reached_ < kLargestMove)
    return;
  double pivot = diagonal_[i];
  for (int64_t a = 0; a < used_; a++) pivot -= solved_[a * wide_ + i] * solved_[a * wide_ + i];
  if (pivot > kLeastPivot * diagonal_[i]) {
    const double step = slope_[i] / pivot, plus = std::max(step, 0.0), minus = plus - step;
    const double up = plus * reach_[0][i] + minus * reach_[1][i], down = plus * reach_[2][i] + minus * reach_[3][i];
    const double v = (reached_ + std::max(up, down)) * kSafer, gain = base_ + step * slope_[i] * kSafer;
    if (v < kLargestMove && gain * (1 + v * (ratio_[0] + v * (ratio_[1] + v * ratio_[2]))) < enough) return;
  }
  left.push_back({-1, -1});
}

void Screening::of_two(int64_t i, double enough, std::vector<Few>& left) {
  scale_.assign(wide_, 0.0);
  z_.assign(wide_, 0.0);
  for (auto& own : scaled_) own.assign(wide_, 0.0);
  for (int64_t k = i; k < size_; k++) {
    const double pivot = matrix_[k * wide_ + k];
    if (is_idle_[k]) scale_[k] = kIdle;
    if (!(pivot > kLeastPivot * diagonal_[k])) continue;
    scale_[k] = 1 / std::sqrt(pivot);
    z_[k] = slope_[k] * scale_[k];
    for (int e = 0; e < 4; e++) scaled_[e][k] = reach_[e][k] * scale_[k];
  }
  found_.resize(size_);
  int64_t count = size_ - i - 1;
  work_ += static_cast<double>(count) + 20;
  if (scale_[i] > 0) {
    ScreenRow row{};
    row.products = matrix_.data() + i * wide_, row.scale = scale_.data(), row.z = z_.data();
    row.scale_j = scale_[i], row.z_j = z_[i], row.base = base_, row.reached = reached_, row.enough = enough;
    for (int e = 0; e < 4; e++) row.reach[e] = scaled_[e].data(), row.reach_j[e] = scaled_[e][i];
    std::copy_n(ratio_, 3, row.ratio);
    count = screen_loops().screen_row(row, i + 1, size_, found_.data());
  } else {
    for (int64_t k = 0; k < count; k++) found_[k] = static_cast<int32_t>(i + 1 + k);
  }
  for (int64_t k = 0; k < count; k++) left.push_back({found_[k], -1});
}

void Screening::of_three(int64_t i, double enough, std::vector<Few>& left) {
  const double* of_i = matrix_.data() + i * wide_;
  const bool is_idle = is_idle_[i], is_swept = is_idle || of_i[i] > kLeastPivot * diagonal_[i];
  scale_.assign(wide_, 0.0);
  z_.assign(wide_, 0.0);
  back_.assign(wide_, 0.0);
  for (auto& own : scaled_) own.assign(wide_, 0.0);
  const double inverse = is_swept && !is_idle ? 1 / of_i[i] : 0, step_i = slope_[i] * inverse, base = base_ + slope_[i] * step_i;
  for (int64_t k = i + 1; k < size_ && is_swept; k++) {
    const double pivot = matrix_[k * wide_ + k] - of_i[k] * of_i[k] * inverse;
    if (is_idle_[k]) scale_[k] = kIdle;
    if (!(pivot > kLeastPivot * diagonal_[k])) continue;
    scale_[k] = 1 / std::sqrt(pivot);
    z_[k] = (slope_[k] - of_i[k] * step_i) * scale_[k];
    back_[k] = of_i[k] * inverse * scale_[k];
    for (int e = 0; e < 4; e++) scaled_[e][k] = reach_[e][k] * scale_[k];
  }
  found_.resize(size_);
  ScreenRow row{};
  row.swept = of_i, row.scale = scale_.data(), row.z = z_.data(), row.back = back_.data();
  row.step_i = step_i, row.base = base * kSafer, row.reached = reached_, row.enough = enough;
  for (int e = 0; e < 4; e++) row.reach[e] = scaled_[e].data(), row.reach_i[e] = reach_[e][i];
  std::copy_n(ratio_, 3, row.ratio);
  for (int64_t j = i + 1; j + 1 < size_; j++) {
    int64_t count = size_ - j - 1;
    work_ += 1.5 * static_cast<double>(count) + 10;
    if (scale_[j] > 0) {
      row.products = matrix_.data() + j * wide_;
      row.factor = of_i[j] * inverse;
      row.scale_j = scale_[j], row.z_j = z_[j], row.back_j = back_[j];
      for (int e = 0; e < 4; e++) row.reach_j[e] = scaled_[e][j];
      count = screen_loops().screen_row(row, j + 1, size_, found_.data());
    } else {
      for (int64_t k = 0; k < count; k++) found_[k] = static_cast<int32_t>(j + 1 + k);
    }
    for (int64_t k = 0; k < count; k++) left.push_back({static_cast<int32_t>(j), found_[k]});
  }
}

}  // namespace supersparse::log_loss
