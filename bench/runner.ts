import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { noMariadb, startMariadb } from '../packages/platform-runner/test/helpers/mariadb.ts'
import { startPostgres } from '../packages/server/test/helpers/postgres/server.ts'
import type { Engine } from './engines.ts'
import { startHub, startPull, waitForPull } from './hub.ts'
import { cpuSeconds, peakMemory, startServer } from './processes.ts'

const SOURCE_KEY = 'the source key of the bench'
const COLUMNS = `id INTEGER PRIMARY KEY, first_name VARCHAR(50), last_name VARCHAR(50), email VARCHAR(80),
  balance DECIMAL(20,2), note VARCHAR(400), born DATE, updated_at TIMESTAMP NULL`
const SELECT = (text: (expression: string) => string) =>
  `n, ${text("'First '")}, ${text("'Last '")}, ${text("'mail'")}, n * 1.10, 'A note of a length that notes have, again and again, in whatever language 🏛', '1980-02-29', '2026-01-01 10:00:00'`

type Owned = { name: string; source: string; module: string; remove: () => Promise<void> }

/** The resources of recordhub-platform for all records: for each kind of source, read alone and by a hub. */
export async function benchRunner(engine: Engine, records: number): Promise<void> {
  process.stdout.write(`recordhub-platform, a hub on ${engine}, ${records} records\n`)
  for (const make of [postgres, mariadb, sqlite, csv]) {
    const owned = await make(records)
    if (owned) await measure(engine, owned, records)
  }
}

async function measure(engine: Engine, { name, source, module, remove }: Owned, records: number) {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-bench-'))
  const config = join(folder, 'platform.yaml')
  writeFileSync(
    config,
    `platform: { name: bench, source_key: ${SOURCE_KEY} }
source: { ${source} }
modules: [{ record_type: people, ${module}, reference: id, full_name: "{first_name} {last_name}" }]
`,
  )
  const runner = await startServer(
    '../packages/platform-runner/src/main.ts',
    ['--config', config, '--port', '0'],
    {},
  )
  const hub = await startHub(engine)
  try {
    const address = `http://127.0.0.1:${runner.port}`
    const idle = peakMemory(runner.pid)
    const began = performance.now()
    const bytes = await drain(`${address}/api/hub/records/people`)
    const seconds = (performance.now() - began) / 1000
    const cpu = cpuSeconds([runner.pid])
    await hub.call('POST', '/api/v1/platforms', {
      source_base_url: address,
      source_api_key: SOURCE_KEY,
      record_types: ['people'],
    })
    const pull = await waitForPull(hub, await startPull(hub))
    if (pull.counts.created !== records) throw new Error(`The hub has ${pull.counts.created}`)
    process.stdout.write(
      `  ${name.padEnd(10)} read alone ${seconds.toFixed(1)} s (${(bytes / 1e6).toFixed(0)} MB, processor ${cpu.toFixed(1)} s), pulled by the hub ${pull.seconds.toFixed(1)} s; memory ${mb(idle)} at the start, ${mb(peakMemory(runner.pid))} at most\n`,
    )
  } finally {
    await hub.stop()
    await runner.stop()
    await remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

const mb = (megabytes: number) => `${megabytes.toFixed(0)} MB`

async function drain(url: string): Promise<number> {
  const headers = { 'X-PLATFORM-API-KEY': SOURCE_KEY, 'Accept-Encoding': 'identity' }
  const response = await fetch(url, { headers })
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`)
  let bytes = 0
  for await (const chunk of response.body) bytes += chunk.length
  return bytes
}

async function postgres(records: number): Promise<Owned> {
  const server = await startPostgres({ onDisk: true })
  const client = new Client({ connectionString: server.url })
  await client.connect()
  await client.query(`CREATE TABLE people (${COLUMNS})`)
  await client.query(
    `INSERT INTO people SELECT ${SELECT((text) => `${text} || n`)}::timestamp FROM generate_series(1, ${records}) AS n`.replace(
      "'1980-02-29'",
      "'1980-02-29'::date",
    ),
  )
  await client.end()
  const source = `database: "${server.url}"`
  return { name: 'PostgreSQL', source, module: 'table: people', remove: server.remove }
}

async function mariadb(records: number): Promise<Owned | null> {
  if (noMariadb) {
    process.stdout.write(`  MariaDB    not measured: ${noMariadb}\n`)
    return null
  }
  const server = await startMariadb()
  const connection = await createConnection({ uri: server.url })
  await connection.query('CREATE DATABASE bench CHARACTER SET utf8mb4')
  await connection.query('USE bench')
  await connection.query(`CREATE TABLE people (${COLUMNS})`)
  await connection.query(
    `INSERT INTO people SELECT ${SELECT((text) => `CONCAT(${text}, n)`)} FROM (SELECT seq AS n FROM seq_1_to_${records}) AS numbers`,
  )
  await connection.end()
  const source = `database: "${server.url}/bench"`
  return { name: 'MariaDB', source, module: 'table: people', remove: server.remove }
}

async function sqlite(records: number): Promise<Owned> {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-bench-'))
  const path = join(folder, 'people.sqlite')
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(`CREATE TABLE people (${COLUMNS})`)
  database.exec(
    `WITH numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${records})
     INSERT INTO people SELECT ${SELECT((text) => `${text} || n`)} FROM numbers`,
  )
  database.close()
  const remove = async () => rmSync(folder, { recursive: true, force: true })
  return { name: 'SQLite', source: `database: "sqlite:${path}"`, module: 'table: people', remove }
}

async function csv(records: number): Promise<Owned> {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-bench-'))
  const line = (n: number) =>
    `${n},First ${n},Last ${n},mail${n},${n}.10,"A note of a length that notes have, again and again, in whatever language 🏛",1980-02-29,2026-01-01 10:00:00`
  const lines = Array.from({ length: records }, (_, index) => line(index + 1))
  const header = 'id,first_name,last_name,email,balance,note,born,updated_at'
  writeFileSync(join(folder, 'people.csv'), [header, ...lines].join('\n'))
  const remove = async () => rmSync(folder, { recursive: true, force: true })
  return { name: 'CSV', source: `folder: "${folder}"`, module: 'file: people.csv', remove }
}
