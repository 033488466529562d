/** The parts of the deep tier: the long forms of all tests but unit tests, and checks that need more programs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Job, planJobs, shuffle } from './plan.ts'
import type { Random } from './random.ts'

export type Part = { kind: 'tests'; name: string; job: Job } | { kind: 'check'; name: string }

/** Each ends with 0 where all is well, with 2 where a program that it needs is not installed, else with 1. */
const CHECKS = ['licenses', 'runtimes', 'spreadsheet', 'examples']

export function planParts(files: readonly string[], random: Random): Part[] {
  const withoutUnits = files.filter((file) => /^packages\/[^/]+\/test\//.test(file))
  const tests = planJobs(withoutUnits).map((job): Part => ({ kind: 'tests', name: job.name, job }))
  const checks = CHECKS.map((name): Part => ({ kind: 'check', name: `check:${name}` }))
  return shuffle([...tests, ...checks], random)
}

/** Runs a script of package.json and tells how it ended. */
export async function runCheck(
  root: string,
  name: string,
): Promise<'passed' | 'failed' | 'skipped'> {
  const child = spawn('npm', ['run', '--silent', name], { cwd: root, stdio: 'inherit' })
  const [code]: unknown[] = await once(child, 'exit')
  return code === 0 ? 'passed' : code === 2 ? 'skipped' : 'failed'
}
