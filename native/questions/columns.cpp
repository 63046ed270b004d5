// Two matrices are carried along: G, the root's quadratic with the included questions eliminated (what a question adds), and
// K, its inverse on included and active questions (what dropping one costs). They predict: they choose the order, and which
// sets are worth a check. A set is left out only where the dual bound (dual.hpp) of a set of questions that contains it
// reaches the loss at which a card of its size and price could still matter. A failed check leaves it in.
#include "questions/columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "questions/incumbents.hpp"
#include "questions/rows.hpp"

namespace supersparse {

constexpr int kGroup = 12;  // last questions checked at once

ColumnSearch::ColumnSearch(const Problem& problem, const Cells& rows, const Fit& root, const Quadratic& model,
                           const Incumbents& incumbents, Clock& clock, double reach, double floor, bool use_dual)
    : problem_(problem), rows_(rows), layout_(root.layout), model_(model), incumbents_(incumbents), clock_(clock),
      dual_(rows, root, model, reach), use_dual_(use_dual), floor_(floor) {
  place_of_.assign(problem.count(), -1);
  for (size_t place = 0; place < rows.set.size(); place++) place_of_[rows.set[place]] = static_cast<int>(place);
  int widest = 1;
  for (int heights : layout_.heights) widest = std::max(widest, heights);
  block_.resize(static_cast<size_t>(widest) * widest);
  half_.resize(block_.size());
  scratch_.resize(widest);
  product_.resize(static_cast<size_t>(std::max(1, model.size)) * widest);
  strip_.resize(product_.size());
}

bool ColumnSearch::stopping() const { return spent_ >= budget_ || clock_.stopped(); }

double ColumnSearch::allowed(double price, int size) const {
  if (!wanted_) return incumbents_.allowed(price, size);
  return (found_.size() < wanted_ ? std::numeric_limits<double>::max() : found_.front().first) - price;
}

// The loss below which a set of `size` questions, `size - level` of them active, could still matter: its price is at least
// that of the included and of so many of the cheapest.
double ColumnSearch::allowed_beyond(const std::vector<int>& active, int level, int size) const {
  return allowed(included_price_ + (size - level) * cheapest(active), size);
}

double ColumnSearch::cheapest(const std::vector<int>& active) const {
  double least = std::numeric_limits<double>::infinity();
  for (int place : active) least = std::min(least, problem_.least_price(rows_.set[place]));
  return least;
}

std::vector<int> ColumnSearch::questions_of(const std::vector<int>& places) const {
  std::vector<int> questions;
  for (int place : places) questions.push_back(rows_.set[place]);
  return questions;
}

double ColumnSearch::verified(const std::vector<int>& active, double need) {
  std::vector<int> set = included_;
  set.insert(set.end(), active.begin(), active.end());
  const int64_t units = static_cast<int64_t>(rows_.rows) * (static_cast<int64_t>(set.size()) + 8);
  spent_ += units;
  clock_.spend(units);
  checks_++;
  return use_dual_ ? dual_(set, need) : -std::numeric_limits<double>::infinity();
}

void ColumnSearch::leave(const std::vector<int>& active, int most) {
  if (wanted_ || active.empty()) return;
  const int more = std::max(1, problem_.least - static_cast<int>(included_.size()));
  const double loss = std::max(floor_, verified(active, -std::numeric_limits<double>::infinity()));
  const double bound = std::max(inherited_, incumbents_.objective_of(loss, included_price_ + more * cheapest(active)));
  (*parts_)({bound, most, false, questions_of(included_), questions_of(active), {}});
}

// The set `included_` itself: unless its own prediction or a check says otherwise it is looked at.
void ColumnSearch::offer(double predicted) {
  const int size = static_cast<int>(included_.size());
  if (size < problem_.least) return;
  std::vector<int> set = questions_of(included_);
  std::sort(set.begin(), set.end());
  if (!problem_.admits_set(set)) return;
  if (wanted_) {
    const double value = predicted + included_price_;
    if (found_.size() >= wanted_ && value >= found_.front().first) return;
    found_.push_back({value, set});
    std::push_heap(found_.begin(), found_.end());
    if (found_.size() > wanted_) {
      std::pop_heap(found_.begin(), found_.end());
      found_.pop_back();
    }
    return;
  }
  const double need = allowed(included_price_, size);
  double bound = floor_;
  if (predicted >= need) {
    bound = std::max(bound, verified({}, need));
    if (bound >= need) return;
  }
  (*sets_)(set, bound);
}

// Remove what can no longer be asked; false where no set is left. The least that a limit's weights can add up to is that of
// the included questions and of every active one below 0.
bool ColumnSearch::narrow(std::vector<int>& active) const {
  std::vector<char> open(problem_.count(), 0);
  for (int place : active) open[rows_.set[place]] = 1;
  for (bool changed = !problem_.limits.empty(); changed;) {
    changed = false;
    for (const Limit& limit : problem_.limits) {
      int64_t least = 0;
      for (int place : included_) least += limit.weight[rows_.set[place]];
      for (int place : active)
        if (const int j = rows_.set[place]; open[j]) least += std::min<int64_t>(0, limit.weight[j]);
      if (least > limit.most) return false;
      for (int place : active)
        if (const int j = rows_.set[place]; open[j] && limit.weight[j] > 0 && least + limit.weight[j] > limit.most) {
          open[j] = 0;
          changed = true;
        }
    }
  }
  std::erase_if(active, [&](int place) { return !open[rows_.set[place]]; });
  return !active.empty() && static_cast<int>(included_.size() + active.size()) >= problem_.least;
}

// side' (block)^-1 side of one question; a pivot of 0 counts for nothing.
double ColumnSearch::gain(const Vector& matrix, const Vector& side, int place) {
  const int m = width(place), from = at(place), p = model_.size;
  double total = 0;
  for (int i = 0; i < m; i++) {
    double* row = &block_[static_cast<size_t>(i) * m];
    const double* source = &matrix[static_cast<size_t>(from + i) * p + from];
    for (int k = 0; k < i; k++) {
      const double* other = &block_[static_cast<size_t>(k) * m];
      row[k] = other[k] > 0 ? (source[k] - dot(row, other, k)) / other[k] : 0;
    }
    const double pivot = source[i] + 1e-14 - dot(row, row, i);
    row[i] = pivot > 1e-12 * source[i] + 1e-16 ? std::sqrt(pivot) : 0;
    scratch_[i] = row[i] > 0 ? (side[from + i] - dot(row, scratch_.data(), i)) / row[i] : 0;
    total += scratch_[i] * scratch_[i];
  }
  return total;
}

// matrix - matrix[:, j] (block j)^-1 matrix[j, :] on the blocks of `active` (those on the diagonal alone if `diagonal`).
void ColumnSearch::sweep(const Vector& matrix, const Vector& side, int place, const std::vector<int>& active, Vector& to,
                         Vector& side_to, bool diagonal) {
  const int m = width(place), from = at(place), p = model_.size;
  const auto entry = [&](int i, int k) { return matrix[static_cast<size_t>(std::max(i, k)) * p + std::min(i, k)]; };
  for (int i = 0; i < m; i++)
    for (int k = 0; k < m; k++) block_[i * m + k] = entry(from + i, from + k) * (i == k ? 1 + 1e-12 : 1);
  factorize(block_.data(), m);
  invert_factored(block_.data(), m, half_.data());
  for (int other : active)
    for (int i = at(other); i < at(other) + width(other); i++) {
      for (int l = 0; l < m; l++) strip_[static_cast<size_t>(l) * p + i] = entry(i, from + l);
      double shift = 0;
      for (int k = 0; k < m; k++) {
        double value = 0;
        for (int l = 0; l < m; l++) value += strip_[static_cast<size_t>(l) * p + i] * half_[l * m + k];
        product_[static_cast<size_t>(i) * m + k] = value;
        shift += value * side[from + k];
      }
      side_to[i] = side[i] - shift;
    }
  const RowLoops& loops = row_loops();
  for (int other : active)
    for (int i = at(other); i < at(other) + width(other); i++) {
      const int first = diagonal ? at(other) : 0;
      const size_t row = static_cast<size_t>(i) * p + first;
      loops.eliminate(i + 1 - first, m, &product_[static_cast<size_t>(i) * m], &strip_[first], p, &matrix[row], &to[row]);
    }
}

void ColumnSearch::start(const std::vector<int>& included, const std::vector<int>& active) {
  const int p = model_.size;
  const int deepest = std::min<int>(problem_.most, static_cast<int>(included.size() + active.size())) + 1;
  levels_.resize(std::max<size_t>(levels_.size(), deepest + 1));
  for (Level& level : levels_) {
    level.G.resize(static_cast<size_t>(p) * p);
    level.K.resize(level.G.size());
    level.c.resize(p);
    level.t.resize(p);
  }
  Level& first = levels_[included.size()];
  std::vector<int> all = included, index;
  all.insert(all.end(), active.begin(), active.end());
  for (int place : all)
    for (int i = 0; i < width(place); i++) index.push_back(at(place) + i);
  const int k = static_cast<int>(index.size());
  Vector system(static_cast<size_t>(k) * k), inverse(system.size()), heights(k);
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < k; j++) system[static_cast<size_t>(i) * k + j] = model_.G[static_cast<size_t>(index[i]) * p + index[j]];
    system[static_cast<size_t>(i) * k + i] *= 1 + 1e-9;  // predictions may have a ridge
    heights[i] = model_.pull[index[i]];
  }
  factorize(system.data(), k);
  solve_factored(system.data(), k, heights.data());
  invert_factored(system.data(), k, inverse.data());
  for (int i = 0; i < k; i++) {
    first.t[index[i]] = heights[i];
    for (int j = 0; j < k; j++) first.K[static_cast<size_t>(index[i]) * p + index[j]] = inverse[static_cast<size_t>(i) * k + j];
  }
  first.G = model_.G;
  first.c = model_.pull;
}

