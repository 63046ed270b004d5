"""Setting: the free parameters of one fit, as plain data."""

from dataclasses import dataclass

Value = int | float | str


@dataclass(frozen=True, slots=True)
class Setting:
    """Named values in a fixed order; equal settings are equal texts in a record.

    >>> Setting.of(C0=0.01, max_coef=100)
    Setting(C0=0.01, max_coef=100)
    """

    values: tuple[tuple[str, Value], ...] = ()

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
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in self.values
        )

    def __repr__(self) -> str:
        return f"Setting({', '.join(f'{name}={value!r}' for name, value in self.values)})"
