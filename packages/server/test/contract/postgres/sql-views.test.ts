/** SQL views on PostgreSQL: permissions and dependent views. */
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { test } from '../../helpers/postgres/nodes.ts'
import { only, pushWrite } from '../../helpers/storage/fixtures.ts'

/** The statements of docs/sql-access.md. */
const GRANTS = [
  'CREATE SCHEMA IF NOT EXISTS recordhub_views',
  'GRANT USAGE ON SCHEMA recordhub_views TO views_reader',
  'GRANT SELECT ON ALL TABLES IN SCHEMA recordhub_views TO views_reader',
  'ALTER DEFAULT PRIVILEGES IN SCHEMA recordhub_views GRANT SELECT ON TABLES TO views_reader',
]

test('a reader role can read only existing and future views', async (nodes) => {
  const { url, nodeA, nodeB, observer } = nodes
  await observer.query(`CREATE ROLE views_reader LOGIN PASSWORD 'reader'`)
  const address = new URL(url)
  address.username = 'views_reader'
  address.password = 'reader'
  const reader = new Client({ connectionString: address.href })
  try {
    for (const grant of GRANTS) await observer.query(grant)
    const school = await nodeA.register()
    await nodeA.write(
      pushWrite(school, { data: '{"a":1.10}' }),
      pushWrite(school, { reference: 'r-2', data: '{"a":"\\u0000"}' }),
    )
    await Promise.all([
      nodeA.storage.sqlViews.refreshViews(),
      nodeB.storage.sqlViews.refreshViews(),
    ])
    await reader.connect()
    const { rows } = await reader.query(
      'SELECT a FROM recordhub_views.v_school_students ORDER BY hub_reference_number',
    )
    assert.deepEqual(rows, [{ a: '1.10' }, { a: '\ufffd' }])
    for (const table of ['records', 'secrets', 'operators']) {
      await assert.rejects(reader.query(`SELECT * FROM ${table}`), { code: '42501' })
    }
    const update = reader.query(`UPDATE recordhub_views.v_school_students SET hub_full_name = ''`)
    await assert.rejects(update, /cannot update view/)
  } finally {
    await reader.end()
    await observer.query('DROP OWNED BY views_reader')
    await observer.query('DROP ROLE views_reader')
  }
})

test('a view with dependent views is not changed but reported, and does not block other views', async (nodes) => {
  const { nodeA, observer } = nodes
  await nodeA.register({ modules: ['students', 'staff'] })
  await nodeA.storage.sqlViews.refreshViews()
  await observer.query('CREATE VIEW dependent AS SELECT a FROM recordhub_views.v_school_students')
  try {
    await observer.query(
      `UPDATE modules SET fields = '[{"key":"b","label":"B","type":"string","required":false}]'`,
    )
    const failure = only(await nodeA.storage.sqlViews.refreshViews())
    assert.equal(failure.view_name, 'v_school_students')
    assert.match(failure.reason, /depend/)
    await observer.query('SELECT a FROM dependent')
    await observer.query('SELECT b FROM recordhub_views.v_school_staff')
  } finally {
    await observer.query('DROP VIEW dependent')
  }
  assert.deepEqual(await nodeA.storage.sqlViews.refreshViews(), [])
  await observer.query('SELECT b FROM recordhub_views.v_school_students')
})