void ColumnSearch::run(const Part& part, int64_t budget, const Sets& sets, const Parts& parts) {
  sets_ = &sets;
  parts_ = &parts;
  budget_ = budget;
  spent_ = 0;
  inherited_ = part.bound;
  included_.clear();
  included_price_ = problem_.least_price(part.included);
  std::vector<int> included, active;
  for (int j : part.included) included.push_back(place_of_[j]);
  for (int j : part.active) active.push_back(place_of_[j]);
  start(included, active);
  Level& first = levels_[included.size()];
  // What the included questions explain, and what is left when all but they and the active are gone.
  double explained = 0;
  for (size_t i = 0; i < included.size(); i++) {
    explained += gain(first.G, first.c, included[i]);
    std::vector<int> rest(included.begin() + i + 1, included.end());
    rest.insert(rest.end(), active.begin(), active.end());
    sweep(first.G, first.c, included[i], rest, first.G, first.c, false);
  }
  double kept = 0;
  for (const std::vector<int>* places : {&included, &active})
    for (int place : *places)
      for (int i = at(place); i < at(place) + width(place); i++) kept += first.t[i] * model_.pull[i];
  included_ = included;
  const int level = static_cast<int>(included.size());
  descend(level, level, active, part.most, explained, model_.energy - kept);
}

