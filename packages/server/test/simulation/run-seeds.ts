/** Simulations of many seeds in processes of their own, as many at once as there are processors. */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Template } from './template.ts'

type Engine = Template['engine']

/** The seeds of one process. */
const SEEDS_PER_PROCESS: Record<Engine, number> = { sqlite: 500, postgres: 30 }

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

/** Runs the seeds from 1 on. Returns the reports of those that failed. */
export async function runSeeds(
  engine: Engine,
  seeds: number,
  onPassed: (report: string) => void,
): Promise<string[]> {
  const size = SEEDS_PER_PROCESS[engine]
  const starts = Array.from({ length: Math.ceil(seeds / size) }, (_, index) => 1 + index * size)
  const failures: string[] = []
  const work = async () => {
    for (let first = starts.shift(); first !== undefined; first = starts.shift()) {
      const count = Math.min(size, seeds - first + 1)
      const { isPassed, report } = await runInProcess(engine, first, count)
      if (isPassed) onPassed(report)
      else failures.push(report)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return failures
}

async function runInProcess(
  engine: Engine,
  first: number,
  count: number,
): Promise<{ isPassed: boolean; report: string }> {
  const seeds = ['--seed', String(first), '--count', String(count)]
  const parameters = [MAIN, ...(engine === 'postgres' ? ['--postgres'] : []), ...seeds]
  const output = promisify(execFile)(process.execPath, parameters, { maxBuffer: 2 ** 28 })
  return output.then(
    ({ stdout }) => ({ isPassed: true, report: stdout.trim() }),
    (error: { stdout?: string; stderr?: string }) => ({
      isPassed: false,
      report: `${error.stdout}${error.stderr}`.trim(),
    }),
  )
}
