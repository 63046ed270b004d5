#include "errors/box_proofs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <tuple>

#include "base/sorting.hpp"

namespace supersparse {
namespace {

enum FramePart { STATE, SIDE, SPLIT, ASSUMED, FIRST_LINE, FIRST_ASSUMED, OLD_LINE, OLD_VALUE };

// The cells with weight left in one class; returns how many, and their rows.
std::pair<int64_t, int64_t> cells_on_one_side(const std::vector<int64_t>& order, Ints cell, Matrix<int64_t> x, Ints left,
                                              Ints sign, int64_t side, Matrix<int64_t> of_x, Ints weight, Ints start,
                                              Ints rows) {
  int64_t n = 0, t = 0, last = -1;
  for (int64_t r : order) {
    if (sign[r] != side || left[r] == 0) continue;
    if (cell[r] != last) {
      last = cell[r];
      start[n] = t;
      weight[n] = 0;
      std::copy_n(x.row(r).data, x.columns, of_x.row(n).data);
      n++;
    }
    weight[n - 1] += left[r];
    rows[t++] = r;
  }
  start[n] = t;
  return {n, t};
}

// The largest Σ λ (x - other) over a box.
int64_t most_difference(const int64_t* x, const int64_t* other, const std::vector<int64_t>& low,
                        const std::vector<int64_t>& high) {
  int64_t total = 0;
  for (size_t f = 0; f < low.size(); f++) {
    const int64_t d = x[f] - other[f];
    total += d > 0 ? high[f] * d : low[f] * d;
  }
  return total;
}

// The boxes of one support: matching and what it needs from box to box.
class Matching {
 public:
  Matching(const Cells& cells, int64_t gap, bool alone) : cells_(cells), gap_(gap), alone_(alone) {}

  std::vector<int64_t> low, high;

  // Matches cells in conflict and returns their total weight. Both right needs totals that differ by `gap`. With `alone`, a
  // cell that is wrong everywhere in the box pays alone. Stops once the total reaches `enough`.
  int64_t run(int64_t enough) {
    const int64_t n_up = cells_.up_weight.size, n_down = cells_.down_weight.size;
    left_up_.assign(cells_.up_weight.begin(), cells_.up_weight.end());
    left_down_.assign(cells_.down_weight.begin(), cells_.down_weight.end());
    found_.clear();
    u_.clear();
    total_ = 0;
    if (alone_) {
      origin_.assign(low.size(), 0);
      for (int64_t i = 0; i < n_up; i++)
        if (total_ < enough && most_difference(up_x(i), origin_.data(), low, high) < 1) take(i, -1, left_up_[i]);
      for (int64_t j = 0; j < n_down; j++)
        if (total_ < enough && most_difference(origin_.data(), down_x(j), low, high) < 1) take(-1, j, left_down_[j]);
    }
    score(n_up, &Matching::up_x, -1, up_score_);
    score(n_down, &Matching::down_x, 1, down_score_);
    const std::vector<int64_t> up = order_of(view(up_score_)), down = order_of(view(down_score_));  // falling, rising
    int64_t begin = n_up, rest = 0;
    for (int64_t j = 0; j < n_down; j++) rest += left_down_[j];
    for (int64_t j : down) {
      if (total_ >= enough || total_ + rest < enough) break;
      rest -= left_down_[j];
      if (left_down_[j] == 0) continue;
      while (begin > 0 && -up_score_[up[begin - 1]] < down_score_[j] + 2 * gap_) begin--;
      for (int64_t a = begin; a < n_up; a++) {
        const int64_t i = up[a];
        if (left_up_[i] <= 0 || most_difference(up_x(i), down_x(j), low, high) >= gap_) continue;
        take(i, j, std::min(left_up_[i], left_down_[j]));
        if (left_down_[j] == 0 || total_ >= enough) break;
      }
    }
    return total_;
  }

  RowCovers rows() {
    return in_rows(cells_, {found_.data(), static_cast<int64_t>(u_.size()), 4}, view(u_));
  }

 private:
  const int64_t* up_x(int64_t i) const { return cells_.up_x.row(i).data; }
  const int64_t* down_x(int64_t j) const { return cells_.down_x.row(j).data; }