std::vector<std::vector<int>> ColumnSearch::predicted(int count, int most, int64_t budget) {
  wanted_ = count;
  found_.clear();
  Part part;
  for (int place = 0; place < static_cast<int>(rows_.set.size()); place++) {
    const int j = rows_.set[place];
    (problem_.must[j] ? part.included : part.active).push_back(j);
  }
  part.most = most;
  run(part, budget, {}, {});  // what is wanted is offered, not handed out
  wanted_ = 0;
  std::sort(found_.begin(), found_.end());
  std::vector<std::vector<int>> out;
  for (auto& [value, set] : found_) out.push_back(set);
  return out;
}

void ColumnSearch::predict(const std::vector<int>& set, Vector& heights) {
  std::vector<int> places;
  for (int j : set) places.push_back(place_of_[j]);
  dual_.predict(places, heights);
}

void ColumnSearch::last_level(int level, const std::vector<int>& active, double explained) {
  if (stopping()) return leave(active, level + 1);
  std::vector<std::pair<double, int>> rest;
  for (int place : active) {
    const double predicted = model_.constant + 0.5 * (model_.energy - explained - gain(levels_[level].G, levels_[level].c, place));
    const double price = problem_.least_price(rows_.set[place]);
    spent_ += width(place) * 8;
    if (wanted_ || predicted < allowed(included_price_ + price, level + 1)) {
      included_.push_back(place);
      included_price_ += price;
      offer(predicted);
      included_.pop_back();
      included_price_ -= price;
    } else {
      rest.push_back({predicted + price, place});
    }
  }
  std::sort(rest.begin(), rest.end());
  std::vector<int> members;
  for (auto [value, place] : rest) members.push_back(place);
  for (size_t from = 0; from < members.size(); from += kGroup) {
    if (stopping()) return leave({members.begin() + from, members.end()}, level + 1);
    group(level, {members.begin() + from, members.begin() + std::min(members.size(), from + kGroup)});
  }
}

