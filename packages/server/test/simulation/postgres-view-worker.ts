/** Executes the queries of `postgres-view.ts`. */
import { type MessagePort, workerData } from 'node:worker_threads'
import pg from 'pg'

const { url, signal, port }: { url: string; signal: Int32Array; port: MessagePort } = workerData

const { INT8, NUMERIC, BOOL } = pg.types.builtins
pg.types.setTypeParser(INT8, Number)
pg.types.setTypeParser(NUMERIC, Number)
pg.types.setTypeParser(BOOL, (text) => (text === 't' ? 1 : 0))

const client = new pg.Client({ connectionString: url })
// The database may be dropped before the connection is closed.
client.on('error', () => undefined)
const connected = client.connect()

port.on('message', async (request: { sql: string; parameters: unknown[] } | null) => {
  if (request === null) {
    await client.end()
    return port.close()
  }
  let number = 0
  const text = request.sql.replaceAll('?', () => {
    number += 1
    return `$${number}`
  })
  try {
    await connected
    port.postMessage({ rows: (await client.query(text, request.parameters)).rows })
  } catch (error) {
    port.postMessage({ rows: [], error })
  }
  Atomics.store(signal, 0, 1)
  Atomics.notify(signal, 0)
})
