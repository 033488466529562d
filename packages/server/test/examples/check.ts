/**
 * `npm run check:examples [-- <language> …]`: follows the guide in each language whose programs are installed,
 * with more records than the tests. Exits with 1 if an example fails, with 2 if none could be run.
 */
import { join } from 'node:path'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import { signIn } from '../helpers/process/operator.ts'
import { createSandbox } from '../helpers/process/sandbox.ts'
import { EXAMPLES } from './examples.ts'
import { tryExample } from './try-example.ts'

const RECORDS = 20_000

const cleanUps: (() => unknown)[] = []
const t = { after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) }
const print = (line: string) => void process.stdout.write(`${line}\n`)

async function main(languages: string[]): Promise<number> {
  const examples = EXAMPLES.filter(
    ({ language }) => languages.length === 0 || languages.includes(language),
  )
  const sandbox = createSandbox(t)
  const { address, stderr, ended } = await sandbox.startHub()
  let isFinished = false
  ended.then(() => {
    if (!isFinished) print(`THE HUB HAS ENDED: ${stderr.join('\n')}`)
  })
  const hub = { operator: await signIn(address), sandbox }
  let run = 0
  let failed = 0
  for (const example of examples) {
    const name = GUIDE_LANGUAGES[example.language]
    const missing = example.findMissing()
    if (missing !== null) {
      print(`NOT RUN  ${name}: ${missing}`)
      continue
    }
    run += 1
    const workspace = { folder: join(sandbox.folder, example.language), count: RECORDS }
    try {
      const { records, peakMemory } = await tryExample(t, hub, example, workspace)
      const memory = peakMemory === null ? '' : `, at most ${peakMemory} MiB`
      print(`works    ${name}: ${records} records${memory}`)
      if (example.untested) print(`         but ${example.untested}`)
    } catch (error) {
      failed += 1
      print(`FAILS    ${name}: ${error instanceof Error ? error.stack : String(error)}`)
    }
  }
  isFinished = true
  if (failed > 0) return 1
  return run === 0 ? 2 : 0
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
}
