/** Uses every part of a hub that is a file of its package: the page, its threads, and what it loads when it is needed. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { until } from '../time/until.ts'
import { signIn } from './operator.ts'
import { generateModule, startPlatform } from './platform.ts'
import { pushOnce } from './push.ts'

const RECORDS = 50
const PATHS = [
  ...['/readyz', '/sign-in', '/docs', '/docs/scalar.js', '/api/openapi.json'],
  ...['/api/v1/guide', '/api/v1/records/export?format=xlsx', '/api/v1/records/export?format=csv'],
]

/** Registers and pulls a platform, pushes and searches a record, and reads files and exports. */
export async function useHub(
  t: Pick<TestContext, 'after'>,
  { address }: { address: string },
): Promise<void> {
  const operator = await signIn(address)
  const platform = await startPlatform(t, {
    name: 'archive',
    modules: [generateModule('case', RECORDS)],
  })
  const { hub_api_key: hubApiKey } = await operator.registerModules(platform)
  const { tasks } = await operator.pullAll()
  assert.deepEqual([tasks[0]?.state, tasks[0]?.created], ['succeeded', RECORDS])

  const record = { record_type: 'case', reference_number: 'pushed', data: { note: 'zebra' } }
  const pushed = await pushOnce({ address, hubApiKey }, { method: 'POST', ...record })
  assert.equal(pushed.kind === 'response' ? pushed.status : pushed.kind, 201)
  // Sorting by a field is done by the reading thread.
  const records = await operator.findRecords('platform=archive&record_type=case&sort=data.note')
  assert.equal(records.length, RECORDS + 1)
  // The text index, which a thread writes.
  await until(async () => {
    const found = await operator.request('GET', '/api/v1/records?q=zebra')
    return found.includes('"pushed"') ? true : null
  }, 'the search finds the pushed record')
  for (const path of PATHS) {
    assert.ok((await operator.request('GET', path)).length > 0, path)
  }
  const guide = await operator.request('GET', '/api/v1/guide')
  const downloads = new Set(guide.match(/\/downloads\/[\w.-]+\.tgz/g))
  assert.equal(downloads.size, 3)
  for (const path of downloads) {
    const { status } = await fetch(`${address}${path}`, { method: 'HEAD' })
    assert.equal(status, 200, path)
  }
}
