# Scoring system: {name}; exported by supersparse.
# One row of `data` for each person; NA is missing. Gives total, class and risk; NA where the card does not score a row.
card <- function(data) {{
  column <- function(name) {{
    if (!name %in% names(data)) stop("the data lack the column ", dQuote(name, FALSE))
    x <- data[[name]]
    if (is.factor(x)) as.character(x) else x
  }}
  text <- function(name, codes) {{
    x <- enc2utf8(as.character(column(name)))
    x[x %in% c("", codes)] <- NA
    x
  }}
  number <- function(name, codes, missing) {{
    x <- column(name)
    if (is.character(x)) {{
      x[x %in% c("", codes)] <- NA
      known <- !is.na(x)
      x <- suppressWarnings(as.numeric(x))
      x[known & is.na(x)] <- Inf  # refused
    }}
    x <- as.numeric(x)
    x[x %in% missing] <- NA
    x
  }}
