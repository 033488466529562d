/**
 * Records what hubs and commands write and sync in a data folder, reconstructs what a power cut at many moments would have
 * left on the disk, and opens it: everything that a client was told before must be there.
 */
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { noShim } from '../helpers/process/compile-shim.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { test } from '../helpers/process/sandbox.ts'
import { seed } from '../helpers/random/seed.ts'
import { rounds } from '../helpers/time/tier.ts'
import { openAfterCut, openWithUpgrade } from './power-cut/check-cut.ts'
import { checkCuts, selectCuts } from './power-cut/cut-recording.ts'
import { createDisk } from './power-cut/disk-model.ts'
import { type Recorded, recordCommands, recordHubs, recordUpgrade } from './power-cut/record.ts'
import { listInitialFiles, saveRecording } from './power-cut/recording.ts'

/** One of these cuts must find a loss if the disk ignores every sync. Four of five do. */
const CONTROLS = 10

test(
  'a power cut loses nothing that a hub has acknowledged',
  async (t) => {
    const recorded = await recordHubs(t)
    await t.test('the recording contains every change', () => assertComplete(recorded))
    await t.test('everything that was acknowledged is there after a power cut', (t) =>
      cutPower(t, recorded, { fault: 'power cut', cuts: rounds(170, 2000) }),
    )
    await t.test('the same check finds losses if the disk ignores every sync', async () => {
      const { recording } = recorded
      const cuts = selectCuts(recording, seed, CONTROLS)
      const { lost } = await checkCuts(recording, cuts, { ignoresSync: true })
      assert.ok(lost > 0, 'pushes are lost')
    })
  },
  { skip: noShim },
)

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

/** Asserts that the recording explains the whole content of the folder. SQLite writes its `-shm` files through memory. */
function assertComplete({ recording: { initial, entries }, folder }: Recorded): void {
  const disk = createDisk('posix', initial)
  for (const entry of entries) if (entry.kind !== 'response') disk.apply(entry)
  const actual = listInitialFiles(folder).filter(
    ({ path, bytes }) => bytes !== null && !path.endsWith('-shm'),
  )
  const recorded = [...disk.current()].filter(([path]) => !path.endsWith('-shm'))
  assert.deepEqual(
    recorded.map(([path]) => path).toSorted(),
    actual.map(({ path }) => path).toSorted(),
  )
  for (const [path, bytes] of recorded) {
    assert.ok(
      actual.some((file) => file.path === path && file.bytes?.equals(bytes)),
      path,
    )
  }
}

/** Cuts the power at many moments, and reports the first failed cut with the command that repeats it. */
async function cutPower(
  t: TestContext,
  { recording, trace }: Recorded,
  { fault, cuts, open = openAfterCut }: { fault: string; cuts: number; open?: typeof openAfterCut },
): Promise<void> {
  const report = createFaultReport(fault, 'SQLite')
  const selected = selectCuts(recording, seed, cuts)
  const summary = await checkCuts(recording, selected, { open })
  for (const _ of selected) report.caused()
  report.save(summary)
  const { acknowledged, lost, duplicated } = summary
  t.diagnostic(
    `seed ${seed}: ${cuts} power cuts, ${acknowledged} acknowledged, ${lost} lost, ${duplicated} duplicated`,
  )
  const [first] = summary.failures
  if (!first) return
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-power-cut-recording-'))
  saveRecording(folder, recording, trace)
  const { number, position, fileSystem } = first.cut
  assert.fail(
    `${summary.failures.length} cuts failed. Cut ${number} after entry ${position} (${fileSystem}): ${first.reason}\n` +
      `Repeat: npm run power-cut -- ${folder} --seed ${seed} --cut ${number}` +
      (open === openWithUpgrade ? ' --upgrade' : ''),
  )
}
