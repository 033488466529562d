/** A platform that pushes to hubs and checks that they have stored what they acknowledged. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createLedger, createPush, type Ledger, sharedRecords } from './ledger.ts'
import { type Operator, registerPlatform, signIn } from './operator.ts'
import { startPlatform } from './platform.ts'
import { createPusher, type Push, type Pusher, type PushResult, pushOnce } from './push.ts'

export const PUSHED_TYPE = 'case'

/** Registers a platform without records to pull, and sends the records that its pushes will change. */
export async function registerPusher(
  t: TestContext,
  hub: { address: string },
): Promise<{ operator: Operator; hubApiKey: string; ledger: Ledger }> {
  const operator = await signIn(hub.address)
  const modules = [{ module_name: 'Cases', record_type: PUSHED_TYPE, keys: ['turn'], records: [] }]
  const platform = await startPlatform(t, { name: 'registry', modules })
  const { hub_api_key: hubApiKey } = await registerPlatform(operator, platform)
  const ledger = createLedger(PUSHED_TYPE)
  for (const push of sharedRecords(PUSHED_TYPE)) {
    ledger.note(push, await pushOnce({ address: hub.address, hubApiKey }, push))
  }
  assert.equal(ledger.acknowledged(), 3)
  return { operator, hubApiKey, ledger }
}

/** A push, the hub that received it, and its result. */
export type Pushed = { hub: number; push: Push; result: PushResult }

export type Pushing = {
  pushed: readonly Pushed[]
  /** Resolves when this number of further pushes with the expected result have completed. */
  comeBack: (count: number, isAsked: (pushed: Pushed) => boolean) => Promise<void>
  /** Resolves when the last push of every connection is acknowledged. */
  finish: () => Promise<void>
}

/** A platform waits longer before a retry; this only saves processor time. */
const PAUSE_MS = 20

/**
 * Pushes from many connections, which use the hubs in turn. A push that is not acknowledged is retried at
 * the next hub until it is. The hubs are looked up for each push, because a restarted hub has
 * another address.
 */
export function startPushing(
  t: TestContext,
  hubs: readonly { address: string }[],
  ledger: Ledger,
  work: { name: string; hubApiKey: string; connections: number },
): Pushing {
  const pushed: Pushed[] = []
  const waiting = new Set<(one: Pushed) => void>()
  let isOver = false
  // This must not keep the process of a failed test alive.
  t.after(() => {
    isOver = true
  })

  function noteResult(one: Pushed): boolean {
    ledger.note(one.push, one.result)
    pushed.push(one)
    for (const look of [...waiting]) look(one)
    return isAcknowledged(one)
  }

  async function keepPushing(connection: number): Promise<void> {
    const pushers = new Map<string, Pusher>()
    for (let count = 0; !isOver; count += 1) {
      const push = createPush(PUSHED_TYPE, `${work.name}-${connection}-${count}`, count)
      for (let attempt = 0; ; attempt += 1) {
        const hub = (connection + count + attempt) % hubs.length
        const address = hubs[hub]?.address ?? ''
        const pusher = pushers.get(address) ?? createPusher({ ...work, address })
        pushers.set(address, pusher)
        if (noteResult({ hub, push, result: await pusher.push(push) }) || t.signal.aborted) break
        await pause(PAUSE_MS)
      }
    }
    for (const pusher of pushers.values()) pusher.close()
  }

  const connections = Array.from({ length: work.connections }, (_, index) => keepPushing(index))
  const over = Promise.all(connections)
  // Rejects the promises that wait for the pushes.
  over.catch(() => undefined)
  return {
    pushed,
    async comeBack(count, isAsked) {
      const come = new Promise<void>((resolve) => {
        let left = count
        waiting.add(function look(one) {
          if (isAsked(one)) left -= 1
          if (left > 0) return
          waiting.delete(look)
          resolve()
        })
      })
      await Promise.race([come, over])
    },
    async finish() {
      isOver = true
      await over
    },
  }
}

export function isAcknowledged({ result }: Pushed): boolean {
  return result.kind === 'answered' && result.status < 300
}

/** Even without PostgreSQL the hub responds to each push and says what to do. */
export function assertResponse(one: Pushed): void {
  const { result } = one
  assert.ok(result.kind === 'answered', `hub ${one.hub} gave no answer: ${JSON.stringify(result)}`)
  if (isAcknowledged(one)) return
  assert.equal(result.status, 503, result.text)
  assert.match(result.retryAfter ?? '', /^\d+$/)
  assert.equal(JSON.parse(result.text).code, 'storage_unavailable')
}
