#include "questions/search.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <system_error>
#include <thread>

#include "questions/leaf.hpp"

namespace supersparse {
namespace {

constexpr int64_t kColumnBudget = 40'000'000;  // rows of columns read: about 50 ms
constexpr int64_t kDecodeBudget = 50'000;      // partial cards
constexpr int64_t kShortDecode = 20'000;
constexpr int kMostAttempts = 2;               // at the first cards: so a search in short slices goes on
constexpr int kSetsFitted = 200, kSetsImproved = 25;
constexpr double kClosely = 1e-13, kRoughly = 1e-7;  // decrements of fits

// All cards that ask exactly these questions.
Part cards_of(const std::vector<int>& set, double bound) { return {bound, static_cast<int>(set.size()), true, set, {}, {}}; }

}  // namespace

struct Search::Worker {
  struct Decoding {  // of the set last decoded: a search of many parts of one set makes its minorant once
    Cells cells;
    Fit own;
    Decoder decoder;

    Decoding(Worker& worker, const std::vector<int>& set)
        : cells(cells_of(worker.search.problem_, set)), own(worker.fit(cells, kClosely)),
          decoder(worker.search.problem_, cells, own, worker.search.incumbents_, worker.clock,
                  worker.search.options_.use_minorant) {}
  };
  Search& search;
  Clock& clock;
  int number;
  ColumnSearch columns;
  std::unique_ptr<Decoding> last;

