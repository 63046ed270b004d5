// Covers of a derivation: some rows are wrong, or some literal is in the model.
//
// A cover says that some of its rows are wrong or some literal is in the model: z_i + z_j + Σ literals >= 1. Its members are
// up to four rows, -1 where there are fewer; a row may stand twice. With D_f the sum of the rows' values, each counted + if
// positive and - if negative, their inequalities add up to Σ_f D_f λ_f + M Σ z >= something positive (as many positive as
// negative rows cancel the threshold). Then λ_f is removed by `up` or `down`, which bring in a literal, or by the present
// bounds of a feature in use; dividing by M and rounding up gives the cover. The line that closes a place of the tree is
// covers times multipliers, completed by bounds.
#pragma once
#include "errors/proof_lines.hpp"

namespace supersparse {

enum ProofState : int64_t { CLOSED, OPEN, PAUSED, BETTER, WRONG };

struct Closing {
  ProofState state;
  int64_t bound;
};

// Where a cover is kept, or would be, in a table with open places of -1.
int64_t kept_place(Ints keys, int64_t key);

// Writes covers and what they prove; WRONG if less than was promised. Pairs that hold everywhere are kept and written once,
// the others are used by the next line but them.
Closing close_by(const Facts& facts, const PlaceBounds& standing, const Combination& combination, const CoverTable& kept,
                 Writer& out);

// Writes literal <= 0 for each literal of a line Σ reduced literal <= rest, each larger than rest.
void write_dropped(const Facts& facts, const PlaceBounds& standing, int64_t line, Ints reduced, Writer& out);

}  // namespace supersparse
