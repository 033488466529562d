/** Hubs that are killed at chosen moments. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ProcessEngine } from '../helpers/process/engine.ts'
import { createKillMoments, type KillMoments } from '../helpers/process/kill-moment.ts'
import type { RunningHub, Sandbox } from '../helpers/process/sandbox.ts'
import { createSeededRandom } from '../helpers/random/seed.ts'
import { rounds } from '../helpers/time/tier.ts'

export const CONNECTIONS = rounds(2, 8)

export async function createKit(t: TestContext, engine: ProcessEngine) {
  const kit = await engine.createSandbox(t)
  return { ...kit, moments: createKillMoments(kit.sandbox, kit.port, createSeededRandom()) }
}

/** Starts a hub that is killed at one of its first moments, or when it listens if it has fewer. */
export async function killStart(
  sandbox: Sandbox,
  moments: KillMoments,
  count: number,
): Promise<void> {
  moments.armNext(count)
  const starting = sandbox.startHub({ env: moments.env })
  await starting.then(
    (hub: RunningHub) => hub.stop('SIGKILL'),
    (error: unknown) => assert.match(String(error), /Ended with null/),
  )
}
