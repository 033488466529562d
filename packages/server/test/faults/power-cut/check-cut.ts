/** Opens what a power cut has left as a hub does at its start, and compares it with what clients were told. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { loadSecrets } from '../../../src/cli/load-secret.ts'
import { openHubStorage, type Storage } from '../../../src/cli/open-storage.ts'
import { readConfig } from '../../../src/config/config.ts'
import type { Config } from '../../../src/config/settings.ts'
import { SOURCE_KEY_PURPOSE } from '../../../src/domain/platform/api-key.ts'
import { createSecretBox, type SecretBox } from '../../../src/lib/crypto/secret-box.ts'
import { systemClock } from '../../../src/lib/time/clock.ts'
import { openDiagnostics } from '../../../src/storage/open.ts'
import type { DiagnosticsStore } from '../../../src/storage/port/diagnostics-store.ts'
import { openSqlite } from '../../../src/storage/sqlite/storage.ts'
import { assertAtomicWrites } from '../../helpers/process/engine.ts'
import { hashReference } from '../../helpers/storage/engine.ts'
import { withExtraMigrations } from '../../helpers/storage/extra-migrations.ts'
import { json } from '../../helpers/storage/fixtures.ts'
import { PULLED_RECORDS, PULLED_TYPE, PUSHED_TYPE } from './client.ts'
import type { Files } from './disk-model.ts'
import { DATA } from './record.ts'
import type { Fact, Knowledge, Told } from './recording.ts'

export function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true })
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes, { mode: 0o600 })
  }
}

/** What is stored after a power cut. */
export type Stored = {
  /** The pushed and the pulled records by their reference numbers. */
  pushed: Map<string, StoredRecord>
  pulled: Map<string, StoredRecord>
  duplicated: number
  /** The decrypted source API keys by the names of the platforms. */
  platforms: Map<string, string>
  /** The stored ETag of the pulled module. */
  etag: string | null
  succeededPulls: Set<number>
  /** The last number of the change feed. */
  lastChange: number
  backups: readonly string[]
  /** Why the writes, counters and activity do not agree; null if they do. Pulls and erasures change the sums. */
  disagreement: string | null
}

type StoredRecord = { recordId: number; fullName: string; data: Record<string, unknown> }

/**
 * Opens the folder as a hub does at its start, checks it as `recordhub doctor` does, and stores another record.
 * @throws AssertionError, or the error with which the hub does not start.
 */
export async function openAfterCut(folder: string): Promise<Stored> {
  const config = createConfig(folder)
  const { storage, secret } = await openHubStorage(config, loadSecrets(config), {
    warn: () => undefined,
    onFailure: () => undefined,
    waitUntil: new AbortController().signal,
  })
  return checkStorage(storage, join(folder, DATA), secret)
}

/** As `openAfterCut`, but upgrades the database to a later version. */
export async function openWithUpgrade(folder: string): Promise<Stored> {
  const [secret] = loadSecrets(createConfig(folder))
  const dataDir = join(folder, DATA)
  const storage = await openSqlite({
    ...{ path: join(dataDir, 'recordhub.sqlite'), asHub: true, timeZone: 'UTC' },
    ...{ clock: systemClock, hashReference, migrations: withExtraMigrations('SQLite') },
    upgrade: { backup: null, log: () => undefined },
  })
  return checkStorage(storage, dataDir, secret)
}

function createConfig(folder: string): Config {
  const flags = { HUB_DATA_DIR: join(folder, DATA), HUB_TIME_ZONE: 'UTC' }
  return readConfig({ flags, environment: {}, envFile: {} }).config
}

async function checkStorage(storage: Storage, dataDir: string, secret: string): Promise<Stored> {
  try {
    const diagnostics = await openDiagnostics({ url: '', dataDir })
    try {
      await assertIntact(diagnostics)
      const stored = await readStored(dataDir, diagnostics, createSecretBox(secret))
      await storeAnother(storage, dataDir)
      return stored
    } finally {
      await diagnostics.close()
    }
  } finally {
    await storage.close()
  }
}

