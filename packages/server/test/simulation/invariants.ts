/** Compares everything that a simulation has stored with the reference model and with what the platforms were told. */
import type { PullMode } from '@recordhub/protocol'
import type { CommitChecker } from './commit-checker.ts'
import type { DatabaseView, Row } from './database-view.ts'
import { type Data, isHeldAs, isSameData, type ModelRecord } from './model.ts'
import type { SimulatedPlatform } from './platform.ts'
import type { ModelModule, Registry } from './registry.ts'
import { pathsOfHold } from './revert-model.ts'
import { sumVersions } from './versions.ts'
import { check } from './violation.ts'

/** The stored records, history, counters, activity and pulls agree with the model. */
export function checkStored(view: DatabaseView, checker: CommitChecker): void {
  for (const module of checker.model.registry.modules) {
    checkRecords(view, checker, module)
    if (!module.platform.isRemoved) {
      checkSums(view, module)
      checkHolds(view, checker, module)
    }
  }
  checkCounters(view, checker.model.registry)
  checkActivity(view, checker)
  checkPulls(view)
  checkRejectedPushes(view, checker)
}

function checkRecords(view: DatabaseView, checker: CommitChecker, module: ModelModule): void {
  const rows = view.query('SELECT * FROM records WHERE module_id = ?', module.module_id)
  const { platform, record_type } = module
  const name = `${platform.name}/${record_type}`
  check(
    rows.length === module.records.size,
    `${name} has ${rows.length} records instead of ${module.records.size}`,
  )
  for (const row of rows) {
    const reference = String(row['reference_number'])
    const expected = module.records.get(reference)
    check(expected !== undefined, `${name} has the record ${reference}, which must not exist`)
    // The history of a record that is being erased may be deleted before the record.
    if (checker.model.registry.isErased(module, reference)) continue
    checkRecord(row, `${name} ${reference}`, expected)
    const version = row['version'] ?? null
    check(
      version === expected.version,
      `${name} ${reference} has the version ${version} instead of ${expected.version}`,
    )
    const wasErased = checker.operators.mayBeErased({
      ...{ platform: platform.name, record_type, reference },
    })
    if (!wasErased) checkHistory(view, row, `${name} ${reference}`, expected)
  }
}

/** The sums of each module are those of the versions of its records. */
function checkSums(view: DatabaseView, { platform, module_id, record_type, records }: ModelModule) {
  const name = `${platform.name}/${record_type}`
  const versions = [...records].flatMap(([reference, { version }]): [string, string][] =>
    version === null ? [] : [[reference, version]],
  )
  const expected = sumVersions(versions)
  const rows = view.query(
    'SELECT bucket, count, sum FROM digest_sums WHERE module_id = ? AND count <> 0',
    module_id,
  )
  check(rows.length === expected.size, `${name} has ${rows.length} sums, not ${expected.size}`)
  for (const { bucket, count, sum } of rows) {
    const wanted = expected.get(Number(bucket))
    const isSame = wanted?.count === Number(count) && wanted.sum === BigInt(Number(sum))
    check(isSame, `The sum of bucket ${bucket} of ${name} is wrong`)
  }
  const [total] = view.query(
    'SELECT sum(versions) AS count, sum(version_sum) AS sum FROM module_counters WHERE module_id = ?',
    module_id,
  )
  const sum = [...expected.values()].reduce((added, bucket) => added + bucket.sum, 0n)
  const isTotal =
    Number(total?.['count'] ?? 0) === versions.length &&
    BigInt(Number(total?.['sum'] ?? 0)) % 2n ** 48n === sum % 2n ** 48n
  check(isTotal, `The total of the sums of ${name} is wrong`)
}

/** The holds of each module are those of its records, and erased records have none. */
function checkHolds(view: DatabaseView, checker: CommitChecker, module: ModelModule): void {
  const name = `${module.platform.name}/${module.record_type}`
  const rows = view.query(
    `SELECT h.revert_id, h.path, r.reference_number FROM holds h
     LEFT JOIN records r ON r.record_id = h.record_id WHERE h.module_id = ?`,
    module.module_id,
  )
  const found = rows.map((row) => {
    check(row['reference_number'] !== null, `${name} has a hold of a record that was erased`)
    return [row['reference_number'], row['revert_id'], row['path']]
  })
  const expected = [...module.records].flatMap(([reference, { holds }]) =>
    holds.flatMap((hold) =>
      pathsOfHold(hold).map((path) => [reference, hold.revert_id, path] as const),
    ),
  )
  const isCompared = ([reference]: readonly unknown[]) =>
    !checker.operators.mayBeErased({
      ...{ platform: module.platform.name, record_type: module.record_type },
      reference: String(reference),
    })
  const list = (holds: (readonly unknown[])[]) =>
    holds
      .filter(isCompared)
      .map((hold) => JSON.stringify(hold))
      .toSorted()
      .join(' ')
  const [is, wanted] = [list(found), list(expected)]
  check(is === wanted, `${name} has the holds ${is} instead of ${wanted}`)
}

