/**
 * Empties the database of a hub, so that a later test can use it. TRUNCATE creates a new file for each of a hundred
 * tables and indexes, which takes longer than most tests. A function deletes the rows on a connection that stays open,
 * because the server plans the statements only once for each connection.
 */
import { Socket } from 'node:net'
import { Client } from 'pg'
import { withDatabase } from './database.ts'

/** Outside of the schemas that a hub knows. */
const SCHEMA = 'emptying_by_tests'

/** Creates the function in a database that has the tables of a hub. */
export async function defineEmptying(url: string): Promise<void> {
  await withDatabase(url, async (client) => {
    const { rows } = await client.query<{ statement: string }>(
      `SELECT format('DELETE FROM %I;', tablename) AS statement FROM pg_tables
         WHERE schemaname = 'public' AND tablename NOT LIKE 'kysely%' AND tablename <> 'alert_feed'
       UNION ALL SELECT format('PERFORM setval(%L, %s, false);', sequencename, start_value)
         FROM pg_sequences WHERE schemaname = 'public'`,
    )
    await client.query(`
      CREATE SCHEMA ${SCHEMA};
      CREATE FUNCTION ${SCHEMA}.empty() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          ${rows.map(({ statement }) => statement).join('\n')}
          UPDATE alert_feed SET last_event_id = 0 WHERE last_event_id <> 0;
          DELETE FROM pgboss.job;
          DELETE FROM pgboss.schedule;
          IF to_regnamespace('recordhub_views') IS NOT NULL THEN
            DROP SCHEMA recordhub_views CASCADE;
          END IF;
        END
      $$`)
  })
}

/** Returns a function that deletes all rows and restarts all sequences of a database of `createHubDatabase`. */
export function connectToEmpty(url: string): () => Promise<void> {
  let connection: { client: Client; socket: Socket } | null = null
  async function connect() {
    const socket = new Socket()
    const client = new Client({ connectionString: url, stream: () => socket })
    // A test may end all connections of the database.
    client.once('end', () => {
      connection = null
    })
    client.on('error', () => undefined)
    await client.connect()
    // Neither triggers nor foreign keys.
    await client.query('SET session_replication_role = replica')
    return { client, socket }
  }
  return async () => {
    connection ??= await connect()
    const { client, socket } = connection
    // Between tests, the connection must not keep the process alive.
    socket.ref()
    await client.query(`SELECT ${SCHEMA}.empty()`)
    socket.unref()
  }
}