async function assertIntact(diagnostics: DiagnosticsStore): Promise<void> {
  assert.deepEqual(await diagnostics.findDamage(), [])
  assert.deepEqual(await diagnostics.findDefects(), [])
  assert.deepEqual(await diagnostics.findBrokenReferences(), [])
  assert.deepEqual(await diagnostics.compareCounters(), [])
  assert.deepEqual(await diagnostics.findInvalidCounters(), [])
  const { position, last_change } = await diagnostics.readSearchIndex()
  assert.ok(position <= last_change, 'the text index is ahead of the records')
  assert.deepEqual((await diagnostics.sampleSearchIndex(1000)).missing, [])
}

async function readStored(
  dataDir: string,
  diagnostics: DiagnosticsStore,
  secrets: SecretBox,
): Promise<Stored> {
  using database = new DatabaseSync(join(dataDir, 'recordhub.sqlite'), { readOnly: true })
  const query = (sql: string, ...values: string[]) => database.prepare(sql).all(...values)
  const records = query(
    `SELECT record_type, reference_number, record_id, full_name, data FROM records
     JOIN modules USING (module_id, platform_id) JOIN platforms USING (platform_id)
     WHERE platforms.removed_at IS NULL AND record_type IN (?, ?)`,
    PUSHED_TYPE,
    PULLED_TYPE,
  )
  const listRecords = (type: string) =>
    records
      .filter((row) => row['record_type'] === type)
      .map((row): [string, StoredRecord] => [
        String(row['reference_number']),
        {
          recordId: Number(row['record_id']),
          fullName: String(row['full_name']),
          data: json(String(row['data'])),
        },
      ])
  const [pushed, pulled] = [new Map(listRecords(PUSHED_TYPE)), new Map(listRecords(PULLED_TYPE))]
  const sources = await diagnostics.listSources(new Date().toISOString())
  const folder = join(dataDir, 'backups')
  return {
    pushed,
    pulled,
    duplicated: records.length - pushed.size - pulled.size,
    platforms: new Map(
      sources.map(({ platform_name, encrypted_source_key }) => [
        platform_name,
        secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE),
      ]),
    ),
    etag: toText(
      query(
        `SELECT cached_etag FROM modules JOIN platforms USING (platform_id)
         WHERE record_type = ? AND platforms.removed_at IS NULL`,
        PULLED_TYPE,
      )[0]?.['cached_etag'],
    ),
    succeededPulls: new Set(
      query(`SELECT pull_id FROM pulls WHERE state = 'succeeded'`).map((row) =>
        Number(row['pull_id']),
      ),
    ),
    lastChange: Number(query('SELECT value FROM write_sequence')[0]?.['value']),
    backups: existsSync(folder) ? readdirSync(folder) : [],
    disagreement: await assertAtomicWrites(async (sql) => query(sql), pulled.size).then(
      () => null,
      (error: unknown) => String(error),
    ),
  }
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Stores a record as a push of each platform does. */
async function storeAnother(storage: Storage, dataDir: string): Promise<void> {
  using database = new DatabaseSync(join(dataDir, 'recordhub.sqlite'), { readOnly: true })
  const keys = database
    .prepare(
      `SELECT hub_key_id, platform_id, record_type FROM hub_keys
       JOIN modules USING (platform_id) JOIN platforms USING (platform_id)
       WHERE platforms.removed_at IS NULL AND modules.registered_at IS NOT NULL`,
    )
    .all()
  const at = new Date().toISOString()
  for (const key of keys) {
    const [outcome] = await storage.records.applyWrites({
      at,
      maxRecordKeys: 5000,
      day: at.slice(0, 10),
      writes: [
        {
          platform_id: Number(key['platform_id']),
          hub_key_id: Number(key['hub_key_id']),
          record_type: String(key['record_type']),
          reference_number: 'after the power cut',
          request_id: 'after the power cut',
          content: {
            ...{ source: 'POST', full_name: 'After the power cut' },
            ...{ data: '{}', occurred_at: null },
          },
        },
      ],
    })
    assert.equal(outcome?.outcome, 'created', 'the hub stores another record')
  }
}

