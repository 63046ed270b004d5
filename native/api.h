/* The C interface of the compiled core: plain structs and pointers in, a status out. No exception crosses it. */
#ifndef SUPERSPARSE_API_H
#define SUPERSPARSE_API_H
#include <stdint.h>

#if defined(_WIN32)
#define SUPERSPARSE_API __declspec(dllexport)
#else
#define SUPERSPARSE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { SS_OK = 0, SS_INVALID = 1, SS_MEMORY = 2, SS_FAILED = 3 };

#define SS_INTERFACE 3 /* raised when a struct or a signature changes */

typedef struct {
  int64_t rows;
  const uint8_t* answer;   /* questions x rows */
  const double* weight;    /* a row at logit s loses weight softplus(s) - positive s; weights add up to 1 */
  const double* positive;
  int32_t questions;
  const int32_t* answers;  /* by question: how many answers, how many of them stand in order, shape, equal steps */
  const int32_t* ordered;
  const int32_t* shape;
  const int32_t* equal_steps;
  const uint64_t* allowed; /* bit v: v points are allowed */
  const double* price;
  const uint8_t* must;
  const uint8_t* must_not;
  int32_t least, most;
  double change_price, effect_limit;
  int32_t limits;          /* the weights (limits x questions) of the questions asked add up to at most limit_most */
  const int64_t* limit_weight;
  const int64_t* limit_most;
  const int32_t* reference; /* points of a given card, all answers of all questions in a row, or null */
  int32_t most_questions_changed, most_answers_changed; /* -1: any */
} ss_problem;

/* Whether a card (points of all answers of all questions in a row) obeys what only the caller can check. */
typedef int32_t (*ss_judge)(const int32_t* points, double slope, double offset, double loss);
typedef void (*ss_progress)(double objective, double bound, int64_t open);

typedef struct {
  int32_t search_incumbent, by_size, threads;
  int32_t bounds; /* which are used: 1 dual, 2 fit of a set, 4 minorant; 7 but in tests */
  int64_t most_kept, work_limit;
  double slack, seconds;
  const int32_t* cancelled; /* the search stops soon after this becomes 1; may be null */
  ss_judge judge;           /* may be null */
  ss_progress progress;     /* may be null */
} ss_options;

typedef struct {
  int32_t proven, complete;
  int64_t cards, open, state_length;
  int64_t checks, decoded, nodes, leaves, work;
  double bound;
} ss_outcome;

typedef struct ss_search ss_search;

SUPERSPARSE_API int32_t ss_interface(void);
/* The version of the loops that runs ("baseline", "avx2", "avx512"); choose one by name, or "best". */
SUPERSPARSE_API const char* ss_loops(void);
SUPERSPARSE_API int32_t ss_choose_loops(const char* name);
/* What was wrong in the last call of this thread that failed. */
SUPERSPARSE_API const char* ss_message(void);

SUPERSPARSE_API int32_t ss_search_new(const ss_problem* problem, const ss_options* options, ss_search** out);
SUPERSPARSE_API void ss_search_free(ss_search* search);
/* A card to begin with. */
SUPERSPARSE_API int32_t ss_search_add_card(ss_search* search, const int32_t* points);
/* What ss_search_state gave, to go on from. */
SUPERSPARSE_API int32_t ss_search_resume(ss_search* search, const int64_t* state, int64_t length);
SUPERSPARSE_API int32_t ss_search_run(ss_search* search, ss_outcome* outcome);
/* Card `index` of the outcome: its points, and slope, offset, loss, objective, whether the limit on effects binds. */
SUPERSPARSE_API int32_t ss_search_card(const ss_search* search, int64_t index, int32_t* points, double* numbers);
/* By size from 0 to most: a bound on the loss of every card of at most so many questions. */
SUPERSPARSE_API int32_t ss_search_bounds(const ss_search* search, double* bounds);
SUPERSPARSE_API int32_t ss_search_state(const ss_search* search, int64_t* state);

#ifdef __cplusplus
}
#endif
#endif
