/** A platform that pushes to several hubs from many connections, with a ledger of the acknowledged pushes. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { rounds } from '../time/tier.ts'
import {
  createLedger,
  createPush,
  createSharedRecords,
  type Ledger,
  PUSHED_TYPE,
} from './ledger.ts'
import { connectOperator, type Operator, type SessionHeaders } from './operator.ts'
import { startPlatform } from './platform.ts'
import { createPusher, type Push, type Pusher, type PushResult, pushOnce } from './push.ts'

/** Registers a platform without records to pull, and pushes the shared records. */
export async function registerPusher(
  t: Pick<TestContext, 'after'>,
  hub: { address: string; session?: SessionHeaders | null },
): Promise<{ operator: Operator; hubApiKey: string; ledger: Ledger }> {
  const operator = await connectOperator(hub)
  const modules = [{ module_name: 'Cases', record_type: PUSHED_TYPE, keys: ['turn'], records: [] }]
  const platform = await startPlatform(t, { name: 'registry', modules })
  const { hub_api_key: hubApiKey } = await operator.registerModules(platform)
  const ledger = createLedger()
  for (const push of createSharedRecords()) {
    ledger.record(push, await pushOnce({ address: hub.address, hubApiKey }, push))
  }
  assert.equal(ledger.acknowledged(), 3)
  return { operator, hubApiKey, ledger }
}

/** A push, the hub that received it, and its result. */
export type PushAttempt = { hub: number; push: Push; result: PushResult }

export type Pushing = {
  attempts: readonly PushAttempt[]
  /** Resolves after this number of further pushes with an expected result. */
  untilAttempts: (count: number, isExpected: (pushed: PushAttempt) => boolean) => Promise<void>
  /** Stops pushing, and resolves when the last push of each connection is acknowledged. */
  finish: () => Promise<void>
}

/** Shorter than the pause of a real platform before a retry. */
const RETRY_PAUSE_MS = rounds(100, 20)
/** In the quick tier, connections pause after each push, because pushes without a pause take all of the processor time. */
const PUSH_PAUSE_MS = rounds(20, 0)

/**
 * Pushes from many connections, which alternate between the hubs. A push that is not acknowledged is retried at
 * the next hub. The address of a hub is read before each push, because a restart changes it.
 */
export function startPushing(
  t: Pick<TestContext, 'after' | 'signal'>,
  hubs: readonly { address: string }[],
  ledger: Ledger,
  work: { name: string; hubApiKey: string; connections: number },
): Pushing {
  const attempts: PushAttempt[] = []
  const checks = new Set<(one: PushAttempt) => void>()
  let isFinishing = false
  let isOver = false
  // Ends the pushes of a failed test, which would keep its process alive.
  t.after(() => {
    isFinishing = true
    isOver = true
  })

  function recordAttempt(one: PushAttempt): boolean {
    ledger.record(one.push, one.result)
    attempts.push(one)
    for (const check of [...checks]) check(one)
    return isAcknowledged(one)
  }

  async function pushRepeatedly(connection: number): Promise<void> {
    const pushers = new Map<string, Pusher>()
    for (let count = 0; !isFinishing; count += 1) {
      const push = createPush(`${work.name}-${connection}-${count}`, count)
      for (let attempt = 0; ; attempt += 1) {
        const hub = (connection + count + attempt) % hubs.length
        const address = hubs[hub]?.address ?? ''
        const pusher = pushers.get(address) ?? createPusher({ ...work, address })
        pushers.set(address, pusher)
        const isDone = recordAttempt({ hub, push, result: await pusher.push(push) })
        if (isDone || isOver || t.signal.aborted) break
        await pause(RETRY_PAUSE_MS)
      }
      if (PUSH_PAUSE_MS > 0) await pause(PUSH_PAUSE_MS)
    }
    for (const pusher of pushers.values()) pusher.close()
  }

  const connections = Array.from({ length: work.connections }, (_, index) => pushRepeatedly(index))
  const ended = Promise.all(connections)
  // `untilAttempts` and `finish` report the error.
  ended.catch(() => undefined)
  return {
    attempts,
    async untilAttempts(count, isExpected) {
      const reached = new Promise<void>((resolve) => {
        let remaining = count
        checks.add(function check(one) {
          if (isExpected(one)) remaining -= 1
          if (remaining > 0) return
          checks.delete(check)
          resolve()
        })
      })
      await Promise.race([reached, ended])
    },
    async finish() {
      isFinishing = true
      await ended
    },
  }
}

export function isAcknowledged({ result }: PushAttempt): boolean {
  return result.kind === 'response' && result.status < 300
}

/** Asserts that a push was acknowledged, or rejected with 503 and Retry-After because PostgreSQL was unavailable. */
export function assertAcknowledgedOrUnavailable(one: PushAttempt): void {
  const { result } = one
  assert.ok(
    result.kind === 'response',
    `hub ${one.hub} sent no response: ${JSON.stringify(result)}`,
  )
  if (isAcknowledged(one)) return
  assert.equal(result.status, 503, result.text)
  assert.match(result.retryAfter ?? '', /^\d+$/)
  assert.equal(JSON.parse(result.text).code, 'storage_unavailable')
}
