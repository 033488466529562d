/** Several hubs on one PostgreSQL: changes at one hub apply at the others. */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext } from 'node:test'
import { createDatabase } from '../helpers/postgres/database.ts'
import { createPostgresSandbox, postgres } from '../helpers/process/engine.ts'
import { createLedger, createSharedRecords } from '../helpers/process/ledger.ts'
import { type Operator, signIn } from '../helpers/process/operator.ts'
import { startPlatform } from '../helpers/process/platform.ts'
import { createPusher, pushOnce } from '../helpers/process/push.ts'
import { isAcknowledged, startPushing } from '../helpers/process/push-loop.ts'
import { OPERATOR, PROCESS_TEST, type RunningHub, test } from '../helpers/process/sandbox.ts'
import { rounds } from '../helpers/time/tier.ts'
import { untilTrue } from '../helpers/time/until.ts'

test('hubs that start concurrently on an empty database all start', async (t) => {
  const database = await createDatabase()
  const { sandbox } = createPostgresSandbox(t, database.url)
  t.after(() => database.drop())
  const hubs = await Promise.all(Array.from({ length: rounds(2, 3) }, () => sandbox.startHub()))
  for (const { address, stdout, stderr } of hubs) {
    await signIn(address)
    const printed = stdout.filter((line) => !line.startsWith('{'))
    assert.match(printed.join('\n'), /^Recordhub listens at \S+$/, 'no setup link is printed')
    assert.deepEqual(stderr, [])
  }
})

