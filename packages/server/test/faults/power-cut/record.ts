/** Records hubs and commands that use every way in which the data folder changes. */
import assert from 'node:assert/strict'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createOperatorClient, signIn } from '../../helpers/process/operator.ts'
import { startPlatform } from '../../helpers/process/platform.ts'
import { createSandbox } from '../../helpers/process/sandbox.ts'
import { isDeep } from '../../helpers/time/tier.ts'
import {
  backUp,
  createClient,
  createPulledModule,
  followChanges,
  PUSHED_TYPE,
  pull,
  push,
  pushMany,
  register,
  removeOtherPlatform,
  SHARED,
} from './client.ts'
import { appendResponse, readTrace, recordDisk } from './disk-trace.ts'
import { type Fact, listInitialFiles, type Recording, type Told } from './recording.ts'

/** The data folder within the recorded folder. */
export const DATA = 'data'
const ERASED = ['erased-1', 'erased-2']

/** A recording, its trace, and the folder as the last process left it. */
export type Recorded = { recording: Recording; trace: string; folder: string }

function createFolder(t: Pick<TestContext, 'after'>) {
  const sandbox = createSandbox(t)
  const folder = join(realpathSync(sandbox.folder), 'disk')
  const trace = join(sandbox.folder, 'trace')
  mkdirSync(folder)
  return { sandbox, folder, trace }
}

/** Runs hubs on a new data folder, one after another, and records what they write. */
export async function recordHubs(t: Pick<TestContext, 'after'>): Promise<Recorded> {
  const { sandbox, folder, trace } = createFolder(t)
  const initial = listInitialFiles(folder)
  const env = { ...recordDisk(folder, trace), HUB_DATA_DIR: join(folder, DATA) }
  const client = createClient()

  let hub = await sandbox.startHub({ env })
  let operator = await signIn(hub.address)
  const pulled = createPulledModule(1)
  const modules = [pulled, { ...createPulledModule(0), record_type: PUSHED_TYPE }]
  const platform = await startPlatform(t, { name: 'registry', modules })
  const headers = { 'X-API-KEY': await register(client, operator, platform) }
  let platformClient = createOperatorClient(hub.address, headers)
  const erased: { reference: string; recordId: number }[] = []
  for (const reference of [...SHARED, ...ERASED]) {
    const recordId = await push(client, platformClient, reference, { first: reference })
    if (ERASED.includes(reference)) erased.push({ reference, recordId })
  }
  await pushMany(client, platformClient, 'first', 12)
  await push(client, platformClient, 'large', { text: 'x'.repeat(200_000) })

  await pull(client, operator, 1)
  await followChanges(client, operator)
  Object.assign(pulled, createPulledModule(2))
  await Promise.all([pull(client, operator, 2), pushMany(client, platformClient, 'during-pull', 5)])
  for (const { reference, recordId } of erased) {
    const path = `/api/v1/records/${recordId}/erase`
    const toFact = (): Fact => ({ kind: 'erased', reference })
    await client.send([operator, 'POST', path, { mode: 'erase' }], toFact)
  }
  await pushMany(client, platformClient, 'after-erasure', 5)
  await removeOtherPlatform(t, client, operator, 2)
  await backUp(client, operator)
  assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
  const finish = (): Recorded => ({
    recording: { initial, entries: readTrace(trace), told: client.told },
    ...{ trace, folder },
  })
  // The deep tier also records later starts and a killed hub.
  if (!isDeep) return finish()

  hub = await sandbox.startHub({ env })
  operator = operator.at(hub.address)
  platformClient = platformClient.at(hub.address)
  await followChanges(client, operator)
  const killed = assert.rejects(
    pushMany(client, platformClient, 'killed', Number.POSITIVE_INFINITY),
  )
  await pushMany(client, platformClient, 'before-kill', 5)
  await hub.stop('SIGKILL')
  await killed

  hub = await sandbox.startHub({ env })
  await pushMany(client, platformClient.at(hub.address), 'restarted', 5)
  assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
  return finish()
}

/** Runs the commands that write to the data folder of a hub, and then the hub again. */
export async function recordCommands(t: Pick<TestContext, 'after'>): Promise<Recorded> {
  const { sandbox, folder, trace, env, initial, told, key } = await createUsedFolder(t)
  const file = 'one.recordhub-backup'
  const backup = join(folder, DATA, 'backups', file)
  const commands: [args: string[], fact: Fact | null][] = [
    [['secret', 'rotate'], null],
    [['backup', '--out', backup], { kind: 'backup', file }],
    [['restore', backup, '--force'], null],
  ]
  for (const [args, fact] of commands) {
    const ended = await sandbox.run(args, { env })
    assert.equal(ended.code, 0, ended.stderr.join('\n'))
    appendResponse(trace, args.join(' '))
    if (fact) told.push({ ...fact, requestId: args.join(' '), after: null })
  }
  const client = createClient()
  const hub = await sandbox.startHub({ env })
  const platform = createOperatorClient(hub.address, { 'X-API-KEY': key })
  await pushMany(client, platform, 'restored', 4)
  assert.deepEqual(await hub.stop(), { code: 0, signal: null })
  const recording = { initial, entries: readTrace(trace), told: [...told, ...client.told] }
  return { recording, trace, folder }
}

/** Opens the database of a hub with the migrations of a later version. */
export async function recordUpgrade(t: Pick<TestContext, 'after'>): Promise<Recorded> {
  const { sandbox, folder, trace, env, initial, told } = await createUsedFolder(t)
  const location = join(folder, DATA, 'recordhub.sqlite')
  const job = { engine: 'SQLite', location, backups: join(folder, DATA, 'backups'), blockAt: '' }
  const ended = await sandbox.run([JSON.stringify(job)], { env, program: UPGRADE })
  assert.equal(ended.stdout.at(-1), 'done', ended.stderr.join('\n'))
  return { recording: { initial, entries: readTrace(trace), told }, trace, folder }
}

const UPGRADE = fileURLToPath(new URL('../../helpers/process/upgrade.child.ts', import.meta.url))

/** A folder with the records of a hub that has stopped. What its clients were told holds from the beginning. */
async function createUsedFolder(t: Pick<TestContext, 'after'>) {
  const { sandbox, folder, trace } = createFolder(t)
  const env = { HUB_DATA_DIR: join(folder, DATA) }
  const client = createClient()
  const hub = await sandbox.startHub({ env })
  const modules = [{ ...createPulledModule(0), record_type: PUSHED_TYPE }]
  const platform = await startPlatform(t, { name: 'registry', modules })
  const key = await register(client, await signIn(hub.address), platform)
  const platformClient = createOperatorClient(hub.address, { 'X-API-KEY': key })
  for (const reference of SHARED) await push(client, platformClient, reference, { reference })
  await pushMany(client, platformClient, 'first', 6)
  assert.deepEqual(await hub.stop(), { code: 0, signal: null })
  const initial = listInitialFiles(folder)
  const told: Told[] = client.told.map((fact) => ({ ...fact, requestId: 'start', after: null }))
  appendResponse(trace, 'start')
  return {
    sandbox,
    folder,
    trace,
    env: { ...env, ...recordDisk(folder, trace) },
    initial,
    told,
    key,
  }
}
