"""A forecast as a picture: the past, what was said with its band, and what came."""

from __future__ import annotations

from pathlib import Path

from mirada.forecaster import Forecast

MOST_CHANNELS = 12  # of a picture
SHOWN_PAST = 3  # times as many steps as the forecast has
ENDINGS = (".png", ".svg")


def draw_forecast(forecast: Forecast, path: Path, channels: tuple[str, ...] = ()) -> None:
    """Write a picture with a panel for each channel, at most the first dozen unless some are named."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure  # heavy, and needed for pictures alone

    if path.suffix.lower() not in ENDINGS:
        raise ValueError(f"{path} is no name of a picture; use one that ends in {' or '.join(ENDINGS)}")
    unknown = [name for name in channels if name not in forecast.names]
    if unknown:
        raise ValueError(f"{unknown[0]} is no channel of this model; it has {', '.join(forecast.names[:20])}")
    names = channels or forecast.names[:MOST_CHANNELS]
    ahead = range(len(forecast.said))
    figure = Figure(figsize=(9, 1 + 1.9 * len(names)), layout="constrained")
    for panel, name in zip(figure.subplots(len(names), 1, squeeze=False)[:, 0], names, strict=True):
        channel = forecast.names.index(name)
        past = forecast.past[-SHOWN_PAST * len(ahead) :, channel]
        panel.plot(range(-len(past), 0), past, color="tab:gray", linewidth=1, label="past")
        if forecast.quantiles:
            said, low, high = forecast.said[:, channel], forecast.quantiles[0], forecast.quantiles[-1]
            panel.fill_between(
                ahead, said[:, 0], said[:, -1], alpha=0.25, linewidth=0, label=f"quantiles {low:g} to {high:g}"
            )
        panel.plot(ahead, forecast.point[:, channel], color="tab:blue", linewidth=1.5, label="forecast")
        if len(forecast.truth):
            truth = forecast.truth[:, channel]
            panel.plot(range(len(truth)), truth, color="black", linewidth=1, linestyle="--", label="what came")
        panel.set_title(name, fontsize="medium", loc="left")
        panel.margins(x=0.01)
    first, *_ = figure.axes
    first.legend(fontsize="small", loc="upper left", ncols=4)
    figure.axes[-1].set_xlabel(f"steps from {forecast.times[0]} on")
    with rc_context({"svg.hashsalt": "mirada"}):  # the same picture is the same file
        figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
