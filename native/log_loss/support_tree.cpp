#include "log_loss/support_tree.hpp"

#include <algorithm>
#include <cmath>
#include <functional>


namespace supersparse::log_loss {
namespace {

constexpr int64_t kScreened = 3;      // columns to go at which they are screened
constexpr int64_t kBounded = 3;       // columns to go from which on a node is bounded as a whole
constexpr double kSearchShare = 0.15, kSearchWork = 2e7;
constexpr double kStrongest = 2.5;    // an effect beyond this counts as this: it is pure, not strong

}  // namespace

SupportTree::SupportTree(const RiskData& data, const BitSets& bits, int64_t most_features)
    : rows_(data, bits, most_features), most_(most_features), all_(rows_, most_features + 1), cells_(rows_, most_features + 1), search_(rows_, most_features),
      nodes_(most_features + 1), used_(most_features + 1), code_(most_features + 1), left_(most_features + 1),
      is_left_(data.n_columns()), low_(data.n_columns()), high_(data.n_columns()), start_(data.n_columns() + 2) {
  for (int64_t level = 0; level <= most_; level++) screens_.push_back(std::make_unique<Screening>(rows_));
  for (auto& code : code_) code.assign(rows_.n, 0);
  for (auto& code : spare_code_) code.resize(rows_.n);
}

void SupportTree::start(Ints used, Ints candidates, int64_t room, Ints low, Ints high, Floats point) {
  std::copy(low.begin(), low.end(), low_.begin());
  std::copy(high.begin(), high.end(), high_.begin());
  std::copy(point.begin(), point.end(), start_.begin());
  supports_.clear();
  choose_alike(used, candidates);
  std::vector<int64_t> chosen;
  for (int64_t j : candidates)
    if (!alike_[j].empty() && std::find(used.begin(), used.end(), j) == used.end()) chosen.push_back(j);
  candidates = view(chosen);
  base_ = used.size;
  for (int64_t q = 0; q < base_; q++) {
    std::vector<int32_t>& columns = nodes_[q].columns;  // what later levels are packed from
    columns.assign(used.begin() + q, used.end());
    columns.insert(columns.end(), candidates.begin(), candidates.end());
    nodes_[q].next = nodes_[q].ends = 0;
    cells_.enter(q, q ? used_[q - 1] : -1, columns);
    use(q, static_cast<int32_t>(used[q]));
    all_.start(q);
  }
  Node& node = nodes_[base_];
  node.columns.assign(candidates.begin(), candidates.end());
  node.room = room;
  node.point.assign(rows_.columns + 1, 0.0);
  node.point[0] = std::log(loops().total(rows_.positive.data(), rows_.n) / loops().total(rows_.negative.data(), rows_.n));
  node.of_used.fit.clear();
  node.bound = 0;
  depth_ = base_;
  node.ends = -1;  // not entered yet
}

// Which columns stand for their classes: those used, and the first candidate of every other class. Columns of a class have the
// same ranges of points, mirrored where they are complementary; others stand for themselves.
void SupportTree::choose_alike(Ints used, Ints candidates) {
  alike_.assign(rows_.columns, {});
  std::vector<std::vector<int32_t>> chosen(rows_.columns);  // by class
  const auto values = rows_.data.values;
  const auto may_stand_for = [&](int32_t i, int64_t j) {
    if (high_[i] - low_[i] != high_[j] - low_[j]) return false;
    const bool is_equal = std::equal(rows_.bits(i), rows_.bits(i) + rows_.words, rows_.bits(j));
    for (int64_t v = low_[i]; v <= high_[i]; v++)
      if (values(i, v) != (is_equal ? values(j, low_[j] + v - low_[i]) : -values(j, high_[j] - (v - low_[i])))) return false;
    return true;
  };
  const auto add = [&](int64_t j, bool must_stand) {
    auto& own = chosen[rows_.first_alike[j]];
    for (size_t q = 0; q < own.size() && !must_stand; q++)
      if (may_stand_for(own[q], j)) return alike_[own[q]].push_back(static_cast<int32_t>(j));
    own.push_back(static_cast<int32_t>(j));
    alike_[j].push_back(static_cast<int32_t>(j));
  };
  for (int64_t j : used) add(j, true);
  for (int64_t j : candidates) add(j, false);
}

// The supports that take columns of this one's classes more than once, as many as there may be.
std::vector<std::vector<int32_t>> SupportTree::repeated(const std::vector<int32_t>& support) const {
  std::vector<std::vector<int32_t>> out;
  size_t all = 0;
  for (int32_t j : support) all += alike_[j].size();
  if (all == support.size()) return out;
  const size_t size = std::min<size_t>(most_, all);
  std::vector<int32_t> own;
  const std::function<void(size_t, size_t)> choose = [&](size_t q, size_t left) {
    if (q == support.size()) {
      std::vector<int32_t> sorted = own, given = support;
      std::sort(sorted.begin(), sorted.end());
      std::sort(given.begin(), given.end());
      if (left == 0 && sorted != given) out.push_back(own);
      return;
    }
    const auto& alike = alike_[support[q]];
    for (size_t count = 0; count <= std::min(alike.size(), left); count++) {
      own.insert(own.end(), alike.begin(), alike.begin() + static_cast<int64_t>(count));
      choose(q + 1, left - count);
      own.resize(own.size() - count);
    }
  };
  choose(0, size);
  return out;
}

// The cells of the depth below: those of this one, divided by a column.
void SupportTree::use(int64_t depth, int32_t column) {
  used_[depth] = column;
  divide_cells(rows_, code_[depth], column, depth, code_[depth + 1]);
  work_ += 0.3 * static_cast<double>(rows_.n);
}

// Bounds the node at this depth and prepares its children; false if it is excluded.
bool SupportTree::enter(int64_t depth, double threshold) {
  Node& node = nodes_[depth];
  const int64_t size = static_cast<int64_t>(node.columns.size());
  node.next = 0;
  node.is_screened = false;
  if (size <= node.room) {
    keep_support(depth, node.columns.data(), size);
    node.ends = 0;
    return true;
  }
  node.ends = size - node.room + 1;
  cells_.enter(depth, depth ? used_[depth - 1] : -1, node.columns);
  all_.start(depth);
  if (node.room >= kBounded) {
    std::vector<int32_t> columns(used_.begin(), used_.begin() + depth);
    columns.insert(columns.end(), node.columns.begin(), node.columns.end());
    const double before = all_.work();
    const AllColumns::Outcome found = all_.bound(depth, columns, threshold, node.point);
    relaxed_++;
    if (found.passed) {
      node.ends = 0;
      work_ += all_.work() - before;
      return false;
    }
    node.bound = std::max(node.bound, found.bound);
    std::vector<std::pair<double, int32_t>> order;
    for (int32_t j : node.columns) {
      const double share = static_cast<double>(screen_loops().count_ones(rows_.bits(j), rows_.words)) / static_cast<double>(rows_.n);
      order.emplace_back(-std::min(std::fabs(node.point[1 + j]), kStrongest) * std::sqrt(share * (1 - share)), j);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (int64_t q = 0; q < size; q++) node.columns[q] = order[q].second;
    if (node.room <= kScreened) {
      columns.resize(depth);
      node.ends = all_.first_excluded(depth, columns, node.columns, node.ends, threshold, node.point);
    }
    work_ += all_.work() - before;
    if (node.room > kScreened) return true;
  }
  node.of_used.run(rows_, code_[depth], depth);
  work_ += 2.0 * static_cast<double>(rows_.n) + 20.0 * static_cast<double>((depth + 2) * std::min(rows_.n, int64_t{1} << depth));
  std::vector<int32_t> used(used_.begin(), used_.begin() + depth);
  Screening& screen = *screens_[depth];
  const double before = screen.work();
  const bool is_sorted = node.room >= kBounded || node.room == 1;
  node.is_screened = screen.prepare(used, node.of_used.risk, code_[depth], node.columns, node.room > 1 && is_sorted);
  if (node.is_screened && !is_sorted) {
    std::vector<std::pair<double, int32_t>> order;
    for (int64_t q = 0; q < size; q++) order.emplace_back(-screen.gains()[q], node.columns[q]);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (int64_t q = 0; q < size; q++) node.columns[q] = order[q].second;
    node.is_screened = screen.prepare(used, node.of_used.risk, code_[depth], node.columns, true);
  }
  work_ += screen.work() - before;
  return true;
}

void SupportTree::keep_support(int64_t depth, const int32_t* more, int64_t count) {
  std::vector<int32_t> support(used_.begin(), used_.begin() + depth);
  support.insert(support.end(), more, more + count);
  supports_.push_back({std::move(support), false});
}

// The regression on a support decides whether boxes need to.
void SupportTree::keep_unless_excluded(int64_t depth, const int32_t* more, int64_t count, double threshold) {
  const std::vector<uint16_t>* code = &code_[depth];
  int32_t columns[16];
  std::copy_n(used_.data(), depth, columns);
  for (int64_t q = 0; q < count; q++) {
    std::vector<uint16_t>& next = spare_code_[q & 1];
    divide_cells(rows_, *code, more[q], depth + q, next);
    columns[depth + q] = more[q];
    code = &next;
  }
  leaf_.fit = nodes_[depth].of_used.fit;
  fitted_++;
  work_ += static_cast<double>(rows_.n) * (2 + 0.3 * static_cast<double>(count)) + 30.0 * static_cast<double>((depth + count) * std::min(rows_.n, int64_t{1} << (depth + count)));
  if (!leaf_.excludes(rows_, *code, columns, depth + count, threshold)) keep_support(depth, more, count);
}

// How many supports cost as much as a node with one column more, in nanoseconds, about.
int64_t SupportTree::worth_leaves(int64_t depth) const {
  const Node& node = nodes_[depth];
  const double n = static_cast<double>(rows_.n), m = std::min<double>(static_cast<double>(node.columns.size()), 60);
  const auto cells = [&](int64_t used) { return std::min(n, std::ldexp(1.0, static_cast<int>(used))); };
  const auto fit = [&](int64_t used) { return cells(used) * static_cast<double>(used * used + 120); };
  const double leaf = 500 + 2.6 * n + fit(depth + node.room);
  const double child = 3000 + 12 * n + 2.2 * fit(depth + 1) + 0.5 * m * (n + cells(depth + 1) * static_cast<double>(depth + 8)) +
                       (node.room == kScreened ? 0.5 * m * m * (0.06 * n + 3) : 0.0);
  return std::max<int64_t>(4, static_cast<int64_t>(child / leaf));
}

// The child i of a node with at most three columns to go: all that is left of it becomes a node or supports.
void SupportTree::screen_next(int64_t depth, double threshold) {
  Node& node = nodes_[depth];
  const int64_t i = node.next++, size = static_cast<int64_t>(node.columns.size());
  const int32_t column = node.columns[i];
  std::vector<Few>& left = left_[depth];
  Screening& screen = *screens_[depth];
  const double before = screen.work();
  if (node.is_screened) {
    screen.left_with(i, node.room, threshold, left);
  } else {
    left.clear();
    for (int64_t a = node.room > 1 ? i + 1 : 0; a < (node.room > 1 ? size : 1); a++) {
      if (node.room == 1) left.push_back({-1, -1});
      if (node.room == 2) left.push_back({static_cast<int32_t>(a), -1});
      for (int64_t b = a + 1; node.room == 3 && b < size; b++) left.push_back({static_cast<int32_t>(a), static_cast<int32_t>(b)});
    }
  }
  work_ += screen.work() - before;
  const double all = node.room == 1 ? 1 : node.room == 2 ? size - i - 1 : 0.5 * static_cast<double>((size - i - 1) * (size - i - 2));
  looked_at_ += all;
  const double left_before = static_cast<double>(left.size());
  const double cost = cells_.cost(depth, node.room - 1);
  size_t kept = 0;
  int32_t divided = -2;
  const double enough = threshold + 1e-9;
  for (const Few& few : left) {
    if (few.a != divided || node.room < 3) {
      int32_t more[2];
      if (node.room == 3) {
        more[0] = column, more[1] = node.columns[few.a];
        cells_.divide(depth, more, 2);
      } else if (divided == -2) {
        more[0] = column;
        cells_.divide(depth, more, node.room - 1);
      }
      divided = few.a;
    }
    const int32_t last = node.room == 1 ? column : node.columns[node.room == 2 ? few.a : few.b];
    work_ += cost;
    if (cells_.bound(last, enough) < threshold) left[kept++] = few;
  }
  left.resize(kept);
  by_cells_ += left_before - static_cast<double>(kept);
  if (kept == 0) return;
  if (node.room == 1 || static_cast<int64_t>(kept) <= worth_leaves(depth)) {
    for (const Few& few : left) {
      const int32_t more[3] = {column, few.a < 0 ? -1 : node.columns[few.a], few.b < 0 ? -1 : node.columns[few.b]};
      keep_unless_excluded(depth, more, node.room, threshold);
    }
    return;
  }
  use_left(depth, i, threshold);
}

// The node with column i more, and of the others those that are left in some set.
void SupportTree::use_left(int64_t depth, int64_t i, double threshold) {
  Node &node = nodes_[depth], &child = nodes_[depth + 1];
  const int64_t size = static_cast<int64_t>(node.columns.size());
  child.columns.clear();
  std::fill_n(is_left_.begin(), size, 0);
  for (const Few& few : left_[depth]) {
    is_left_[few.a] = 1;
    if (few.b >= 0) is_left_[few.b] = 1;
  }
  for (int64_t q = i + 1; q < size; q++)
    if (is_left_[q]) child.columns.push_back(node.columns[q]);
  child.room = node.room - 1;
  child.of_used.fit = node.of_used.fit;
  child.bound = node.bound;
  use(depth, node.columns[i]);
  screen_all(depth + 1, threshold);
}

// A node with at most two columns to go, at once.
void SupportTree::screen_all(int64_t depth, double threshold) {
  enter(depth, threshold);
  while (!is_done(nodes_[depth])) screen_next(depth, threshold);
}

// To the child that is next in line.
void SupportTree::descend(int64_t depth) {
  Node& node = nodes_[depth];
  Node& child = nodes_[depth + 1];
  const int64_t i = node.next++;
  child.columns.assign(node.columns.begin() + i + 1, node.columns.end());
  child.room = node.room - 1;
  child.point = node.point;
  child.of_used.fit.clear();
  child.bound = node.bound;
  child.ends = -1;
  use(depth, node.columns[i]);
  depth_ = depth + 1;
}

// The support that was kept first, to boxes.
void SupportTree::open_next(const Support& support, const Boxes& boxes, const Best& best) {
  const Kept kept = supports_.front();
  const std::vector<int32_t>& columns = kept.columns;
  supports_.pop_front();
  const int64_t k = static_cast<int64_t>(columns.size());
  std::vector<int64_t> low(k), high(k);
  std::vector<double> start(2 + k, 0.0);
  start[0] = start_[0], start[1] = start_[1];
  for (int64_t q = 0; q < k; q++) {
    support.columns[q] = columns[q];
    low[q] = low_[columns[q]], high[q] = high_[columns[q]];
  }
  open_support(rows_.data, support, boxes, best, k, view(low), view(high), view(start), 0.0);
  if (kept.is_final || support.state[kDepth] == 0) return;
  for (auto& more : repeated(columns)) supports_.push_front({std::move(more), true});
}

bool SupportTree::find_cards(const Support& support, const Best& best, Ints low, Ints high, int64_t budget) {
  const double before = search_.work();
  search_.run(support, best, low, high, static_cast<double>(budget));
  support.counts[kWork] += static_cast<int64_t>(search_.work() - before);
  return search_.work() < search_.first_budget();
}

bool SupportTree::run(const Support& support, const Boxes& boxes, const Best& best, int64_t budget) {
  // the search for cards goes on beside a long proof
  if (search_.is_hard() && search_.work() < kSearchShare * proof_work_) {
    const double before = search_.work();
    search_.run(support, best, view(low_), view(high_), kSearchWork);
    support.counts[kWork] += static_cast<int64_t>(search_.work() - before);
  }
  while (true) {
    support.counts[kWork] += static_cast<int64_t>(work_);
    proof_work_ += std::floor(work_);
    work_ -= std::floor(work_);
    support.counts[kSupports] += static_cast<int64_t>(looked_at_);
    support.counts[kCellPruned] += static_cast<int64_t>(by_cells_);
    support.counts[kRelaxed] += static_cast<int64_t>(relaxed_);
    support.counts[kFitted] += static_cast<int64_t>(fitted_);
    looked_at_ = by_cells_ = relaxed_ = fitted_ = 0;
    if (support.state[kDepth] > 0) {
      run_boxes(rows_.data, support, boxes, best, budget);
      if (support.state[kDepth] > 0) return false;
    }
    if (support.counts[kWork] >= budget) return supports_.empty() && depth_ < base_;
    if (!supports_.empty()) {
      open_next(support, boxes, best);
      continue;
    }
    if (depth_ < base_) return true;
    Node& node = nodes_[depth_];
    if (node.ends < 0) {
      // what is excluded with one child's columns is excluded with those of the children behind it
      if (!enter(depth_, threshold(best)) && depth_ > base_) nodes_[depth_ - 1].next = nodes_[depth_ - 1].ends;
    } else if (is_done(node)) {
      depth_--;
    } else if (node.room > kScreened) {
      descend(depth_);
    } else {
      screen_next(depth_, threshold(best));
    }
  }
}

int64_t SupportTree::most_left() const {
  int64_t count = depth_ - base_ + 1;
  for (const Kept& kept : supports_) count += 1 + (kept.is_final ? 0 : static_cast<int64_t>(repeated(kept.columns).size()));
  return count;
}

int64_t SupportTree::rest(Matrix<int8_t> status, Floats bounds) const {
  int64_t count = 0;
  const auto put = [&](const std::vector<int32_t>& used, int64_t n_used, const int32_t* open, int64_t n_open, double bound) {
    const Array<int8_t> own = status.row(count);
    std::fill(own.begin(), own.end(), static_cast<int8_t>(-1));
    const bool is_support = n_open == 0;
    for (int64_t q = 0; q < n_open; q++)
      for (int32_t j : alike_[open[q]]) own[j] = 0;
    for (int64_t q = 0; q < n_used; q++) {
      for (int32_t j : alike_[used[q]])
        if (!is_support) own[j] = 0;
    }
    for (int64_t q = 0; q < n_used; q++) own[used[q]] = 1;
    bounds[count++] = bound;
  };
  const auto put_support = [&](const std::vector<int32_t>& support) {
    put(support, static_cast<int64_t>(support.size()), nullptr, 0, 0.0);
  };
  for (const Kept& kept : supports_) {
    put_support(kept.columns);
    if (!kept.is_final)
      for (const auto& more : repeated(kept.columns)) put_support(more);
  }
  for (int64_t depth = base_; depth <= depth_; depth++) {
    const Node& node = nodes_[depth];
    if (node.ends >= 0 && is_done(node)) continue;
    const int64_t from = node.ends < 0 ? 0 : node.next;
    put(used_, depth, node.columns.data() + from, static_cast<int64_t>(node.columns.size()) - from, node.bound);
  }
  return count;
}

}  // namespace supersparse::log_loss