  Worker(Search& owner, Clock& time, int index)
      : search(owner), clock(time), number(index),
        columns(owner.problem_, owner.rows_, owner.root_, owner.model_, owner.incumbents_, time, owner.reach_, owner.floor_,
                owner.options_.use_dual) {}
  Fit fit(const Cells& cells, double accuracy);  // from where the root's quadratic is least
  void look_at(const std::vector<int>& set, double bound);
  void decode(const Part& part);
};

Search::Search(Problem problem, Options options)
    : problem_(std::move(problem)), options_(std::move(options)),
      incumbents_(problem_, options_.by_size, options_.slack, options_.most_kept, options_.judge),
      attempts_(options_.search_incumbent ? kMostAttempts : 0) {
  if (options_.by_size) {  // the frontier counts questions, so they have no price
    problem_.change_price = 0;
    for (Question& question : problem_.questions) question.price = 0;
  }
  reach_ = problem_.reach();
  merge_rows(problem_);
}

void Search::prepare() {
  if (rows_.rows) return;
  rows_ = {problem_.rows, {}, {}, problem_.weight, problem_.positive};
  for (int j = 0; j < problem_.count(); j++)
    if (usable(j)) {
      rows_.set.push_back(j);
      rows_.answer.push_back(problem_.answer[j]);
    }
  for (int i = 0; i < problem_.rows; i++) {
    const double w = problem_.weight[i], share = problem_.positive[i];
    if (share > 0) floor_ -= share * std::log(share / w);
    if (w > share) floor_ -= (w - share) * std::log1p(-share / w);
  }
  floor_ -= 1e-10;  // no logit does better than the row's own label
  const Card empty = empty_card(rows_);
  root_ = Fit(problem_, rows_.set);
  root_.heights[0] = empty.offset;
  fit_additive(rows_, reach_, 1e-26, root_);
  if (root_.converged && options_.use_fit) floor_ = std::max(floor_, root_.lower);
  model_ = quadratic_of(root_, root_.hessian);
  if (problem_.admits_set({}) && problem_.admits_changes({}, {})) incumbents_.offer(empty);
}

Fit Search::Worker::fit(const Cells& cells, double accuracy) {
  Fit out(search.problem_, cells.set);
  Vector heights;
  columns.predict(cells.set, heights);
  for (size_t i = 0; i < heights.size(); i++) out.heights[i + 1] = std::clamp(heights[i], -8.0, 8.0);
  // The offset that the mean logit of the empty card has.
  Vector logits;
  logits_of(cells, out.layout, out.heights, logits);
  double mean = 0;
  for (int i = 0; i < cells.rows; i++) mean += cells.weight[i] * logits[i];
  out.heights[0] = empty_card(cells).offset - mean;
  fit_additive(cells, search.reach_, accuracy, out);
  return out;
}

void Search::first_cards(Clock& clock) {
  Worker worker(*this, clock, 0);
  Heuristic heuristic(problem_, incumbents_, clock);
  struct Fitted {
    double value;
    Cells cells;
    Fit own;
  };
  const int smallest = options_.by_size ? std::max(1, problem_.least) : problem_.most;
  for (int size = problem_.most; size >= smallest && !clock.stopped(); size--) {
    const int share = options_.by_size && size < problem_.most ? 4 : 1;
    const size_t improved = kSetsImproved / share;
    std::vector<Fitted> fitted;
    const auto before = [](const Fitted& a, const Fitted& b) { return a.value < b.value; };
    for (auto& set : worker.columns.predicted(kSetsFitted / share, size, 20 * kColumnBudget)) {
      if (clock.stopped()) break;
      Fitted one{0, cells_of(problem_, set), {}};
      one.own = worker.fit(one.cells, kRoughly);
      clock.spend(int64_t{one.cells.rows} * one.own.layout.size * 8);
      one.value = incumbents_.objective_of(one.own.loss, problem_.least_price(set));
      if (fitted.size() >= improved && one.value >= fitted.back().value) continue;
      fitted.insert(std::upper_bound(fitted.begin(), fitted.end(), one, before), std::move(one));
      if (fitted.size() > improved) fitted.pop_back();
    }
    for (bool decode : {false, true})
      for (Fitted& one : fitted) {
        if (clock.stopped() || one.value >= incumbents_.allowed(0, size)) break;
        if (!decode) {
          fit_additive(one.cells, reach_, kClosely, one.own);
          heuristic.improve(one.cells, one.own);
          continue;
        }
        const double best = incumbents_.best_within(size);
        Decoder decoder(problem_, one.cells, one.own, incumbents_, clock, options_.use_minorant);
        decoder.run(cards_of(one.cells.set, 0), kShortDecode, [](Part&&) {});
        if (incumbents_.best_within(size) < best - 1e-12) heuristic.improve(one.cells, one.own);
      }
  }
}

bool Search::matters(const Part& part) const {
  return part.least() <= problem_.most && part.bound < incumbents_.allowed(0, part.least());
}

void Search::take(Part&& part) {
  if (!matters(part)) return;
  {
    std::lock_guard<std::mutex> guard(lock_);
    heap_.push_back(std::move(part));
    std::push_heap(heap_.begin(), heap_.end());
  }
  changed_.notify_one();
}

// A set that no bound over the rows excluded: its own fit may, else its points are decoded.
void Search::Worker::look_at(const std::vector<int>& set, double bound) {
  const Cells cells = cells_of(search.problem_, set);
  const Fit own = fit(cells, kClosely);
  clock.spend(int64_t{cells.rows} * own.layout.size * 8);
  if (own.converged && search.options_.use_fit) bound = std::max(bound, own.lower);
  search.take(cards_of(set, search.incumbents_.objective_of(bound, search.problem_.least_price(set))));
}

void Search::Worker::decode(const Part& part) {
  if (!last || last->cells.set != part.included) last = std::make_unique<Decoding>(*this, part.included);
  Decoder& decoder = last->decoder;
  decoder.run(part, kDecodeBudget, [&](Part&& rest) { search.take(std::move(rest)); });
  std::lock_guard<std::mutex> guard(search.lock_);
  search.counts_.decoded++;
  search.counts_.nodes += decoder.nodes();
  search.counts_.leaves += decoder.leaves();
}

double Search::bound_now() const {  // with the lock held
  double bound = incumbents_.best();
  if (!heap_.empty()) bound = std::min(bound, heap_.front().bound);
  for (double own : busy_) bound = std::min(bound, own);
  return bound;
}

void Search::work(Clock& clock, Worker& worker) {
  const double idle = std::numeric_limits<double>::infinity();
  double told = -1;
  std::unique_lock<std::mutex> guard(lock_);
  for (;;) {
    auto all_idle = [&] { return std::all_of(busy_.begin(), busy_.end(), [&](double own) { return own == idle; }); };
    changed_.wait(guard, [&] { return !heap_.empty() || all_idle() || clock.stopped(); });
    if (heap_.empty() || clock.stopped()) break;
    if (worker.number == 0 && options_.progress && clock.elapsed() - told > 0.1) {
      told = clock.elapsed();
      const double best = incumbents_.best(), bound = bound_now();
      const int64_t open = static_cast<int64_t>(heap_.size());
      guard.unlock();
      options_.progress(best, bound, open);
      guard.lock();
      continue;
    }
    std::pop_heap(heap_.begin(), heap_.end());
    const Part part = std::move(heap_.back());
    heap_.pop_back();
    if (!matters(part)) continue;
    busy_[worker.number] = part.bound;
    guard.unlock();
    if (part.decoding) {
      worker.decode(part);
    } else {
      worker.columns.run(
          part, kColumnBudget, [&](const std::vector<int>& set, double bound) { worker.look_at(set, bound); },
          [&](Part&& rest) { take(std::move(rest)); });
    }
    guard.lock();
    busy_[worker.number] = idle;
    changed_.notify_all();
  }
  counts_.checks += worker.columns.checks();
  guard.unlock();
  changed_.notify_all();
}

bool Search::add_card(Card card) {
  if (card.set.size() != card.points.size() || !problem_.admits_set(card.set) ||
      !problem_.admits_changes(card.set, card.points))
    return false;
  for (size_t place = 0; place < card.set.size(); place++)
    if (!problem_.questions[card.set[place]].admits(card.points[place])) return false;
  if (card.set.empty()) return true;  // the empty card is always tried
  fit_card(problem_, cells_of(problem_, card.set), card);
  incumbents_.offer(std::move(card));
  return true;
}

bool Search::set_attempts(int64_t attempts) {
  if (attempts < 0 || attempts > kMostAttempts) return false;
  attempts_ = static_cast<int>(attempts);
  return true;
}

bool Search::add_part(Part part) {
  std::vector<char> seen(problem_.count(), 0);
  for (const std::vector<int>* list : {&part.included, &part.active})
    for (int j : *list) {
      if (j < 0 || j >= problem_.count() || seen[j] || !usable(j)) return false;
      seen[j] = 1;
    }
  int coordinates = 0;
  for (int j : part.included) coordinates += problem_.questions[j].answers - 1;
  if (part.most < 0 || part.most > problem_.most || static_cast<int>(part.included.size()) > part.most || std::isnan(part.bound) ||
      static_cast<int>(part.prefix.size()) > coordinates || (!part.decoding && !part.prefix.empty()))
    return false;
  for (int height : part.prefix)
    if (std::abs(height) > kLargestPoint) return false;
  if (part.decoding && (part.included.empty() || !std::is_sorted(part.included.begin(), part.included.end()) ||
                        !problem_.admits_set(part.included)))
    return false;
  resumed_ = true;
  heap_.push_back(std::move(part));
  std::push_heap(heap_.begin(), heap_.end());
  return true;
}

Outcome Search::run() {
  Clock clock(options_.seconds, options_.work_limit, options_.cancelled);
  prepare();
  if (!rows_.set.empty() && problem_.most > 0) {
    const int threads = std::max(1, options_.threads);
    busy_.assign(threads, std::numeric_limits<double>::infinity());
    if (attempts_ > 0) {
      attempts_--;
      first_cards(clock);
      if (!clock.stopped()) attempts_ = 0;
    }
    if (!resumed_) {
      Part everything;
      for (int j : rows_.set) (problem_.must[j] ? everything.included : everything.active).push_back(j);
      everything.most = problem_.most;
      everything.bound = floor_;
      if (!everything.included.empty() && problem_.admits_set(everything.included))
        take(cards_of(everything.included, floor_));
      if (everything.least() <= problem_.most && !everything.active.empty()) take(std::move(everything));
    }
    std::vector<std::unique_ptr<Worker>> workers;
    std::vector<std::thread> others;
    for (int number = 0; number < threads; number++) workers.push_back(std::make_unique<Worker>(*this, clock, number));
    std::exception_ptr failure;
    const auto guarded = [&](int number) {
      try {
        work(clock, *workers[number]);
      } catch (...) {
        std::lock_guard<std::mutex> guard(lock_);
        failure = std::current_exception();
        clock.stop();
        changed_.notify_all();
      }
    };
    try {
      for (int number = 1; number < threads; number++) others.emplace_back(guarded, number);
    } catch (const std::system_error&) {  // the system has no more threads: those that run do the work
    }
    guarded(0);
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
  }
  Outcome outcome;
  std::erase_if(heap_, [&](const Part& part) { return !matters(part); });
  std::make_heap(heap_.begin(), heap_.end());
  outcome.cards = incumbents_.kept();
  for (Card& card : outcome.cards) {  // fitted once more, so that no bit depends on where the search came from
    const double price = card.objective - card.loss;
    fit_card(problem_, cells_of(problem_, card.set), card);
    card.objective = card.loss + price;
  }
  outcome.proven = heap_.empty();
  outcome.complete = outcome.proven && !incumbents_.overflowed();
  outcome.bound = bound_now();
  if (options_.by_size)
    for (int size = 0; size <= problem_.most; size++) {
      double bound = incumbents_.best_within(size);
      for (const Part& part : heap_)
        if (part.least() <= size) bound = std::min(bound, part.bound);
      outcome.bound_of_size.push_back(bound);
    }
  outcome.attempts = attempts_;
  outcome.open = heap_;
  outcome.counts = counts_;
  outcome.counts.work = clock.work();
  return outcome;
}

}  // namespace supersparse
