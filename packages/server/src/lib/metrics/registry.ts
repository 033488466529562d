/**
 * Metrics in the text format of Prometheus. Counting costs an addition: the label values of counters and histograms are
 * known when they are defined, so that a metric cannot have more series than its definition shows. Gauges with other
 * labels are read for each scrape.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */

export type Counter = { add: (amount?: number) => void }
type Histogram = { observe: (value: number) => void }

export type Labels = Readonly<Record<string, string>>
export type Sample = { labels?: Labels; value: number }

/** `name` follows https://prometheus.io/docs/practices/naming/, and `help` is one line. */
type Definition = { name: string; help: string }
type HistogramDefinition = Definition & {
  /** The upper bounds of the buckets, ascending; +Inf is added. */
  bounds: readonly number[]
}
type Labelled<Value extends string> = { label: string; values: readonly Value[] }

/** Gauges, and counters that something else counts, which are read for each scrape. */
export type Collected = Definition & { type: 'gauge' | 'counter'; samples: readonly Sample[] }

/**
 * Metrics without labels, by their names: the help text and the value, which is null if it is unknown here. The names of
 * counters end with `_total`; the others are gauges.
 */
export function unlabelled(
  metrics: Readonly<Record<string, readonly [help: string, value: number | null]>>,
): Collected[] {
  return Object.entries(metrics).map(([name, [help, value]]) => ({
    ...{ name, help, type: name.endsWith('_total') ? 'counter' : 'gauge' },
    samples: value === null ? [] : [{ value }],
  }))
}
type Collector = () => readonly Collected[] | Promise<readonly Collected[]>

export type MetricsRegistry = {
  counter: (definition: Definition) => Counter
  counters: <Value extends string>(
    definition: Definition & Labelled<Value>,
  ) => Readonly<Record<Value, Counter>>
  histogram: (definition: HistogramDefinition) => Histogram
  histograms: <Value extends string>(
    definition: HistogramDefinition & Labelled<Value>,
  ) => Readonly<Record<Value, Histogram>>
  /** Reads metrics for each scrape. The function must not reject. */
  collect: (collector: Collector) => void
  render: () => Promise<string>
}

/** @throws Error if a metric is defined twice. */
export function createMetricsRegistry(): MetricsRegistry {
  const names = new Set<string>()
  const writers: (() => string | Promise<string>)[] = []

  function define({ name }: Definition): void {
    if (names.has(name)) throw new Error(`The metric ${name} is defined twice`)
    names.add(name)
  }

  return {
    counter(definition) {
      define(definition)
      const cell = createCell()
      writers.push(() => head(definition, 'counter') + line(definition.name, {}, cell.read()))
      return cell
    },
    counters(definition) {
      define(definition)
      const { name, label } = definition
      const cells = byValue(definition.values, createCell)
      writers.push(() =>
        [
          head(definition, 'counter'),
          ...definition.values.map((value) => line(name, { [label]: value }, cells[value].read())),
        ].join(''),
      )
      return cells
    },
    histogram(definition) {
      define(definition)
      const buckets = createBuckets(definition.bounds)
      writers.push(() => head(definition, 'histogram') + buckets.write(definition.name, {}))
      return buckets
    },
    histograms(definition) {
      define(definition)
      const { name, label } = definition
      const all = byValue(definition.values, () => createBuckets(definition.bounds))
      writers.push(() =>
        [
          head(definition, 'histogram'),
          ...definition.values.map((value) => all[value].write(name, { [label]: value })),
        ].join(''),
      )
      return all
    },
    collect(collector) {
      writers.push(async () => (await collector()).map(writeCollected).join(''))
    },
    async render() {
      return (await Promise.all(writers.map((write) => write()))).join('')
    },
  }
}

function createCell(): Counter & { read: () => number } {
  let total = 0
  return {
    add(amount = 1) {
      total += amount
    },
    read: () => total,
  }
}

function createBuckets(bounds: readonly number[]) {
  /** The number of values in each bucket, not cumulative; the last one is +Inf. */
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    observe(value: number): void {
      let index = 0
      // Most values are in the first buckets, so a binary search would not be faster.
      while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1
      counts[index] = (counts[index] ?? 0) + 1
      sum += value
    },
    write(name: string, labels: Labels): string {
      let cumulative = 0
      const lines: string[] = []
      for (const [index, count] of counts.entries()) {
        cumulative += count
        const le = formatNumber(bounds[index] ?? Number.POSITIVE_INFINITY)
        lines.push(line(`${name}_bucket`, { ...labels, le }, cumulative))
      }
      lines.push(line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, cumulative))
      return lines.join('')
    },
  }
}

function byValue<Value extends string, Item>(
  values: readonly Value[],
  create: () => Item,
): Record<Value, Item> {
  const items: Partial<Record<Value, Item>> = {}
  for (const value of values) items[value] = create()
  if (!isComplete(items, values)) throw new Error('A label has no values')
  return items
}

function isComplete<Value extends string, Item>(
  items: Partial<Record<Value, Item>>,
  values: readonly Value[],
): items is Record<Value, Item> {
  return values.length > 0 && values.every((value) => value in items)
}

function writeCollected({ samples, type, ...definition }: Collected): string {
  if (samples.length === 0) return ''
  const lines = samples.map(({ labels = {}, value }) => line(definition.name, labels, value))
  return head(definition, type) + lines.join('')
}

function head({ name, help }: Definition, type: string): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${formatNumber(value)}\n`
}

/** Label values come from platforms, which may send any text. */
function escapeLabel(text: string): string {
  return text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