describe('two hubs on one database', () => {
  let setup: Awaited<ReturnType<typeof startTwoHubs>>
  const cleanUps: (() => unknown)[] = []
  before(async () => {
    setup = await startTwoHubs({ after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) })
  }, PROCESS_TEST)
  after(async () => {
    for (const cleanUp of cleanUps) await cleanUp()
  }, PROCESS_TEST)

  test('a platform registered at one hub can push to the other immediately', async (t) => {
    const { hubs, operator } = setup
    const names = Array.from({ length: 5 }, (_, index) => `platform-${index}`)
    for (const [round, name] of names.entries()) {
      const [at, other] = round % 2 === 0 ? hubs : hubs.toReversed()
      assert.ok(at && other)
      const { hubApiKey } = await register(t, operator.at(at.address), name)
      assert.equal(await push(t, other, hubApiKey), 201)
      assert.equal(await push(t, at, hubApiKey), 200)
    }
    for (const { address } of hubs) {
      const platforms = await operator.at(address).platforms()
      const records = new Map(platforms.map((one) => [one.platform_name, one.records]))
      for (const name of names) assert.equal(records.get(name), 1, name)
    }
  })

  test('deactivating or activating a platform at one hub takes effect at the other immediately', async (t) => {
    const { hubs, operator } = setup
    const { id, hubApiKey } = await register(t, operator, 'switched')
    const pushes = hubs.map((hub) => createRepeatedPush(t, hub, hubApiKey))
    const pushToBoth = () => Promise.all(pushes.map((push) => push()))
    assert.equal(await push(t, hubs[0], hubApiKey), 201)
    assert.deepEqual(await pushToBoth(), [200, 200], 'both hubs have cached the key')
    for (let round = 0; round < 20; round += 1) {
      const at = operator.at(hubs[round % 2]?.address ?? '')
      await at.request('PATCH', `/api/v1/platforms/${id}`, { status: 'inactive' })
      assert.deepEqual(await pushToBoth(), [401, 401])
      await at.request('PATCH', `/api/v1/platforms/${id}`, { status: 'active' })
      assert.deepEqual(await pushToBoth(), [200, 200])
    }
  })

  test('a session created at one hub is valid at the other', async (t) => {
    const { hubs, operator: other } = setup
    const [first, second] = hubs
    const operator = await signIn(second.address)
    const response = await operator.at(first.address).call('GET', '/dashboard/realtime')
    assert.equal(response.status, 200)
    await register(t, operator.at(first.address), 'registry')
    assert.equal((await operator.at(first.address).call('POST', '/api/v1/pulls')).status, 202)
    const names = (await other.at(second.address).platforms()).map((one) => one.platform_name)
    assert.ok(names.includes('registry'))

    const signedOut = await operator.call('POST', '/api/auth/sign-out', {})
    assert.equal(signedOut.status, 200)
    assert.equal((await operator.at(first.address).call('GET', '/dashboard/realtime')).status, 401)
    assert.equal((await other.call('GET', '/dashboard/realtime')).status, 200)
  })

  test('a token created on the command line works at every running hub', async () => {
    const { sandbox, hubs } = setup
    const created = await sandbox.run(['token', 'create', '--name', 'report', '--role', 'operator'])
    assert.deepEqual({ code: created.code, stderr: created.stderr }, { code: 0, stderr: [] })
    assert.equal(created.stdout.length, 1)
    for (const { address } of hubs) {
      const headers = { Authorization: `Bearer ${created.stdout[0]}` }
      assert.equal((await fetch(`${address}/api/v1/platforms`, { headers })).status, 200)
    }
  })

  test('a setting stored at one hub applies at the other, which is not asked for its settings', async () => {
    const { hubs, operator } = setup
    const [first, second] = hubs
    const settings = { HUB_RETENTION_PULLS_DAYS: '11' }
    const body = { settings, password: OPERATOR.password }
    await operator.at(first.address).request('PATCH', '/api/v1/settings', body)
    // The list of settings would read the table, so the effect is awaited.
    await untilTrue('the other hub has read its settings', async () => {
      const text = await operator.at(second.address).request('GET', '/api/v1/about')
      return JSON.parse(text).about.retention.days.pulls === 11
    })
  })

  // The last test, because only one hub is left.
  test('when a hub is killed during pushes, the other continues and no acknowledged push is lost', async (t) => {
    const { hubs, operator } = setup
    const [first, second] = hubs
    const { hubApiKey } = await register(t, operator, 'killed')
    const ledger = createLedger()
    for (const push of createSharedRecords()) {
      ledger.record(push, await pushOnce({ address: first.address, hubApiKey }, push))
    }
    const pushing = startPushing(t, hubs, ledger, { name: 'kill', hubApiKey, connections: 2 })
    await pushing.untilAttempts(4, isAcknowledged)
    await second.stop('SIGKILL')
    await pushing.untilAttempts(2, (one) => !isAcknowledged(one))
    await pushing.untilAttempts(4, (one) => one.hub === 0 && isAcknowledged(one))
    await pushing.finish()
    assert.deepEqual(ledger.unacknowledged(), [])
    const left = operator.at(first.address)
    assert.equal((await ledger.compare(left)).lost, 0)
    // Retries have created no record twice.
    const posts = pushing.attempts.filter(({ push }) => push.method === 'POST')
    const references = new Set(posts.map(({ push }) => push.reference_number))
    const killed = (await left.platforms()).find((one) => one.platform_name === 'killed')
    assert.equal(killed?.records, createSharedRecords().length + references.size)
  })
})

async function startTwoHubs(t: Pick<TestContext, 'after'>) {
  const { sandbox } = await postgres.createSandbox(t)
  const hubs = [await sandbox.startHub(), await sandbox.startHub()] as const
  return { sandbox, hubs, operator: await signIn(hubs[0].address) }
}

async function register(t: TestContext, operator: Operator, name: string) {
  const modules = [{ module_name: 'Cases', record_type: 'case', keys: ['a'], records: [] }]
  const platform = await startPlatform(t, { name, modules })
  const registered = await operator.registerModules(platform)
  return { id: registered.platform.id, hubApiKey: registered.hub_api_key }
}

function push(t: TestContext, hub: RunningHub, hubApiKey: string): Promise<number | string> {
  return createRepeatedPush(t, hub, hubApiKey)()
}

/** Returns a function that pushes the same record over one connection and returns the status. */
function createRepeatedPush(t: TestContext, { address }: RunningHub, hubApiKey: string) {
  const pusher = createPusher({ address, hubApiKey })
  t.after(pusher.close)
  return async () => {
    const record = { record_type: 'case', reference_number: 'one', data: { a: 1 } }
    const result = await pusher.push({ ...record, method: 'POST' })
    return result.kind === 'response' ? result.status : result.kind
  }
}
