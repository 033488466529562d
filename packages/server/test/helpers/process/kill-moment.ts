/** Kills hubs with SIGKILL at a chosen moment, which is counted in accesses to the database (`kill-moment.child.ts`). */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../runner/random.ts'
import type { RunningHub, Sandbox } from './sandbox.ts'

const CHILD = new URL('./kill-moment.child.ts', import.meta.url).href

/** What the preloaded file gets. */
export type KillMomentSettings = {
  /** The port of PostgreSQL; null on SQLite. */
  port: number | null
  /** A process that starts while the file exists is armed with its content, and so is one that receives SIGUSR2. */
  armFile: string
  /** The pause between two runs of retention. */
  retentionMs: number
}

/** The content of the file: `killAt` is null to count only. */
export type Arming = { id: number; killAt: number | null }

export type KillMoments = {
  /** The environment of hubs that can be killed. */
  env: Record<string, string>
  /** Runs work. @returns its number of moments. */
  count: (hub: RunningHub, work: () => Promise<unknown>) => Promise<number>
  /** Makes a running hub kill itself at a random moment of these. */
  arm: (hub: RunningHub, moments: number) => Promise<void>
  /** Makes a running hub kill itself at this moment. */
  armAt: (hub: RunningHub, moment: number) => Promise<void>
  /** Makes the next hub kill itself at a random moment of these after its start. */
  armNext: (moments: number) => void
}

export function createKillMoments(
  sandbox: Sandbox,
  port: number | null,
  random: Random,
): KillMoments {
  const armFile = join(sandbox.folder, 'kill-moment.json')
  const settings: KillMomentSettings = { port, armFile, retentionMs: 1000 }
  const env = { NODE_OPTIONS: `--import=${CHILD}`, TEST_KILL_MOMENT: JSON.stringify(settings) }
  let lastId = 0

  function write(killAt: number | null): number {
    lastId += 1
    writeFileSync(armFile, JSON.stringify({ id: lastId, killAt } satisfies Arming))
    return lastId
  }

  /** @returns the number of moments since the hub was armed before. */
  async function signal(hub: RunningHub, killAt: number | null): Promise<number> {
    const id = write(killAt)
    hub.child.kill('SIGUSR2')
    const line = await hub.untilPrinted(new RegExp(`^armed ${id} `))
    return Number(line.split(' ')[2])
  }

  const pick = (moments: number) => Math.floor(random() * moments)
  return {
    env,
    async count(hub, work) {
      await signal(hub, null)
      await work()
      return signal(hub, null)
    },
    async arm(hub, moments) {
      await signal(hub, pick(moments))
    },
    async armAt(hub, moment) {
      await signal(hub, moment)
    },
    armNext: (moments) => void write(pick(moments)),
  }
}