/** The differences between what clients were told and what is stored. */
export type Differences = { acknowledged: number; lost: string[]; duplicated: number }

/** @throws AssertionError if something is stored that nobody has sent. */
export function compareStored(stored: Stored, knowledge: Knowledge): Differences {
  const { told, possible } = knowledge
  const erased = new Set(possible.map((fact) => (fact.kind === 'erased' ? fact.reference : '')))
  const lost = told
    .map((fact) =>
      fact.kind === 'pushed' && erased.has(fact.reference) ? null : describeLoss(stored, fact),
    )
    .filter((loss) => loss !== null)
  const version = Number(stored.etag?.replaceAll(/\D/g, '') ?? 0)
  if (!hasVersion(stored, version)) lost.push(`the records of ${stored.etag}, which is stored`)
  assertSent(stored, possible)
  const isPushedOnly = possible.every(({ kind }) => kind !== 'pulled' && kind !== 'erased')
  if (isPushedOnly) assert.equal(stored.disagreement, null)
  return { acknowledged: countPushes(knowledge), lost, duplicated: stored.duplicated }
}

/** The number of acknowledged pushes. */
export function countPushes({ told }: Knowledge): number {
  return told.filter(({ kind }) => kind === 'pushed' || kind === 'patched').length
}

/** Null if what a client was told is stored. */
function describeLoss(stored: Stored, fact: Fact): string | null {
  switch (fact.kind) {
    case 'pushed':
      return isStored(stored, fact) ? null : `the record ${fact.reference}`
    case 'patched':
      return fact.key in (stored.pushed.get(fact.reference)?.data ?? {})
        ? null
        : `the field ${fact.key} of ${fact.reference}`
    case 'erased':
      return stored.pushed.has(fact.reference) ? `the erasure of ${fact.reference}` : null
    case 'registered':
      return stored.platforms.get(fact.platform) === fact.sourceKey
        ? null
        : `the platform ${fact.platform} or its key`
    case 'removed':
      return stored.platforms.has(fact.platform) ? `the removal of ${fact.platform}` : null
    case 'pulled':
      return stored.succeededPulls.has(fact.pullId) && hasVersion(stored, fact.version)
        ? null
        : `pull ${fact.pullId} or its records`
    case 'followed':
      return stored.lastChange >= fact.position ? null : `changes up to ${fact.position}`
    case 'backup':
      return stored.backups.includes(fact.file) ? null : `the backup ${fact.file}`
  }
}

function isStored(stored: Stored, fact: Extract<Fact, { kind: 'pushed' }>): boolean {
  const record = stored.pushed.get(fact.reference)
  if (!record || record.recordId !== fact.recordId) return false
  return Object.entries(fact.data).every(([key, value]) => record.data[key] === value)
}

function hasVersion({ pulled }: Stored, version: number): boolean {
  if (version === 0) return true
  const records = [...pulled.values()].filter(({ data }) => Number(data['version']) >= version)
  return records.length === PULLED_RECORDS
}

/** Asserts that each pushed record and each of its fields was sent. */
function assertSent(stored: Stored, sent: readonly Told[]): void {
  for (const [reference, { data, fullName }] of stored.pushed) {
    const pushed = sent.find((fact) => fact.kind === 'pushed' && fact.reference === reference)
    assert.ok(pushed?.kind === 'pushed', `${reference} was never sent`)
    assert.equal(fullName, `Name of ${reference}`)
    const patched = sent.flatMap((fact) =>
      fact.kind === 'patched' && fact.reference === reference ? [fact.key] : [],
    )
    const keys = new Set([...Object.keys(pushed.data), ...patched])
    assert.deepEqual(
      Object.keys(data).filter((key) => !keys.has(key)),
      [],
    )
  }
}
