/** The checks of `recordhub doctor`, in their order. */
import { isStorageUnavailable, messageOf } from '../../../errors.ts'
import type { SecretBox } from '../../../lib/crypto/secret-box.ts'
import type { PlatformClient } from '../../../platform-client/platform-client.ts'
import type { DiagnosticsStore, ServerFacts } from '../../../storage/port/diagnostics-store.ts'
import { checkAudit } from './check-audit.ts'
import {
  checkCounters,
  checkIntegrity,
  checkLeases,
  checkPlatforms,
  checkReferences,
  checkSchema,
  checkSearch,
  checkStructure,
  type Finding,
  problem,
} from './check-database.ts'
import {
  type CheckedSettings,
  checkClock,
  checkDisk,
  checkPermissions,
  checkSecret,
  checkServerSettings,
  checkSettings,
  checkVersions,
} from './check-environment.ts'

export type DoctorDeps = {
  /** Null if the database cannot be opened. */
  database: DiagnosticsStore | null
  /** The folder of the database and the secret. On PostgreSQL, it may not exist. */
  dataDir: string | null
  settings: CheckedSettings
  versions: { hub: string; node: string }
  pullSeconds: number
  /** The path of an export of the audit log that is newer than a restored backup; null without one. */
  auditExport: string | null
  client: Pick<PlatformClient, 'ping'>
  /** Decrypts the source API keys; null without a secret. */
  secrets: SecretBox | null
  /** Aborts when the time limit is reached. */
  signal: AbortSignal
}

type Database = Omit<DoctorDeps, 'database'> & { database: DiagnosticsStore }

/** `requires`: an openable `database`, or one with the `schema` of this version. */
type Check = { name: string; isFullScan?: boolean } & (
  | { requires: 'nothing'; run: (deps: DoctorDeps) => Promise<Finding[]> }
  | { requires: 'database' | 'schema'; run: (deps: Database) => Promise<Finding[]> }
)

const CHECKS: readonly Check[] = [
  {
    name: 'versions',
    requires: 'nothing',
    run: async ({ database, versions }) => checkVersions(versions, await tryReadServer(database)),
  },
  { name: 'settings', requires: 'nothing', run: async ({ settings }) => checkSettings(settings) },
  {
    name: 'disk',
    requires: 'nothing',
    run: async ({ database, dataDir }) => {
      if (dataDir === null) return []
      const isFile = database?.engine === 'sqlite'
      return checkDisk(dataDir, isFile ? await tryReadServer(database) : null)
    },
  },
  {
    name: 'permissions',
    requires: 'nothing',
    run: async ({ dataDir }) => (dataDir === null ? [] : checkPermissions(dataDir)),
  },
  { name: 'schema', requires: 'database', run: ({ database }) => checkSchema(database) },
  {
    name: 'database settings',
    requires: 'database',
    run: async ({ database }) => checkServerSettings(await database.readServer()),
  },
  {
    name: 'integrity',
    requires: 'database',
    isFullScan: true,
    run: ({ database }) => checkIntegrity(database),
  },
  { name: 'structure', requires: 'schema', run: ({ database }) => checkStructure(database) },
  {
    name: 'references',
    requires: 'schema',
    isFullScan: true,
    run: ({ database }) => checkReferences(database),
  },
  {
    name: 'counters',
    requires: 'schema',
    isFullScan: true,
    run: ({ database }) => checkCounters(database),
  },
  {
    name: 'secret',
    requires: 'schema',
    run: async ({ database, settings }) =>
      checkSecret(settings.secrets, await database.readEncryptedKey()),
  },
  { name: 'clock', requires: 'schema', run: ({ database }) => checkClock(database) },
  {
    name: 'leases',
    requires: 'schema',
    run: ({ database, pullSeconds }) => checkLeases(database, pullSeconds),
  },
  { name: 'search', requires: 'schema', run: ({ database }) => checkSearch(database) },
  {
    name: 'reverts',
    requires: 'schema',
    run: async ({ database, auditExport }) =>
      auditExport === null ? [] : checkAudit(auditExport, database),
  },
  {
    name: 'platforms',
    requires: 'schema',
    run: async ({ database, secrets, ...deps }) =>
      secrets === null
        ? [problem('Platforms were not called, because there is no secret.', 'Set HUB_SECRET.')]
        : checkPlatforms(await database.listSources(new Date().toISOString()), {
            ...deps,
            secrets,
          }),
  },
]

export type CheckResult = {
  name: string
  /** `skipped`: not part of this run, or impossible because of another problem. */
  status: 'ok' | 'warning' | 'problem' | 'skipped'
  seconds: number
  findings: Finding[]
}

type DoctorEvent =
  | { kind: 'started'; name: string; isFullScan: boolean }
  | { kind: 'finished'; result: CheckResult }

/**
 * Runs the checks one after another. A check that fails is a problem and does not end the others: the database may be
 * damaged.
 * @param options `quick` skips the checks that read the whole database; `only` names the checks to run.
 */
export async function* runDoctor(
  deps: DoctorDeps,
  options: { quick: boolean; only?: ReadonlySet<string> },
): AsyncGenerator<DoctorEvent> {
  const hasSchema = await hasCurrentSchema(deps.database)
  for (const check of CHECKS) {
    const { name, isFullScan = false } = check
    if (options.only && !options.only.has(name)) continue
    const isPossible =
      check.requires === 'nothing' || (check.requires === 'schema' ? hasSchema : deps.database)
    if (!isPossible || (isFullScan && options.quick)) {
      yield { kind: 'finished', result: { name, status: 'skipped', seconds: 0, findings: [] } }
      continue
    }
    yield { kind: 'started', name, isFullScan }
    const startedAt = performance.now()
    const findings = await runCheck(check, deps)
    const seconds = (performance.now() - startedAt) / 1000
    yield { kind: 'finished', result: { name, status: statusOf(findings), seconds, findings } }
  }
}

async function runCheck(check: Check, deps: DoctorDeps): Promise<Finding[]> {
  if (deps.signal.aborted) {
    return [problem('Not checked: the time limit is reached.', 'Use a longer --timeout.')]
  }
  try {
    if (check.requires === 'nothing') return await check.run(deps)
    return deps.database ? await check.run({ ...deps, database: deps.database }) : []
  } catch (error) {
    const message = `The check failed: ${describeError(error)}`
    return [problem(message, 'If the database is damaged, restore a backup (recordhub restore).')]
  }
}

/** @returns the reason, which an error of an unavailable storage has in its cause. */
export function describeError(error: unknown): string {
  return messageOf(
    isStorageUnavailable(error) && error.cause instanceof Error ? error.cause : error,
  )
}

function statusOf(findings: Finding[]): CheckResult['status'] {
  const severities = findings.map(({ severity }) => severity)
  if (severities.includes('problem')) return 'problem'
  return severities.includes('warning') ? 'warning' : 'ok'
}

/** False for a schema that cannot be read either. */
async function hasCurrentSchema(database: DiagnosticsStore | null): Promise<boolean> {
  try {
    const schema = await database?.readSchema()
    return schema !== undefined && schema.pending.length === 0 && schema.unknown.length === 0
  } catch {
    return false
  }
}

async function tryReadServer(
  database: DiagnosticsStore | null,
): Promise<(ServerFacts & { engine: DiagnosticsStore['engine'] }) | null> {
  try {
    return database && { ...(await database.readServer()), engine: database.engine }
  } catch {
    // The checks of the database report it.
    return null
  }
}