void ColumnSearch::group(int level, const std::vector<int>& members) {
  if (stopping()) return leave(members, level + 1);
  const double need = allowed_beyond(members, level, level + 1);
  const double bound = verified(members, need);
  if (bound >= need) return;
  if (members.size() == 1) {
    std::vector<int> set = questions_of(included_);
    set.push_back(rows_.set[members[0]]);
    std::sort(set.begin(), set.end());
    if (problem_.admits_set(set)) (*sets_)(set, std::max(floor_, bound));
    return;
  }
  const auto middle = members.begin() + members.size() / 2;
  group(level, {members.begin(), middle});
  group(level, {middle, members.end()});
}

void ColumnSearch::descend(int level, int drops, std::vector<int> active, int most, double explained, double dropped) {
  if (!narrow(active) || level >= most) return;
  if (level == most - 1) return last_level(level, active, explained);
  Level& here = levels_[level];
  Level& next = levels_[level + 1];
  double failed_by = 0;
  while (!active.empty()) {
    if (stopping()) return leave(active, most);
    // The dearest to drop is decided first: the rest then falls soonest.
    double dearest = -1;
    int place = active[0];
    int64_t entries = 0;
    for (int other : active) {
      const double cost = gain(levels_[drops].K, levels_[drops].t, other);
      if (cost > dearest) {
        dearest = cost;
        place = other;
      }
      entries += width(other);
    }
    spent_ += entries * model_.size / 2;
    std::erase(active, place);
    const double price = problem_.least_price(rows_.set[place]);
    const double with = explained + gain(here.G, here.c, place);
    included_.push_back(place);
    included_price_ += price;
    offer(model_.constant + 0.5 * (model_.energy - with));
    if (!active.empty()) {
      sweep(here.G, here.c, place, active, next.G, next.c, level + 2 == most);
      descend(level + 1, drops, active, most, with, dropped);
    }
    included_.pop_back();
    included_price_ -= price;
    dropped += dearest;
    if (!narrow(active)) return;
    // Without this question: does everything that is left fall, or at least the large sizes (which may lose less)?
    const int smallest = std::max(level + 1, problem_.least);
    const double need = allowed_beyond(active, level, smallest);
    const double target = incumbents_.by_size() && !wanted_ ? allowed_beyond(active, level, most) : need;
    const double predicted = model_.constant + 0.5 * dropped;
    if (predicted >= target && wanted_) return;
    if (predicted >= target && predicted - target >= 1.5 * failed_by) {
      const double bound = verified(active, target);
      if (bound >= need) return;
      failed_by = std::max(predicted - target, 1e-9);
      while (most > smallest && bound >= allowed_beyond(active, level, most)) {
        most--;
        failed_by = 0;
      }
      if (level == most - 1) return last_level(level, active, explained);
    }
    sweep(levels_[drops].K, levels_[drops].t, place, active, here.K, here.t, false);
    drops = level;
  }
}

}  // namespace supersparse
