"""`mirada predict` of a forecaster: what comes after a series, as a table or as a picture."""

from mirada.cli.failure import fail
from mirada.cli.predicting import Asked
from mirada.cli.saying import print_json, say

PICTURES = (".png", ".svg")


def predict_series(asked: Asked) -> None:
    """Write what comes after a series, or after all of it but its last `back` steps, so that it can be compared."""
    from mirada.forecaster import Forecaster

    if asked.given is None:
        fail(f"--input is missing: {asked.model} is a forecaster, and needs the series that it is to go on with")
    forecaster = Forecaster.load(asked.model)
    series = forecaster.read(asked.given)
    for remark in series.remarks:
        say(remark)
    forecast = forecaster.forecast(series, asked.back)
    if asked.output is not None and asked.output.suffix.lower() in PICTURES:
        from mirada.viewing.forecasting import draw_forecast

        draw_forecast(forecast, asked.output, asked.channels)
        say(f"{asked.output} written")
    else:
        with asked.written() as out:
            if out is not None:
                out.write(forecast.as_csv().encode())
    if asked.as_json:
        print_json({"model": str(asked.model), **forecast.as_json()})
