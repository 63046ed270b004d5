// The loops of the proof over 0/1 columns, in the versions of base/versions.hpp: bit sets over rows, whole-number Gram
// matrices, bits repacked by cell, and the screen of pairs of columns. All versions give the same bits.
#pragma once
#include <cstdint>

#include "base/versions.hpp"

namespace supersparse::log_loss {

// Where the bits of a word of rows go when its rows are parted by a column: those of `ones` to a word at `ones_at` from bit
// `ones_shift` on, those of `zeros` likewise.
struct Move {
  uint64_t ones, zeros;
  int32_t ones_at, zeros_at;
  uint8_t ones_shift, zeros_shift, ones_count, zeros_count;
};

// Rows sorted by segment: segment s is `length[s]` bits from word `first[s]` on.
struct Segments {
  const int32_t* first;
  const int32_t* length;
  int64_t count;
};

// What `screen_row` needs of a node and of the column swept last; see screening.hpp for the inequality.
struct ScreenRow {
  const double* products;  // row j of the matrix
  const double* swept;     // row i of the matrix: products less factor times this is the row after the sweep
  const double* scale;     // of each column: 1 over the root of its diagonal; 0 if the column cannot be judged
  const double* z;         // scaled gradients
  const double* reach[4];  // scaled reaches
  const double* back;      // of each column: how the step of column i answers its scaled step; null if none is swept
  double factor, scale_j, z_j, reach_j[4], back_j;
  double step_i, reach_i[4];  // the step of column i without the others
  double base, reached;       // twice the gain, and the largest move of a risk, so far
  double enough, ratio[3];    // a gain that is less than this passes; the coefficients of kappa
};

struct ScreenLoops {
  // out_i = b + sum of factors[j] over the columns j with bit i
  void (*scores)(const uint64_t* const* columns, const double* factors, int64_t m, double b, double* out, int64_t words);
  // the sum of v_i over the bits i of a set
  double (*sum_where)(const uint64_t* bits, const double* v, int64_t words);
  // The upper triangle of the matrix of sums of weights_i x_ij x_ik, of its first `rows` rows; x is 0 or 1, the sums fit into
  // 32 bits, n is a multiple of 64.
  void (*gram)(const int16_t* const* x, int64_t columns, int64_t rows, const int16_t* weights, int64_t n, int32_t* out,
               int64_t stride);
  // Parts the bits of a column as the moves say; `to` is cleared before.
  void (*repack)(const Move* moves, int64_t words, const uint64_t* from, uint64_t* to);
  int64_t (*count_ones)(const uint64_t* x, int64_t words);
  // In each segment s, how many bits of x lie in each of `parts` masks that divide it (those of part 0 are what is left of
  // ones[s]): out[s parts + part]. masks[part - 1] is that of a part.
  void (*count_parts)(Segments segments, const uint64_t* x, const int32_t* ones, const uint64_t* const* masks, int64_t parts,
                      int32_t* out);
  // The columns k in [from, to) that do not pass together with column j; returns how many.
  int64_t (*screen_row)(const ScreenRow& row, int64_t from, int64_t to, int32_t* left);
};

extern const ScreenLoops screen_loops_baseline;
#ifdef SUPERSPARSE_X86
extern const ScreenLoops screen_loops_avx2, screen_loops_avx512;
constexpr const ScreenLoops* kScreenLoops[kVersions] = {&screen_loops_baseline, &screen_loops_avx2, &screen_loops_avx512};
#else
constexpr const ScreenLoops* kScreenLoops[kVersions] = {&screen_loops_baseline};
#endif

inline const ScreenLoops& screen_loops() { return *kScreenLoops[loop_version()]; }

}  // namespace supersparse::log_loss
