/** The parts of the deep tier: test files that have a long form, and checks that need more programs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Job, planJobs, type Random, shuffle } from './plan.ts'

export type Part = { kind: 'tests'; name: string; job: Job } | { kind: 'check'; name: string }

/** Each ends with 0 where all is well, with 2 where a program that it needs is not installed, else with 1. */
const CHECKS = ['licenses', 'runtimes', 'spreadsheet', 'examples']

/** A test file has a long form where it asks which tier runs. */
const ASKS_FOR_TIER = /\b(?:isDeep|rounds|deepOnly|onEachEngineWhenDeep)\b/

/** @param root the folder that `files` are relative to. */
export function planParts(root: string, files: readonly string[], random: Random): Part[] {
  const deep = files.filter((file) => ASKS_FOR_TIER.test(readFileSync(join(root, file), 'utf8')))
  const tests = planJobs(deep).map((job): Part => ({ kind: 'tests', name: job.name, job }))
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
