/** Databases for tests on one PostgreSQL server: TEST_DATABASE_URL, which the global setup sets. */
import { createHash, randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { type PostgresServer, startPostgres } from './server.ts'

export type TestDatabase = {
  url: string
  name: string
  /** Drops the database with its connections. Does nothing if it does not exist. */
  drop(): Promise<void>
}

/**
 * A part of the names of all databases of a test run. The global setup creates one for all of its
 * processes; a process that runs alone is its own run.
 */
const givenRun = process.env['TEST_DATABASE_RUN']
const run = givenRun ?? newRun()

let ownServer: Promise<PostgresServer> | null = null
let isSwept = false

export function newRun(): string {
  return randomBytes(4).toString('hex')
}

/**
 * The server for tests. If none is configured, this process starts its own, which is removed when
 * the process becomes idle, and at the latest when it ends.
 */
export async function testServerUrl(): Promise<string> {
  const given = process.env['TEST_DATABASE_URL']
  if (given) return given
  ownServer ??= startPostgres().then((server) => {
    process.once('beforeExit', () => server.remove())
    return server
  })
  return (await ownServer).url
}

/**
 * Creates a database with UTF-8 and locale C: empty, or a copy of another one on this server. It is
 * dropped at the end of the run at the latest.
 */
export async function createDatabase({
  template,
}: {
  template?: string
} = {}): Promise<TestDatabase> {
  const server = await testServerUrl()
  sweepAtTheEnd(server)
  return withClient(server, (client) => create(client, server, template))
}

/**
 * Creates a copy of the database that `prepare` fills. That template is created once in a run, whatever
 * the number of processes, and dropped at its end, so that no
 * template is older than the code. The text of `prepare` identifies a template; pass a
 * `key` if that is not enough.
 */
export async function databaseFromTemplate(
  prepare: (url: string) => Promise<void>,
  { key = prepare.toString() }: { key?: string } = {},
): Promise<TestDatabase> {
  const server = await testServerUrl()
  sweepAtTheEnd(server)
  const hash = createHash('sha256').update(key).digest()
  const template = `${prefix(run)}template_${hash.toString('hex', 0, 6)}`
  return withClient(server, async (client) => {
    if (!(await exists(client, template))) {
      const lock = hash.readBigInt64BE().toString()
      await client.query('SELECT pg_advisory_lock($1)', [lock])
      if (!(await exists(client, template))) await makeTemplate(client, server, template, prepare)
      await client.query('SELECT pg_advisory_unlock($1)', [lock])
    }
    return create(client, server, template)
  })
}

/** Drops all databases of a run, also those of killed processes. */
export async function dropRun(server: string, ended: string): Promise<void> {
  await withClient(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix(ended)],
    )
    for (const { datname } of rows) await client.query(drop(datname))
  })
}

async function create(client: Client, server: string, template?: string): Promise<TestDatabase> {
  const name = `${prefix(run)}${randomBytes(5).toString('hex')}`
  await client.query(`CREATE DATABASE ${name} ${template ? `TEMPLATE ${template}` : EMPTY}`)
  return {
    name,
    url: urlOf(server, name),
    drop: () => withClient(server, async (other) => void (await other.query(drop(name)))),
  }
}

/** It has another name until it is complete; a template that a killed process left incomplete is dropped. */
async function makeTemplate(
  client: Client,
  server: string,
  template: string,
  prepare: (url: string) => Promise<void>,
): Promise<void> {
  const unfinished = `${template}_unfinished`
  await client.query(drop(unfinished))
  await client.query(`CREATE DATABASE ${unfinished} ${EMPTY}`)
  await prepare(urlOf(server, unfinished))
  await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`)
}

/** Creates a database from the template that accepts no connections. */
const EMPTY = "TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C'"

function prefix(of: string): string {
  return `recordhub_test_${of}_`
}

function drop(name: string): string {
  return `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`
}

async function exists(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
  return rowCount === 1
}

function urlOf(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** The global teardown drops the databases of its run; a server of this process is removed completely. */
function sweepAtTheEnd(server: string): void {
  if (isSwept || givenRun || ownServer) return
  isSwept = true
  process.once('beforeExit', () => dropRun(server, run))
}

async function withClient<Result>(
  server: string,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
