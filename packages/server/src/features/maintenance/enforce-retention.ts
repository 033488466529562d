import type { FastifyBaseLogger } from 'fastify'
import {
  listCutoffs,
  MAX_ROWS_PER_STEP,
  nextStepLimit,
  type RetentionDays,
} from '../../domain/activity/retention.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { sleep } from '../../lib/time/run-periodically.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { DropOutcome, DropStep, RetentionStore } from '../../storage/port/retention-store.ts'

/** One node an hour does it; nothing is harmed where two do. */
const CLAIM = 'retention'
const CLAIM_SECONDS = 3600
/** Pushes wait for a step, so there is at least as much time between two as a step took. */
const BREATH_MS = 20

export type RetentionDeps = {
  retention: RetentionStore
  operators: Pick<OperatorStore, 'claim' | 'releaseClaim' | 'dropEndedSessions'>
  session: { idleMinutes: number }
  kept: RetentionDays
  /** Lines of activity that are kept, however young; 0 for any number. */
  activityLines: number
  clock: Clock
  log: FastifyBaseLogger
}

/**
 * Drops what is older than is to be kept, in small steps, and gives its space back. Does nothing where
 * this or another node did so within the hour. A signal ends it between two steps.
 */
export async function enforceRetention(parts: RetentionDeps, signal: AbortSignal): Promise<void> {
  const { retention, operators } = parts
  if (!(await operators.claim(CLAIM, CLAIM_SECONDS))) return
  let isWhole = false
  try {
    await dropEndedSessions(parts)
    const dropped = await dropAll(parts, signal)
    if (Object.keys(dropped).length > 0) parts.log.info({ dropped }, 'old rows were dropped')
    await inSteps(signal, () => retention.giveSpaceBack())
    isWhole = !signal.aborted
  } finally {
    // What broke off goes on at the next time, not an hour later.
    if (!isWhole) await operators.releaseClaim(CLAIM).catch(() => undefined)
  }
}

async function dropEndedSessions({ operators, session, clock }: RetentionDeps): Promise<void> {
  const now = clock.now()
  const seenBefore = new Date(now.getTime() - session.idleMinutes * 60_000).toISOString()
  await operators.dropEndedSessions({ at: now.toISOString(), seenBefore })
}

async function dropAll(parts: RetentionDeps, signal: AbortSignal): Promise<Record<string, number>> {
  const { retention, kept, activityLines, clock } = parts
  const dropped: Record<string, number> = {}
  async function drop(noun: string, step: (step: DropStep) => Promise<DropOutcome>): Promise<void> {
    let after: number | null = null
    let limit = MAX_ROWS_PER_STEP
    await inSteps(signal, async () => {
      const begun = performance.now()
      const outcome = await step({ limit, after })
      limit = nextStepLimit(limit, performance.now() - begun)
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

/** @param step answers whether there is more to do. */
async function inSteps(signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted) {
    const begun = performance.now()
    if (!(await step())) return
    await sleep(Math.max(BREATH_MS, performance.now() - begun), signal)
  }
}
