/** A platform that uses the kit, in a separate process that a test can kill and restart. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

export type KitSettings = {
  hubUrl: string
  hubApiKey: string
  outbox: string
  /** The prefix of its reference numbers. */
  name: string
}

/** The latest version of each record that the outbox has stored. */
export type QueuedChanges = ReadonlyMap<string, number>

export type KitProcess = {
  queued: QueuedChanges
  /** Starts twice as many changes, and resolves when the outbox has stored this number of them. */
  enqueueMore: (count: number) => Promise<void>
  /** Ends the changes, and resolves when the hub has acknowledged all pushes. */
  drain: () => Promise<void>
  kill: () => Promise<void>
}

export const KIT_RECORDS = 20

const CHILD = new URL('./kit.child.ts', import.meta.url)

/** @param queued collects the stored changes; pass it again after a restart. */
export function startKit(
  t: TestContext,
  settings: KitSettings,
  queued: Map<string, number>,
): KitProcess {
  const versions = Object.fromEntries(queued)
  const child: ChildProcess = fork(CHILD, [JSON.stringify({ ...settings, versions })], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  let count = 0
  const checks = new Set<() => void>()
  child.on('message', (message: { reference: string; version: number } | 'drained') => {
    if (message === 'drained') return
    queued.set(message.reference, Math.max(message.version, queued.get(message.reference) ?? 0))
    count += 1
    for (const check of [...checks]) check()
  })
  return {
    queued,
    enqueueMore: (more) =>
      new Promise((resolve, reject) => {
        const goal = count + more
        const check = () => {
          if (count < goal) return
          checks.delete(check)
          resolve()
        }
        checks.add(check)
        child.send({ more: 2 * more })
        ended.then(() => reject(new Error('The process has ended')), reject)
      }),
    async drain() {
      const drained = new Promise<void>((resolve) => {
        child.on('message', (message) => {
          if (message === 'drained') resolve()
        })
      })
      child.send('drain')
      await Promise.race([
        drained,
        ended.then(() => Promise.reject(new Error('The process has ended'))),
      ])
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
