import { BarChart } from '@mantine/charts'

const HEIGHT = 28

/** A small bar chart without labels: the tile around it has the label. */
export function Sparkline({ values, color }: { values: number[]; color: string }) {
  return (
    // Removes the chart from the tab order.
    <div inert>
      <BarChart
        h={HEIGHT}
        data={values.map((value, index) => ({ index, value }))}
        dataKey="index"
        series={[{ name: 'value', color }]}
        withXAxis={false}
        withYAxis={false}
        withTooltip={false}
        gridAxis="none"
        minBarSize={1}
        barChartProps={{ margin: { top: 0, right: 0, bottom: 0, left: 0 }, barCategoryGap: '15%' }}
      />
    </div>
  )
}
