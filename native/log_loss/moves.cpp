#include "log_loss/moves.hpp"

#include <algorithm>

#include "log_loss/elementary.hpp"
#include "log_loss/shapes.hpp"

namespace supersparse::log_loss {
namespace {

constexpr double kFar = 4.0;  // rows whose value in a column is this many times its scale are estimated exactly
constexpr double kLeastGain = 1e-9;
constexpr int kMostSteps = 200;
constexpr int kShapes = 4;          // roundings that are calibrated
constexpr double kPromise = 0.005;  // points that are this much worse by the model, relatively, are not tried
constexpr double kNear = 0.02;      // swaps that are this much worse, relatively, are settled before they are given up
constexpr int64_t kNone = -1;       // no column

// A card and how it is calibrated.
struct Card {
  std::vector<int64_t> index;  // into the values of each column
  double fit[4] = {0, 0, 0, 0};
  double value = 0;  // loss and penalty

  void operator=(const Card& other) {
    index = other.index;
    fit[0] = other.fit[0];
    fit[1] = other.fit[1];
    value = other.value;
  }
};

struct Move {
  double estimate;
  int64_t drop, column, value;  // the column that is left out or kNone, the one whose value changes, its new index
};

// The best moves by their estimate, best first.
struct Moves {
  explicit Moves(int64_t room) : room(room) {}

  void insert(const Move& move) {
    if (full()) {
      if (room == 0 || move.estimate >= list.back().estimate) return;
      list.pop_back();
    }
    const auto worse = [&](double estimate, const Move& other) { return estimate < other.estimate; };
    list.insert(std::upper_bound(list.begin(), list.end(), move.estimate, worse), move);
  }
  bool full() const { return static_cast<int64_t>(list.size()) == room; }
  // Moves with at least this estimate are not kept.
  double worst() const { return full() && room ? list.back().estimate : kInfinity; }

  int64_t room;
  std::vector<Move> list;
};

enum class Way { change, add, add_freely };

class LocalSearch {
 public:
  LocalSearch(const RiskData& data, const Support& support, Ints low, Ints high, int64_t most)
      : data_(data), support_(support), low_(low), high_(high), most_(most), columns_(low.size), points_(low.size) {}

  double run(const Best& best, const SwapRecord& settled, Ints index, int64_t few, int64_t tries) {
    const int64_t p = index.size, n = data_.n_rows();
    Card at, trial, rest;
    at.index.assign(index.begin(), index.end());
    double positive = 0, negative = 0;
    for (int64_t i = 0; i < n; i++) positive += data_.positive[i], negative += data_.negative[i];
    at.fit[1] = std::log(positive / negative);
    calibrate_card(at, kInfinity);
    if (few == 0) return at.value;
    find_far_rows();
    Moves moves(tries), singly(few);
    Shapes shapes(kShapes, p);
    for (bool improved = true; improved;) {
      settle(at, singly, trial);
      std::copy(at.index.begin(), at.index.end(), index.begin());
      if (tries == 0 || same(index, best.index, p) || was_here(settled, index)) return at.value;
      moves.list.clear();
      for (int64_t drop = 0; drop < p; drop++) {
        const int64_t zero = data_.zero[drop];
        if (at.index[drop] == zero || low_[drop] > zero || high_[drop] < zero) continue;
        rest = at;
        rest.index[drop] = zero;
        calibrate_card(rest, kInfinity);
        rank(rest, drop, Way::add, moves);
      }
      improved = try_moves(at, moves, trial) || reshape(at, kNone, at.value, shapes, trial);
      if (improved) continue;
      if (count(at) < most_) {
        singly.list.clear();
        rank(at, kNone, Way::add_freely, singly);
        improved = reshape_moved(at, singly, shapes, rest, trial);
      }
      if (!improved) improved = reshape_moved(at, moves, shapes, rest, trial);
    }
    std::copy(at.index.begin(), at.index.end(), index.begin());
    if (at.value < best.value[0] + 1e-7) {
      const int64_t k = find_used(at);
      load(data_, support_, view(columns_), k);
      offer(data_, support_, best, view(points_), k, {at.fit, 4}, kInfinity, true);
    }
    return at.value;
  }

