"""Setting: the free parameters of one fit, as plain data."""

from dataclasses import dataclass, field

Value = int | float | str

_DIGITS = 7  # by which floats are told apart: no grid is as fine, and no difference of processors as coarse


@dataclass(frozen=True, slots=True)
class Setting:
    """Named values in a fixed order.

    Two settings are equal when their floats are to seven significant digits: a penalty that is computed
    from the rows differs in its last bits from processor to processor, and its record is found on all.

    >>> Setting.of(C0=0.01, max_points=100)
    Setting(C0=0.01, max_points=100)
    >>> Setting.of(penalty=0.1 + 0.2) == Setting.of(penalty=0.3)
    True
    """

    values: tuple[tuple[str, Value], ...] = field(default=(), compare=False)
    _key: tuple[tuple[str, Value], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        key = tuple((name, _rounded(value)) for name, value in self.values)
        object.__setattr__(self, "_key", key)

    @classmethod
    def of(cls, **values: Value) -> "Setting":
        """Name each value."""
        return cls(tuple(values.items()))

    def number(self, name: str) -> float:
        """Return the number of that name.

        >>> Setting.of(C0=0.01).number("C0")
        0.01
        """
        value = dict(self.values)[name]
        if isinstance(value, str):
            raise TypeError(f"the setting {name!r} is the text {value!r}, not a number")
        return value

    def whole(self, name: str) -> int:
        """Return the whole number of that name."""
        return int(self.number(name))

    def has(self, name: str) -> bool:
        """Whether there is a value of that name."""
        return any(own == name for own, _ in self.values)

    def without(self, *names: str) -> "Setting":
        """Leave some names out."""
        return Setting(tuple(pair for pair in self.values if pair[0] not in names))

    def in_words(self) -> str:
        """Say it in one line."""
        return ", ".join(
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in self.values
        )

    def __repr__(self) -> str:
        return f"Setting({', '.join(f'{name}={value!r}' for name, value in self.values)})"


def _rounded(value: Value) -> Value:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
