/** Filtering, sorting and health of platforms. */

import type { PlatformSummary } from '@recordhub/protocol'

export type Health = PlatformSummary['health']['state']

/** In order of urgency. */
export const HEALTHS = ['failing', 'needs_attention', 'new', 'healthy', 'inactive'] as const

export const HEALTH_LABELS: Readonly<Record<Health, string>> = {
  healthy: 'Healthy',
  failing: 'Failing',
  needs_attention: 'Needs attention',
  new: 'No data yet',
  inactive: 'Inactive',
}

/** The state of a hub without open alerts. An alert follows the first failures of a platform, so some may fail already. */
export function noAlertsLabel(failing: readonly unknown[]): string {
  if (failing.length === 0) return 'No open alerts'
  return failing.length === 1
    ? 'No open alerts, but 1 platform is failing'
    : `No open alerts, but ${failing.length} platforms are failing`
}

const SORTS = ['title', 'modules', 'records', 'synced', 'pushed', 'health'] as const
export type Sort = (typeof SORTS)[number]
type Direction = 'asc' | 'desc'

type PlatformFilter = { text: string; health: string }

const KEYS: Record<Sort, (platform: PlatformSummary) => string | number> = {
  title: (platform) => platform.display_title.toLowerCase(),
  modules: (platform) => platform.modules_registered,
  records: (platform) => platform.records,
  synced: (platform) => platform.latest_sync_at ?? '',
  pushed: (platform) => platform.last_push_at ?? '',
  health: (platform) => HEALTHS.indexOf(platform.health.state),
}

export function isSort(text: string | undefined): text is Sort {
  return SORTS.some((one) => one === text)
}

/** The platforms that match the filter, sorted. Equal ones are sorted by title. */
export function filterPlatforms(
  platforms: readonly PlatformSummary[],
  { text, health }: PlatformFilter,
  { sort, direction }: { sort: Sort; direction: Direction },
): PlatformSummary[] {
  const search = text.trim().toLowerCase()
  const key = KEYS[sort]
  const sign = direction === 'asc' ? 1 : -1
  return platforms
    .filter(({ display_title, platform_name, source_base_url }) =>
      [display_title, platform_name, source_base_url].some((value) =>
        value.toLowerCase().includes(search),
      ),
    )
    .filter((one) => health === '' || one.health.state === health)
    .toSorted((one, other) => {
      const order = compare(key(one), key(other)) * sign
      return order === 0 ? compare(KEYS.title(one), KEYS.title(other)) : order
    })
}

function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0
}
