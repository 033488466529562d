/** What the hub learns about the standbys of its PostgreSQL server. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findDurabilityRisks } from '../../../src/domain/alerts/alert.ts'
import { openPostgres } from '../../../src/storage/postgres/storage.ts'
import { withDatabase } from '../../helpers/postgres/database.ts'
import { TEST_POSTGRES_OPTIONS } from '../../helpers/postgres/prepare-database.ts'
import { type PostgresServer, startPostgres } from '../../helpers/postgres/server.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import { createKit } from '../../helpers/storage/kit.ts'
import { isDeep } from '../../helpers/time/tier.ts'
import { until } from '../../helpers/time/until.ts'

const UNAVAILABLE = { name: 'HubError', code: 'storage_unavailable' }

describe('a PostgreSQL server with a standby', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  let keepAlive: NodeJS.Timeout
  before(async () => {
    keepAlive = setInterval(() => undefined, 1000)
    primary = await startPostgres({ durable: true, settings: { wal_level: 'logical' } })
    standby = await primary.startStandby({ name: 'second' })
    await untilConnections(1)
  })
  after(async () => {
    await standby.remove()
    await primary.remove()
    clearInterval(keepAlive)
  })

  const run = (...statements: string[]) =>
    withDatabase(primary.url, async (client) => {
      for (const statement of statements) await client.query(statement)
    })
  /** Waits until this number of replication connections transfer changes as they happen. */
  const untilConnections = (count: number) =>
    until(async () => {
      const { rowCount } = await withDatabase(primary.url, (client) =>
        client.query(`SELECT FROM pg_stat_replication WHERE state = 'streaming'`),
      )
      return rowCount === count ? true : null
    }, `${count} connections stream`)
  async function open(url: string) {
    const warnings: string[] = []
    const warn = (message: string) => void warnings.push(message)
    const storage = await openPostgres({ url, timeZone: 'UTC', ...TEST_POSTGRES_OPTIONS, warn })
    return { storage, warnings, [Symbol.asyncDispose]: () => storage.close() }
  }

  test('a hub that starts warns about a standby until commits wait for it', async () => {
    await using opened = await open(primary.url)
    const { storage, warnings } = opened
    assert.equal(warnings.length, 1)
    assert.match(
      warnings[0] ?? '',
      /^PostgreSQL: synchronous_standby_names is empty.*synchronous_mode/,
    )
    await run(`ALTER SYSTEM SET synchronous_standby_names = 'second'`, 'SELECT pg_reload_conf()')
    // The change is read again, as after a failover.
    await until(async () => {
      const durability = await storage.readDurability()
      return durability?.synchronous_standbys === 1 ? true : null
    }, 'the standby is synchronous')
    assert.deepEqual(findDurabilityRisks(await storage.readDurability()), [])
    await run('ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()')
    await until(async () => {
      const risks = findDurabilityRisks(await storage.readDurability())
      return risks[0]?.kind === 'standby_asynchronous' ? true : null
    }, 'the standby is asynchronous')
  })

  test('a commit whose wait for the standby is cancelled is not acknowledged', async () => {
    await run('CREATE DATABASE cancelled')
    const url = new URL(primary.url)
    url.pathname = '/cancelled'
    await using opened = await open(url.href)
    const { storage } = opened
    const kit = createKit({ storage, clock: new TestClock() })
    const school = await kit.register()
    await run(`ALTER SYSTEM SET synchronous_standby_names = 'absent'`, 'SELECT pg_reload_conf()')
    // Commits wait as soon as the checkpointer has read the configuration.
    await run('CHECKPOINT')
    const cancelWait = async () =>
      until(async () => {
        const { rowCount } = await withDatabase(primary.url, (client) =>
          client.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
            WHERE wait_event = 'SyncRep' AND datname = 'cancelled'`),
        )
        return rowCount === 0 ? null : true
      }, 'a commit waits')
    for (const commit of [() => school.post(), () => storage.checkWritable()]) {
      const committed = assert.rejects(commit(), UNAVAILABLE)
      await cancelWait()
      await committed
    }
    await run('ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()')
    assert.equal((await school.post()).outcome, 'unchanged')
    assert.equal((await kit.records()).length, 1)
  })

  if (isDeep)
    test('a subscription is not a standby', async () => {
      await run(
        'CREATE DATABASE copy',
        'CREATE TABLE copied (id int)',
        'CREATE PUBLICATION changes FOR TABLE copied',
        `SELECT pg_create_logical_replication_slot('copy', 'pgoutput')`,
      )
      const copy = new URL(primary.url)
      copy.pathname = '/copy'
      const source = `host=127.0.0.1 port=${primary.port} dbname=postgres user=recordhub password=${copy.password}`
      await withDatabase(copy.href, async (client) => {
        await client.query('CREATE TABLE copied (id int)')
        await client.query(`CREATE SUBSCRIPTION copy CONNECTION '${source}' PUBLICATION changes
        WITH (create_slot = false, slot_name = 'copy', copy_data = false)`)
      })
      await untilConnections(2)
      await using opened = await open(primary.url)
      assert.equal((await opened.storage.readDurability())?.standbys, 1)
      await withDatabase(copy.href, (client) => client.query('DROP SUBSCRIPTION copy'))
    })

  test('a role without pg_monitor sees that there is a connection, but not its state', async () => {
    await run(`CREATE ROLE hub LOGIN PASSWORD 'hub'`, 'CREATE DATABASE hub OWNER hub')
    const url = new URL(primary.url)
    url.username = 'hub'
    url.password = 'hub'
    url.pathname = '/hub'
    await using opened = await open(url.href)
    const { warnings, storage } = opened
    assert.match(warnings[0] ?? '', /GRANT pg_monitor/)
    const { standbys, hidden_connections } = (await storage.readDurability()) ?? {}
    assert.deepEqual([standbys, hidden_connections], [0, 1])
    await run('GRANT pg_monitor TO hub')
    assert.equal((await storage.readDurability())?.standbys, 1)
  })
})
