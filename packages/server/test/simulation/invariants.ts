/** Compares everything that a simulation has stored with the reference model and with what the platforms were told. */
import { type CommitChecker, check } from './commit-checker.ts'
import type { DatabaseView, Row } from './database-view.ts'
import { type Data, isSameData, type ModelModule, type ModelRecord } from './model.ts'
import type { SimulatedPlatform } from './platform.ts'

/** The stored records, history, counters, activity and pulls agree with the model. */
export function checkStored(view: DatabaseView, checker: CommitChecker): void {
  for (const module of checker.model.modules) checkRecords(view, module)
  checkCounters(view, checker)
  checkActivity(view, checker)
  checkPulls(view)
}

function checkRecords(view: DatabaseView, module: ModelModule): void {
  const rows = view.query(
    `SELECT r.* FROM records r JOIN modules m USING (module_id)
       JOIN platforms p ON p.platform_id = r.platform_id
     WHERE p.platform_name = ? AND m.record_type = ?`,
    module.platform,
    module.record_type,
  )
  const name = `${module.platform}/${module.record_type}`
  check(
    rows.length === module.records.size,
    `${name} has ${rows.length} records instead of ${module.records.size}`,
  )
  for (const row of rows) {
    const reference = String(row['reference_number'])
    const expected = module.records.get(reference)
    check(expected !== undefined, `${name} has the record ${reference}, which must not exist`)
    checkRecord(view, `${name} ${reference}`, row, expected)
  }
}

function checkRecord(view: DatabaseView, name: string, row: Row, expected: ModelRecord): void {
  const data = parseData(String(row['data']))
  const found = describe({
    name: String(row['full_name']),
    data,
    incomplete: row['incomplete'] === 1,
    missing: row['missing_since'] !== null,
  })
  const wanted = describe(expected)
  check(found === wanted, `${name} is stored as ${found} instead of ${wanted}`)
  // Applying the history backwards returns the record as it was created.
  const values = new Map<string, string | null>([['/full_name', String(row['full_name'])]])
  for (const [key, value] of data) values.set(`/data/${key}`, value)
  const history = view.query(
    'SELECT changes FROM record_history WHERE record_id = ? ORDER BY change_seq DESC',
    row['record_id'] ?? null,
  )
  for (const { changes } of history) {
    for (const { path, before, after } of JSON.parse(String(changes))) {
      if (path === '/incomplete' || path === '/missing_since') continue
      check(values.get(path) === after, `The history of ${name} does not lead to its ${path}`)
      if (before === undefined) values.delete(path)
      else values.set(path, before)
    }
  }
  const { initial } = expected
  const first = new Map([...values].filter(([path]) => path !== '/full_name'))
  const wantedFirst = new Map([...initial.data].map(([key, value]) => [`/data/${key}`, value]))
  check(
    values.get('/full_name') === initial.name && isSameData(first, wantedFirst),
    `The history of ${name} does not begin with the record as it was created`,
  )
}

function describe(record: Pick<ModelRecord, 'name' | 'data' | 'incomplete' | 'missing'>): string {
  const { name, data, incomplete, missing } = record
  const sorted = [...data].toSorted(([one], [other]) => one.localeCompare(other))
  const flags = `${incomplete ? ' incomplete' : ''}${missing ? ' missing' : ''}`
  return `${name} ${JSON.stringify(Object.fromEntries(sorted))}${flags}`
}

function parseData(text: string): Data {
  const entries = Object.entries(JSON.parse(text))
  return new Map(entries.map(([key, value]) => [key, value === null ? null : String(value)]))
}

