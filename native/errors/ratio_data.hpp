// The arrays of the ratio bound, as `engine/exact/ratio_data.py` declares them, field by field.
#pragma once
#include "base/array.hpp"

namespace supersparse::ratios {

using Singles = Array<float>;
using SingleTable = Matrix<float>;
using IntTable = Matrix<int64_t>;

constexpr int64_t kFine = 1024;         // weights and factors are counted in 1/kFine
constexpr int64_t kMembers = 12;        // how many points a group has at most
constexpr int64_t kMostGroups = 2048;   // groups of more than two points that are kept; new ones replace the oldest
constexpr int64_t kMostListed = 600;    // how many groups the parts of a box look at
constexpr int64_t kFirstListed = 400;   // how many of them are chosen at once; the others are found in the parts
constexpr int64_t kMostPacked = 256;    // how many groups a packing looks at; a multiple of 4
constexpr int64_t kFirstPacked = 192;   // how many of them are listed ones; the others are found in the box
constexpr int64_t kBlock = 512;         // pairs that are looked at in one go, so that what they need stays near
constexpr int64_t kSorted = 2000;       // about how many of all pairs are sorted, those that cost least
constexpr int64_t kListedPerPoint = 30; // how many of one point the parts of a box look at
constexpr int64_t kMostTight = 160;     // how many limits may be met with equality
constexpr int64_t kLanes = 32;          // loops run to the next multiple of this, so that none is left for single numbers
constexpr double kLeastPrice = 0.3;     // of a literal without load; one with all it can bear costs 1
constexpr int64_t kVeryMuch = int64_t{1} << 60;

// The entries of BoxStack::number: open boxes, work in touched rows, groups ever kept, groups listed.
enum { TOP, WORK, NEXT, LISTED };

// The ratios of coefficients to the base, in order, and what the base may be.
struct Ratios {
  Singles value;  // those at and above 0
  Floats exact;   // the same
  int64_t most;   // the largest magnitude of the base
  IntTable limit; // (2, features): the largest magnitudes of coefficients, with positive and with negative sign
  double gap;     // no pair is right with less; a float
};

// All pairs of a positive and a negative point, the larger groups found, and what the features cost.
struct PointPairs {
  SingleTable difference;  // (features, pairs and kMostGroups): d
  IntTable member;         // (pairs and kMostGroups, kMembers): their points, then -1
  Ints name;               // (kMostGroups): a number for the points of each larger group
  IntTable exact;          // (features, points): what they have, the positive ones first
  SingleTable point;       // the same, above the least of each column
  int64_t n_positive, n_pairs;
  Ints weight;   // of all points, in 1/kFine
  Ints penalty;  // of each feature, in kernel units
  Floats spread;
  IntTable columns;  // (features, rows), to evaluate one vector
  Ints row_positive, row_negative;
  int64_t step, half, max_size, base_cost;
};

// The groups that the parts of a box look at, those in the packing, and scratch space for both.
struct PairList {
  Ints pair;               // (kMostListed): where they are kept
  IntTable member;         // (kMostListed, kMembers)
  SingleTable difference;  // (features, kMostListed): theirs
  Singles before;          // (kMostListed): their reach without the feature that is split
  Singles reach;           // (kMostListed): and with it
  Singles missing;         // (kMostListed)
  Singles total;           // (kMostListed): what undecided features can give
  Singles cost;            // (kMostListed): the price of what is missing
  Array<int32_t> key;      // (kMostListed): the bucket
  Ints order;              // (kMostListed): places in this list
  SingleTable price;       // (2, features): of the literals
  Ints place;              // (kMostPacked): those in the packing, in this list
  Ints size;               // (kMostPacked): how many points they have
  IntTable factor;         // (kMostPacked, features): signed, in 1/kFine
  Ints is_open;            // (kMostPacked): whether their literals may have something left
  Ints left;               // (points): of each point's weight
  Ints rest;               // (points): the same, after the best packing
  Singles guess;           // (kMostPacked): multipliers, in 1/kFine
  Singles gain;            // (kMostPacked): 1 less what each costs at the prices
  Singles demand;          // (points): prices
  SingleTable rate;        // (2, features): prices of the literals
  SingleTable near;        // (5, points)
};

// The linear program of a box, and where its solution stands; limits of points come before literals'.
struct Prices {
  IntTable point;       // (kMostPacked, kMembers): the points of each group
  SingleTable part;     // (kMostPacked, literals): what each group takes of each literal
  Ints first;           // (points): the last group of each, as group times kMembers plus place there; -1 for none
  IntTable next;        // (kMostPacked, kMembers): the group before it of the same point, likewise
  SingleTable inverse;  // (kMostTight, kMostTight): of B, by tight limit and used group
  Singles multiplier;   // (kMostTight): of the used groups
  Singles gain;         // (kMostTight): of the slacks of tight limits: minus their prices
  Singles pivot;        // (kMostTight): a row of it
  SingleTable taken;    // (kMostTight, kMostPacked): what each group takes of the tight limits
  Ints used;            // (kMostTight): the groups whose multipliers are not 0
  Ints tight;           // (kMostTight): the limits met with equality
  Ints at_used;         // (kMostPacked): where in `used`, -1 where the multiplier is 0
  Ints at_tight;        // (limits): where in `tight`, -1 where something is left
  Singles left;         // (limits): what is left of each
  Singles price;        // (limits)
  Singles change;       // (limits): by the step
  Singles length;       // (limits): of the step, for each
  Singles fall;         // (kMostTight): of the used multipliers, by the step
  Singles cost;         // (kMostPacked): of groups, at the prices
  Singles worth;        // (kMostPacked): what a gain counts, less where a group takes much
  Ints number;          // (2): how many limits there are, and how many are tight
};

// The linear program of points that must all be right, and where its solution stands.
struct Separation {
  Matrix<double> part;     // (features, points): what points have, as a part of the range of the column
  Floats range;            // (features)
  Ints is_taken;           // (points): those that must be right
  Floats weight;           // (points): what proves that they cannot all be
  Ints feature;            // (features): those that help
  Floats low, high;        // (features): the least and the most of what each of them gives for its range
  Ints basis;              // (features + 2): points, then features that give, then features that take
  Floats value, cost;      // (features + 2): of the basis
  Matrix<double> inverse;  // (features + 2, features + 2): of the basis
  Floats dual;             // (features + 2)
  Floats column;           // (features + 2): what enters, in terms of the basis
  Floats score;            // (points)
};

// Open boxes, the last on top, and scratch space; the vector found, if any.
struct BoxStack {
  Ints number;
  IntTable low, high;  // (boxes, features)
  Cube<int64_t> load;  // (boxes, 2, features): of the literals, with positive sign and with negative sign
  Singles reach;       // (pairs): of a box
  Array<int32_t> key;  // (pairs)
  Ints order;          // (pairs)
  SingleTable block;   // (3, kBlock)
  PairList listed;
  Prices prices;
  Separation separation;
  Ints member;          // (kMembers): of a group that may join
  Singles least, most;  // (features): a box at prices
  Ints vector;
};

// A part of a box: the ends of its ratios, and which features are in, and which undecided.
struct BoxPart {
  float gap;       // no pair is right with less
  int64_t split;   // the feature whose range it has a part of
  Singles low;     // (features)
  Singles high;    // (features)
  Ints used;       // (features): 1 where they are in
  Ints undecided;  // their numbers
};

template <class T>
void copy(Array<T> from, Array<T> to) {
  for (int64_t t = 0; t < from.size; t++) to[t] = from[t];
}

}  // namespace supersparse::ratios
