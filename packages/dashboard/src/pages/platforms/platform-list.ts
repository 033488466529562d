/** How the list of platforms is filtered and sorted, and how well each is. */
import type { Platform, PlatformSummary } from '@recordhub/protocol'

export type Health = 'well' | 'trouble' | 'question' | 'waiting' | 'off'

/** In the order in which they want to be looked at. */
export const HEALTHS = ['trouble', 'question', 'waiting', 'well', 'off'] as const

export const HEALTH_WORDS: Readonly<Record<Health, string>> = {
  well: 'Healthy',
  trouble: 'Failing',
  question: 'Needs review',
  waiting: 'No data yet',
  off: 'Inactive',
}

export function healthOf(
  platform: Pick<
    PlatformSummary,
    'status' | 'last_error' | 'missing_reviews' | 'latest_sync_at' | 'last_push_at'
  >,
): Health {
  if (platform.status === 'inactive') return 'off'
  if (platform.last_error !== null) return 'trouble'
  if (platform.missing_reviews > 0) return 'question'
  const isNew = platform.latest_sync_at === null && platform.last_push_at === null
  return isNew ? 'waiting' : 'well'
}

/** Why a platform is not well, in a sentence; null where there is nothing to say. */
export function explainHealth(platform: PlatformSummary): string | null {
  const { last_error, missing_reviews } = platform
  switch (healthOf(platform)) {
    case 'trouble':
      return last_error
    case 'question':
      return missing_reviews === 1
        ? 'Many records of a module are gone. Somebody has to say what to do.'
        : `Many records of ${missing_reviews} modules are gone. Somebody has to say what to do.`
    case 'waiting':
      return 'Nothing was pushed or pulled yet.'
    case 'off':
      return 'It is not pulled, and its pushes are refused.'
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

export type PlatformFilter = { text: string; status: string; health: string }

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

/** Those that the filter means, sorted; alike ones by their title. */
export function choosePlatforms(
  platforms: readonly Platform[],
  { text, status, health }: PlatformFilter,
  { sort, direction }: { sort: Sort; direction: Direction },
): Platform[] {
  const wanted = text.trim().toLowerCase()
  const key = KEYS[sort]
  const sign = direction === 'asc' ? 1 : -1
  return platforms
    .filter(({ display_title, platform_name, source_base_url }) =>
      [display_title, platform_name, source_base_url].some((words) =>
        words.toLowerCase().includes(wanted),
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
