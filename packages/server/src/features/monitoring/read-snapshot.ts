import {
  type Inbox,
  type PlatformSummary,
  POLLING_INTERVAL_SECONDS,
  type Snapshot,
  type SnapshotPull,
} from '@recordhub/protocol'
import { shareCalls } from '../../lib/concurrency/memoize-async.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { toHour } from '../../lib/time/clock.ts'
import { MAX_SNAPSHOT_PLATFORMS, type StoredPull } from '../../storage/port/statistics-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { readHours } from './statistics-routes.ts'

/** Reads the part of the snapshot that describes pulls. */
export async function readSnapshotPull(
  deps: Pick<FeatureDeps, 'snapshot' | 'nextRun'>,
): Promise<SnapshotPull> {
  return withNextRun(await deps.snapshot.readPull(), deps.nextRun())
}

function withNextRun(pull: StoredPull, nextRun: Date | null): SnapshotPull {
  return { ...pull, next_run_at: pull.schedule_paused ? null : (nextRun?.toISOString() ?? null) }
}

/** The hours of the chart on the overview page. */
const HOURS = 24

/** The items that the overview shows. */
const MAX_ITEMS = 10

function firstItems({ open, is_complete, items }: Inbox): Snapshot['inbox'] {
  const waiting = items.filter(({ put_aside }) => put_aside === null)
  return { open, is_complete, items: waiting.slice(0, MAX_ITEMS) }
}

/** A snapshot and the ETag of its version. */
type TaggedSnapshot = { snapshot: Snapshot; etag: string }
export type ReadSnapshot = () => Promise<TaggedSnapshot>
/** @param platforms all platforms with their health, if they were read already. */
export type ReadInbox = (platforms?: PlatformSummary[]) => Promise<Inbox>

/**
 * Reads the snapshot of the dashboard. While nothing in it changes, its version and ETag stay the same, so that browsers
 * get 304 responses; `generated_at` is the time when the version was first read. It is not read again before a commit
 * or the next hour, and once for all that ask during a read.
 */
export function createReadSnapshot(
  deps: Pick<
    FeatureDeps,
    'snapshot' | 'statistics' | 'config' | 'clock' | 'dayOf' | 'nextRun' | 'version'
  > & { readInbox: ReadInbox },
): ReadSnapshot {
  let latest: (TaggedSnapshot & { version: string; key: string }) | null = null
  let recent: { key: string; pulls: Snapshot['recent_pulls'] } | null = null

  /** @param platforms those of the snapshot, with their health. There may be more. */
  async function readInboxInTurn(platforms: PlatformSummary[]): Promise<Inbox> {
    await yieldToEventLoop()
    const areAll = platforms.length < MAX_SNAPSHOT_PLATFORMS
    return areAll ? deps.readInbox(platforms) : deps.readInbox()
  }

  /** Reads the recent pulls again only after another pull has finished: they are the largest part of a snapshot. */
  async function readRecentPulls(platformIds: number[], lastPull: number | null) {
    const key = `${lastPull}: ${platformIds}`
    if (recent?.key !== key) {
      recent = { key, pulls: await deps.snapshot.readRecentPulls(platformIds) }
    }
    return recent.pulls
  }

  return shareCalls(async () => {
    const now = deps.clock.now()
    const day = deps.dayOf(now)
    const nextRun = deps.nextRun()?.toISOString() ?? null
    // Read before the snapshot, so that a change in between is read by the next request.
    const key = [await deps.snapshot.readVersion(), day, toHour(now.toISOString()), nextRun].join()
    // The progress of a running pull depends on the time.
    if (latest?.key === key && !latest.snapshot.pull.running) return latest
    const { pull, ...rest } = await deps.snapshot.readSnapshot(day)
    await yieldToEventLoop()
    const ids = rest.platforms.map(({ id }) => id)
    const stored = {
      ...rest,
      version: deps.version,
      hours: await readHours(deps, HOURS),
      inbox: firstItems(await readInboxInTurn(rest.platforms)),
      recent_pulls: await readRecentPulls(ids, pull.last?.id ?? null),
      pull: withNextRun(pull, deps.nextRun()),
    }
    const version = sha256(JSON.stringify(stored))
    if (latest?.version === version) {
      latest.key = key
      return latest
    }
    const snapshot: Snapshot = {
      success: true,
      generated_at: now.toISOString(),
      polling_interval_seconds: POLLING_INTERVAL_SECONDS,
      broadcasting: deps.config.HUB_BROADCAST,
      ...stored,
    }
    latest = { version, key, snapshot, etag: `"${version.slice(0, 22)}"` }
    return latest
  })
}
