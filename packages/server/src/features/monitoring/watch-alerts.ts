import { countBySource } from '../../domain/activity/push-errors.ts'
import { diffAlerts, isEmpty } from '../../domain/alerts/alert.ts'
import { findAlerts, oldHoldsUntil, WATCHED_KINDS } from '../../domain/alerts/alert-conditions.ts'
import {
  BASELINE_HOURS,
  hourOf,
  hourText,
  PushBaselines,
} from '../../domain/alerts/push-baseline.ts'
import { sleep } from '../../lib/time/run-periodically.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { type AlertMailDeps, mailAlerts } from './mail-alerts.ts'

/** One node at a time evaluates the alerts, so that older facts do not overwrite the result of newer ones. */
const LEASE = 'alerts'
const LEASE_SECONDS = 60
const REVIEWS_PAGE = 500
/** Reading these hours takes about 10 ms with a thousand platforms. */
const HOURS_PER_READ = 6
const PAUSE_MS = 1

type AlertWatchDeps = AlertMailDeps &
  Pick<FeatureDeps, 'holds' | 'missing' | 'pushErrors' | 'searchIndex' | 'jobFailures' | 'clock'> &
  Pick<FeatureDeps, 'readDiskSpace' | 'readDurability'>

/** Evaluates the alerts once: raises and resolves them, and sends the mail about them. */
type WatchAlerts = (signal: AbortSignal) => Promise<void>

export function createAlertWatch(deps: AlertWatchDeps): WatchAlerts {
  const { leases, processName, clock } = deps
  const startLearning = () => ({ baselines: new PushBaselines(), pushErrors: new PushBaselines() })
  let learned = startLearning()
  let watchedFrom = hourOf(clock.now()) + 1
  return async (signal) => {
    // While the clock was ahead, hours that are still to come were learned and watched.
    const hour = hourOf(clock.now())
    if ((learned.baselines.newest ?? hour) > hour) learned = startLearning()
    watchedFrom = Math.min(watchedFrom, hour + 1)
    await updateBaselines(deps, learned, signal)
    if (!signal.aborted && (await leases.acquire(LEASE, processName, LEASE_SECONDS))) {
      try {
        await evaluate(deps, { ...learned, watchedFrom })
      } finally {
        await leases.release(LEASE, processName).catch(() => undefined)
      }
    }
    if (!signal.aborted) await mailAlerts(deps, signal)
  }
}

/** The baselines of accepted and rejected pushes, and of requests that are only counted. */
type Learned = { baselines: PushBaselines; pushErrors: PushBaselines }

/** Reads the counters since the last call, some hours at a time; the first call reads four weeks. */
async function updateBaselines(
  { alerts, pushErrors: store, clock }: AlertWatchDeps,
  { baselines, pushErrors }: Learned,
  signal: AbortSignal,
): Promise<void> {
  const now = hourOf(clock.now())
  const first = Math.max(baselines.newest ?? 0, now - BASELINE_HOURS)
  for (let from = first; from <= now && !signal.aborted; from += HOURS_PER_READ) {
    const to = Math.min(from + HOURS_PER_READ - 1, now)
    const counts = await alerts.readHours(hourText(from), hourText(to))
    const byHour = Map.groupBy(counts, ({ hour }) => hour)
    const errors = await store.readPushErrors(hourText(from), hourText(to))
    const sources = errors.length > 0 ? await store.listPushSources() : []
    const errorsByHour = Map.groupBy(errors, ({ hour }) => hour)
    for (let hour = from; hour <= to; hour += 1) {
      baselines.record(hour, byHour.get(hourText(hour)) ?? [])
      pushErrors.record(hour, countBySource(errorsByHour.get(hourText(hour)) ?? [], sources))
    }
    // On SQLite, a read blocks the event loop.
    await sleep(PAUSE_MS, signal)
  }
}

async function evaluate(
  deps: AlertWatchDeps,
  learned: Learned & { watchedFrom: number },
): Promise<void> {
  const { alerts, missing, searchIndex, readDiskSpace, readDurability, jobFailures, clock } = deps
  const { holds } = deps
  const facts = {
    now: clock.now(),
    ...learned,
    platforms: await alerts.listWatchedPlatforms(),
    failingModules: await alerts.listFailingModules(),
    reviews: await listPending(missing),
    searchBehindSince: (await searchIndex.readSearchIndex()).behind_since,
    holds: await holds.summarizeHolds({ until: oldHoldsUntil(clock.now()) }),
    disk: await readDiskSpace(),
    durability: await readDurability(),
    jobFailures,
  }
  const all = await alerts.listOpenAlerts()
  const open = all.filter(({ kind }) => WATCHED_KINDS.some((watched) => watched === kind))
  const changes = diffAlerts(open, findAlerts(facts, open))
  if (!isEmpty(changes)) await alerts.applyAlertChanges(changes)
}

async function listPending({ listReviews }: FeatureDeps['missing']) {
  const all = []
  let before: number | null = null
  do {
    const page = await listReviews({ state: 'pending', limit: REVIEWS_PAGE, before })
    all.push(...page)
    before = page.length < REVIEWS_PAGE ? null : (page.at(-1)?.id ?? null)
  } while (before !== null)
  return all
}
