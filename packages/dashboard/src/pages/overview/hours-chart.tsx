import { TEXTS } from './texts.tsx'
import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { formatNumber, formatShort } from '../../lib/format.ts'
import type { HourBar } from './hour-series.ts'

const HEIGHT = 240

const SERIES = [
  { name: 'POST', color: 'harbour.7' },
  { name: 'PATCH', color: 'yellow.6' },
  { name: TEXTS.pull, color: 'grape.6' },
]

/** Records received in each hour, stacked by source. */
export function HoursChart({ bars }: { bars: HourBar[] }) {
  return (
    <BarChart
      h={HEIGHT}
      data={bars}
      dataKey="hour"
      type="stacked"
      series={SERIES}
      withLegend
      legendProps={{ verticalAlign: 'bottom', itemSorter: null }}
      valueFormatter={formatNumber}
      yAxisProps={{ tickFormatter: formatShort, allowDecimals: false, width: 44 }}
      xAxisProps={{ interval: 'preserveStartEnd', minTickGap: 24 }}
      tooltipAnimationDuration={0}
    />
  )
}
