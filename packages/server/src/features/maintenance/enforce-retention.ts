import { toRetentionDays } from '../../config/feature-settings.ts'
import { listCutoffs, MAX_ROWS_PER_STEP, nextStepLimit } from '../../domain/activity/retention.ts'
import { daysFrom } from '../../lib/time/clock.ts'
import { sleep } from '../../lib/time/run-periodically.ts'
import type { DeletionOutcome, DeletionStep } from '../../storage/port/deletion-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/** One node per hour enforces the retention: the lease is released only if the run did not complete. */
const LEASE = 'retention'
const LEASE_SECONDS = 3600
/** Minimum pause between two steps. Pushes wait for a step, so the pause is at least as long as the step. */
const MIN_PAUSE_MS = 20

type RetentionDeps = Pick<
  FeatureDeps,
  'retention' | 'reverts' | 'operators' | 'leases' | 'processName' | 'config' | 'clock' | 'log'
>

/**
 * Deletes rows that are older than their retention period in small steps, and reclaims their space. Does nothing if any
 * node did so within the last hour. The signal stops it between two steps.
 */
export async function enforceRetention(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const { retention, leases, processName } = deps
  if (!(await leases.acquire(LEASE, processName, LEASE_SECONDS))) return
  let isWhole = false
  try {
    await deleteEndedSessions(deps)
    const deleted = await deleteOldRows(deps, signal)
    await deleteOldPlans(deps, signal)
    if (Object.keys(deleted).length > 0) deps.log.info({ deleted }, 'old rows were deleted')
    await inSteps(signal, () => retention.reclaimSpace())
    isWhole = !signal.aborted
  } finally {
    // An incomplete run continues at the next call, not an hour later.
    if (!isWhole) await leases.release(LEASE, processName).catch(() => undefined)
  }
}

async function deleteEndedSessions({ operators, config, clock }: RetentionDeps): Promise<void> {
  const now = clock.now()
  const seenBefore = new Date(
    now.getTime() - config.HUB_SESSION_IDLE_MINUTES * 60_000,
  ).toISOString()
  await operators.deleteEndedSessions({ at: now.toISOString(), seenBefore })
}

/** A plan of a revert that nobody has started is kept for a day. */
async function deleteOldPlans({ reverts, clock }: RetentionDeps, signal: AbortSignal) {
  const before = daysFrom(clock.now(), -1)
  await inSteps(signal, () => reverts.deleteOldPlans(before, MAX_ROWS_PER_STEP))
}

async function deleteOldRows(
  deps: RetentionDeps,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const { retention, config, clock } = deps
  const { HUB_RETENTION_ACTIVITY_LINES: entries } = config
  const deleted: Record<string, number> = {}
  async function deleteRows(
    noun: string,
    step: (step: DeletionStep) => Promise<DeletionOutcome>,
  ): Promise<void> {
    let after: number | null = null
    let limit = MAX_ROWS_PER_STEP
    await inSteps(signal, async () => {
      const startedAt = performance.now()
      const outcome = await step({ limit, after })
      limit = nextStepLimit(limit, performance.now() - startedAt)
      if (outcome.deleted > 0) deleted[noun] = (deleted[noun] ?? 0) + outcome.deleted
      after = outcome.next
      return after !== null
    })
  }
  for (const { noun, before } of listCutoffs(toRetentionDays(config), clock.now())) {
    await deleteRows(noun, (step) => retention.deleteOld(noun, { ...step, before }))
  }
  if (entries > 0) {
    await deleteRows('activity', (step) => retention.trimActivity(entries, step))
  }
  return deleted
}

/** @param step returns whether there is more to do. */
async function inSteps(signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now()
    if (!(await step())) return
    await sleep(Math.max(MIN_PAUSE_MS, performance.now() - startedAt), signal)
  }
}