  // Twice the total of each cell in the middle of the box, times `way`.
  void score(int64_t n, const int64_t* (Matching::*x_of)(int64_t) const, int64_t way, std::vector<int64_t>& to) const {
    to.resize(n);
    for (int64_t i = 0; i < n; i++) {
      const int64_t* x = (this->*x_of)(i);
      int64_t total = 0;
      for (size_t f = 0; f < low.size(); f++) total += (low[f] + high[f]) * x[f];
      to[i] = way * total;
    }
  }

  void take(int64_t i, int64_t j, int64_t t) {
    if (i >= 0) left_up_[i] -= t;
    if (j >= 0) left_down_[j] -= t;
    total_ += t;
    found_.insert(found_.end(), {i, j, -1, -1});
    u_.push_back(t);
  }

  const Cells& cells_;
  const int64_t gap_;
  const bool alone_;
  int64_t total_ = 0;
  std::vector<int64_t> origin_, left_up_, left_down_, up_score_, down_score_, found_, u_;
};

}  // namespace

CellCounts cells_of(Ints cell, Matrix<int64_t> x, Ints sign, Ints weight, bool is_free, const Cells& room) {
  const std::vector<int64_t> order = order_of(cell);
  const int64_t n = x.rows;
  const Ints left = room.left;
  std::copy(weight.begin(), weight.end(), left.begin());
  CellCounts counts;
  for (int64_t begin = is_free ? 0 : n; begin < n;) {
    int64_t end = begin;
    while (end < n && cell[order[end]] == cell[order[begin]]) end++;
    for (int64_t a = begin, b = begin;;) {
      while (a < end && (sign[order[a]] < 0 || left[order[a]] == 0)) a++;
      while (b < end && (sign[order[b]] > 0 || left[order[b]] == 0)) b++;
      if (a == end || b == end) break;
      const int64_t i = order[a], j = order[b], t = std::min(left[i], left[j]);
      left[i] -= t;
      left[j] -= t;
      room.pairs(counts.pairs, 0) = i;
      room.pairs(counts.pairs, 1) = j;
      room.pair_u[counts.pairs++] = t;
      counts.base += t;
    }
    begin = end;
  }
  std::tie(counts.up, counts.up_rows) =
      cells_on_one_side(order, cell, x, left, sign, 1, room.up_x, room.up_weight, room.up_start, room.up_row);
  std::tie(counts.down, counts.down_rows) =
      cells_on_one_side(order, cell, x, left, sign, -1, room.down_x, room.down_weight, room.down_start, room.down_row);
  return counts;
}

RowCovers in_rows(const Cells& cells, Matrix<int64_t> found, Ints u) {
  RowCovers covers;
  const int64_t most = cells.pairs.rows + 2 * found.rows;
  covers.members.reserve(4 * most);
  covers.u.reserve(most);
  for (int64_t k = 0; k < cells.pairs.rows; k++) {
    covers.members.insert(covers.members.end(), {cells.pairs(k, 0), cells.pairs(k, 1), -1, -1});
    covers.u.push_back(cells.pair_u[k]);
  }
  std::vector<int64_t> left(cells.left.begin(), cells.left.end());
  std::vector<int64_t> at[2] = {{cells.up_start.begin(), cells.up_start.end()},
                                {cells.down_start.begin(), cells.down_start.end()}};
  const Ints rows[2] = {cells.up_row, cells.down_row};
  for (int64_t k = 0; k < found.rows; k++) {
    for (int64_t missing = u[k]; missing > 0;) {
      int64_t t = missing, members[4] = {-1, -1, -1, -1};
      for (int m = 0; m < 4; m++) {
        const int64_t c = found(k, m);
        if (c < 0) continue;
        int64_t& place = at[m % 2][c];
        while (left[rows[m % 2][place]] == 0) place++;
        members[m] = rows[m % 2][place];
        t = std::min(t, left[members[m]]);
      }
      for (int m = 0; m < 4; m++)
        if (members[m] >= 0 && (m < 2 || members[m] != members[m - 2])) left[members[m]] -= t;
      covers.members.insert(covers.members.end(), members, members + 4);
      covers.u.push_back(t);
      missing -= t;
    }
  }
  return covers;
}

int64_t middle(int64_t a, int64_t b) {
  if (a < 0 && 0 < b) return -1;
  const int64_t near = std::min(std::abs(a), std::abs(b)), far = std::max(std::abs(a), std::abs(b));
  const double at = far > 2 * near ? std::sqrt(static_cast<double>(std::max<int64_t>(near, 1)) * static_cast<double>(far))
                                   : 0.5 * static_cast<double>(near + far);
  const int64_t whole = a >= 0 ? static_cast<int64_t>(at) : -static_cast<int64_t>(at) - 1;
  return std::max(a, std::min(b - 1, whole));
}

ProofState prove_boxes(const Facts& facts, const PlaceBounds& standing, const SupportTask& support, bool single,
                       Matrix<int64_t> frames, int64_t& depth, const CoverTable& kept, Writer& out, int64_t enough_text) {
  const Ints variables = support.variables;
  const int64_t k = variables.size, need = facts.best - support.fixed - support.cells.base;
  Matching matching(support.cells, support.gap, support.alone != 0);
  std::vector<int64_t>&low = matching.low, &high = matching.high;
  low.resize(k);
  high.resize(k);
  while (depth >= 0) {
    const Ints frame = frames.row(depth);
    if (frame[STATE] == 0) {
      if (out.size() > enough_text || 2 * out.covers > kept.key.size) return PAUSED;
      for (int64_t f = 0; f < k; f++) {
        low[f] = standing.lower[variables[f]];
        high[f] = standing.upper[variables[f]];
      }
      if (matching.run(need) >= need) {
        RowCovers covers = matching.rows();
        const Combination combination{{covers.members.data(), static_cast<int64_t>(covers.u.size()), 4}, view(covers.u),
                                      support.allowed, support.cost, -1, {}};
        const ProofState state = close_by(facts, standing, combination, kept, out).state;
        if (state != CLOSED) return state;
        depth--;
        continue;
      }
      if (single) return OPEN;
      int64_t side = -1;
      double widest = -1;
      for (int64_t f = 0; f < k; f++) {
        const double width = static_cast<double>(high[f] - low[f]) * support.spread[f];
        if (high[f] > low[f] && width > widest) {
          side = f;
          widest = width;
        }
      }
      if (side < 0) return BETTER;
      const int64_t v = variables[side];
      frame[STATE] = 1;
      frame[SIDE] = v;
      frame[SPLIT] = middle(low[side], high[side]);
      frame[ASSUMED] = out.line;
      frame[OLD_LINE] = standing.upper_line[v];
      frame[OLD_VALUE] = standing.upper[v];
      out.assume(true, frame[SPLIT], v);
      standing.upper_line[v] = frame[ASSUMED];
      standing.upper[v] = frame[SPLIT];
    } else if (frame[STATE] == 1) {
      const int64_t v = frame[SIDE];
      standing.upper_line[v] = frame[OLD_LINE];
      standing.upper[v] = frame[OLD_VALUE];
      frame[FIRST_LINE] = out.line - 1;
      frame[FIRST_ASSUMED] = frame[ASSUMED];
      frame[STATE] = 2;
      frame[ASSUMED] = out.line;
      frame[OLD_LINE] = standing.lower_line[v];
      frame[OLD_VALUE] = standing.lower[v];
      out.assume(false, frame[SPLIT] + 1, v);
      standing.lower_line[v] = frame[ASSUMED];
      standing.lower[v] = frame[SPLIT] + 1;
    } else {
      const int64_t v = frame[SIDE];
      standing.lower_line[v] = frame[OLD_LINE];
      standing.lower[v] = frame[OLD_VALUE];
      out.close_branching(facts.best, frame[FIRST_LINE], frame[FIRST_ASSUMED], out.line - 1, frame[ASSUMED]);
      depth--;
      continue;
    }
    if (++depth >= frames.rows) throw std::length_error("a box is split more often than its points have values");
    frames(depth, STATE) = 0;
  }
  return CLOSED;
}

}  // namespace supersparse
