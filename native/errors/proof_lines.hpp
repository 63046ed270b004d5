// A derivation as it is written: what the writer knows of the program, and lines as text.
#pragma once
#include <string_view>

#include "base/array.hpp"

namespace supersparse {

// The integer program as arrays. Variable v is bounded by the rows 2v (below) and 2v + 1 (above).
struct Facts {
  Matrix<int64_t> x;       // (rows, features)
  Ints sign;               // of each row: 1 positive, -1 negative
  Ints row_line;
  Ints row_right;
  int64_t first_z;         // the variable of row 0
  int64_t threshold;       // its variable, or -1
  int64_t threshold_rate;  // its coefficient in a positive row
  int64_t M;
  Ints points;             // the variable of each feature's λ
  Ints literal;            // the variable of each literal (2f: positive, 2f + 1: negative), or -1
  Ints rate;               // c_f of `up` (c_f p - λ >= 0) and `down` (c_f n + λ >= 0)
  Ints up;
  Ints down;
  Ints one_sign;           // the row p + n <= 1 of each feature
  int64_t size_row;        // the row that limits the number of literals, or -1
  int64_t size_most;
  Ints sum_row;            // of each literal: the row literal = Σ of its values' binaries, or -1
  Ints value_start;        // where the binaries of each literal begin in `value`
  Ints value;
  Ints objective;
  int64_t best;
  int64_t cutoff;          // the line objective <= best - 1
  Ints leaf_row;           // the row at each leaf of the tree of blocks, -1 for none
  Ints row_leaf;
  Ints block;              // the line Σ cost z >= 0 over the rows of each block, by heap order; -1 for none
};

// The state at the current place: bounds as (line, value), and the sign of each feature in use.
struct PlaceBounds {
  Ints lower_line;
  Ints lower;
  Ints upper_line;
  Ints upper;
  Ints used;
};

// Covers times multipliers, and what completes them to a bound of the objective.
struct Combination {
  Matrix<int64_t> members;  // (covers, 4): the rows of each, -1 where there are fewer
  Ints u;                   // the multiplier of each
  Flags allowed;            // by literal
  Ints cost;                // the least cost of each literal
  int64_t theta;            // the multiplier of the size row; -1 chooses the one that leaves no literal a gain
  Ints dropped;             // the reduced cost of each literal to drop; empty for none
};

// The covers that hold everywhere and the lines that say so, in a table with open places of -1.
struct CoverTable {
  Ints key;
  Ints line;
};

// Text that grows, and the numbers of the next line and of the covers kept. Lines are written once there is room for them:
// `reserve` comes before `start`.
class Writer {
 public:
  using Text = std::vector<uint8_t>;
  static constexpr int64_t kLongestTerm = 64;  // bytes: a line's number and a ratio
  static constexpr int64_t kLongLine = 400;    // of a branching

  // `at`: how many bytes are written, the next line's number, and how many covers are kept.
  Writer(Text& text, Ints at) : text_(text), size_(at[0]), line(at[1]), covers(at[2]) {}

  int64_t size() const { return size_; }
  void reserve(int64_t more) {
    if (size_ + more > static_cast<int64_t>(text_.size())) text_.resize(2 * (size_ + more));
  }
  // The name of the next line, its sense ("at most", else "at least") and its right side.
  void start(bool is_most, int64_t right) {
    put('d');
    digits(line);
    put(' ');
    put(is_most ? 'L' : 'G');
    whole(right);
  }
  // The end of a line; the next one has the next number.
  void end(int64_t last_use) {
    word(" }");
    whole(last_use);
    put('\n');
    line++;
  }
  void word(std::string_view letters) {
    for (char letter : letters) put(letter);
  }
  // A space and a whole number.
  void whole(int64_t number) {
    put(' ');
    digits(number);
  }
  // A line's number and its multiplier in lowest terms.
  void term(int64_t of, int64_t top, int64_t bottom);

  // One side of a branching on a variable.
  void assume(bool is_most, int64_t right, int64_t variable);
  // Concludes objective >= best from both sides of a branching.
  void close_branching(int64_t best, int64_t first, int64_t first_assumed, int64_t second, int64_t second_assumed);

 private:
  void put(char letter) { text_[size_++] = static_cast<uint8_t>(letter); }
  void digits(int64_t number);

  Text& text_;
  int64_t& size_;

 public:
  int64_t &line, &covers;
};

}  // namespace supersparse
