#include "api.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/versions.hpp"
#include "from_c.hpp"
#include "kernel.hpp"
#include "questions/search.hpp"

using namespace supersparse;

Problem supersparse::problem_of(const ss_problem& in) {
  Problem out;
  require(in.rows > 0 && in.rows < (int64_t{1} << 30), "rows must be between 1 and 2^30");
  require(in.questions >= 0 && in.questions < 100000, "questions must be between 0 and 100000");
  require(in.least >= 0 && in.most >= in.least, "least must be between 0 and most");
  require(in.change_price >= 0 && std::isfinite(in.change_price), "change_price must be a number from 0 on");
  require(in.effect_limit > 0 && in.effect_limit <= 1000, "effect_limit must be between 0 and 1000");
  const int d = in.questions;
  out.rows = static_cast<int>(in.rows);
  out.weight.assign(in.weight, in.weight + in.rows);
  out.positive.assign(in.positive, in.positive + in.rows);
  double total = 0, cases = 0;
  for (int64_t i = 0; i < in.rows; i++) {
    require(out.weight[i] >= 0 && out.positive[i] >= 0 && out.positive[i] <= out.weight[i],
            "a row needs 0 <= positive <= weight");
    total += out.weight[i];
    cases += out.positive[i];
  }
  require(std::fabs(total - 1) < 1e-9, "weights must add up to 1");
  require(cases > 0 && cases < total, "both classes must occur");
  int64_t offset = 0;
  for (int j = 0; j < d; j++) {
    Question question;
    question.answers = in.answers[j];
    question.ordered = in.ordered[j];
    require(question.answers >= 2 && question.answers <= 64, "a question has 2 to 64 answers");
    require(question.ordered == 0 || (question.ordered >= 2 && question.ordered <= question.answers),
            "ordered must be 0, or 2 to the number of answers");
    require(in.shape[j] >= 0 && in.shape[j] <= 3, "unknown shape");
    question.shape = static_cast<Shape>(in.shape[j]);
    question.equal_steps = in.equal_steps[j] != 0;
    question.allowed = in.allowed[j];
    require(question.allowed & 1, "0 points must be allowed");
    question.price = in.price[j];
    require(question.price >= 0 && std::isfinite(question.price), "a price must be a number from 0 on");
    const uint8_t* answer = in.answer + static_cast<int64_t>(j) * in.rows;
    out.answer.emplace_back(answer, answer + in.rows);
    for (uint8_t value : out.answer.back()) require(value < question.answers, "an answer is out of range");
    out.must.push_back(in.must[j] != 0);
    out.must_not.push_back(in.must_not[j] != 0);
    require(!(in.must[j] && in.must_not[j]), "a question must and must not be asked");
    if (in.reference) {
      out.reference.emplace_back(in.reference + offset, in.reference + offset + question.answers);
      for (int value : out.reference.back()) require(value >= 0 && value <= kLargestPoint, "points of the reference are out of range");
    }
    offset += question.answers;
    out.questions.push_back(question);
  }
  out.least = in.least;
  out.most = std::min(in.most, d);
  out.change_price = in.change_price;
  out.effect_limit = in.effect_limit;
  constexpr int64_t kLargestWeight = int64_t{1} << 44;  // so that the sum over all questions fits
  for (int g = 0; g < in.limits; g++) {
    const int64_t* weight = in.limit_weight + static_cast<int64_t>(g) * d;
    Limit limit{{weight, weight + d}, in.limit_most[g]};
    for (int64_t value : limit.weight)
      require(value <= kLargestWeight && value >= -kLargestWeight, "a weight of a limit is out of range");
    out.limits.push_back(std::move(limit));
  }
  if (in.reference) {
    out.most_questions_changed = in.most_questions_changed;
    out.most_answers_changed = in.most_answers_changed;
  }
  return out;
}

Card supersparse::card_of(const std::vector<int>& answers, const int32_t* points) {
  Card card;
  for (size_t j = 0; j < answers.size(); points += answers[j++])
    if (std::any_of(points, points + answers[j], [](int value) { return value != 0; })) {
      card.set.push_back(static_cast<int>(j));
      card.points.emplace_back(points, points + answers[j]);
    }
  return card;
}

struct ss_search {
  std::vector<int> answers, first;  // of each question; where its points begin
  int total = 0, most = 0;
  std::unique_ptr<Search> search;
  Outcome outcome;
  std::vector<int64_t> state;

  std::vector<int32_t> flat(const Card& card) const {
    std::vector<int32_t> points(total, 0);
    for (size_t place = 0; place < card.set.size(); place++)
      std::copy(card.points[place].begin(), card.points[place].end(), points.begin() + first[card.set[place]]);
    return points;
  }
};

static void append(std::vector<int64_t>& state, const std::vector<int>& list) {
  state.push_back(static_cast<int64_t>(list.size()));
  state.insert(state.end(), list.begin(), list.end());
}

static std::vector<int64_t> state_of(const Outcome& outcome) {
  std::vector<int64_t> state{outcome.attempts, static_cast<int64_t>(outcome.open.size())};
  for (const Part& part : outcome.open) {
    int64_t bits;
    std::memcpy(&bits, &part.bound, sizeof bits);
    state.insert(state.end(), {bits, part.most, part.decoding ? 1 : 0});
    append(state, part.included);
    append(state, part.active);
    append(state, part.prefix);
  }
  return state;
}

