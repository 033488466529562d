/** A platform built with the kit, in a separate process that may be killed and restarted. */
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

/** The latest round of each record that the outbox has stored. */
export type Kept = ReadonlyMap<string, number>

export type KitProcess = {
  kept: Kept
  /** Starts twice as many changes, and resolves when this number of them is in the outbox. */
  keepMore: (count: number) => Promise<void>
  /** Stops making changes, and resolves when the hub has received all pushes. */
  drain: () => Promise<void>
  kill: () => Promise<void>
}

export const KIT_RECORDS = 20

const CHILD = new URL('./kit.child.ts', import.meta.url)

/** @param kept collects the stored changes, over restarts. */
export function startKit(
  t: TestContext,
  settings: KitSettings,
  kept: Map<string, number>,
): KitProcess {
  const turns = Object.fromEntries(kept)
  const child: ChildProcess = fork(CHILD, [JSON.stringify({ ...settings, turns })], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  let count = 0
  const waiting = new Set<() => void>()
  child.on('message', (message: { reference: string; turn: number } | 'drained') => {
    if (message === 'drained') return
    kept.set(message.reference, Math.max(message.turn, kept.get(message.reference) ?? 0))
    count += 1
    for (const look of [...waiting]) look()
  })
  return {
    kept,
    keepMore: (more) =>
      new Promise((resolve, reject) => {
        const goal = count + more
        const look = () => {
          if (count < goal) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        child.send({ more: 2 * more })
        ended.then(() => reject(new Error('The platform ended')), reject)
      }),
    async drain() {
      const drained = new Promise<void>((resolve) => {
        child.on('message', (message) => {
          if (message === 'drained') resolve()
        })
      })
      child.send('drain')
      await Promise.race([drained, ended.then(() => Promise.reject(new Error('It ended')))])
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
