import { POLLING_INTERVAL_SECONDS, type Snapshot } from '@recordhub/protocol'
import { sha256 } from '../../lib/crypto/hash.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { SnapshotStore } from '../../storage/port/snapshot-store.ts'
import type { StatisticsStore } from '../../storage/port/statistics-store.ts'
import { readHours } from './read-hours.ts'

/** As many as the overview shows. */
const HOURS = 24

/** A snapshot with the tag of its version. */
type TaggedSnapshot = { snapshot: Snapshot; etag: string }
export type ReadSnapshot = () => Promise<TaggedSnapshot>

/**
 * Reads what the dashboard shows. A version lasts as long as nothing in it changes, so that a browser
 * that has it already is told so; `generated_at` is when it was first seen.
 */
export function createReadSnapshot(parts: {
  snapshot: SnapshotStore
  statistics: StatisticsStore
  clock: Clock
  dayOf: (at: Date) => string
  /** The next time of the schedule. */
  nextRun: () => Date | null
  /** Whether the page can be told of changes. */
  broadcasting: boolean
}): ReadSnapshot {
  let known: (TaggedSnapshot & { version: string }) | null = null
  let recent: { key: string; pulls: Snapshot['recent_pulls'] } | null = null

  /** Reads the recent pulls again only after another pull has finished: they are the largest part of a snapshot. */
  async function readRecentPulls(platformIds: number[], lastPull: number | null) {
    const key = `${lastPull}: ${platformIds}`
    if (recent?.key !== key) {
      recent = { key, pulls: await parts.snapshot.readRecentPulls(platformIds) }
    }
    return recent.pulls
  }

  return async () => {
    const now = parts.clock.now()
    const { pull, ...rest } = await parts.snapshot.readSnapshot(parts.dayOf(now))
    const nextRun = pull.schedule_paused ? null : parts.nextRun()
    const ids = rest.platforms.map(({ id }) => id)
    const stored = {
      ...rest,
      hours: await readHours(parts, HOURS),
      recent_pulls: await readRecentPulls(ids, pull.last?.id ?? null),
      pull: { ...pull, next_run_at: nextRun?.toISOString() ?? null },
    }
    const version = sha256(JSON.stringify(stored))
    if (known?.version === version) return known
    const snapshot: Snapshot = {
      success: true,
      generated_at: now.toISOString(),
      polling_interval_seconds: POLLING_INTERVAL_SECONDS,
      broadcasting: parts.broadcasting,
      ...stored,
    }
    known = { version, snapshot, etag: `"${version.slice(0, 22)}"` }
    return known
  }
}
