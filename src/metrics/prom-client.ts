import type * as client from "prom-client";
// The package's main file would bring its Node-only parts along, four times the size of these in a Worker's bundle.
// @ts-expect-error It has types for its main file only
import CounterPart from "prom-client/lib/counter.js";
// @ts-expect-error The same
import GaugePart from "prom-client/lib/gauge.js";
// @ts-expect-error The same
import HistogramPart from "prom-client/lib/histogram.js";
// @ts-expect-error The same
import RegistryPart from "prom-client/lib/registry.js";

export const Counter = CounterPart as typeof client.Counter;
export const Gauge = GaugePart as typeof client.Gauge;
export const Histogram = HistogramPart as typeof client.Histogram;
export const Registry = RegistryPart as typeof client.Registry;
