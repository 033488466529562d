import { Paper, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import classes from './overview.module.css'

const SPARK_HEIGHT = 28
const Sparkline = lazy(() =>
  import('./sparkline.tsx').then((file) => ({ default: file.Sparkline })),
)

export type Tile = {
  label: string
  value: string | null
  /** What the line shows; null while it is not known. */
  line: number[] | null
  color: string
  to: '/dashboard/platforms' | '/dashboard/records' | '/dashboard/activity'
  search?: Record<string, string>
}

/** One figure, with its last 24 hours. */
export function StatTile({ tile }: { tile: Tile }) {
  const { label, value, line, color, to, search = {} } = tile
  return (
    <Paper
      withBorder
      p="sm"
      className={classes['tile']}
      renderRoot={(props) => <Link to={to} search={search} {...props} />}
    >
      <Stack gap={2}>
        <Text size="sm" c="dimmed">
          {label}
        </Text>
        {value === null ? (
          <Skeleton height={31} width={80} />
        ) : (
          <Text fz={22} fw={650} lh={1.4}>
            {value}
          </Text>
        )}
        <Suspense fallback={<Skeleton height={SPARK_HEIGHT} />}>
          {line ? <Sparkline values={line} color={color} /> : <Skeleton height={SPARK_HEIGHT} />}
        </Suspense>
      </Stack>
    </Paper>
  )
}
