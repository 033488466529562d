/** Whether everything that the platforms list is in the hub: sums, and a row for each module that is not equal. */
import type { ModuleCompleteness, PlatformSummary } from '@recordhub/protocol'

export type PlatformSums = {
  /** What the platforms listed, without accepted exceptions, and how much of it the hub has. */
  listed: number
  here: number
  accepted: number
  /** Records that differ from what the platform lists, because a revert has taken that back. */
  held: number
  newerPushes: number
  /** The time of the oldest comparison; null without any. */
  comparedAt: string | null
  modules: number
  /** Modules whose last pull failed, the records that the hub has of them, and when the oldest of them was verified. */
  failed: { modules: number; records: number; verifiedAt: string | null }
  /** Modules that no pull has read. */
  unread: number
  /** Records that the last complete read did not contain, in modules where that waits for a decision. */
  missing: number
  /** Modules that were read and compared, but are not proved complete. */
  unequal: number
}

export type UnequalRow = {
  platform: PlatformSummary
  /** Null for the modules of a platform together. */
  module: ModuleCompleteness | null
  modules: number
  listed: number | null
  here: number
  difference: number | null
  why: 'failed' | 'unread' | ModuleCompleteness['incomplete_reasons'][number] | 'unverified'
  verifiedAt: string | null
}

const NONE: PlatformSums = {
  ...{ listed: 0, here: 0, accepted: 0, held: 0, newerPushes: 0, comparedAt: null },
  ...{ modules: 0, unread: 0, missing: 0, unequal: 0 },
  failed: { modules: 0, records: 0, verifiedAt: null },
}

/** The sums of each active platform, by its name. */
export function sumByPlatform(
  modules: readonly ModuleCompleteness[],
  platforms: readonly PlatformSummary[],
): Map<string, PlatformSums> {
  const byPlatform = Map.groupBy(modules, ({ platform_name }) => platform_name)
  return new Map(
    platforms
      .filter(({ status }) => status === 'active')
      .map(({ platform_name: name }) => [name, total((byPlatform.get(name) ?? []).map(sumsOf))]),
  )
}

function sumsOf(module: ModuleCompleteness): PlatformSums {
  const { last_error, listed, accepted, held, pushed_since, verified_at } = module
  const one = { ...NONE, modules: 1 }
  if (last_error !== null) {
    return { ...one, failed: { modules: 1, records: stored(module), verifiedAt: verified_at } }
  }
  if (listed === null) return { ...one, unread: 1 }
  return {
    ...one,
    ...{ listed: listed - accepted, here: hereOf(module), accepted, held },
    newerPushes: pushed_since ?? 0,
    comparedAt: comparedAt(module),
    missing: undecidedOf(module),
    unequal: isEqual(module) ? 0 : 1,
  }
}

export function total(sums: Iterable<PlatformSums>): PlatformSums {
  let all = NONE
  for (const one of sums) all = add(all, one)
  return all
}

function add(one: PlatformSums, other: PlatformSums): PlatformSums {
  const [first, second] = [one.failed, other.failed]
  const times = [one, other].flatMap(({ failed }) => (failed.modules > 0 ? failed.verifiedAt : []))
  return {
    modules: one.modules + other.modules,
    listed: one.listed + other.listed,
    here: one.here + other.here,
    accepted: one.accepted + other.accepted,
    held: one.held + other.held,
    newerPushes: one.newerPushes + other.newerPushes,
    comparedAt: earlier(one.comparedAt, other.comparedAt),
    unread: one.unread + other.unread,
    missing: one.missing + other.missing,
    unequal: one.unequal + other.unequal,
    failed: {
      modules: first.modules + second.modules,
      records: first.records + second.records,
      // If one of them was never verified, they were never verified together.
      verifiedAt: times.includes(null) ? null : times.reduce(earlier, null),
    },
  }
}

/** A row for each compared module that is not equal, then one for the failed and one for the unread modules of a platform. */
export function unequalRows(
  modules: readonly ModuleCompleteness[],
  platforms: readonly PlatformSummary[],
): UnequalRow[] {
  const active = platforms.filter(({ status }) => status === 'active')
  const compared = active.flatMap((platform) =>
    modules
      .filter((one) => one.platform_name === platform.platform_name)
      .filter((one) => one.last_error === null && one.listed !== null && !isEqual(one))
      .map((module) => toRow(platform, module)),
  )
  const sums = sumByPlatform(modules, active)
  const grouped = active.flatMap((platform): UnequalRow[] => {
    const { failed, unread } = sums.get(platform.platform_name) ?? NONE
    const common = { platform, module: null, listed: null, difference: null }
    const rows: UnequalRow[] = []
    if (failed.modules > 0) {
      const { modules: count, records: here, verifiedAt } = failed
      rows.push({ ...common, why: 'failed', modules: count, here, verifiedAt })
    }
    if (unread > 0)
      rows.push({ ...common, why: 'unread', modules: unread, here: 0, verifiedAt: null })
    return rows
  })
  return [...compared, ...grouped]
}

function toRow(platform: PlatformSummary, module: ModuleCompleteness): UnequalRow {
  const { listed, incomplete_reasons, verified_at } = module
  const { here, difference } = compareModule(module)
  return {
    ...{ platform, module, modules: 1, listed, here, difference },
    why: incomplete_reasons.find((one) => REASONS.includes(one)) ?? 'unverified',
    verifiedAt: verified_at,
  }
}

/**
 * How many records of a module the hub has of those that the platform listed, how many it has too few (negative) or too
 * many, and how many more it has, which the list did not contain when it was read.
 */
export function compareModule(module: ModuleCompleteness): {
  here: number
  difference: number
  notListed: number
} {
  const { listed, accepted, only_here } = module
  if (listed === null) return { here: stored(module), difference: 0, notListed: 0 }
  const absent = listed - accepted - hereOf(module)
  const undecided = undecidedOf(module)
  return {
    here: hereOf(module) + undecided,
    difference: absent > 0 ? -absent : undecided,
    notListed: (only_here ?? 0) - undecided,
  }
}

/** The reasons that a row names, the most important first. */
const REASONS: readonly string[] = [
  ...['missing_undecided', 'rejected', 'held'],
  ...['total_differs', 'no_total', 'no_success'],
]

function isEqual({ verified_at, incomplete_reasons }: ModuleCompleteness): boolean {
  return verified_at !== null && incomplete_reasons.length === 0
}

/** The records that the last complete read did not contain, if that waits for a decision. */
function undecidedOf({ incomplete_reasons, only_here }: ModuleCompleteness): number {
  return incomplete_reasons.includes('missing_undecided') ? (only_here ?? 0) : 0
}

const stored = ({ records, missing }: ModuleCompleteness) => records - missing

/** How many of the listed records the hub has. */
function hereOf(module: ModuleCompleteness): number {
  const { listed, accepted, only_here } = module
  return Math.max(0, Math.min(stored(module) - (only_here ?? 0), (listed ?? 0) - accepted))
}

/** An equal module was compared when it was read or its digest was: a 304 since then compares nothing. */
function comparedAt(module: ModuleCompleteness): string | null {
  const { verified_at, last_read_at } = module
  return isEqual(module) ? verified_at : last_read_at
}

function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
