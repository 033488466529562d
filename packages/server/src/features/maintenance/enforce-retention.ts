import type { FastifyBaseLogger } from 'fastify'
import {
  type KeptDays,
  listCutoffs,
  MOST_ROWS_A_STEP,
  nextStepLimit,
} from '../../domain/activity/retention.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { sleep } from '../../lib/time/run-periodically.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { DropOutcome, DropStep, RetentionStore } from '../../storage/port/retention-store.ts'

/** One node per hour enforces the retention. Two nodes at the same time would do no harm. */
const CLAIM = 'retention'
const CLAIM_SECONDS = 3600
/** Minimum pause between two steps. Pushes wait for a step, so the pause is at least as long as the step. */
const MIN_PAUSE_MS = 20

export type RetentionDeps = {
  retention: RetentionStore
  operators: Pick<OperatorStore, 'claim' | 'releaseClaim' | 'dropEndedSessions'>
  session: { idleMinutes: number }
  kept: KeptDays
  /** Maximum number of activity lines; 0 for no limit. */
  activityLines: number
  clock: Clock
  log: FastifyBaseLogger
}

/**
 * Deletes rows that are older than their retention period in small steps, and reclaims their space. Does nothing if any
 * node did so within the last hour. The signal stops it between two steps.
 */
export async function enforceRetention(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const { retention, operators } = deps
  if (!(await operators.claim(CLAIM, CLAIM_SECONDS))) return
  let isWhole = false
  try {
    await deleteEndedSessions(deps)
    const dropped = await deleteOldRows(deps, signal)
    if (Object.keys(dropped).length > 0) deps.log.info({ dropped }, 'old rows were deleted')
    await inSteps(signal, () => retention.giveSpaceBack())
    isWhole = !signal.aborted
  } finally {
    // An incomplete run continues at the next call, not an hour later.
    if (!isWhole) await operators.releaseClaim(CLAIM).catch(() => undefined)
  }
}

async function deleteEndedSessions({ operators, session, clock }: RetentionDeps): Promise<void> {
  const now = clock.now()
  const seenBefore = new Date(now.getTime() - session.idleMinutes * 60_000).toISOString()
  await operators.dropEndedSessions({ at: now.toISOString(), seenBefore })
}

async function deleteOldRows(
  deps: RetentionDeps,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const { retention, kept, activityLines, clock } = deps
  const dropped: Record<string, number> = {}
  async function drop(noun: string, step: (step: DropStep) => Promise<DropOutcome>): Promise<void> {
    let after: number | null = null
    let limit = MOST_ROWS_A_STEP
    await inSteps(signal, async () => {
      const startedAt = performance.now()
      const outcome = await step({ limit, after })
      limit = nextStepLimit(limit, performance.now() - startedAt)
      if (outcome.dropped > 0) dropped[noun] = (dropped[noun] ?? 0) + outcome.dropped
      after = outcome.next
      return after !== null
    })
  }
  for (const { noun, before } of listCutoffs(kept, clock.now())) {
    await drop(noun, (step) => retention.dropOld(noun, { ...step, before }))
  }
  if (activityLines > 0) {
    await drop('activity', (step) => retention.dropActivityBeyond(activityLines, step))
  }
  return dropped
}

/** @param step returns whether there is more to do. */
async function inSteps(signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now()
    if (!(await step())) return
    await sleep(Math.max(MIN_PAUSE_MS, performance.now() - startedAt), signal)
  }
}
