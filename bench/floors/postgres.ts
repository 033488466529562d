import pg from 'pg'
import { createRecordTokenizer } from '../../packages/server/src/domain/search/token-bytes.ts'
import { bigintArray, textArray } from '../../packages/server/src/storage/postgres/parameters.ts'
import { DATABASE, type FloorRecord, type FloorStore, INDEX_STEP, toRow } from './store.ts'

const EMPTY = { reference_number: '', full_name: '', data: new Uint8Array(), fingerprint: null }

export async function openPostgresFloor(): Promise<FloorStore> {
  const client = new pg.Client({ connectionString: DATABASE.url })
  await client.connect()
  const first = Object.entries(toRow(EMPTY, 0, ''))
  const columns = first.map(([column]) => column)
  const isNumber = new Set(
    first.filter(([, value]) => typeof value === 'number').map(([key]) => key),
  )
  const arrays = columns.map(
    (column, at) => `$${at + 1}::${isNumber.has(column) ? 'bigint' : 'text'}[]`,
  )
  const insert = `INSERT INTO records (${columns.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`
  const find = `SELECT r.fingerprint FROM unnest($1::text[]) WITH ORDINALITY AS k (reference, at)
    LEFT JOIN LATERAL (SELECT fingerprint FROM records
      WHERE platform_id = 1 AND module_id = 1 AND reference_number = k.reference OFFSET 0) r ON true ORDER BY at`
  // As in the hub: a plan made for an empty table must not scan the table after it has grown.
  await client.query('SET enable_seqscan = off')
  let last = 0
  return {
    async insert(records) {
      const at = new Date().toISOString()
      const rows = records.map((record: FloorRecord): Record<string, unknown> => {
        last += 1
        return toRow(record, last, at)
      })
      const values = columns.map((column) =>
        isNumber.has(column)
          ? bigintArray(rows.map((row) => Number(row[column])))
          : textArray(rows.map((row) => toText(row[column]))),
      )
      await client.query({ name: 'insert', text: insert, values })
    },
    async findFingerprints(references) {
      const { rows } = await client.query<{ fingerprint: string | null }>({
        ...{ name: 'find', text: find, values: [textArray(references)] },
      })
      return rows.map((row) => row.fingerprint)
    },
    indexAll: () => indexAll(client),
    close: () => client.end(),
  }
}

function toText(value: unknown): string | Uint8Array | null {
  return typeof value === 'string' || value instanceof Uint8Array ? value : null
}

type IndexedRow = { id: number; full_name: string; reference_number: string; data: string }

async function indexAll(client: pg.Client): Promise<number> {
  const tokenize = createRecordTokenizer()
  let [position, indexed, before] = [0, 0, -1]
  while (indexed > before) {
    before = indexed
    await client.query('BEGIN')
    await client.query("SET LOCAL work_mem = '64MB'")
    const { rows } = await client.query<IndexedRow>({
      name: 'read',
      text: `SELECT record_id::int AS id, full_name, reference_number, data FROM records
        WHERE pushed_seq >= 0 AND change_seq > $1 ORDER BY change_seq LIMIT ${INDEX_STEP}`,
      values: [position],
    })
    const tokens = rows.map(({ data, ...names }) =>
      Buffer.from(tokenize({ ...names, data: Buffer.from(data) })),
    )
    await client.query({
      name: 'index',
      text: `INSERT INTO record_search (platform_id, record_id, tokens)
        SELECT 1, record_id, array_to_tsvector(array_remove(string_to_array(tokens, ' '), ''))
        FROM unnest($1::bigint[], $2::text[]) AS added (record_id, tokens)`,
      values: [bigintArray(rows.map(({ id }) => id)), textArray(tokens)],
    })
    await client.query('COMMIT')
    // The change number of a record is its id.
    position = rows.at(-1)?.id ?? position
    indexed += rows.length
  }
  return indexed
}
