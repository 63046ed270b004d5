#include "log_loss/cells.hpp"

#include <algorithm>
#include <cmath>

namespace supersparse::log_loss {
namespace {

// m·log m - p·log p - q·log q
double mixed(double positive, double negative) {
  if (positive <= 0 || negative <= 0) return 0;
  const double both = positive + negative;
  return both * std::log(both) - positive * std::log(positive) - negative * std::log(negative);
}

}  // namespace

// The same for counts of rows.
double Partition::mixed_counts(int64_t p, int64_t q) const {
  if (p == 0 || q == 0) return 0;
  if (bits_.of_both.size) return bits_.of_both[p + q] - bits_.of_positive[p] - bits_.of_negative[q];
  const double both = static_cast<double>(p) * bits_.unit_positive + static_cast<double>(q) * bits_.unit_negative;
  return both * std::log(both) - bits_.of_positive[p] - bits_.of_negative[q];
}

// How many rows of each class a cell has where column j is 1.
SharedOnes Partition::inside(int64_t level, int64_t cell, int64_t j) const {
  return proof_loops().shared_ones(cells_.masks.layer(level).row(cell).data, bits_.columns.row(j).data, bits_.split,
                                   bits_.all.size);
}

void Partition::start() {
  const int64_t words = bits_.all.size;
  cells_.groups[0] = 1;
  if (words == 0) {
    std::fill_n(cells_.ids.row(0).data, data_.n_rows(), 0);
    return;
  }
  const uint64_t* all = bits_.all.data;
  std::copy_n(all, words, cells_.masks.layer(0).row(0).data);
  const SharedOnes rows = proof_loops().shared_ones(all, all, bits_.split, words);
  cells_.positive(0, 0) = rows.before, cells_.negative(0, 0) = rows.after;
}

void Partition::refine(int64_t level, int64_t j) {
  if (cells_.groups[level] < 0)
    cells_.groups[level + 1] = -1;
  else if (bits_.all.size)
    refine_bits(level, j);
  else
    refine_ranks(level, j);
}

void Partition::refine_bits(int64_t level, int64_t j) {
  const int64_t groups = cells_.groups[level], words = bits_.all.size;
  cells_.groups[level + 1] = -1;
  if (2 * groups > cells_.masks.rows) return;
  const Matrix<uint64_t> before = cells_.masks.layer(level), after = cells_.masks.layer(level + 1);
  const uint64_t* column = bits_.columns.row(j).data;
  int64_t count = 0;
  for (int64_t c = 0; c < groups; c++) {
    const auto [p, q] = inside(level, c, j);
    const int64_t p_outside = cells_.positive(level, c) - p, q_outside = cells_.negative(level, c) - q;
    const uint64_t* mask = before.row(c).data;
    if (p > 0 && q > 0) {
      uint64_t* out = after.row(count).data;
      for (int64_t w = 0; w < words; w++) out[w] = mask[w] & column[w];
      cells_.positive(level + 1, count) = p, cells_.negative(level + 1, count) = q;
      count++;
    }
    if (p_outside > 0 && q_outside > 0) {
      uint64_t* out = after.row(count).data;
      for (int64_t w = 0; w < words; w++) out[w] = mask[w] & ~column[w];
      cells_.positive(level + 1, count) = p_outside, cells_.negative(level + 1, count) = q_outside;
      count++;
    }
  }
  cells_.groups[level + 1] = count;
}

void Partition::refine_ranks(int64_t level, int64_t j) {
  const int64_t n = data_.n_rows(), wide = data_.distinct[j], size = cells_.groups[level] * wide;
  cells_.groups[level + 1] = -1;
  if (are_too_many(size)) return;
  table_.assign(size, -1);
  const int32_t *before = cells_.ids.row(level).data, *ranks = data_.ranks.row(j).data;
  int32_t *after = cells_.ids.row(level + 1).data, count = 0;
  for (int64_t i = 0; i < n; i++) {
    int32_t& id = table_[before[i] * wide + ranks[i]];
    if (id < 0) id = count++;
    after[i] = id;
  }
  cells_.groups[level + 1] = count;
}

double Partition::bound(int64_t level, int64_t j, double enough) {
  const int64_t groups = cells_.groups[level];
  if (groups < 0) return 0;
  if (bits_.all.size == 0 && are_too_many(groups * (j < 0 ? 1 : data_.distinct[j]))) return 0;
  return (bits_.all.size ? of_bits(level, j, enough) : of_ranks(level, j)) * (1 - 1e-11) - 1e-12;
}

double Partition::of_bits(int64_t level, int64_t j, double enough) const {
  const Ints positive = cells_.positive.row(level), negative = cells_.negative.row(level);
  double total = 0;
  for (int64_t c = 0; c < cells_.groups[level]; c++) {
    const int64_t p = positive[c], q = negative[c];
    if (j < 0) {
      total += mixed_counts(p, q);
      continue;
    }
    const auto [p_inside, q_inside] = inside(level, c, j);
    total += mixed_counts(p_inside, q_inside);
    total += mixed_counts(p - p_inside, q - q_inside);
    if (total > enough) break;
  }
  return total;
}

double Partition::of_ranks(int64_t level, int64_t j) {
  const int64_t n = data_.n_rows(), wide = j < 0 ? 1 : data_.distinct[j], size = cells_.groups[level] * wide;
  weights_.assign(2 * size, 0.0);  // of the positive and the negative rows of a cell
  const int32_t *before = cells_.ids.row(level).data, *ranks = j < 0 ? nullptr : data_.ranks.row(j).data;
  for (int64_t i = 0; i < n; i++) {
    const int64_t at = 2 * (before[i] * wide + (ranks ? ranks[i] : 0));
    weights_[at] += data_.positive[i];
    weights_[at + 1] += data_.negative[i];
  }
  double total = 0;
  for (int64_t at = 0; at < size; at++) total += mixed(weights_[2 * at], weights_[2 * at + 1]);
  return total;
}

}  // namespace supersparse::log_loss
