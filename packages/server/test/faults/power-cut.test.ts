/**
 * Records what hubs and commands write and sync in a data folder, reconstructs what a power cut at many moments would have
 * left on the disk, and opens it: everything that a client was told before must be there.
 */
import assert from 'node:assert/strict'
import { noShim } from '../helpers/process/compile-shim.ts'
import { test } from '../helpers/process/sandbox.ts'
import { seed } from '../helpers/random/seed.ts'
import { rounds } from '../helpers/time/tier.ts'
import { checkCuts, selectCuts } from './power-cut/cut-recording.ts'
import { recordHubs } from './power-cut/record.ts'
import { assertComplete, cutPower } from './power-cut.ts'

/** One of these cuts must find a loss if the disk ignores every sync. Four of five do. */
const CONTROLS = 10

test(
  'a power cut loses nothing that a hub has acknowledged',
  async (t) => {
    const recorded = await recordHubs(t)
    await t.test('the recording contains every change', () => assertComplete(recorded))
    await t.test('everything that was acknowledged is there after a power cut', (t) =>
      cutPower(t, recorded, { fault: 'power cut', cuts: rounds(3, 2000) }),
    )
    await t.test('the same check finds losses if the disk ignores every sync', async () => {
      const { recording } = recorded
      let lost = 0
      for (const cut of selectCuts(recording, seed, CONTROLS)) {
        if (lost === 0) lost += (await checkCuts(recording, [cut], { ignoresSync: true })).lost
      }
      assert.ok(lost > 0, 'pushes are lost')
    })
  },
  { skip: noShim },
)