 private:
  // The columns in use and their values; returns how many they are.
  int64_t find_used(const Card& card) {
    int64_t k = 0;
    for (size_t j = 0; j < card.index.size(); j++) {
      if (card.index[j] == data_.zero[j]) continue;
      columns_[k] = static_cast<int64_t>(j);
      points_[k++] = card.index[j];
    }
    return k;
  }

  int64_t count(const Card& card) const {
    int64_t used = 0;
    for (size_t j = 0; j < card.index.size(); j++) used += card.index[j] != data_.zero[j];
    return used;
  }

  // Find slope, intercept, loss and penalty of a card; infinite if it is not allowed. More than `enough` may be an estimate.
  double calibrate_card(Card& card, double enough) {
    const int64_t k = find_used(card);
    load(data_, support_, view(columns_), k);
    return card.value = card_value(data_, support_, view(points_), k, {card.fit, 4}, enough);
  }

  // Find the rows of each column whose values are far from the others.
  void find_far_rows() {
    for (int64_t j = 0; j < data_.n_columns(); j++) {
      first_far_.push_back(static_cast<int64_t>(far_.size()));
      const Floats x = data_.x.row(j);
      for (int64_t i = 0; i < x.size; i++)
        if (std::fabs(x[i]) > kFar) far_.push_back(i);
    }
    first_far_.push_back(static_cast<int64_t>(far_.size()));
  }

  // The loss of the far rows of a column when their logits z move by so much times its values.
  double far_loss(Floats z, int64_t j, double by) const {
    double sum = 0, e;
    for (int64_t at = first_far_[j]; at < first_far_[j + 1]; at++) {
      const int64_t i = far_[at];
      sum += loss_of_row<double>(z[i] + by * data_.x(j, i), data_.positive[i], data_.negative[i], e);
    }
    return sum;
  }

  bool breaks_a_limit(const std::vector<double>& totals, int64_t j, int64_t old, int64_t next) const {
    for (int64_t limit = 0; limit < data_.most.size; limit++)
      if (totals[limit] + data_.tables(limit, j, next) - data_.tables(limit, j, old) > data_.most[limit]) return true;
    return false;
  }

