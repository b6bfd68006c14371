"""Daily crop growth (maize-like): misfit to leaf area, biomass and yield samples."""
import csv
import io
import math
from collections import namedtuple

import numpy as np

Weather = namedtuple("Weather", "doy tmin tmax rad rain")
STATION = """doy,tmean,range,rad,rain
121,11.5,9,15.0,2.1
152,16.0,11,19.5,2.9
182,20.5,12,21.0,1.5
213,20.0,12,18.0,1.2
244,16.0,10,13.0,2.4
274,11.0,8,8.5,2.8
"""


def read_weather(text=STATION):
    """Monthly station normals to daily records."""
    rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(text))]
    for a, b in zip(rows, rows[1:]):
        n = int(b["doy"] - a["doy"])
        for i in range(n):
            mix = {k: a[k] + (b[k] - a[k]) * i / n for k in a}
            doy = int(mix["doy"])
            wobble = 2.5 * math.sin(0.9 * doy) + 1.5 * math.sin(0.37 * doy)
            rain = 5 * mix["rain"] if doy % 5 == 0 else 0.0
            yield Weather(doy, mix["tmean"] - mix["range"] / 2 + wobble,
                          mix["tmean"] + mix["range"] / 2 + wobble,
                          mix["rad"] * (0.75 if rain else 1.05), rain)


RECORDS = list(read_weather())


class Crop:
    def __init__(self, p):
        self.p = p
        self.tt = 0.0                 # thermal time, degC d
        self.lai = 0.01
        self.biomass = {"leaf": 2.0, "stem": 1.0, "root": 1.5, "grain": 0.0}  # g/m2
        self.stage = "emergence"

    def update(self, w, stress):
        p = self.p
        tmean = 0.5 * (w.tmin + w.tmax)
        self.tt += max(0.0, min(tmean, 30.0) - p["t_base"])
        if self.stage == "emergence":
            if self.tt < 60.0:
                return
            self.stage = "vegetative"
        intercepted = 0.5 * w.rad * (1 - math.exp(-p["k_ext"] * self.lai))
        f_temp = math.exp(-((tmean - p["t_opt"]) / 14.0) ** 2)
        growth = p["rue"] * intercepted * f_temp * stress
        dvs = self.tt / p["tt_flower"]
        sinks = {"leaf": 0.6 / (1 + math.exp(9 * (dvs - 0.75))),
                 "root": 0.25 * math.exp(-1.5 * dvs),
                 "grain": 1.0 / (1 + math.exp(-12 * (dvs - 1.15)))}
        sinks["stem"] = 0.5 * math.exp(-((dvs - 0.8) / 0.35) ** 2)
        total = sum(sinks.values())
        for organ, s in sinks.items():
            self.biomass[organ] += growth * s / total
        death = 0.0
        if self.tt > p["tt_flower"]:
            self.stage = "grain filling"
            death = p["senescence"] * (self.tt / p["tt_flower"] - 1.0)
        self.lai += p["sla"] * growth * sinks["leaf"] / total - death * self.lai
        if self.stage == "grain filling":       # retranslocation from the stem
            moved = 0.012 * self.biomass["stem"]
            self.biomass["stem"] -= moved
            self.biomass["grain"] += 0.8 * moved


def season(p, records=RECORDS):
    crop, water = Crop(p), 0.7 * p["awc"]
    for w in records:
        et0 = 0.0023 * 0.408 * w.rad * 1.7 * math.sqrt(w.tmax - w.tmin) * (
            0.5 * (w.tmin + w.tmax) + 17.8)
        cover = 1 - math.exp(-0.6 * crop.lai)
        rel = water / p["awc"]
        stress = 1 / (1 + math.exp(-14 * (rel - p["p_crit"])))
        water += w.rain - et0 * cover * stress - 0.25 * et0 * (1 - cover) * rel
        water = min(water, p["awc"])          # excess drains
        crop.update(w, stress)
        yield w.doy, crop
        if crop.tt > 2.1 * p["tt_flower"]:
            break


SAMPLES = {175: (0.9, 70.0), 196: (3.1, 360.0), 217: (3.6, 800.0), 245: (2.3, 1250.0)}


def f(p):
    loss = 0.0
    for doy, crop in season(p):
        if doy in SAMPLES:
            lai, above = SAMPLES[doy]
            modelled = sum(v for k, v in crop.biomass.items() if k != "root")
            loss += ((crop.lai - lai) / 0.4) ** 2 + np.log(modelled / above) ** 2 / 0.02
    return loss + ((crop.biomass["grain"] - 720.0) / 80.0) ** 2


def args():
    return ({"t_base": 8.0, "t_opt": 24.0, "rue": 3.1, "k_ext": 0.55, "sla": 0.020,
             "tt_flower": 610.0, "senescence": 0.030, "awc": 130.0, "p_crit": 0.32},)


WRT = (0,)
