#include "log_loss/packed_cells.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace supersparse::log_loss {
namespace {

constexpr int64_t kSmallTable = 1 << 16;

int64_t words_for(int64_t rows) { return std::max<int64_t>(1, (rows + 63) / 64); }

}  // namespace

PackedCells::PackedCells(const BinaryRows& rows, int64_t levels) : rows_(rows), levels_(levels) {
  const BitSets& sets = rows.sets;
  const int64_t positive = screen_loops().count_ones(sets.all.data, sets.split);
  const int64_t negative = screen_loops().count_ones(sets.all.data + sets.split, sets.all.size - sets.split);
  if ((positive + 1) * (negative + 1) <= kSmallTable) {
    std::vector<double> table((positive + 1) * (negative + 1));
    for (int64_t p = 0; p <= positive; p++)
      for (int64_t q = 0; q <= negative; q++) table[p * (negative + 1) + q] = mixed(p, q);
    by_counts_ = std::move(table);
    wide_ = negative + 1;
  }
  Level& root = levels_[0];
  root.words = root.stride = sets.all.size;
  root.segments = 2;
  root.first = {0, static_cast<int32_t>(sets.split)};
  root.length = {static_cast<int32_t>(positive), static_cast<int32_t>(negative)};
  root.bits.assign(sets.columns.data, sets.columns.data + rows.columns * sets.all.size);
  root.ones.resize(2 * rows.columns);
  for (int64_t j = 0; j < rows.columns; j++) {
    const uint64_t* own = root.bits.data() + j * root.stride;
    root.ones[2 * j] = static_cast<int32_t>(screen_loops().count_ones(own, sets.split));
    root.ones[2 * j + 1] = static_cast<int32_t>(screen_loops().count_ones(own + sets.split, root.words - sets.split));
  }
  root.is_built = true;
}

double PackedCells::mixed(int64_t p, int64_t q) const {
  if (p == 0 || q == 0) return 0;
  if (!by_counts_.empty()) return by_counts_[p * wide_ + q];
  const BitSets& sets = rows_.sets;
  if (sets.of_both.size) return sets.of_both[p + q] - sets.of_positive[p] - sets.of_negative[q];
  const double both = static_cast<double>(p) * sets.unit_positive + static_cast<double>(q) * sets.unit_negative;
  return both * std::log(both) - sets.of_positive[p] - sets.of_negative[q];
}

void PackedCells::enter(int64_t level, int32_t last, const std::vector<int32_t>& columns) {
  at_ = nullptr;
  if (level == 0) return;
  Level& own = levels_[level];
  own.last = last;
  own.columns = &columns;
  own.is_built = false;
}

void PackedCells::build(int64_t level) {
  Level& to = levels_[level];
  if (to.is_built) return;
  build(level - 1);
  const Level& from = levels_[level - 1];
  const int64_t half = from.segments / 2;
  to.segments = 2 * from.segments;
  const auto place = [&](int64_t s) { return s < half ? 2 * s : 2 * half + 2 * (s - half); };  // of the rows with 0
  to.first.assign(to.segments, 0);
  to.length.assign(to.segments, 0);
  const int32_t* ones = from.ones.data() + to.last * from.segments;
  for (int64_t s = 0; s < from.segments; s++) {
    to.length[place(s)] = from.length[s] - ones[s];
    to.length[place(s) + 1] = ones[s];
  }
  to.words = 0;
  for (int64_t s = 0; s < to.segments; s++) {
    to.first[s] = static_cast<int32_t>(to.words);
    to.words += words_for(to.length[s]);
  }
  to.stride = to.words + 1;  // a move may write nothing to the word behind its last
  moves_.resize(from.words);
  const uint64_t* parting = from.bits.data() + to.last * from.stride;
  for (int64_t s = 0; s < from.segments; s++) {
    int64_t zeros_at = 64 * to.first[place(s)], ones_at = 64 * to.first[place(s) + 1], left = from.length[s];
    const int64_t ends = level == 1 ? (s ? from.words : rows_.sets.split) : from.first[s] + words_for(left);
    for (int64_t w = from.first[s]; w < ends; w++) {
      const uint64_t rows = level == 1 ? rows_.sets.all[w] : left >= 64 ? ~uint64_t{0} : left > 0 ? (uint64_t{1} << left) - 1 : 0;
      left -= 64;
      Move& move = moves_[w];
      move.ones = parting[w];
      move.zeros = rows & ~parting[w];
      move.ones_count = static_cast<uint8_t>(std::popcount(move.ones));
      move.zeros_count = static_cast<uint8_t>(std::popcount(move.zeros));
      move.ones_at = static_cast<int32_t>(ones_at / 64), move.ones_shift = static_cast<uint8_t>(ones_at % 64);
      move.zeros_at = static_cast<int32_t>(zeros_at / 64), move.zeros_shift = static_cast<uint8_t>(zeros_at % 64);
      ones_at += move.ones_count;
      zeros_at += move.zeros_count;
    }
  }
  to.bits.resize(std::max<size_t>(to.bits.size(), rows_.columns * to.stride));
  to.ones.resize(rows_.columns * to.segments);
  for (int32_t j : *to.columns) {
    uint64_t* own = to.bits.data() + j * to.stride;
    std::fill_n(own, to.stride, 0);
    screen_loops().repack(moves_.data(), from.words, from.bits.data() + j * from.stride, own);
    for (int64_t s = 0; s < to.segments; s++)
      to.ones[j * to.segments + s] = static_cast<int32_t>(screen_loops().count_ones(own + to.first[s], words_for(to.length[s])));
  }
  to.is_built = true;
}