  // Estimate the loss and penalty of every change of one column of a card, and keep the best.
  // Columns in use take part if the way is `change`, the others if the card has room for them or the way is to add;
  // `drop` is only noted, and never added again. If freely, a column is added with any weight, not only with points: its
  // sign is what counts. Far from the rest, a row would decide by itself what a quadratic model says of a column; it is left
  // to its own loss.
  void rank(const Card& at, int64_t drop, Way way, Moves& moves) {
    const int64_t n = data_.n_rows(), p = data_.n_columns();
    const Matrix<double> work = support_.work;
    const Floats z = work.row(0), e = work.row(1), residual = work.row(2), curve = work.row(3), score = work.row(4);
    const double a = at.fit[0], b = at.fit[1];
    const bool used = way == Way::change, unused = way != Way::change || count(at) < most_;
    fill(score, 0.0, n);
    double penalty = 0;
    std::vector<double> totals(data_.most.size);
    for (int64_t j = 0; j < p; j++) {
      const int64_t own = at.index[j];
      if (own == data_.zero[j]) continue;
      add_column(score, data_.values(j, own) * data_.scale[j], data_.x.row(j), n);
      penalty += data_.penalty(j, own);
      for (int64_t limit = 0; limit < data_.most.size; limit++) totals[limit] += data_.tables(limit, j, own);
    }
    for (int64_t i = 0; i < n; i++) z[i] = a * score[i] + b;
    const double f = loss_at(z, data_.positive, data_.negative, e, n) + penalty;
    slopes_at(z, e, data_.positive, data_.negative, residual, curve, n);
    double own_sums[4];
    loops().column_sums(score.data, residual.data, curve.data, score.data, n, own_sums);
    const Fit fit{a, total(residual, n), own_sums[0], 1e-12 + total(curve, n), own_sums[1], own_sums[2]};
    support_.counts[kWork] += 3 * n * p;
    for (int64_t j = 0; j < p; j++) {
      const bool is_used = at.index[j] != data_.zero[j];
      if (j == drop || (is_used ? !used : !unused)) continue;
      double sums[4];
      loops().column_sums(data_.x.row(j).data, residual.data, curve.data, score.data, n, sums);
      ColumnSums column{sums[0], sums[1], sums[2], sums[3]};
      if (way == Way::add_freely) {
        const double rest = column.hxx - column.hx * column.hx / fit.h1;
        const int64_t v = data_.zero[j] + (column.rx < 0 ? 1 : -1);
        if (low_[j] <= v && v <= high_[j])
          moves.insert({f - 0.5 * column.rx * column.rx / std::max(rest, 1e-3 * column.hxx), drop, j, v});
        continue;
      }
      for (int64_t far = first_far_[j]; far < first_far_[j + 1]; far++) {
        const int64_t i = far_[far];
        const double x = data_.x(j, i), c = curve[i] * x;
        column.rx -= residual[i] * x;
        column.hx -= c;
        column.hxx -= c * x;
        column.hsx -= c * score[i];
      }
      rank_values(at, j, is_used, drop, f - far_loss(z, j, 0), fit, column, totals, z, moves);
    }
  }

  // Sums over the rows of a card: residuals r, with scores s; curvatures h, with s and s^2.
  struct Fit {
    double slope, r1, rs, h1, hs, hss;
  };
  // ... with the values x of a column that are not far: r x, h x, h x^2, h s x.
  struct ColumnSums {
    double rx, hx, hxx, hsx;
  };

  // By how much less the loss is at the best slope and intercept when a column moves the scores by u times its values.
  double gain_of_fit(const Fit& fit, const ColumnSums& column, double u) const {
    const double a = fit.slope, gb = fit.r1 + a * u * column.hx;
    if (data_.slope_is_free) {
      const double ga = fit.rs + u * column.rx + a * u * (column.hsx + u * column.hxx);
      const double haa = fit.hss + 2 * u * column.hsx + u * u * column.hxx, hab = fit.hs + u * column.hx;
      const double det = haa * fit.h1 - hab * hab;
      if (det > 1e-12 * haa * fit.h1) return 0.5 * (fit.h1 * ga * ga - 2 * hab * ga * gb + haa * gb * gb) / det;
    }
    return 0.5 * gb * gb / fit.h1;
  }

  // Estimate every value of one column: of one in use all are kept, of another the best.
  void rank_values(const Card& at, int64_t j, bool is_used, int64_t drop, double near, const Fit& fit, const ColumnSums& column,
                   const std::vector<double>& totals, Floats z, Moves& moves) {
    const int64_t own = at.index[j], zero = data_.zero[j];
    double worst = moves.worst(), best = kInfinity;
    int64_t chosen = zero;
    for (int64_t v = low_[j]; v <= high_[j]; v++) {
      if (v == own || (v == zero && !is_used) || breaks_a_limit(totals, j, own, v)) continue;
      const double u = (data_.values(j, v) - data_.values(j, own)) * data_.scale[j], by = fit.slope * u;
      const double linear = by * column.rx, square = by * fit.slope * u * column.hxx;
      double next = near + linear + 0.5 * square - gain_of_fit(fit, column, u) + data_.penalty(j, v) - data_.penalty(j, own);
      if (next >= worst || (!is_used && next >= best - 1e-12)) continue;
      next += far_loss(z, j, by);
      if (is_used) {
        moves.insert({next, drop, j, v});
        worst = moves.worst();
      } else if (next < best - 1e-12) {
        best = next;
        chosen = v;
      }
    }
    if (best < kInfinity) moves.insert({best, drop, j, chosen});
  }

