/** Draws times against numbers of records as SVG; both axes are logarithmic. */
import { writeFileSync } from 'node:fs'

const WIDTH = 980
const HEIGHT = 560
const LEFT = 64
const RIGHT = 330
const TOP = 56
const BOTTOM = 72
/** Minimum distance of two labels. */
const LABEL_HEIGHT = 18

/** Colours that people with a colour vision deficiency can distinguish, on a light and on a dark background. */
const COLOURS: readonly [light: string, dark: string][] = [
  ['#0072b2', '#56b4e9'],
  ['#d55e00', '#f28e4c'],
  ['#007a5a', '#2bc59a'],
  ['#a8457f', '#e29ac4'],
  ['#8a6d00', '#e6c229'],
  ['#444444', '#c8c8c8'],
]
const DASHES = ['none', '7 4', '2 3']

/** The median times of an operation in milliseconds, by number of records. */
export type Growth = { name: string; points: { records: number; ms: number }[] }

/** @param caption describes the machine of the run. */
export function writeGrowthPlot(path: string, growths: readonly Growth[], caption: string): void {
  const points = growths.flatMap((growth) => growth.points)
  const sizes = [...new Set(points.map(({ records }) => records))].sort((one, other) => one - other)
  const x = scaleOf([sizes[0] ?? 1, sizes.at(-1) ?? 1], [LEFT, WIDTH - RIGHT])
  const times = points.map(({ ms }) => ms)
  const decades = decadesOf(Math.min(...times), Math.max(...times))
  const y = scaleOf([decades[0] ?? 1, decades.at(-1) ?? 1], [HEIGHT - BOTTOM, TOP])
  const labels = placeLabels(growths.map(({ points }) => y(points.at(-1)?.ms ?? 1)))
  const series = growths.map(({ name, points }, index) => {
    const path = points.map(({ records, ms }) => `${round(x(records))},${round(y(ms))}`)
    const [lastX = '', lastY = ''] = path.at(-1)?.split(',') ?? []
    const last = points.at(-1)?.ms ?? 0
    const labelY = round(labels[index] ?? 0)
    return `<g class="c${index % COLOURS.length}">
<polyline points="${path.join(' ')}" stroke-dasharray="${DASHES[Math.floor(index / COLOURS.length) % DASHES.length]}"/>
${path.map((point) => `<circle cx="${point.replace(',', '" cy="')}" r="3"/>`).join('')}
<path d="M${lastX},${lastY} L${WIDTH - RIGHT + 14},${labelY}"/>
<text x="${WIDTH - RIGHT + 18}" y="${labelY}" dy="4">${escapeText(name)}: ${formatMs(last)}</text>
</g>`
  })
  const grid = [
    ...decades.map((ms) =>
      gridLine([LEFT, y(ms)], [WIDTH - RIGHT, y(ms)], [LEFT - 8, y(ms) + 4], formatMs(ms), 'end'),
    ),
    ...sizes.map((records) => {
      const text = records.toLocaleString('en')
      const label: Point = [x(records), HEIGHT - BOTTOM + 20]
      return gridLine([x(records), TOP], [x(records), HEIGHT - BOTTOM], label, text, 'middle')
    }),
  ]
  writeFileSync(
    path,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Times against the number of records">
<style>${styles()}</style>
<rect class="background" width="${WIDTH}" height="${HEIGHT}"/>
<text class="title" x="${LEFT}" y="28">Time of an operation against the number of records, median</text>
${grid.join('\n')}
${series.join('\n')}
<text class="note" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 30}" text-anchor="middle">records</text>
<text class="note" x="${LEFT}" y="${HEIGHT - 10}">${escapeText(caption)}</text>
</svg>
`,
  )
}

type Point = readonly [x: number, y: number]

function scaleOf([from, to]: Point, [start, end]: Point): (value: number) => number {
  const length = Math.log(to / from) || 1
  return (value) => start + (Math.log(value / from) / length) * (end - start)
}

/** The powers of ten that contain all values. */
function decadesOf(least: number, greatest: number): number[] {
  const first = Math.floor(Math.log10(least))
  const last = Math.max(first + 1, Math.ceil(Math.log10(greatest)))
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index))
}

/** Moves labels apart, in the order of their lines. */
function placeLabels(positions: readonly number[]): number[] {
  const placed = [...positions]
  const order = positions.map((_, index) => index)
  order.sort((one, other) => (positions[one] ?? 0) - (positions[other] ?? 0))
  const lowest = HEIGHT - BOTTOM - LABEL_HEIGHT * (order.length - 1)
  order.forEach((index, rank) => {
    const above = placed[order[rank - 1] ?? -1] ?? Number.NEGATIVE_INFINITY
    const wanted = Math.min(positions[index] ?? 0, lowest + rank * LABEL_HEIGHT)
    placed[index] = Math.max(wanted, above + LABEL_HEIGHT)
  })
  return placed
}

function gridLine(from: Point, to: Point, label: Point, text: string, anchor: string): string {
  const [start, end] = [from, to].map((point) => point.map(round).join(','))
  const [x, y] = label.map(round)
  return `<path class="grid" d="M${start} L${end}"/><text class="note" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`
}

function styles(): string {
  const colours = (at: 0 | 1) =>
    COLOURS.map(
      (pair, index) =>
        `.c${index} polyline,.c${index} path{stroke:${pair[at]}}.c${index} circle,.c${index} text{fill:${pair[at]}}`,
    ).join('')
  return `text{font:13px system-ui,sans-serif}.title{font-size:16px;font-weight:600}
polyline{fill:none;stroke-width:2}path{fill:none;stroke-width:.7;opacity:.6}
.background{fill:#fff}.title{fill:#1a1a1a}.note{fill:#555;font-size:12px}path.grid{stroke:#bbb;stroke-width:.6}
${colours(0)}
@media (prefers-color-scheme:dark){.background{fill:#14171c}.title{fill:#f0f0f0}.note{fill:#aaa}path.grid{stroke:#555}
${colours(1)}}`
}

function formatMs(ms: number): string {
  if (ms >= 1000) return `${Number((ms / 1000).toPrecision(2))} s`
  return `${Number(ms.toPrecision(2))} ms`
}

const round = (value: number) => Math.round(value * 10) / 10
const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
