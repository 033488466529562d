/**
 * `npm run check:examples [-- <language> …]`: follows the guide exactly in each language whose programs are
 * installed, with more records than the tests. Exits with 1 if an example fails, with 2 if none could be run.
 */
import { join } from 'node:path'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import { signIn } from '../helpers/process/operator.ts'
import { createSandbox } from '../helpers/process/sandbox.ts'
import { createPlatformCheck } from './check-platform.ts'
import { EXAMPLES } from './examples.ts'
import { tryExample } from './try-example.ts'

const RECORDS = 20_000

const cleanUps: (() => unknown)[] = []
const t = { after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) }
const print = (line: string) => void process.stdout.write(`${line}\n`)

async function main(asked: string[]): Promise<number> {
  const examples = EXAMPLES.filter(({ language }) => asked.length === 0 || asked.includes(language))
  const sandbox = createSandbox(t)
  const { address, stderr, ended } = await sandbox.startHub()
  let isOver = false
  ended.then(() => {
    if (!isOver) print(`THE HUB HAS ENDED: ${stderr.join('\n')}`)
  })
  const hub = { operator: await signIn(address), checkPlatform: createPlatformCheck(sandbox) }
  let tried = 0
  let failed = 0
  for (const example of examples) {
    const name = GUIDE_LANGUAGES[example.language]
    const lack = example.lack()
    if (lack !== null) {
      print(`NOT RUN  ${name}: ${lack}`)
      continue
    }
    tried += 1
    const place = { folder: join(sandbox.folder, example.language), count: RECORDS }
    try {
      const { records, peakMemory } = await tryExample(t, hub, example, place)
      const memory = peakMemory === null ? '' : `, at most ${peakMemory} MiB`
      print(`works    ${name}: ${records} records${memory}`)
      if (example.untried) print(`         but ${example.untried}`)
    } catch (error) {
      failed += 1
      print(`FAILS    ${name}: ${error instanceof Error ? error.stack : String(error)}`)
    }
  }
  isOver = true
  if (failed > 0) return 1
  return tried === 0 ? 2 : 0
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
}
