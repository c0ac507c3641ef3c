"""A clock: the times of a series whose steps are all alike, in seconds, in months, in numbers, or merely counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median_low

MINUTE, HOUR, DAY, WEEK = 60, 3_600, 86_400, 604_800  # seconds
# Beside ISO 8601, which Python reads by itself. 3/4/2020 is left out: half the world reads it the other way round.
FORMS = ("%Y/%m/%d", "%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S", "%Y-%m", "%Y/%m", "%d.%m.%Y", "%d.%m.%Y %H:%M")
LARGEST_NUMBER = 10**15
SEASONS_IN_MONTHS = {1: 12, 3: 4, 6: 2}
NAMES = {1: "second", MINUTE: "minute", HOUR: "hour", DAY: "day", WEEK: "week"}

Moment = datetime | int


def read_moment(text: str) -> Moment | None:
    """The time that a cell tells: a date with or without its time of day, or a whole number; None for other text."""
    text = text.strip()
    if text.isascii() and text.lstrip("-").isdigit():
        number = int(text) if len(text) < 17 else LARGEST_NUMBER + 1
        return number if abs(number) <= LARGEST_NUMBER else None
    try:
        return _naive(datetime.fromisoformat(text))
    except ValueError:
        return next((found for form in FORMS if (found := _by_form(text, form)) is not None), None)


def _by_form(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)  # noqa: DTZ007 a series has one zone, whichever it is
    except ValueError:
        return None


def _naive(moment: datetime) -> datetime:
    """Steps are counted in UTC where a zone is told, so that no hour is missing in spring."""
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class Clock:
    """Where step 0 stands, and how far it is from each step to the next: so many months, or seconds, or numbers."""

    first: Moment
    seconds: int = 0
    months: int = 0
    numbers: int = 0

    @property
    def counted(self) -> bool:
        """Whether the steps have numbers and no dates."""
        return self.numbers > 0

    @property
    def season(self) -> int:
        """After how many steps a series of this kind usually repeats itself; 1 where nothing tells."""
        if self.months:
            return SEASONS_IN_MONTHS.get(self.months, 1)
        if not self.seconds:
            return 1
        if self.seconds < DAY:
            return DAY // self.seconds if DAY % self.seconds == 0 else 1
        return {DAY: 7, WEEK: 52}.get(self.seconds, 1)

    @property
    def step(self) -> str:
        """The step in words."""
        if self.numbers:
            return f"{self.numbers:,}"
        if self.months:
            return f"{self.months} months" if self.months > 1 else "month"
        unit = max(unit for unit in NAMES if self.seconds % unit == 0)
        count = self.seconds // unit
        return f"{count} {NAMES[unit]}s" if count > 1 else NAMES[unit]

    def at(self, number: int) -> Moment:
        """The time of a step."""
        if isinstance(self.first, int):
            return self.first + number * self.numbers
        if self.months:
            return _later(self.first, number * self.months)
        return self.first + timedelta(seconds=number * self.seconds)

    def shown(self, number: int) -> str:
        """The time of a step as a file tells it."""
        moment = self.at(number)
        return str(moment) if isinstance(moment, int) else moment.isoformat(sep=" ")

    def step_of(self, moment: Moment) -> float:
        """Which step stands at a time; no whole number where the time is none of the clock's."""
        if isinstance(moment, int) or isinstance(self.first, int):
            if not isinstance(moment, int) or not isinstance(self.first, int):
                raise ValueError("dates and numbers are no times of one series; use one kind")
            return (moment - self.first) / self.numbers
        if self.months:
            months = _months_between(self.first, moment)
            number, rest = divmod(months, self.months)
            return float(number) if rest == 0 and _later(self.first, months) == moment else number + 0.5
        return (moment - self.first).total_seconds() / self.seconds


def clock_of(moments: Sequence[Moment]) -> Clock | None:
    """The clock whose step most neighbours keep; None where there is none, or where time runs backwards."""
    first = moments[0]
    if len(moments) < 2 or len({type(moment) for moment in moments}) > 1:
        return None
    if isinstance(first, int):
        numbers = median_low([int(str(b)) - int(str(a)) for a, b in pairwise(moments)])
        return Clock(first, numbers=numbers) if numbers > 0 else None
    dates = [moment for moment in moments if isinstance(moment, datetime)]
    return _clock_of_dates(dates)


def _clock_of_dates(dates: Sequence[datetime]) -> Clock | None:
    pairs = list(pairwise(dates))
    seconds = median_low([round((later - earlier).total_seconds()) for earlier, later in pairs])
    if seconds <= 0:
        return None
    monthly = [_months_between(earlier, later) for earlier, later in pairs]
    months = median_low(monthly)
    if seconds >= 28 * DAY and months and all(_later(dates[0], _months_between(dates[0], one)) == one for one in dates):
        return Clock(dates[0], months=months)
    return Clock(dates[0], seconds=seconds)


def _months_between(earlier: datetime, later: datetime) -> int:
    return 12 * (later.year - earlier.year) + later.month - earlier.month


def _later(moment: datetime, months: int) -> datetime:
    """So many months later, on the same day or, as at the end of February, on the last one."""
    count = 12 * moment.year + moment.month - 1 + months
    year, month = divmod(count, 12)
    ends = _is_last(moment)
    for day in (31, 30, 29, 28) if ends else (moment.day, 30, 29, 28):
        try:
            return moment.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue
    raise ValueError(f"{moment} has no date {months} months later")


def _is_last(moment: datetime) -> bool:
    """Whether a day is the last of its month."""
    return moment.day >= 28 and (moment + timedelta(days=1)).month != moment.month
