import { Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { snapshot } from '../../api/live.ts'
import { formatNumber } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { flowOf, levelOf } from './hour-series.ts'
import classes from './overview.module.css'
import { TEXTS } from './texts.tsx'

/** The totals, and the counts of today. */
export function StatTiles() {
  const { stats = null, hours = null } = useStore(snapshot) ?? {}
  const number = (value: number | undefined) => (value === undefined ? null : formatNumber(value))
  const level = (now: number | undefined, kind: Parameters<typeof flowOf>[1]) =>
    hours && now !== undefined ? levelOf(now, flowOf(hours, kind)) : null
  const tiles: Tile[] = [
    {
      label: TEXTS.activePlatforms,
      value: stats && `${formatNumber(stats.active_platforms)} / ${formatNumber(stats.platforms)}`,
      line: level(stats?.platforms, 'platforms_added'),
      color: 'harbour.6',
      to: '/dashboard/platforms',
    },
    {
      label: TEXTS.modules,
      value: number(stats?.modules),
      line: level(stats?.modules, 'modules_added'),
      color: 'harbour.6',
      to: '/dashboard/platforms',
    },
    {
      label: TEXTS.records,
      value: number(stats?.records),
      line: level(stats?.records, 'created'),
      color: 'harbour.6',
      to: '/dashboard/records',
    },
    {
      label: TEXTS.receivedToday,
      value: number(stats?.received_today),
      line: hours && flowOf(hours, 'received_post', 'received_patch', 'received_pull'),
      color: 'green.6',
      to: '/dashboard/records',
    },
    {
      label: TEXTS.rejectedToday,
      value: number(stats?.rejected_today),
      line: hours && flowOf(hours, 'rejected'),
      color: 'red.6',
      to: '/dashboard/activity',
      search: { tab: 'rejected' },
    },
  ]
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
      {tiles.map((tile) => (
        <StatTile key={tile.label} tile={tile} />
      ))}
    </SimpleGrid>
  )
}

const SPARK_HEIGHT = 28
const Sparkline = lazy(() =>
  import('./sparkline.tsx').then((file) => ({ default: file.Sparkline })),
)

type Tile = {
  label: string
  value: string | null
  /** The values of the sparkline; null while they are unknown. */
  line: number[] | null
  color: string
  to: '/dashboard/platforms' | '/dashboard/records' | '/dashboard/activity'
  search?: Record<string, string>
}

/** One number, with its last 24 hours. */
function StatTile({ tile }: { tile: Tile }) {
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
