import type { Metric, RegistryContentType } from "prom-client";
import { Registry } from "./prom-client.ts";

export const TEXT = "text/plain;version=0.0.4;charset=utf-8";
export const OPEN_METRICS = "application/openmetrics-text;version=1.0.0;charset=utf-8";

/** The text that Prometheus reads of `metrics`, or of those that `names` has. */
export async function exposition(metrics: readonly Metric[], { type, names }: { type: string; names: ReadonlySet<string> }): Promise<string> {
  const registry = new Registry<RegistryContentType>();
  registry.setContentType(type === OPEN_METRICS ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE);
  const wanted = metrics.filter((metric) => names.size === 0 || names.has(nameOf(metric)));
  // For OpenMetrics the registry takes `_total` off a counter's name for good: it gets a view, and the counter keeps it.
  for (const metric of wanted) registry.registerMetric(Object.create(metric) as Metric);
  return wanted.length === 0 && type === TEXT ? "" : registry.metrics();
}

function nameOf(metric: Metric): string {
  return (metric as unknown as { name: string }).name;
}