extern "C" {

int32_t ss_interface(void) { return SS_INTERFACE; }
const char* ss_loops(void) { return loop_version_name(); }
int32_t ss_choose_loops(const char* name) {
  return guarded([&] { require(choose_loop_version(name), "this machine does not run that version of the loops"); });
}
const char* ss_message(void) { return last_message(); }

int32_t ss_search_new(const ss_problem* problem, const ss_options* options, ss_search** out) {
  return guarded([&] {
    auto handle = std::make_unique<ss_search>();
    Problem own = problem_of(*problem);
    for (const Question& question : own.questions) {
      handle->answers.push_back(question.answers);
      handle->first.push_back(handle->total);
      handle->total += question.answers;
    }
    handle->most = own.most;
    Options given;
    given.search_incumbent = options->search_incumbent != 0;
    given.by_size = options->by_size != 0;
    given.threads = options->threads;
    given.use_dual = options->bounds & 1;
    given.use_fit = options->bounds & 2;
    given.use_minorant = options->bounds & 4;
    given.most_kept = static_cast<size_t>(std::max<int64_t>(1, options->most_kept));
    given.work_limit = options->work_limit;
    given.slack = options->slack;
    given.seconds = options->seconds;
    given.cancelled = options->cancelled;
    require(given.slack >= 0 && given.slack < 10, "slack must be between 0 and 10");
    require(given.threads >= 1 && given.threads <= 1024, "threads must be between 1 and 1024");
    if (options->judge)
      given.judge = [shared = handle.get(), judge = options->judge](const Card& card) {
        return judge(shared->flat(card).data(), card.slope, card.offset, card.loss) != 0;
      };
    if (options->progress) given.progress = options->progress;
    handle->search = std::make_unique<Search>(std::move(own), std::move(given));
    *out = handle.release();
  });
}

void ss_search_free(ss_search* search) { delete search; }

int32_t ss_search_add_card(ss_search* search, const int32_t* points) {
  return guarded([&] {
    require(search->search->add_card(card_of(search->answers, points)), "the card is not allowed");
  });
}

int32_t ss_search_resume(ss_search* search, const int64_t* state, int64_t length) {
  return guarded([&] {
    int64_t at = 0;
    auto next = [&]() -> int64_t {
      require(at < length, "the state ends too early");
      return state[at++];
    };
    auto list = [&](std::vector<int>& out) {
      const int64_t size = next();
      require(size >= 0 && size <= length - at, "the state holds a list of impossible length");
      for (int64_t i = 0; i < size; i++) {
        const int64_t value = next();
        require(value >= -1000000 && value <= 1000000, "the state holds a number out of range");
        out.push_back(static_cast<int>(value));
      }
    };
    require(search->search->set_attempts(next()), "the state holds a number of attempts out of range");
    const int64_t parts = next();
    for (int64_t i = 0; i < parts; i++) {
      Part part;
      const int64_t bits = next(), most = next();
      std::memcpy(&part.bound, &bits, sizeof bits);
      require(most >= 0 && most <= 1000000, "the state holds a size out of range");
      part.most = static_cast<int>(most);
      part.decoding = next() != 0;
      list(part.included);
      list(part.active);
      list(part.prefix);
      require(search->search->add_part(std::move(part)), "the state holds a part that does not belong to this problem");
    }
    require(at == length, "the state goes on after its end");
  });
}

int32_t ss_search_run(ss_search* search, ss_outcome* outcome) {
  return guarded([&] {
    search->outcome = search->search->run();
    search->state = state_of(search->outcome);
    const Outcome& own = search->outcome;
    const auto size = [](const auto& list) { return static_cast<int64_t>(list.size()); };
    *outcome = {own.proven, own.complete, size(own.cards), size(own.open), size(search->state), own.counts.checks,
                own.counts.decoded, own.counts.nodes, own.counts.leaves, own.counts.work, own.bound};
  });
}

int32_t ss_search_card(const ss_search* search, int64_t index, int32_t* points, double* numbers) {
  return guarded([&] {
    require(index >= 0 && index < static_cast<int64_t>(search->outcome.cards.size()), "no such card");
    const Card& card = search->outcome.cards[static_cast<size_t>(index)];
    const std::vector<int32_t> flat = search->flat(card);
    std::copy(flat.begin(), flat.end(), points);
    const double values[] = {card.slope, card.offset, card.loss, card.objective, card.limited ? 1.0 : 0.0};
    std::copy(values, values + 5, numbers);
  });
}

int32_t ss_search_bounds(const ss_search* search, double* bounds) {
  return guarded([&] {
    for (int size = 0; size <= search->most; size++)
      bounds[size] = size < static_cast<int>(search->outcome.bound_of_size.size()) ? search->outcome.bound_of_size[size] : search->outcome.bound;
  });
}

int32_t ss_search_state(const ss_search* search, int64_t* state) {
  std::copy(search->state.begin(), search->state.end(), state);
  return SS_OK;
}

}  // extern "C"
