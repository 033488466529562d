/** Filtering, sorting and health of platforms. */

import type { Platform, PlatformSummary } from '@recordhub/protocol'
import { COMMON_TEXTS } from '../../texts.ts'

export type Health = 'healthy' | 'failing' | 'needs_review' | 'no_data' | 'inactive'

/** In order of urgency. */
export const HEALTHS = ['failing', 'needs_review', 'no_data', 'healthy', 'inactive'] as const

export const HEALTH_LABELS: Readonly<Record<Health, string>> = {
  healthy: 'Healthy',
  failing: 'Failing',
  needs_review: COMMON_TEXTS.needsReview,
  no_data: 'No data yet',
  inactive: 'Inactive',
}

export function healthOf(
  platform: Pick<
    PlatformSummary,
    'status' | 'modules_failing' | 'missing_reviews' | 'latest_sync_at' | 'last_push_at'
  >,
): Health {
  if (platform.status === 'inactive') return 'inactive'
  if (platform.modules_failing > 0) return 'failing'
  if (platform.missing_reviews > 0) return 'needs_review'
  const isNew = platform.latest_sync_at === null && platform.last_push_at === null
  return isNew ? 'no_data' : 'healthy'
}

/** The reason for the health of a platform; null if it is healthy. */
export function healthReason(platform: PlatformSummary): string | null {
  const { last_error, missing_reviews } = platform
  switch (healthOf(platform)) {
    case 'failing':
      return last_error
    case 'needs_review':
      return missing_reviews === 1
        ? 'Many records of one module are missing. Review these records before they are marked missing.'
        : `Many records of ${missing_reviews} modules are missing. Review these records before they are marked missing.`
    case 'no_data':
      return 'No pushes and no pulls yet.'
    case 'inactive':
      return 'The platform is not pulled, and its pushes are rejected.'
    default:
      return null
  }
}

/** The state of a hub without open alerts. An alert follows the first failures of a platform, so some may fail already. */
export function noAlertsLabel(failing: readonly unknown[]): string {
  if (failing.length === 0) return 'No open alerts'
  return failing.length === 1
    ? 'No open alerts, but 1 platform is failing'
    : `No open alerts, but ${failing.length} platforms are failing`
}

const SORTS = ['title', 'status', 'modules', 'records', 'synced', 'pushed', 'health'] as const
export type Sort = (typeof SORTS)[number]
export type Direction = 'asc' | 'desc'

type PlatformFilter = { text: string; status: string; health: string }

const KEYS: Record<Sort, (platform: Platform) => string | number> = {
  title: (platform) => platform.display_title.toLowerCase(),
  status: (platform) => platform.status,
  modules: (platform) => platform.modules_registered,
  records: (platform) => platform.records,
  synced: (platform) => platform.latest_sync_at ?? '',
  pushed: (platform) => platform.last_push_at ?? '',
  health: (platform) => HEALTHS.indexOf(healthOf(platform)),
}

export function isSort(text: string | undefined): text is Sort {
  return SORTS.some((one) => one === text)
}

/** The platforms that match the filter, sorted. Equal ones are sorted by title. */
export function filterPlatforms(
  platforms: readonly Platform[],
  { text, status, health }: PlatformFilter,
  { sort, direction }: { sort: Sort; direction: Direction },
): Platform[] {
  const search = text.trim().toLowerCase()
  const key = KEYS[sort]
  const sign = direction === 'asc' ? 1 : -1
  return platforms
    .filter(({ display_title, platform_name, source_base_url }) =>
      [display_title, platform_name, source_base_url].some((value) =>
        value.toLowerCase().includes(search),
      ),
    )
    .filter((one) => status === '' || one.status === status)
    .filter((one) => health === '' || healthOf(one) === health)
    .toSorted((one, other) => {
      const order = compare(key(one), key(other)) * sign
      return order === 0 ? compare(KEYS.title(one), KEYS.title(other)) : order
    })
}

function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0
}
