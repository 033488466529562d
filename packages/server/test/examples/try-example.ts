/** Follows the guide in one language as documented, from an empty folder, with a real hub. */

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { findFreePort } from '../helpers/process/free-port.ts'
import type { Operator } from '../helpers/process/operator.ts'
import type { Sandbox } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'
import { makeRows, nameManifest, RECORD_TYPE, type Row, writeRows } from './edge-case-records.ts'
import { type Commands, EXAMPLES, type Example } from './examples.ts'
import { type ExamplePart, readDataFiles, readExample } from './guide-files.ts'
import { type Program, runProgram } from './run-program.ts'
import { tryPushes } from './try-pushes.ts'

const SOURCE_KEY = 'the source key of the examples'
const GUIDE_PORT = /\b3000\b/g

export type ExampleResult = { records: number; peakMemory: number | null }

type Hub = { operator: Operator; sandbox: Pick<Sandbox, 'run'> }
type Workspace = { folder: string; env: Record<string, string>; port: string }

export async function tryExample(
  t: Pick<TestContext, 'after'>,
  hub: Hub,
  example: Example,
  { folder, count }: { folder: string; count: number },
): Promise<ExampleResult> {
  const { operator } = hub
  const { language } = example
  const name = `hr_${language}`
  const rows = makeRows(count)
  const port = String(await findFreePort())
  const path = `${join(folder, 'bin')}:${process.env['PATH']}`
  const workspace = { folder, port, env: { PATH: path, SOURCE_API_KEY: SOURCE_KEY } }
  const address = `http://127.0.0.1:${port}`
  mkdirSync(folder)
  example.prepare?.(folder)

  const server = EXAMPLES.find((one) => one.language === example.servedBy) ?? example
  const readGuide = (path: string, chosen = language) =>
    operator.request('GET', `${path}?language=${chosen}`)
  const guide = await readGuide('/api/v1/guide', server.language)
  const endpoints = readExample(guide, server.language, 'The endpoints')
  const data = readDataFiles(guide)
  data.set('manifest.json', nameManifest(data.get('manifest.json') ?? '', name))
  data.set('records.ndjson', writeRows(rows))
  writeFiles(workspace, new Map([...data, ...endpoints.files]))
  example.build?.(folder)
  const program = runProgram(t, commandOf('serve', example, endpoints, workspace), {
    cwd: folder,
    env: workspace.env,
  })
  await untilPingResponds(program, address)
  if (server !== example)
    await tryCalls(
      t,
      readExample(await readGuide('/api/v1/guide'), language, 'The endpoints'),
      workspace,
    )
  await tryWrongKeys(address)
  await tryConditions(address, folder)
  await checkPlatform(hub, address, server)

  const { platform, hub_api_key } = await operator.registerModules({
    source_base_url: address,
    source_api_key: SOURCE_KEY,
    record_types: [RECORD_TYPE],
  })
  await tryPull(operator, platform.id, { name, rows })
  await trySearch(operator, name)
  const peakMemory = program.peakMemory()

  const own = await readGuide(`/api/v1/platforms/${platform.id}/instructions`)
  const pushing = readExample(own, language, 'Pushing changes')
  writeFiles(workspace, new Map([...readDataFiles(own), ...pushing.files]))
  const command = commandOf('push', example, pushing, workspace)
  const start = (env: Record<string, string>, part?: 'worker'): Program =>
    runProgram(t, part ? withoutPushes(command) : command, {
      cwd: folder,
      env: { ...workspace.env, ...env },
    })
  const push = start({ HUB_API_KEY: hub_api_key })
  await untilPushesStored(operator, name, push)
  if (!example.isQueue) assert.equal(await push.ended, 0, push.output())
  await push.stop()
  await tryPushes(t, example, start)
  await program.stop()
  return { records: rows.length, peakMemory }
}

function commandOf(
  which: keyof Commands,
  { commands }: Example,
  { command }: ExamplePart,
  { port }: Workspace,
): string {
  return (commands?.[which] ?? command).replaceAll(GUIDE_PORT, port)
}

/** The command that only sends the pushes in the outbox. */
function withoutPushes(command: string): string {
  return command.replace(/ POST .*/, '')
}

function writeFiles({ folder, port }: Workspace, files: Map<string, string>): void {
  for (const [name, text] of files) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, name.startsWith('records.') ? text : text.replaceAll(GUIDE_PORT, port))
  }
}

async function untilPingResponds(program: Program, address: string): Promise<void> {
  let code: number | null | undefined
  program.ended.then((exit) => {
    code = exit
  })
  await until(async () => {
    if (code !== undefined) throw new Error(`The platform ended with ${code}: ${program.output()}`)
    return call(address, 'ping').then(
      () => true,
      () => null,
    )
  }, 'the platform responds').catch((error: Error) => {
    throw new Error(`${error.message}: ${program.output()}`)
  })
}

async function call(
  address: string,
  path: string,
  { key = SOURCE_KEY, condition }: { key?: string; condition?: string } = {},
): Promise<{ status: number; type: string; etag: string }> {
  const headers = {
    Accept: 'application/json',
    'X-PLATFORM-API-KEY': key,
    ...(condition === undefined ? {} : { 'If-None-Match': condition }),
  }
  const response = await fetch(`${address}/api/hub/${path}`, { headers, redirect: 'manual' })
  // Reads to the end, because the fetch of Node.js 24 fails if the server disconnects first.
  await response.arrayBuffer()
  const header = (name: string) => response.headers.get(name) ?? ''
  return { status: response.status, type: header('content-type'), etag: header('etag') }
}

