// The whole search: the best cards first, then parts worked on by threads until none is left that matters.
#pragma once
#include <condition_variable>

#include "questions/heuristic.hpp"

namespace supersparse {

struct Options {
  bool search_incumbent = true;
  bool by_size = false;
  double slack = 0;
  bool use_dual = true, use_fit = true, use_minorant = true;  // each bound can be left out, to test the others alone
  size_t most_kept = 1000;
  double seconds = 1e300;
  int64_t work_limit = INT64_MAX;
  int threads = 1;
  const int32_t* cancelled = nullptr;
  Incumbents::Judge judge;
  std::function<void(double objective, double bound, int64_t open)> progress;
};

struct Counts {
  int64_t checks = 0, decoded = 0, nodes = 0, leaves = 0, work = 0;
};

struct Outcome {
  std::vector<Card> cards;   // kept, best first
  double bound = 0;          // of every card's objective
  std::vector<double> bound_of_size;  // by size: of cards of at most so many questions (only with by_size)
  bool proven = false, complete = false;
  Counts counts;
  int attempts = 0;  // to go on with: how often the search for the first cards may still begin, and the parts left open
  std::vector<Part> open;
};

class Search {
 public:
  Search(Problem problem, Options options);
  // Cards to begin with; refused (false) where they are not allowed.
  bool add_card(Card card);
  // What an earlier run left open, to begin with instead of everything; refused where it does not belong to the problem.
  bool set_attempts(int64_t attempts);
  bool add_part(Part part);
  Outcome run();

 private:
  struct Worker;
  void prepare();
  void first_cards(Clock& clock);
  void work(Clock& clock, Worker& worker);
  void take(Part&& part);
  bool usable(int j) const { return !problem_.must_not[j] && problem_.questions[j].allowed > 1; }
  bool matters(const Part& part) const;
  double bound_now() const;

  Problem problem_;
  Options options_;
  Incumbents incumbents_;
  double reach_ = 0, floor_ = 0;  // floor_: a bound on the loss of every card
  Cells rows_;
  Fit root_;
  Quadratic model_;
  std::mutex lock_;
  std::vector<Part> heap_;
  std::vector<double> busy_;  // bounds of parts being worked on, by thread
  int attempts_;
  bool resumed_ = false;
  std::condition_variable changed_;
  Counts counts_;
};

}  // namespace supersparse
