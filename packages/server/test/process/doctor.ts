import type { EngineSandbox } from '../helpers/process/engine.ts'

export type Report = {
  healthy: boolean
  database: { hub_running: boolean } | null
  error: string | null
  checks: { name: string; status: string; findings: { severity: string; message: string }[] }[]
  repairs: { name: string; changes: string[] }[]
}

export async function runDoctor({ sandbox }: Pick<EngineSandbox, 'sandbox'>, ...args: string[]) {
  const { code, stdout } = await sandbox.run(['doctor', '--json', ...args])
  const report: Report = JSON.parse(stdout.join('\n'))
  const problems = report.checks
    .filter(({ status }) => status === 'problem')
    .map(({ name }) => name)
  // The commits of the test's PostgreSQL do not wait for the disk.
  const bad = problems.filter((name) => name !== 'database settings')
  return { code, report, bad, expectedCode: problems.length > 0 ? 1 : 0 }
}
