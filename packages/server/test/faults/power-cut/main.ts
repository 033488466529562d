/** `npm run power-cut`: repeats one power cut of a saved recording; see README.md in the folder above. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { argv, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { openAfterCut, openWithUpgrade, writeFiles } from './check-cut.ts'
import { checkCuts, reconstruct, selectCuts } from './cut-recording.ts'
import { loadRecording } from './recording.ts'

const HELP = `npm run power-cut -- <folder of a recording> --seed <number> --cut <number>

Writes what the power cut has left into the folder cut-<number> of the recording, and checks a copy of it. Without
--cut, checks --count power cuts (1000 by default). --upgrade opens the database with the migrations of a later version.`

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    args: argv.slice(2),
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      cut: { type: 'string' },
      count: { type: 'string', default: '1000' },
      upgrade: { type: 'boolean', default: false },
    },
  })
  const [folder] = positionals
  if (folder === undefined || values.seed === undefined) {
    stdout.write(`${HELP}\n`)
    return false
  }
  const recording = loadRecording(folder)
  const number = values.cut === undefined ? null : Number(values.cut)
  const select = () =>
    selectCuts(recording, Number(values.seed), number === null ? Number(values.count) : number + 1)
  const isSelected = (cut: { number: number }) => number === null || cut.number === number
  if (number !== null) {
    const [reconstructed] = reconstruct(recording, select().filter(isSelected))
    const target = join(folder, `cut-${number}`)
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target)
    if (reconstructed) writeFiles(target, reconstructed.files)
    stdout.write(`After entry ${reconstructed?.cut.position}: ${target}\n`)
  }
  const open = values.upgrade ? openWithUpgrade : openAfterCut
  const { failures, ...sums } = await checkCuts(recording, select().filter(isSelected), { open })
  for (const { cut, reason } of failures) {
    stdout.write(`Cut ${cut.number} after entry ${cut.position} (${cut.fileSystem}): ${reason}\n`)
  }
  stdout.write(`${JSON.stringify({ ...sums, failed: failures.length })}\n`)
  return failures.length === 0
}

if (!(await main())) process.exitCode = 1
