import { countBySource } from '../../domain/activity/push-errors.ts'
import { isNoChange, judgeAlerts } from '../../domain/alerts/alert.ts'
import { findAlerts, WATCHED_KINDS } from '../../domain/alerts/alert-conditions.ts'
import { hourOf, hourText, KNOWN_HOURS, PushBaselines } from '../../domain/alerts/push-baseline.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { sleep } from '../../lib/time/run-periodically.ts'
import type { MissingStore } from '../../storage/port/missing-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { PushErrorStore } from '../../storage/port/push-error-store.ts'
import type { SearchIndexStore } from '../../storage/port/search-index-store.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { type MailParts, mailAlerts } from './mail-alerts.ts'

/** One node at a time judges, so that an older look at things does not come after a newer one. */
const CLAIM = 'alerts'
const CLAIM_SECONDS = 60
const REVIEWS_PAGE = 500
/** Of a thousand platforms they take about 10 ms to read. */
const HOURS_AT_ONCE = 6
const BREATH_MS = 1

export type AlertParts = MailParts & {
  missing: Pick<MissingStore, 'listReviews'>
  pushErrors: Pick<PushErrorStore, 'readPushErrors' | 'listPushSources'>
  operators: Pick<OperatorStore, 'claim' | 'releaseClaim'>
  searchIndex: Pick<SearchIndexStore, 'readSearchIndex'>
  readDiskSpace: Storage['readDiskSpace']
  clock: Clock
}

/** Looks once what is to be raised and what is over, and has it mailed. */
export type WatchAlerts = (signal: AbortSignal) => Promise<void>

export function createAlertWatch(parts: AlertParts): WatchAlerts {
  const { operators, clock } = parts
  const learned = { rhythms: new PushBaselines(), pushErrors: new PushBaselines() }
  const watchedFrom = hourOf(clock.now()) + 1
  return async (signal) => {
    await learnRhythms(parts, learned, signal)
    if (!signal.aborted && (await operators.claim(CLAIM, CLAIM_SECONDS))) {
      try {
        await judge(parts, { ...learned, watchedFrom })
      } finally {
        await operators.releaseClaim(CLAIM).catch(() => undefined)
      }
    }
    if (!signal.aborted) await mailAlerts(parts, signal)
  }
}

/** What is usual: of accepted and rejected pushes, and of requests that are only counted. */
type Learned = { rhythms: PushBaselines; pushErrors: PushBaselines }

/** The first time four weeks, some hours after the other; then what came since, and what was late. */
async function learnRhythms(
  { alerts, pushErrors: store, clock }: AlertParts,
  { rhythms, pushErrors }: Learned,
  signal: AbortSignal,
): Promise<void> {
  const now = hourOf(clock.now())
  const first = Math.max(rhythms.newest ?? 0, now - KNOWN_HOURS)
  for (let from = first; from <= now && !signal.aborted; from += HOURS_AT_ONCE) {
    const to = Math.min(from + HOURS_AT_ONCE - 1, now)
    const counts = await alerts.readHours(hourText(from), hourText(to))
    const byHour = Map.groupBy(counts, ({ hour }) => hour)
    const errors = await store.readPushErrors(hourText(from), hourText(to))
    const sources = errors.length > 0 ? await store.listPushSources() : []
    const errorsByHour = Map.groupBy(errors, ({ hour }) => hour)
    for (let hour = from; hour <= to; hour += 1) {
      rhythms.note(hour, byHour.get(hourText(hour)) ?? [])
      pushErrors.note(hour, countBySource(errorsByHour.get(hourText(hour)) ?? [], sources))
    }
    // On SQLite a read holds up everything else of the process.
    await sleep(BREATH_MS, signal)
  }
}

async function judge(
  { alerts, missing, searchIndex, readDiskSpace, clock }: AlertParts,
  learned: Learned & { watchedFrom: number },
): Promise<void> {
  const facts = {
    now: clock.now(),
    ...learned,
    platforms: await alerts.listPlatformHealth(),
    failingModules: await alerts.listFailingModules(),
    reviews: await listPending(missing),
    searchBehindSince: (await searchIndex.readSearchIndex()).behind_since,
    disk: await readDiskSpace(),
  }
  const all = await alerts.listOpenAlerts()
  const open = all.filter(({ kind }) => WATCHED_KINDS.some((watched) => watched === kind))
  const changes = judgeAlerts(open, findAlerts(facts, open))
  if (!isNoChange(changes)) await alerts.applyAlertChanges(changes)
}

async function listPending({ listReviews }: Pick<MissingStore, 'listReviews'>) {
  const all = []
  let before: number | null = null
  do {
    const page = await listReviews({ state: 'pending', limit: REVIEWS_PAGE, before })
    all.push(...page)
    before = page.length < REVIEWS_PAGE ? null : (page.at(-1)?.id ?? null)
  } while (before !== null)
  return all
}
