// Every text of the page. To translate: copy TEXTS, keep the keys and the {names}, and give the language in LANGUAGE.
// A text that depends on a number has one form for each plural of the language, chosen by {n}.
const LANGUAGE = "en";
const TEXTS = {
  shell: {
    title: "supersparse studio", brand: "supersparse", studio: "studio", steps: "Steps", skip: "Skip to the content", table: "Table", dismiss: "Dismiss", loading: "Loading …",
    promise: "Everything stays on this machine.",
    offline: "The studio does not answer. Runs go on from their checkpoints when it is started again; this page reconnects by itself.",
    locked: "This page is locked", unreachable: "The studio does not answer",
  },
  errors: {
    lost: "The studio does not answer. Start it again with “supersparse studio”.",
    token: "Open the address that “supersparse studio” shows in its terminal: it holds the key to this page.",
  },
  steps: { table: "Table", ask: "Ask", watch: "Watch", choose: "Choose", edit: "Edit", take: "Take away" },
  table: {
    title: "Table", welcome: "Start with a table", lede: "One row for each person or case, one column for what happened, and columns for what was known before.",
    drop: "Drop a table here", kinds: "CSV, Excel, Parquet, SPSS or SAS, up to {limit}", choose_file: "Choose a file", demo: "Try it with 699 biopsies",
    stays: "The file is read on this machine and goes nowhere else.",
    too_large: "This file has {size}; the limit is {limit}. Leave out columns or rows that are not needed.",
    uploading: "Taking in {name}", received: "{name} is here; it is being stored", uploaded: "{sent} of {total}", abort: "Stop",
    earlier: "Tables used before", remove: "Remove", remove_named: "Remove {name} and its runs", back: "Back to {name}", other: "Another table",
    state_reading: "being read", state_failed: "could not be read", state_ready: "ready",
    reading: "Reading {name} …", updating: "updating …", failed: "This file could not be read", size: "{rows} rows, {columns} columns",
    reading_separator: "Separator", reading_decimal: "Decimal sign", reading_encoding: "Encoding", auto: "automatic", tab: "tab",
    target_title: "What should the card predict?", target: "Column", target_none: "Choose a column", suggested: "{name} (suggested)",
    target_help: "Choose the column that says what happened, such as a diagnosis. It has two classes, or one class against the rest.",
    no_target: "No column has between 2 and 12 different values, so none can be predicted. Add one with the outcome.",
    positive: "High totals shall mean", rows: { one: "{n} row", other: "{n} rows" }, why_positive: "“{positive}” was chosen {why}.",
    skipped: { one: "{n} row without a class is left out.", other: "{n} rows without a class are left out." },
    noticed: "What was noticed", nothing_noticed: "Nothing unusual. No codes for missing values, repeated people or mixed spellings were found.",
    needs_answer: { one: "One question needs an answer before you can go on.", other: "{n} questions need an answer before you can go on." }, answered: "Answered: {answer}",
    columns: "Columns", columns_help: "Numbers become questions at their cut points. Drag a cut point, or move it with the arrow keys.",
    filter: "Find a column", no_column: "No column has “{text}” in its name.", more_columns: { one: "Show {n} more column", other: "Show {n} more columns" },
    cut_group: "{name}: histogram and cut points", cut_point: "{name}: cut point {n}",
    preview: "First rows of the table", blank: "missing",
    first_answer: "Please answer what was noticed first.", first_target: "Please choose what the card should predict.",
    ready: "{questions} questions from {columns} columns", onward: "Continue to Ask",
  },
  column: {
    kind_numbers: "numbers", kind_true_or_false: "yes or no", kind_text: "categories", kind_dates: "dates", kind_nothing: "empty", kind_too_many_different_texts: "free text", kind_undecided: "numbers and words",
    different: { one: "{n} value", other: "{n} values" }, missing: "{n} missing ({share})", left_out: "Left out: {why}", use: "use", histogram: "Histogram of {name}",
    more: "{n} more", more_values: { one: "and {n} more value", other: "and {n} more values" },
    cuts: "Cut at", cuts_of: "Cut points of {name}", suggested: "Suggested", cuts_set: "{name} is cut at {cuts}", none: "no point", not_a_number: "“{text}” is not a number. Write the cut points of {name} as 45, 60.",
    more_settings: "More settings", direction: "More of it", either: "may raise or lower the total", raises: "can only raise the total", lowers: "can only lower the total",
    shape: "Shape", shape_auto: "default", monotone: "rises or falls", rising: "rises", falling: "falls", any: "any", unit: "Unit", category: "numbers are categories",
  },
  ask: {
    title: "What should the card be like?", lede: "The card predicts {target}. Everything here can be left as it is.",
    no_table: "First choose a table, and the column that the card should predict.", to_table: "Go to the table",
    goal: "Goal", goal_errors: "Fewest errors", goal_errors_help: "A yes or no for each person, with as few mistakes as possible.",
    goal_risk: "Best risks", goal_risk_help: "A risk in percent for each total, as close to the truth as possible (least log loss).",
    size: "Size and effort", wishes: "Wishes", wishes_help: "The card keeps to these exactly, and the proof covers them.", new_wish: "New wish", add_wish: "Add", remove_wish: "Remove the wish: {name}",
    field_of: "Of these questions", field_value: "Points", field_group: "In this group", field_rate: "Rate", field_costs: "Costs", field_variables: "Variables", field_used: "Questions used", field_only_if: "Only if one of these is used", field_ranges: "Ranges", field_budget: "Budget",
    questions: { one: "{n} question to choose from", other: "{n} questions to choose from" }, questions_help: "Say which ones must be on the card, and which ones must not.", filter: "Find a question", must_use: "must", free: "free", must_not_use: "never",
    fixed: "{n} decided", more_questions: { one: "Show {n} more", other: "Show {n} more" },
    validation: "Judge it on rows left out", validate: "Cross-validate the card", validate_help: "Learns again without some rows, and tests on these. Takes part of the time limit.", cv: "Folds", repeats: "Repetitions",
    everything: "Everything else", everything_help: "All that the settings file knows. An empty field means the default.", changed: "{n} changed",
    summary: "What you ask", rows_questions: "{rows} rows, {questions} possible questions.", more_wishes: "and {n} more", checking: "Checking …",
    name: "Name of the run", run_name: "Card {n}", start: "Start", starting: "Starting …", find_conflict: "Can all wishes hold together?", searching: "Looking for a conflict …",
    no_conflict: "Yes: at least one card fulfils all wishes.", conflict: "These wishes cannot hold together", conflict_smallest: "The smallest set of wishes that cannot hold together", give_up: "Give up", give_up_named: "Give up the wish: {name}",
    as_file: "As a settings file", command: "Command", notes: { one: "{n} note on the columns", other: "{n} notes on the columns" },
  },
  form: {
    default: "default", default_is: "default: {value}", yes: "yes", no: "no", none: "none", smallest: "smallest", largest: "largest", add: "Add", add_name: "name or pattern, such as age*", remove: "Remove {name}",
    name: "name", value: "value", name_of: "{label}: name", value_of: "{label}: value", by_name: "by name, below", for_each: "For each by name",
  },
  watch: {
    title: "Watch", empty_title: "No runs yet", empty: "A run looks for the best card and proves how good it is. Say what you want of the card, then press Start.", to_ask: "Go to Ask", another: "Another run", runs: "Runs",
    kind_card: "card", kind_repair: "repair", kind_frontier: "by size", kind_pool: "almost as good", kind_report: "report", kind_certificate: "certificate",
    phase_first: "First card", phase_folds: "Rows left out", phase_folds_at: "Rows left out: {at} of {all}", phase_final: "Final card", phases: "Phases of the run",
    about_frontier: "The best card of each size. Its chart is in the step Choose.", about_pool: "All cards almost as good as the best. They are in the step Choose.", about_report: "A document on a card. It is in the step Take away.", about_certificate: "A proof that others can check. It is in the step Take away.",
    state_queued: "waiting, place {place}", state_starting: "starting", state_running: "running", state_stopping: "stopping", state_done: "finished", state_stopped: "stopped", state_cancelled: "cancelled", state_failed: "failed", state_interrupted: "interrupted", state_proven: "proven best",
    queued: "Place {place} in the queue",
    best: "best card so far", bound: "no card can be below", unit_errors: "Errors plus cost of the questions, in % of the rows", unit_risk: "Log loss plus cost of the questions",
    chart_empty: "No card yet.", chart_said: "After {time}: best card {best}, no card can be below {bound}. {unit}.", chart_met: "After {time}: best card {best}, and it is proven that none is below. {unit}.",
    gap_short: "gap {gap}", errors_short: "{n} errors", said: "{errors} errors, gap {gap}", waiting: "The first card comes in a moment …", no_card: "There is no card.",
    errors: "Errors", loss: "Log loss and cost", gap: "Gap", size: "Questions", time: "Time", of: "of {n} rows", at_least: "at least {bound}", of_limit: "of {limit}", more_seconds: "Seconds to go on",
    verdict_first: "Looking for the first card.", verdict_open: "A better card could exist, by at most {gap}. The gap shrinks as the search goes on.", verdict_unproven: "Not proven: a better card could exist, by at most {gap}.", verdict_proven: "Proven: no other card with these settings is better.", verdict_none: "The run ended before a card was found.", verdict_failed: "The run failed.",
    stop: "Stop and keep", cancel: "Cancel", continue: "Continue", delete: "Delete", to_take: "Take it away", to_edit: "Edit it", to_choose: "Compare with others",
    infeasible: "No card fulfils all wishes", failed: "This run failed", change_wishes: "Change the wishes",
  },
  card: {
    always: "No question: always “{label}”.",     label: "Card: {name}", question: "Question", points: "Points", times: "× {points}", total: "Total", risk_by_total: "Risk by total", observed: "Share of positive training rows, by total", observed_of: "{positive} of {rows} rows", proven: "Proven optimal", unproven: "Not proven", gap: "Not proven, gap {gap}",
    errors: "Errors", of_rows: "{errors} of {rows} ({share})", sensitivity: "Sensitivity", specificity: "Specificity", auc: "AUC", log_loss: "Log loss", training: "Training", validated: "Rows left out",
  },
  choose: {
    title: "Choose", lede: "There is rarely one right card. Look at smaller and larger ones, and at those that are almost as good.", no_table: "First choose a table, and the column that the card should predict.",
    tab_size: "By size", tab_pool: "Almost as good", tab_favourites: "Favourites", run_frontier: "Best of each size", run_pool: "Almost as good",
    size_title: "Errors against size", size_help: "Finds the best card with one question, with two, and so on, and tests each size on rows left out.", max_size: "Up to so many questions", folds: "Folds", start_frontier: "Find the best of each size",
    chart_errors: "Errors against the number of questions; choose a card", chart_risk: "Log loss against the number of questions; choose a card", axis_size: "Number of questions", point: "{size} questions: {value} on training rows{validated}, {proof}", point_validated: ", {value} on rows left out",
    is_proven: "proven", is_open: "not proven", trained: "training rows", validated: "rows left out", open: "hollow: not proven", baseline: "Without any question, {value} of the rows are wrong.", baseline_risk: "Without any question, the log loss is {value}.", first_sizes: "The first sizes come in a moment …", chosen: "On rows left out, {size} questions are enough: larger cards are not clearly better.", again: "Start over", as_table: "As a table",
    col_size: "Questions", col_trained: "Training rows", col_validated: "Rows left out", col_proof: "Proof",
    pool_title: "Almost as good", pool_help: "Finds all cards whose objective is within a few percent of the best. Among them may be one that is cheaper, or one that avoids a question you dislike.", within: "Within", start_pool: "Find them",
    pool_complete: "All {total} cards within {within} of the best: none is missing.", pool_sample: "{total} cards within {within} of the best. There may be more.", pool_running: "Looking for cards …",
    always: "In every one of them:", without: "Without", without_any: "choose a question", without_one: "without {name}", question_count: "{name} (in {n})", at_most: "At most so many questions", cheaper: "Cheaper than", fewer_points: "Points together below", monotone: "rises or falls in every column", none_left: "No card is left. Take back one of the filters.", shown: "{count} of {total} cards", pool_numbers: "{errors} errors · sensitivity {sensitivity} · specificity {specificity}", cost: "cost {cost}", before: "Back", next: "More",
    favourite: "Favourite", take: "Take it away", edit: "Edit it",
    no_favourites: "No favourites yet", no_favourites_help: "Mark cards with the star, by size or among the almost equally good ones. They appear here side by side, with the people on whom they disagree.", one_favourite: "Mark a second card to see where the two disagree.", letter: "Card {letter}",
    disagreements: "Where they disagree", agree: "They agree on {agree} of {all} rows, and disagree on {disagree}.", pair: "{a} and {b} disagree on {n} rows: {a} is right on {first}, {b} on {second}.", for_whom: "For whom", share: "{share} of the disagreements, {all} of all rows", says: "{letter} says {said}", in_truth: "({positive} positive, {negative} negative in truth)", rows: "Rows on which they disagree", row: "Row", truth: "Truth", totals: "Totals",
  },
  edit: {
    title: "Edit", lede: "Change the card by hand. The price is what the change costs against the proven best.", empty: "There is no card to edit yet.", to_watch: "Go to Watch", history: "History",
    undo: "Undo", redo: "Redo", undo_done: "Undone", redo_done: "Done again", lines: "Questions and points", less: "{name}: one less", more: "{name}: one more", cut: "Cut", cut_of: "Cut point of {name}", swap: "Swap for", swap_of: "Swap {name} for", swap_none: "–", drop: "Drop", drop_named: "Drop {name}", points_of: "Points of {name}", no_lines: "No question is left.", add: "Add a question", add_none: "choose", threshold: "Positive from", best_threshold: "Best again", new_questions: "The best card is the best of the questions that were there before a cut was moved.", threshold_label: "Smallest total that predicts the positive class",
    change: "Change:", reason: "Reason (kept with the card)", reason_example: "such as: easier to ask at the bedside", keep: "Keep", discard: "Discard", kept: "Kept",
    price: "Price of the edits", price_proven: "The best card is proven", price_open: "The best card is not proven: the price may be higher", errors_more: "errors against the best card", of_objective: "of the objective", broken: "Breaks: {wishes}", before: "Before", now: "Now", errors: "Errors", sensitivity: "Sensitivity", specificity: "Specificity", log_loss: "Log loss", size: "Questions", better: " (better)", worse: " (worse)",
    repair: "Repair", repair_help: "Repair solves again: what you edited stays fixed, the other points may change.", repair_name: "Repaired card", take: "Take it away", past: "Changes", no_past: "Nothing was changed yet.", no_reason: "no reason given",
  },
  take: {
    title: "Take away", lede: "Files for the wall, the phone, the paper and the machine.", empty: "There is no card to take away yet.", all: "Everything as one ZIP", download: "Download", download_named: "Download {name}", show: "Show", print: "Show and print", show_named: "Show {name}", make_report: "Write it", make_certificate: "Make it", make_named: "Make {name}",
    group_card: "The card", help_card: "To look at, and to load again.", group_print: "On paper", help_print: "To print and fill in.", group_use: "On the phone", help_use: "A page that adds up the points, without a network.", group_programs: "In programs", help_programs: "The same rule as code, tables and models.", group_evidence: "Evidence", help_evidence: "What was proven and measured, for those who check it.", group_repeat: "Repeat it", help_repeat: "One settings file repeats all of this from the command line.",
  },
};

const plural = new Intl.PluralRules(LANGUAGE);

// The text of a key such as "table.size", with its {names} filled in.
export function t(key, values = {}) {
  const [group, name] = key.split(".");
  let text = (TEXTS[group] || {})[name];
  if (text === undefined) return key;
  if (typeof text === "object") text = text[plural.select(Number(String(values.n).replace(/\D/g, "")))] || text.other;
  return text.replace(/\{(\w+)\}/g, (whole, word) => (word in values ? String(values[word]) : whole));
}
