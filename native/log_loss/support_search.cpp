#include "log_loss/support_search.hpp"

#include <algorithm>
#include <cmath>

#include "log_loss/search.hpp"

namespace supersparse::log_loss {
namespace {

constexpr double kHard = 7.3;        // the logarithm of the number of supports from which there are many
constexpr double kLarge = 3e5;       // values of a table from which a regression takes long
constexpr size_t kMostRounded = 20, kMostRoundedSmall = 100;  // supports at a time, where a table is large or not
constexpr double kNear = 0.01;       // roundings that come this near to the best card are polished
constexpr size_t kMostKnown = 200000;

}  // namespace

SupportSearch::SupportSearch(const BinaryRows& rows, int64_t most_features) : rows_(rows), screening_(rows) {
  for (int64_t j = 0; j < rows.columns; j++)
    if (rows.first_alike[j] == j) open_.push_back(static_cast<int32_t>(j));
  size_ = std::min<int64_t>(most_features, static_cast<int64_t>(open_.size()));
  code_.assign(size_ + 1, std::vector<uint16_t>(rows.n, 0));
  start_ = std::log(loops().total(rows.positive.data(), rows.n) / loops().total(rows.negative.data(), rows.n));
  is_hard_ = first_budget() > 0;
}

bool SupportSearch::is_large() const { return static_cast<double>(rows_.n) * static_cast<double>(open_.size()) > kLarge; }

size_t SupportSearch::most_rounded() const { return is_large() ? kMostRounded : kMostRoundedSmall; }

double SupportSearch::first_budget() const {
  double supports = 0;
  for (int64_t q = 0; q < size_; q++) supports += std::log10(static_cast<double>(open_.size() - q) / static_cast<double>(q + 1));
  if (supports <= kHard) return 0;
  return std::min(3e8, 2e7 * (supports - 6)) * (is_large() ? 2 : 1);
}

double SupportSearch::loss_of(const Columns& columns) {
  const auto at = known_.find(columns);
  const bool is_ranked = static_cast<int64_t>(columns.size()) < size_;  // its risks are needed
  if (at != known_.end() && !is_ranked) return at->second;
  for (size_t q = 0; q < columns.size(); q++) divide_cells(rows_, code_[q], columns[q], static_cast<int64_t>(q), code_[q + 1]);
  regression_.fit.assign(1, start_);
  regression_.run(rows_, code_[columns.size()], static_cast<int64_t>(columns.size()));
  const double size = static_cast<double>(columns.size());
  work_ += static_cast<double>(rows_.n) * (2 + 0.3 * size) + 60 * std::min(std::pow(2.0, size), static_cast<double>(rows_.n)) * (size + 4);
  if (known_.size() > kMostKnown) known_.clear();
  if (known_.emplace(columns, regression_.loss).second && !is_ranked) full_.push_back({regression_.loss, columns});
  return regression_.loss;
}

void SupportSearch::rank(const Columns& columns) {
  const double loss = loss_of(columns), before = screening_.work();
  ranked_.clear();
  Columns others;
  for (int32_t j : open_)
    if (!std::binary_search(columns.begin(), columns.end(), j)) others.push_back(j);
  const bool is_ranked = screening_.prepare(columns, regression_.risk, code_[columns.size()], others, false);
  work_ += screening_.work() - before + 20.0 * static_cast<double>(others.size());
  for (size_t q = 0; is_ranked && q < others.size(); q++) ranked_.emplace_back(loss - 0.5 * screening_.gains()[q], others[q]);
  std::sort(ranked_.begin(), ranked_.end());
}

namespace {

std::vector<int32_t> with(std::vector<int32_t> columns, int32_t more) {
  columns.insert(std::lower_bound(columns.begin(), columns.end(), more), more);
  return columns;
}

std::vector<int32_t> without(std::vector<int32_t> columns, size_t at) {
  columns.erase(columns.begin() + static_cast<int64_t>(at));
  return columns;
}

}  // namespace

// The beam, and swaps in the best of it.
void SupportSearch::grow() {
  const size_t wide = is_large() ? (is_hard_ ? 4 : 3) : (is_hard_ ? 12 : 5);
  std::vector<Columns> beam{{}};
  for (int64_t step = 0; step < size_; step++) {
    std::map<Columns, double> candidates;
    for (const Columns& columns : beam) {
      rank(columns);
      for (size_t q = 0; q < std::min(2 * wide, ranked_.size()); q++)
        candidates.emplace(with(columns, ranked_[q].second), ranked_[q].first);
    }
    std::vector<Scored> best;
    for (auto& [columns, loss] : candidates) best.push_back({loss, columns});
    const auto by_loss = [](const Scored& a, const Scored& b) { return a.loss < b.loss || (a.loss == b.loss && a.columns < b.columns); };
    std::sort(best.begin(), best.end(), by_loss);
    best.resize(std::min(best.size(), 2 * wide));
    for (Scored& one : best) one.loss = loss_of(one.columns);
    std::sort(best.begin(), best.end(), by_loss);
    best.resize(std::min(best.size(), wide));
    beam.clear();
    for (Scored& one : best) beam.push_back(one.columns);
    if (beam.empty()) return;
  }
  for (size_t start = 0; start < std::min<size_t>(beam.size(), is_hard_ ? wide : 2); start++) {
    Columns columns = beam[start];
    double loss = loss_of(columns);
    for (int turn = 0; turn < 20 && improve(columns, loss, is_hard_ ? 6 : 3); turn++) {}
    if (loss < current_loss_) current_loss_ = loss, current_ = columns;
  }
}

// The first swap that helps, of those that promise most.
bool SupportSearch::improve(Columns& columns, double& loss, int tries) {
  for (size_t q = 0; q < columns.size(); q++) {
    const Columns rest = without(columns, q);
    rank(rest);
    const auto ranked = ranked_;
    for (size_t e = 0; e < std::min<size_t>(tries, ranked.size()); e++) {
      const Columns changed = with(rest, ranked[e].second);
      const double changed_loss = loss_of(changed);
      if (changed_loss < loss - 1e-9) {
        loss = changed_loss, columns = changed;
        return true;
      }
    }
  }
  return false;
}

// Two or three columns out, others in, swaps; what is about as good goes on from there.
void SupportSearch::shake() {
  Columns columns = current_;
  for (int out = 2 + random(2); out > 0 && columns.size() > 1; out--) columns = without(columns, random(static_cast<int>(columns.size())));
  while (static_cast<int64_t>(columns.size()) < size_) {
    rank(columns);
    if (ranked_.empty()) return;
    columns = with(columns, ranked_[random(static_cast<int>(std::min<size_t>(3, ranked_.size())))].second);
  }
  double loss = loss_of(columns);
  while (work_ < budget_ && improve(columns, loss, 3)) {}
  if (loss < current_loss_ - 1e-9 || (loss < current_loss_ * 1.003 && random(4) == 0)) current_loss_ = loss, current_ = columns;
}

// The points of the best supports that were found since, as far as they can be better than the best card.
void SupportSearch::round(const Support& support, const Best& best, Ints low, Ints high) {
  std::sort(full_.begin(), full_.end(), [](const Scored& a, const Scored& b) { return a.loss < b.loss || (a.loss == b.loss && a.columns < b.columns); });
  for (size_t at = 0; at < std::min(full_.size(), most_rounded()) && full_[at].loss < best.value[0]; at++) {
    std::vector<int64_t> columns(full_[at].columns.begin(), full_[at].columns.end());
    const int64_t k = static_cast<int64_t>(columns.size());
    std::vector<double> point(k + 1), z(k + 1);
    for (size_t q = 0; q < columns.size(); q++) divide_cells(rows_, code_[q], full_[at].columns[q], static_cast<int64_t>(q), code_[q + 1]);
    regression_.fit.assign(1, start_);
    regression_.run(rows_, code_[k], k);
    point[0] = regression_.fit[0];
    for (int64_t q = 0; q < k; q++) {  // on the data's own columns, which are shifted and scaled
      const double* x = rows_.data.x.row(columns[q]).data;
      const auto [least, most] = std::minmax_element(x, x + rows_.n);
      point[1 + q] = regression_.fit[1 + q] / (*most - *least);
      point[0] -= point[1 + q] * *least;
    }
    support.state[kLoaded] = 0;
    round_support(rows_.data, support, best, low, high, view(columns), k, view(point), kNear, false);
    work_ += 30.0 * static_cast<double>(rows_.n * (k + 2)) + 1e4;
  }
  full_.clear();
}

void SupportSearch::run(const Support& support, const Best& best, Ints low, Ints high, double budget) {
  if (size_ == 0) return;
  budget_ = work_ + budget;
  if (!has_grown_) {
    has_grown_ = true;
    grow();
    round(support, best, low, high);
  }
  while (is_hard_ && !current_.empty() && work_ < budget_ && best.value[0] > rows_.data.tolerance) {
    shake();
    if (full_.size() > most_rounded()) round(support, best, low, high);
  }
  if (best.value[0] <= rows_.data.tolerance) work_ = std::max(work_, first_budget());  // no card is better
  round(support, best, low, high);
}

}  // namespace supersparse::log_loss