function checkRecord(row: Row, name: string, expected: ModelRecord): void {
  const found = describe({
    name: String(row['full_name']),
    data: parseData(String(row['data'])),
    incomplete: row['incomplete'] === 1,
    isMissing: row['missing_since'] !== null,
  })
  const wanted = describe({ ...expected, isMissing: expected.missingSince !== null })
  check(found === wanted, `${name} is stored as ${found} instead of ${wanted}`)
}

/** Applying the history backwards returns the record as it was created. */
function checkHistory(view: DatabaseView, row: Row, name: string, { initial }: ModelRecord): void {
  const values = new Map<string, string | null>([['/full_name', String(row['full_name'])]])
  for (const [key, value] of parseData(String(row['data']))) values.set(`/data/${key}`, value)
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
  const first = new Map([...values].filter(([path]) => path !== '/full_name'))
  const wantedFirst = new Map([...initial.data].map(([key, value]) => [`/data/${key}`, value]))
  check(
    values.get('/full_name') === initial.name && isSameData(first, wantedFirst),
    `The history of ${name} does not begin with the record as it was created`,
  )
}

type Visible = Pick<ModelRecord, 'name' | 'data' | 'incomplete'> & { isMissing: boolean }

function describe({ name, data, incomplete, isMissing }: Visible): string {
  const sorted = [...data].toSorted(([one], [other]) => one.localeCompare(other))
  const flags = `${incomplete ? ' incomplete' : ''}${isMissing ? ' missing' : ''}`
  return `${name} ${JSON.stringify(Object.fromEntries(sorted))}${flags}`
}

function parseData(text: string): Data {
  const entries = Object.entries(JSON.parse(text))
  return new Map(entries.map(([key, value]) => [key, value === null ? null : String(value)]))
}

function checkCounters(view: DatabaseView, { platforms }: Registry): void {
  const hourly = view.query(
    `SELECT platform_id, sum(received_post) AS received_post,
       sum(received_patch) AS received_patch, sum(received_pull) AS received_pull,
       sum(created) AS created, sum(updated) AS updated, sum(unchanged) AS unchanged,
       sum(stale) AS stale
     FROM hourly_counters GROUP BY platform_id`,
  )
  const modules = view.query(
    `SELECT module_id, sum(records) AS records, sum(pushes + invalidations) AS pushes
     FROM module_counters GROUP BY module_id`,
  )
  for (const platform of platforms) {
    if (platform.isRemoved) continue
    const row = hourly.find((one) => one['platform_id'] === platform.platform_id)
    for (const [name, count] of Object.entries(platform.counters)) {
      const found = row?.[name] ?? 0
      const label = `The counter ${name} of ${platform.name}`
      check(found === count, `${label} is ${found} instead of ${count}`)
    }
    for (const { module_id, record_type, records, pushes } of platform.modules) {
      const counted = modules.find((one) => one['module_id'] === module_id)
      const name = `${platform.name}/${record_type}`
      check((counted?.['records'] ?? 0) === records.size, `The records of ${name} are miscounted`)
      check((counted?.['pushes'] ?? 0) === pushes, `The pushes of ${name} are miscounted`)
    }
  }
}