void PackedCells::divide(int64_t level, const int32_t* more, int64_t count) {
  build(level);
  const Level& own = levels_[level];
  at_ = &own;
  parts_ = int64_t{1} << count;
  for (auto& mask : masks_) mask.resize(own.words);
  totals_.resize(own.segments * parts_);
  counts_.resize(own.segments * parts_);
  const uint64_t* a = count > 0 ? own.bits.data() + more[0] * own.stride : nullptr;
  const uint64_t* b = count > 1 ? own.bits.data() + more[1] * own.stride : nullptr;
  for (int64_t w = 0; w < own.words; w++) {
    if (count == 1) masks_[0][w] = a[w];
    if (count == 2) masks_[0][w] = a[w] & ~b[w], masks_[1][w] = b[w] & ~a[w], masks_[2][w] = a[w] & b[w];
  }
  for (int64_t s = 0; s < own.segments; s++) {
    int32_t left = own.length[s];
    const int64_t words = level ? words_for(left) : s ? own.words - own.first[1] : own.first[1];
    for (int64_t part = 1; part < parts_; part++) {
      const int64_t ones = screen_loops().count_ones(masks_[part - 1].data() + own.first[s], words);
      totals_[s * parts_ + part] = static_cast<int32_t>(ones);
      left -= static_cast<int32_t>(ones);
    }
    totals_[s * parts_] = left;
  }
}

double PackedCells::cost(int64_t level, int64_t count) const {
  const double parts = std::ldexp(1.0, static_cast<int>(count)), segments = std::ldexp(2.0, static_cast<int>(level));
  const double words = static_cast<double>(levels_[0].words) + segments;
  return 1.2 * (parts - 1) * words + segments * (3 + 1.5 * parts);
}

double PackedCells::bound(int32_t column, double enough) {
  const Level& own = *at_;
  const uint64_t* masks[3] = {masks_[0].data(), masks_[1].data(), masks_[2].data()};
  screen_loops().count_parts({own.first.data(), own.length.data(), own.segments}, own.bits.data() + column * own.stride,
                             own.ones.data() + column * own.segments, masks, parts_, counts_.data());
  const int64_t cells = own.segments / 2 * parts_;
  const int32_t *p1 = counts_.data(), *q1 = p1 + cells, *p = totals_.data(), *q = p + cells;
  double sums[4] = {0, 0, 0, 0};
  if (!by_counts_.empty()) {
    const double* table = by_counts_.data();
    for (int64_t c = 0; c < cells; c++) {
      sums[c & 1] += table[p1[c] * wide_ + q1[c]];
      sums[2 + (c & 1)] += table[(p[c] - p1[c]) * wide_ + (q[c] - q1[c])];
    }
  } else {
    for (int64_t c = 0; c < cells; c++) {
      sums[c & 1] += mixed(p1[c], q1[c]);
      sums[2 + (c & 1)] += mixed(p[c] - p1[c], q[c] - q1[c]);
      if (sums[0] + sums[1] + sums[2] + sums[3] > enough) break;
    }
  }
  return ((sums[0] + sums[2]) + (sums[1] + sums[3])) * (1 - 1e-11) - 1e-12;
}

}  // namespace supersparse::log_loss