/** Runs `recordhub check-platform`. */
async function checkPlatform(
  { sandbox }: Hub,
  address: string,
  { hasDigest }: Example,
): Promise<void> {
  const args = ['check-platform', '--url', address, '--key', SOURCE_KEY]
  const { code, stdout, stderr } = await sandbox.run(args)
  const output = [...stdout, ...stderr].join('\n')
  assert.equal(code, 0, output)
  assert.equal(/List and digest agree/.test(output), hasDigest === true, output)
  assert.equal(
    /\?prefix=\w+ has the records of that bucket/.test(output),
    hasDigest === true,
    output,
  )
}

async function tryWrongKeys(address: string): Promise<void> {
  for (const path of ['ping', 'manifest', `records/${RECORD_TYPE}`, 'search?query=ann']) {
    for (const key of ['', 'wrong', `${SOURCE_KEY}.`, SOURCE_KEY.toUpperCase()]) {
      const { status } = await call(address, path, { key })
      assert.equal(status, 401, `${path} with the key "${key}"`)
    }
    const { status, type } = await call(address, path)
    assert.equal(status, 200, path)
    assert.match(type, /^application\/json/)
  }
  for (const type of ['unknown', '..%2Frecords', 'employe%C3%A9', '%00']) {
    const { status } = await call(address, `records/${type}`)
    assert.ok(status === 404 || status === 400, `records/${type} returned ${status}`)
  }
}

/** Sends conditional requests before and after a change of the records. */
async function tryConditions(address: string, folder: string): Promise<void> {
  const path = `records/${RECORD_TYPE}`
  const { etag } = await call(address, path)
  assert.match(etag, /^(W\/)?"[!#-~]+"$/)
  const unchanged = await call(address, path, { condition: etag })
  assert.deepEqual([unchanged.status, unchanged.etag], [304, etag])
  // The weak form that proxies create when they compress a response.
  const weak = etag.replace(/^(W\/)?/, 'W/')
  assert.equal((await call(address, path, { condition: weak })).status, 304)
  // A space behind a record: another size and content, with the same records.
  const file = join(folder, 'records.ndjson')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\n?$/, ' \n'))
  const changed = await call(address, path, { condition: etag })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.etag, etag)
}

/** Runs the example that sends the requests of the hub to a platform. */
async function tryCalls(
  t: Pick<TestContext, 'after'>,
  client: ExamplePart,
  workspace: Workspace,
): Promise<void> {
  writeFiles(workspace, client.files)
  const command = client.command.replaceAll(GUIDE_PORT, workspace.port)
  const calls = runProgram(t, command, { cwd: workspace.folder, env: workspace.env })
  assert.equal(await calls.ended, 0, calls.output())
  const responses = calls.output().trim().split('\n')
  assert.deepEqual(
    responses.map((line) => JSON.parse(line).success),
    [true, true, true, true],
  )
}

async function tryPull(
  operator: Operator,
  id: number,
  { name, rows }: { name: string; rows: Row[] },
): Promise<void> {
  const started = JSON.parse(await operator.request('POST', `/api/v1/platforms/${id}/pull`, {}))
  const { tasks } = await until(async () => {
    const read = await operator.readPull(started.pull.id)
    return read.pull.finished_at === null ? null : read
  }, 'the pull ends')
  const [task] = tasks
  assert.ok(task)
  const { state, total, created, rejected, warnings, error } = task
  assert.deepEqual(
    { state, total, created, rejected, warnings, error },
    {
      state: 'succeeded',
      total: rows.length,
      created: rows.length,
      rejected: 0,
      warnings: [],
      error: null,
    },
  )
  const stored = await operator.findRecords(`platform=${name}&sort=record_id`)
  assert.equal(stored.length, rows.length)
  for (const [index, { record_type, reference_number, full_name, data }] of stored.entries()) {
    const record = { record_type, reference_number, full_name, data }
    // Compared in detail only if they differ, because there are many records.
    if (!isDeepStrictEqual(record, rows[index])) assert.deepEqual(record, rows[index])
  }
}

async function trySearch(operator: Operator, name: string): Promise<void> {
  const text = await operator.request('GET', '/api/v1/search?query=NUMBER%201%20%C3%85ng')
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const found = lines.find(
    ({ kind, platform_name }) => kind === 'platform' && platform_name === name,
  )
  assert.match(JSON.stringify(found), /Number 1 Ångström/)
  assert.match(JSON.stringify(found), /"record_type":"employee"/)
}

async function untilPushesStored(operator: Operator, name: string, push: Program): Promise<void> {
  const record = await until(async () => {
    const [found] = await operator.findRecords(`platform=${name}&reference_number=A-2`)
    return found?.data['job_title'] === 'Another job title' ? found : null
  }, 'the hub has both pushes').catch((error: Error) => {
    throw new Error(`${error.message}: ${push.output()}`)
  })
  assert.equal(record.full_name, 'Ann Example')
  assert.equal(record.incomplete, false)
  assert.equal(record.data['department'], null)
  const history = await operator.history(record.record_id)
  assert.deepEqual(
    history.map(({ source }) => source),
    ['PATCH'],
  )
}