function checkCounters(view: DatabaseView, { model }: CommitChecker): void {
  const hourly = new Map(
    view
      .query(
        `SELECT p.platform_name, sum(received_post) AS received_post,
           sum(received_patch) AS received_patch, sum(received_pull) AS received_pull,
           sum(created) AS created, sum(updated) AS updated, sum(unchanged) AS unchanged,
           sum(stale) AS stale
         FROM hourly_counters c JOIN platforms p USING (platform_id) GROUP BY p.platform_name`,
      )
      .map((row) => [row['platform_name'], row]),
  )
  for (const [platform, counters] of model.counters) {
    for (const [name, count] of Object.entries(counters)) {
      const found = hourly.get(platform)?.[name] ?? 0
      check(found === count, `The counter ${name} of ${platform} is ${found} instead of ${count}`)
    }
  }
  const modules = view.query(
    `SELECT p.platform_name, m.record_type, sum(c.records) AS records, sum(c.pushes) AS pushes
     FROM module_counters c JOIN modules m USING (module_id)
       JOIN platforms p ON p.platform_id = c.platform_id GROUP BY m.module_id`,
  )
  for (const row of modules) {
    const module = model.moduleOf(String(row['platform_name']), String(row['record_type']))
    const name = `${module.platform}/${module.record_type}`
    check(row['records'] === module.records.size, `The records of ${name} are miscounted`)
    check(row['pushes'] === module.pushes, `The pushes of ${name} are miscounted`)
  }
}

/** Each stored push has exactly one entry, which states its outcome. */
function checkActivity(view: DatabaseView, { deliveries }: CommitChecker): void {
  const logged = new Map<string, string>()
  const rows = view.query(
    `SELECT kind, details ->> 'request_id' AS id FROM activity
     WHERE kind IN ('push.created', 'push.updated', 'push.unchanged', 'push.stale')`,
  )
  for (const { kind, id } of rows) {
    check(!logged.has(String(id)), `The activity reports ${id} twice`)
    logged.set(String(id), String(kind))
  }
  for (const { id, outcome } of deliveries.values()) {
    const expected = outcome === null ? undefined : `push.${outcome}`
    const found = logged.get(id)
    check(found === expected, `The activity reports ${found} for ${id} instead of ${expected}`)
  }
}

const ENDED = "('succeeded', 'partial', 'failed', 'timed_out', 'interrupted', 'cancelled')"

function checkPulls(view: DatabaseView): void {
  const [unfinished] = view.query(
    "SELECT count(*) AS n FROM pulls WHERE state IN ('queued', 'running')",
  )
  check(Number(unfinished?.['n']) <= 1, 'Two pulls are queued or running')
  const open = view.query(
    `SELECT p.pull_id FROM pulls p JOIN pull_tasks t USING (pull_id)
     WHERE p.state IN ${ENDED} AND t.state IN ('queued', 'running')`,
  )
  check(open.length === 0, `Pull ${open[0]?.['pull_id']} has ended, but one of its tasks has not`)
  const wrong = view.query(
    `SELECT pull_id, task_number FROM pull_tasks WHERE state = 'succeeded'
       AND received <> created + updated + unchanged + stale + rejected`,
  )
  check(wrong.length === 0, `The counts of a task of pull ${wrong[0]?.['pull_id']} do not add up`)
}

/**
 * After complete reads without new changes, each record of a platform is stored as the platform has it, and only
 * records that it no longer has are missing.
 */
export function checkConverged(view: DatabaseView, platforms: SimulatedPlatform[]): void {
  for (const platform of platforms) {
    for (const { record_type, records, keys } of platform.modules) {
      const rows = view.query(
        `SELECT r.*, EXISTS (SELECT 1 FROM missing_reviews v
           WHERE v.module_id = r.module_id AND v.closed_at IS NULL) AS in_review
         FROM records r JOIN modules m USING (module_id)
           JOIN platforms p ON p.platform_id = r.platform_id
         WHERE p.platform_name = ? AND m.record_type = ?`,
        platform.name,
        record_type,
      )
      const stored = new Map(rows.map((row) => [String(row['reference_number']), row]))
      for (const [reference, { name, data }] of records) {
        const row = stored.get(reference)
        const label = `${platform.name}/${record_type} ${reference}`
        check(row !== undefined, `${label} was not collected`)
        const found = [...parseData(String(row['data']))].filter(([key]) => keys.includes(key))
        const isSame = row['full_name'] === name && isSameData(new Map(found), data)
        check(isSame && row['incomplete'] === 0, `${label} differs from the platform's record`)
        check(row['missing_since'] === null, `${label} is marked as missing, but it exists`)
        stored.delete(reference)
      }
      for (const [reference, row] of stored) {
        const isMarked = row['missing_since'] !== null || row['in_review'] === 1
        check(isMarked, `${platform.name}/${record_type} ${reference} is not marked as missing`)
      }
    }
  }
}
