import { SimpleGrid } from '@mantine/core'
import { snapshot } from '../../api/live.ts'
import { formatNumber } from '../../lib/format.ts'
import { useStore } from '../../lib/use-store.ts'
import { flowOf, levelOf } from './hour-series.ts'
import { StatTile, type Tile } from './stat-tile.tsx'

/** How much there is and how much came today. */
export function StatTiles() {
  const { stats = null, hours = null } = useStore(snapshot) ?? {}
  const number = (value: number | undefined) => (value === undefined ? null : formatNumber(value))
  const level = (now: number | undefined, kind: Parameters<typeof flowOf>[1]) =>
    hours && now !== undefined ? levelOf(now, flowOf(hours, kind)) : null
  const tiles: Tile[] = [
    {
      label: 'Platforms active',
      value: stats && `${formatNumber(stats.active_platforms)} / ${formatNumber(stats.platforms)}`,
      line: level(stats?.platforms, 'platforms_added'),
      color: 'harbour.6',
      to: '/dashboard/platforms',
    },
    {
      label: 'Modules',
      value: number(stats?.modules),
      line: level(stats?.modules, 'modules_added'),
      color: 'harbour.6',
      to: '/dashboard/platforms',
    },
    {
      label: 'Records',
      value: number(stats?.records),
      line: level(stats?.records, 'created'),
      color: 'harbour.6',
      to: '/dashboard/records',
    },
    {
      label: 'Received today',
      value: number(stats?.received_today),
      line: hours && flowOf(hours, 'received_post', 'received_patch', 'received_pull'),
      color: 'green.6',
      to: '/dashboard/records',
    },
    {
      label: 'Rejected today',
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
