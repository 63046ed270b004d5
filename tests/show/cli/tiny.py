"""Six people, and a quick fit of them."""

ROWS = "age,fever,ill\n1,0,no\n2,1,no\n3,0,no\n4,1,yes\n5,0,yes\n6,1,yes\n"
FIT = [
    "--target",
    "ill",
    "--goal",
    "errors",
    "--C0",
    "0.2",
    "--max-points",
    "3",
    "--solver",
    "exhaustive",
    "--no-prepare",
]
