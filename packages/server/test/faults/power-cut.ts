import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { seed } from '../helpers/random/seed.ts'
import { openAfterCut, openWithUpgrade } from './power-cut/check-cut.ts'
import { checkCuts, selectCuts } from './power-cut/cut-recording.ts'
import { createDisk } from './power-cut/disk-model.ts'
import type { Recorded } from './power-cut/record.ts'
import { listInitialFiles, saveRecording } from './power-cut/recording.ts'

/** Asserts that the recording explains the whole content of the folder. SQLite writes its `-shm` files through memory. */
export function assertComplete({ recording: { initial, entries }, folder }: Recorded): void {
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
export async function cutPower(
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
