import assert from 'node:assert/strict'
import type { EngineSandbox } from '../helpers/process/engine.ts'
import type { Operator } from '../helpers/process/operator.ts'
import type { Sandbox } from '../helpers/process/sandbox.ts'

export const FILE = 'one.recordhub-backup'

export async function runBackup(sandbox: Sandbox, file = FILE, env: Record<string, string> = {}) {
  const ended = await sandbox.run(['backup', '--out', file], { env })
  assert.equal(ended.code, 0, ended.stderr.join('\n'))
  assert.match(ended.stdout.join('\n'), /^Wrote and verified /)
}

/** Everything that the API returns about records. */
export async function readAll(operator: Operator) {
  const records = await operator.records()
  const histories = []
  for (const { record_id } of records.slice(0, 10)) {
    histories.push(await operator.history(record_id))
  }
  const platforms = JSON.parse((await operator.call('GET', '/api/v1/platforms')).text)
  const changes = JSON.parse((await operator.call('GET', '/api/v1/changes?limit=500')).text)
  return { records, histories, platforms, changes }
}

/** Replaces the data of the sandbox. */
export async function restore({ sandbox }: EngineSandbox, file: string): Promise<string> {
  const ended = await sandbox.run(['restore', file, '--force'])
  assert.equal(ended.code, 0, ended.stderr.join('\n'))
  return ended.stdout.join('\n')
}
