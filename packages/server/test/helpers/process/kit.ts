/** A platform built with the kit, in a process of its own that may be killed and started again. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

export type KitSettings = {
  hubUrl: string
  hubApiKey: string
  outbox: string
  /** Begins the references of its records. */
  name: string
}

/** What it has been told is kept: the newest turn of each record. */
export type Kept = ReadonlyMap<string, number>

export type KitProcess = {
  kept: Kept
  /** Has it make twice as many changes, and resolves when so many more are kept: in full swing. */
  keepMore: (count: number) => Promise<void>
  /** Pushes no more, and resolves when the hub has everything. */
  drain: () => Promise<void>
  kill: () => Promise<void>
}

export const KIT_RECORDS = 20

const CHILD = new URL('./kit.child.ts', import.meta.url)

/** @param kept is added to, over restarts. */
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