/** Each stored push has exactly one entry, which states its outcome. */
function checkActivity(view: DatabaseView, { deliveries, operators }: CommitChecker): void {
  const logged = new Map<string, string>()
  const rows = view.query(
    `SELECT kind, details FROM activity
     WHERE kind IN ('push.created', 'push.updated', 'push.unchanged', 'push.stale',
       'push.held')
       AND details <> '{}'`,
  )
  for (const { kind, details } of rows) {
    const id = JSON.parse(String(details)).request_id
    check(!logged.has(String(id)), `The activity reports ${id} twice`)
    logged.set(String(id), String(kind))
  }
  for (const { id, push, outcome } of deliveries.values()) {
    const expected = outcome === null ? undefined : `push.${outcome}`
    const found = logged.get(id)
    // An erasure redacts the entries of its record.
    const name = { ...push, reference: push.reference_number }
    if (found === undefined && operators.mayBeErased(name)) continue
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
       AND received <> created + updated + unchanged + stale + held + rejected`,
  )
  check(wrong.length === 0, `The counts of a task of pull ${wrong[0]?.['pull_id']} do not add up`)
}

/** A rejected push is replayed once, and stays until then. */
function checkRejectedPushes(view: DatabaseView, { rejections }: CommitChecker): void {
  const rows = view.query('SELECT rejected_push_id, replayed_at FROM rejected_pushes')
  const stored = new Map(rows.map((row) => [Number(row['rejected_push_id']), row['replayed_at']]))
  for (const [id, { isReplayed }] of rejections) {
    const replayedAt = stored.get(id)
    // An erasure deletes the rejected pushes that name its record, and a removal those of its platform.
    if (replayedAt === undefined) continue
    const isStoredAsReplayed = replayedAt !== null
    check(isStoredAsReplayed === isReplayed, `The replay of the rejected push ${id} is misreported`)
  }
}

/**
 * After pulls without new changes, each record of a platform is stored as the platform has it, and only records that it no
 * longer has are missing. Of removed platforms, nothing is stored.
 * @param mode of the pulls. Pulls that compare digests leave undecided what no digest shows.
 * @returns whether everything is decided. If not, the hub does not claim that both sides are equal, and a read of the list
 *   decides.
 */
export function checkConverged(
  view: DatabaseView,
  platforms: SimulatedPlatform[],
  registry: Registry,
  mode: PullMode,
): boolean {
  let isDecided = true
  for (const { platform_id, isRemoved } of registry.platforms) {
    if (isRemoved) checkDeleted(view, platform_id)
  }
  for (const platform of platforms) {
    for (const { record_type, records, keys } of platform.modules) {
      const module = registry.modules.find(
        (one) => one.platform.name === platform.name && one.record_type === record_type,
      )
      check(module !== undefined, `${platform.name} is not registered`)
      const rows = view.query(
        `SELECT r.*, EXISTS (SELECT 1 FROM missing_reviews v
           WHERE v.module_id = r.module_id AND v.closed_at IS NULL) AS in_review
         FROM records r WHERE r.module_id = ?`,
        module.module_id,
      )
      const [digest] = mode === 'full' ? [] : view.query(DIGEST, module.module_id)
      const isClaimed = digest?.['verified_by'] === 'digest'
      // The list was read within the hour, and the digest cannot be used.
      if (!isClaimed && Number(digest?.['unversioned'] ?? 0) > 0) {
        isDecided = false
        continue
      }
      const stored = new Map(rows.map((row) => [String(row['reference_number']), row]))
      for (const [reference, { name, data }] of records) {
        const row = stored.get(reference)
        const label = `${platform.name}/${record_type} ${reference}`
        if (registry.isErased(module, reference)) {
          check(row === undefined, `${label} was erased, but it is stored`)
          continue
        }
        check(row !== undefined, `${label} was not collected`)
        const expected = module.records.get(reference)
        // What a revert has taken back stays out as long as the platform has nothing else.
        if (expected && isHeldAs(expected, { name, data }, keys)) {
          stored.delete(reference)
          continue
        }
        const found = [...parseData(String(row['data']))].filter(([key]) => keys.includes(key))
        const isSame = row['full_name'] === name && isSameData(new Map(found), data)
        check(isSame && row['incomplete'] === 0, `${label} differs from the platform's record`)
        check(row['missing_since'] === null, `${label} is marked as missing, but it exists`)
        stored.delete(reference)
      }
      for (const [reference, row] of stored) {
        const isMarked = row['missing_since'] !== null || row['in_review'] === 1
        const holds = module.records.get(reference)?.holds ?? []
        const isHeld = holds.some(({ kind }) => kind === 'absence')
        // It was pushed before its module had versions.
        const isCompared = (digest?.['unversioned'] ?? null) !== null && !isClaimed
        const isInNoBucket = isCompared && row['reference_hash'] === null
        if (!isMarked && !isHeld && isInNoBucket) isDecided = false
        else {
          check(
            isMarked || isHeld,
            `${platform.name}/${record_type} ${reference} is not marked as missing`,
          )
        }
      }
    }
  }
  return isDecided
}

const DIGEST = `SELECT d.verified_by, d.unversioned,
    (SELECT t.mode FROM pull_tasks t WHERE t.module_id = d.module_id ORDER BY t.pull_id DESC LIMIT 1) AS mode,
    EXISTS (SELECT 1 FROM missing_reviews v WHERE v.module_id = d.module_id AND v.closed_at IS NULL)
      AS in_review,
    EXISTS (SELECT 1 FROM records r WHERE r.module_id = d.module_id AND r.missing_since IS NULL
      AND r.reference_hash IS NULL) AS has_unseen
  FROM module_digests d WHERE d.module_id = ?`

/**
 * After a pull by digest without new changes, the hub says that both sides have the same versions, unless a record waits for
 * a review, is in no bucket, or has no version.
 */
export function checkVerified(
  view: DatabaseView,
  platforms: SimulatedPlatform[],
  { modules }: Registry,
): void {
  for (const { name, offersDigests } of platforms) {
    for (const { module_id, record_type } of modules.filter((one) => one.platform.name === name)) {
      const [row] = view.query(DIGEST, module_id)
      if (!offersDigests || row?.['mode'] !== 'digest') continue
      const isOpen =
        row['in_review'] === 1 || row['has_unseen'] === 1 || Number(row['unversioned']) > 0
      const isVerified = row['verified_by'] === 'digest'
      check(isVerified || isOpen, `${name}/${record_type} was not verified by digest`)
    }
  }
}

function checkDeleted(view: DatabaseView, platformId: number): void {
  for (const table of ['records', 'record_history', 'rejected_pushes', 'hub_keys', 'modules']) {
    const [row] = view.query(`SELECT count(*) AS n FROM ${table} WHERE platform_id = ?`, platformId)
    check(row?.['n'] === 0, `${table} has rows of a platform that was removed`)
  }
}