  void make(const Move& move, Card& card) const {
    if (move.drop >= 0) card.index[move.drop] = data_.zero[move.drop];
    card.index[move.column] = move.value;
  }

  // Make the first of the moves that improves the card; they receive their exact values.
  bool try_moves(Card& at, Moves& moves, Card& trial) {
    for (Move& move : moves.list) {
      trial = at;
      make(move, trial);
      move.estimate = calibrate_card(trial, at.value);
      if (move.estimate < at.value - kLeastGain) {
        at = trial;
        return true;
      }
    }
    return false;
  }

  // Change one column at a time, or add one, while that helps.
  void settle(Card& at, Moves& moves, Card& trial) {
    for (int step = 0; step < kMostSteps; step++) {
      moves.list.clear();
      rank(at, kNone, Way::change, moves);
      if (!try_moves(at, moves, trial)) break;
    }
  }

  // Choose all points of a card again, features unchanged, while that helps; whether it did.
  // Points are only tried where a model promises about `enough`. A column that is `added` is in the card, but not in its fit.
  bool reshape(Card& at, int64_t added, double enough, Shapes& shapes, Card& trial) {
    bool improved = false;
    for (bool again = true; again;) {
      again = false;
      const int64_t k = find_used(at);
      if (k < 2) return improved;
      load(data_, support_, view(columns_), k);
      std::vector<double> beta(k);
      for (int64_t q = 0; q < k; q++) {
        const int64_t j = columns_[q];
        const bool is_new = j == added && !improved;
        beta[q] = at.fit[0] * (is_new ? 0 : data_.values(j, points_[q])) * data_.scale[j];
      }
      shape(data_, support_, low_, high_, view(beta), at.fit[1], (1 + kPromise) * enough, shapes);
      const std::vector<int64_t> columns(columns_.begin(), columns_.begin() + k);
      for (int64_t c = 0; c < shapes.count; c++) {
        trial = at;
        for (int64_t q = 0; q < k; q++) trial.index[columns[q]] = shapes.index(c)[q];
        if (calibrate_card(trial, at.value) < at.value - kLeastGain) {
          at = trial;
          improved = again = true;
          break;
        }
      }
    }
    return improved;
  }

  // Make the first of the moves that improves the card once all its points are chosen again.
  bool reshape_moved(Card& at, const Moves& moves, Shapes& shapes, Card& rest, Card& trial) {
    for (const Move& move : moves.list) {
      if (!(move.estimate < (1 + kNear) * at.value)) continue;
      rest = at;
      make(move, rest);
      if (move.drop >= 0) calibrate_card(rest, kInfinity);
      reshape(rest, move.drop >= 0 ? kNone : move.column, at.value, shapes, trial);
      if (rest.value < at.value - kLeastGain) {
        at = rest;
        return true;
      }
    }
    return false;
  }

  // Whether swaps have started from a card; from now on, they have.
  static bool was_here(const SwapRecord& settled, Ints index) {
    const int64_t room = settled.index.rows, p = settled.index.columns;
    for (int64_t c = 0; c < std::min(settled.count[0], room); c++)
      if (same(settled.index.row(c), index, p)) return true;
    copy(settled.index.row(settled.count[0] % room), index, p);
    settled.count[0]++;
    return false;
  }

  const RiskData& data_;
  const Support& support_;
  Ints low_, high_;
  int64_t most_;
  std::vector<int64_t> columns_, points_;  // of the card at hand
  std::vector<int64_t> first_far_, far_;   // where the far rows of each column begin; the rows
};

}  // namespace

double improve(const RiskData& data, const Support& support, const Best& best, const SwapRecord& settled, Ints low, Ints high,
               int64_t most, Ints index, int64_t few, int64_t tries) {
  return LocalSearch(data, support, low, high, most).run(best, settled, index, few, tries);
}

}  // namespace supersparse::log_loss
