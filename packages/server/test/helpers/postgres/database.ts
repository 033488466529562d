/** Databases for tests on one PostgreSQL server, TEST_DATABASE_URL, which the global setup sets. */
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
 * The id of the test run, which the names of all of its databases contain. The global setup sets one id for all
 * processes; a process without it is a run of its own.
 */
const configuredRun = process.env['TEST_DATABASE_RUN']
const run = configuredRun ?? createRunId()

let ownServer: Promise<PostgresServer> | null = null
let isDropScheduled = false

export function createRunId(): string {
  return randomBytes(4).toString('hex')
}

/**
 * The URL of the server for tests. If none is configured, this process starts a server, which is removed when the
 * process becomes idle or ends.
 */
export async function testServerUrl(): Promise<string> {
  const configured = process.env['TEST_DATABASE_URL']
  if (configured) return configured
  ownServer ??= startPostgres().then((server) => {
    process.once('beforeExit', () => server.remove())
    return server
  })
  return (await ownServer).url
}

/**
 * Creates a database with UTF-8 and locale C: empty, or a copy of another database of the server. It is dropped at
 * the end of the run at the latest.
 */
export async function createDatabase({
  template,
}: {
  template?: string
} = {}): Promise<TestDatabase> {
  const server = await testServerUrl()
  dropRunAtExit(server)
  return withDatabase(server, (client) => create(client, server, template))
}

/**
 * Creates a copy of a template database, which `prepare` fills. All processes of a run share the template. It is
 * dropped at the end of the run, so that it always fits the code. The source text of `prepare` identifies the
 * template, unless there is a `key`.
 */
export async function createDatabaseFromTemplate(
  prepare: (url: string) => Promise<void>,
  { key = prepare.toString() }: { key?: string } = {},
): Promise<TestDatabase> {
  const server = await testServerUrl()
  dropRunAtExit(server)
  const hash = createHash('sha256').update(key).digest()
  const template = `${prefix(run)}template_${hash.toString('hex', 0, 6)}`
  return withDatabase(server, async (client) => {
    if (!(await exists(client, template))) {
      const lock = hash.readBigInt64BE().toString()
      await client.query('SELECT pg_advisory_lock($1)', [lock])
      if (!(await exists(client, template))) await makeTemplate(client, server, template, prepare)
      await client.query('SELECT pg_advisory_unlock($1)', [lock])
    }
    return create(client, server, template)
  })
}

/** Drops all databases of a run, including those of killed processes. */
export async function dropRun(server: string, runId: string): Promise<void> {
  await withDatabase(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix(runId)],
    )
    for (const { datname } of rows) await client.query(drop(datname))
  })
}

async function create(client: Client, server: string, template?: string): Promise<TestDatabase> {
  const name = `${prefix(run)}${randomBytes(5).toString('hex')}`
  await client.query(
    `CREATE DATABASE ${name} ${template ? `TEMPLATE ${template} STRATEGY FILE_COPY` : EMPTY}`,
  )
  return {
    name,
    url: urlOf(server, name),
    drop: () => withDatabase(server, async (other) => void (await other.query(drop(name)))),
  }
}

/** Fills the template under a temporary name, so that a killed process leaves no incomplete template. */
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

/** `template0` accepts no connections, which would prevent a copy. */
const EMPTY = "TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C'"

function prefix(runId: string): string {
  return `recordhub_test_${runId}_`
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

/** Drops the databases of this process, unless the global teardown does so or the server is removed. */
function dropRunAtExit(server: string): void {
  if (isDropScheduled || configuredRun || ownServer) return
  isDropScheduled = true
  process.once('beforeExit', () => dropRun(server, run))
}

export async function withDatabase<Result>(
  server: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
