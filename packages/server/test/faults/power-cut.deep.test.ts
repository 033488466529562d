/**
 * Records what hubs and commands write and sync in a data folder, reconstructs what a power cut at many moments would have
 * left on the disk, and opens it: everything that a client was told before must be there.
 */
import { noShim } from '../helpers/process/compile-shim.ts'
import { test } from '../helpers/process/sandbox.ts'
import { rounds } from '../helpers/time/tier.ts'
import { openWithUpgrade } from './power-cut/check-cut.ts'
import { recordCommands, recordUpgrade } from './power-cut/record.ts'
import { assertComplete, cutPower } from './power-cut.ts'

test(
  'a power cut during a command or a restore loses nothing',
  async (t) => {
    const recorded = await recordCommands(t)
    assertComplete(recorded)
    await cutPower(t, recorded, {
      fault: 'power cut during commands',
      cuts: rounds(40, 500),
    })
  },
  { skip: noShim },
)

test(
  'a power cut during an upgrade loses nothing',
  async (t) => {
    const recorded = await recordUpgrade(t)
    assertComplete(recorded)
    await cutPower(t, recorded, {
      fault: 'power cut during an upgrade',
      cuts: rounds(12, 100),
      open: openWithUpgrade,
    })
  },
  { skip: noShim },
)
