/**
 * `npm run check:runtimes`: runs a platform with the packed kit on Bun, on Deno and on workerd, the runtime of
 * Cloudflare's edge. A real hub pulls it, searches it and receives its pushes. The runtimes come from the npm
 * registry and are deleted afterwards. Exits with 1 on any difference.
 */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { promisify } from 'node:util'
import { SOURCE_KEY_HEADER } from '@recordhub/protocol'
import { type Operator, signIn } from '../helpers/process/operator.ts'
import { installKit } from '../helpers/process/package.ts'
import { createSandbox } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'
import { RUNTIMES, type Runtime, startRuntime } from './runtimes.ts'

/** The number of records in `platform.mjs`. */
const RECORDS = 20_000
const SOURCE_KEY = 'choose-a-long-secret'
const cleanUps: (() => unknown)[] = []
const t = { after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) }

async function main(): Promise<void> {
  const sandbox = createSandbox(t)
  const project = await installKit(sandbox.folder)
  cpSync(import.meta.dirname, project, { recursive: true })
  const packages = RUNTIMES.map(({ name, version }) => `${name}@${version}`)
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', ...packages], {
    cwd: project,
  })
  const hub = await sandbox.startHub()
  const operator = await signIn(hub.address)
  for (const runtime of RUNTIMES) {
    await check(runtime, project, operator, hub.address)
    process.stdout.write(`${runtime.name} ${runtime.version}: OK\n`)
  }
}

async function check(runtime: Runtime, project: string, operator: Operator, hub: string) {
  const platform = `on_${runtime.name}`
  const address = await startRuntime(t, runtime, project)

  const requestRecords = (headers: Record<string, string>) =>
    fetch(`${address}/api/hub/records/case`, { headers })
  const rejected = await requestRecords({ [SOURCE_KEY_HEADER]: 'another-long-secret' })
  assert.equal(rejected.status, 401)
  const complete = await requestRecords({ [SOURCE_KEY_HEADER]: SOURCE_KEY })
  await complete.body?.cancel()
  const unchanged = { 'If-None-Match': complete.headers.get('etag') ?? '' }
  const notModified = await requestRecords({ [SOURCE_KEY_HEADER]: SOURCE_KEY, ...unchanged })
  assert.equal(notModified.status, 304)

  const registered = {
    source_base_url: address,
    source_api_key: SOURCE_KEY,
    record_types: ['case'],
  }
  const { hub_api_key } = await operator.registerModules(registered)
  const { tasks } = await operator.pullAll()
  const task = tasks.find(({ platform_name }) => platform_name === platform)
  assert.deepEqual([task?.state, task?.created, task?.warnings], ['succeeded', RECORDS, []])

  const found = await operator.request('GET', '/api/v1/search?query=nova')
  assert.ok(found.includes('Found for nova'), found)

  const push = new URLSearchParams({ hub, key: hub_api_key })
  const pushed = await fetch(`${address}/push?${push}`)
  assert.deepEqual([pushed.status, await pushed.text()], [200, '2'])
  await until(async () => {
    const ofReference = (reference: string) =>
      operator.findRecords(`platform=${platform}&reference_number=${reference}`)
    const [[created], [changed]] = [await ofReference('new'), await ofReference('C-1')]
    return created?.full_name === 'Nova' && changed?.data['closed_on'] === '2026-11-22'
      ? true
      : null
  }, 'both pushes are stored')
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
}
