// Proofs over boxes of points on one support: match cells in conflict, write their covers, or split.
//
// Rows that agree on the support form a cell. Rows of both classes in one cell are in conflict whatever the points, so they
// are paired first; what is left of a cell is of one class. A box is closed by a matching of positive with negative cells
// that cannot both be right in it.
#pragma once
#include "errors/cover_proofs.hpp"

namespace supersparse {

// The cells of a support with weight left, positive ones and negative ones, and the rows behind them.
struct Cells {
  Matrix<int64_t> up_x;   // (cells, dimensions)
  Matrix<int64_t> down_x;
  Ints up_weight;
  Ints down_weight;
  Ints up_start;          // where the rows of each cell begin in `up_row`
  Ints up_row;
  Ints down_start;
  Ints down_row;
  Ints left;              // of each row's weight, after the pairs below
  Matrix<int64_t> pairs;  // (pairs, 2): rows of both classes in one cell
  Ints pair_u;
  int64_t base;           // Σ pair_u
};

// One support to prove: its cells, its points, and what every model on it pays.
struct SupportTask {
  Cells cells;
  Ints variables;  // of the points
  Floats spread;   // how far a unit of each moves the totals
  Flags allowed;
  Ints cost;       // the least cost of each literal
  int64_t fixed;   // what every model on the support pays for its literals
  int64_t gap;     // between the totals of a positive and a negative row, both right
  int64_t alone;   // whether a row can be wrong by itself
};

// What cells_of wrote into the room it was given.
struct CellCounts {
  int64_t up = 0, up_rows = 0, down = 0, down_rows = 0, pairs = 0, base = 0;
};

// Merges rows into cells; `x` holds the dimensions of the support for every row. `room` has place for as many cells and pairs
// as rows.
//
// With a free threshold, the two classes of a cell are paired off. Otherwise both may be wrong, at a score of 0, so nothing
// is paired off before the box is known.
CellCounts cells_of(Ints cell, Matrix<int64_t> x, Ints sign, Ints weight, bool is_free, const Cells& room);

// Multipliers of rows: four members of each cover, -1 where there are fewer.
struct RowCovers {
  std::vector<int64_t> members, u;
};

// Turns multipliers of cells (positive, negative, positive, negative) into multipliers of rows.
RowCovers in_rows(const Cells& cells, Matrix<int64_t> found, Ints u);

// The last whole number of the lower part of a range: at the geometric mean where it is long.
int64_t middle(int64_t a, int64_t b);

// Closes the present box, or splits it on and on; CLOSED once the whole box is.
//
// PAUSED asks the caller to take the text and call again; OPEN (with `single`) means that the box must be split; BETTER that
// a better model exists. `frames` are the boxes under way, `depth` the last of them.
ProofState prove_boxes(const Facts& facts, const PlaceBounds& standing, const SupportTask& support, bool single,
                       Matrix<int64_t> frames, int64_t& depth, const CoverTable& kept, Writer& out, int64_t enough_text);

}  // namespace supersparse
