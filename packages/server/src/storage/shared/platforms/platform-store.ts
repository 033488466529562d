import type { Module, Platform } from '@recordhub/protocol'
import { toManifestKeys } from '../../../domain/record/drift.ts'
import type { NewPlatform, PlatformStore } from '../../port/platform-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { softDeletePlatform } from '../deletion/soft-delete-platform.ts'
import { readPauseEnd, recordRecovery } from '../pulls/pull-plan.ts'
import { invalidateCachedResponse } from '../records/module-counts.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { countRows, listRows, updateRows } from '../schema/rows.ts'
import { readHealth } from './health-rows.ts'
import {
  createModuleReader,
  distinctTitle,
  insertHubKey,
  insertSecret,
  readModules,
  selectHealthColumns,
  selectPlatformSummaries,
  toHealth,
  toPlatformSummary,
} from './platform-rows.ts'
import { registerModules } from './register-modules.ts'
import { findFirstName, renamePlatform, saveFirstName } from './rename-platform.ts'

/** Publishes changes to other processes that use the same database. */
export type ChangeChannel = {
  /** Publishes a change when the transaction commits. */
  publish: (transaction: Executor) => Promise<void>
  subscribe: (listener: () => void) => void
}

/** Runs changes of platforms, modules and hub keys, and publishes them. */
export type PlatformChanges = {
  /** As `transact`, and publishes the change after the commit. */
  change: Databases['transact']
  onChange: PlatformStore['onChange']
}

/** @param channel omitted if no other process uses the database. */
export function createPlatformChanges(
  { transact }: Databases,
  channel?: ChangeChannel,
): PlatformChanges {
  const listeners: (() => void)[] = []
  return {
    async change(locks, work) {
      const result = await transact(locks, async (db, at) => {
        const changed = await work(db, at)
        await channel?.publish(db)
        return changed
      })
      for (const listener of listeners) listener()
      return result
    },
    onChange(listener) {
      listeners.push(listener)
      channel?.subscribe(listener)
    },
  }
}

/** @param node the name of the counter rows of this process. */
export function createPlatformStore(
  { reader, writer, clock }: Databases,
  { change, onChange }: PlatformChanges,
  node: string,
): PlatformStore {
  return {
    onChange,

    registerPlatform: (platform, log) =>
      change(['platform names'], async (db, now) => {
        if (await isNameTaken(db, platform)) return { outcome: 'name_taken' }
        const platformId = await insertPlatform(db, platform)
        await insertModules(db, platformId, platform)
        await insertHubKey(db, platformId, platform.hub_key, platform.at)
        const known = { platform_id: platformId, platform_name: platform.platform_name }
        await insertLog(db, platform.at, log, known)
        const registered = await findPlatform(db, platformId, now)
        if (!registered) throw new Error('The platform that was just registered is missing')
        return { outcome: 'registered', platform: registered }
      }),

    async listPlatforms(page) {
      let select = selectPlatformSummaries(reader)
        .where('p.platform_id', '>', page?.after ?? 0)
        .orderBy('p.platform_id')
      if (page) select = select.limit(page.limit)
      const rows = await select.execute()
      if (rows.length === 0) return []
      const platformIds = page ? rows.map(({ platform_id }) => platform_id) : null
      const healthFacts = await readHealth(reader, { platformIds, now: nowText(clock) })
      return rows.map((row) => toPlatformSummary(row, healthFacts(row.platform_id)))
    },

    async listModules({ platform, limit, after }) {
      let select = reader
        .selectFrom('modules as m')
        .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
        .selectAll('m')
        .select('p.platform_name')
        .where('p.removed_at', 'is', null)
        .where('m.module_id', '>', after)
      if (platform !== null) select = select.where('p.platform_name', '=', platform)
      const rows = await select.orderBy('m.module_id').limit(limit).execute()
      const toModule = await createModuleReader(reader, null)
      return rows.map((row) => {
        const { platform_name, module_id } = row
        return { module_id, platform_name, ...toModule(row) }
      })
    },

    async listHealth() {
      const rows = await selectHealthColumns(reader).execute()
      const healthFacts = await readHealth(reader, { platformIds: null, now: nowText(clock) })
      return rows.map((row) => {
        const { platform_id: id } = row
        return { id, health: toHealth(row, healthFacts(id)) }
      })
    },

    async listActive() {
      const rows = await reader
        .selectFrom('platforms as p')
        .where('p.removed_at', 'is', null)
        .where('p.status', '=', 'active')
        .select((eb) => [
          'p.platform_id as id',
          'p.platform_name',
          distinctTitle('p').as('display_title'),
          eb
            .selectFrom('modules as m')
            .whereRef('m.platform_id', '=', 'p.platform_id')
            .where('m.registered_at', 'is not', null)
            .select('m.module_id')
            .limit(1)
            .as('module_id'),
        ])
        .orderBy('p.platform_id')
        .execute()
      return rows.map(({ module_id, ...row }) => ({ ...row, has_modules: module_id !== null }))
    },

    readPlatform: (platformId) => findPlatform(reader, platformId, nowText(clock)),

    renamePlatform: ({ platform_id, platform_name, at }, log) =>
      change(['write authorization', 'platform names'], async (db, now) => {
        const before = await findPlatform(db, platform_id, now)
        if (!before) return null
        if (before.platform_name === platform_name) return { outcome: 'renamed', platform: before }
        if (await isNameTaken(db, { platform_name })) return { outcome: 'name_taken' }
        const names = { platform_name, before: before.platform_name }
        await renamePlatform(db, { platform_id, ...names, at })
        await insertLog(db, at, log, { platform_id, platform_name })
        const platform = (await findPlatform(db, platform_id, now)) ?? before
        return { outcome: 'renamed', platform }
      }),

    changePlatform: ({ platform_id, at, source, modules, status }) =>
      change(modules || status ? ['write authorization'] : [], async (db, now) => {
        const before = await findPlatform(db, platform_id, now)
        if (!before) return null
        const { platform_name } = before
        const known = { platform_id, platform_name }
        // First, because only this can fail.
        if (modules) {
          const registration = { platform_id, record_types: modules.record_types, at }
          const registered = await registerModules(db, registration, node)
          if (registered.outcome !== 'changed') return registered
          if (registered.isChange) await insertLog(db, at, modules.log, known)
        }
        if (source) {
          await setSource(db, { platform_id, at, recovered_at: now, ...source }, node)
          await insertLog(db, at, source.log, known)
        }
        if (status && status.status !== before.status) {
          const recovered_at = status.status === 'active' ? { recovered_at: now } : {}
          const columns = { status: status.status, updated_at: at, ...recovered_at }
          await updateRows(db, 'platforms', { platform_id }, columns)
          await insertLog(db, at, status.log, known)
        }
        const platform = (await findPlatform(db, platform_id, now)) ?? before
        return { outcome: 'changed', platform }
      }),

    removePlatform: (request, log) =>
      change(['write authorization', 'rejected pushes'], async (db) => {
        const removal = await softDeletePlatform(db, request)
        if (removal) await insertLog(db, request.at, log, request)
        return removal
      }),

    async findPlatformByKey(keyHash, at) {
      const key = await reader
        .selectFrom('hub_keys as k')
        .innerJoin('platforms as p', 'p.platform_id', 'k.platform_id')
        .select([
          'k.hub_key_id',
          'k.expires_at',
          'k.platform_id',
          'p.platform_name',
          distinctTitle('p').as('display_title'),
        ])
        .where('k.key_hash', '=', keyHash)
        .where('k.revoked_at', 'is', null)
        .where((eb) => eb.or([eb('k.expires_at', 'is', null), eb('k.expires_at', '>', at)]))
        .where('p.status', '=', 'active')
        .executeTakeFirst()
      if (!key) return null
      const modules = await reader
        .selectFrom('modules')
        .select(['record_type', 'module_name', 'drift_policy', 'fields'])
        .where('platform_id', '=', key.platform_id)
        .where('registered_at', 'is not', null)
        .orderBy('position')
        .execute()
      return {
        ...key,
        modules: modules.map(({ fields, ...module }) => ({
          ...module,
          manifest_keys: toManifestKeys(JSON.parse(fields)),
        })),
      }
    },

    async findFormerKey(keyHash) {
      const key = await reader
        .selectFrom('hub_keys as k')
        .innerJoin('platforms as p', 'p.platform_id', 'k.platform_id')
        .select((eb) => [
          'p.status',
          eb
            .selectFrom('hub_keys as n')
            .whereRef('n.platform_id', '=', 'k.platform_id')
            .whereRef('n.hub_key_id', '>', 'k.hub_key_id')
            .select((inner) => inner.fn.min('n.created_at').as('at'))
            .as('replaced_at'),
        ])
        .where('k.key_hash', '=', keyHash)
        .where('p.removed_at', 'is', null)
        .executeTakeFirst()
      return key ? { replaced_at: key.replaced_at, is_inactive: key.status === 'inactive' } : null
    },

    async readSource(platformId) {
      const row = await reader
        .selectFrom('platforms as p')
        .innerJoin('secrets as s', 's.secret_id', 'p.source_key_secret_id')
        .select([
          'p.platform_id',
          'p.platform_name',
          distinctTitle('p').as('display_title'),
          'p.source_base_url',
          's.ciphertext as encrypted_source_key',
        ])
        .where('p.platform_id', '=', platformId)
        .where('p.removed_at', 'is', null)
        .executeTakeFirst()
      return row ?? null
    },

    readPauseEnd: (platformId, now) => readPauseEnd(reader, platformId, now),

    recordRecovery: (platformId) => recordRecovery(writer, platformId, nowText(clock)),
  }
}

async function findPlatform(
  db: Executor,
  platformId: number,
  now: string,
): Promise<Platform | null> {
  const row = await selectPlatformSummaries(db)
    .where('p.platform_id', '=', platformId)
    .executeTakeFirst()
  if (!row) return null
  const healthFacts = await readHealth(db, { platformIds: [platformId], now })
  return {
    ...toPlatformSummary(row, healthFacts(platformId)),
    modules: await readModules(db, platformId),
  }
}

/** The caller holds the lock of platform names. */
async function isNameTaken(
  db: Executor,
  { platform_name }: { platform_name: string },
): Promise<boolean> {
  return (await countRows(db, 'platforms', { platform_name })) > 0
}

async function insertPlatform(db: Executor, platform: NewPlatform): Promise<number> {
  const { platform_name, at } = platform
  const first_name = await findFirstName(db, platform)
  const sourceKey = await insertSecret(db, 'source key', platform.encrypted_source_key, at)
  const { platform_id } = await db
    .insertInto('platforms')
    .values({
      platform_name,
      first_name,
      display_title: platform.display_title,
      platform_description: platform.platform_description,
      source_base_url: platform.source_base_url,
      source_key_secret_id: sourceKey,
      status: 'active',
      manifest_fetched_at: at,
      last_pulled_at: null,
      last_error: null,
      failed_at: null,
      created_at: at,
      updated_at: at,
    })
    .returning('platform_id')
    .executeTakeFirstOrThrow()
  await saveFirstName(db, { platform_name, first_name })
  return platform_id
}

async function insertModules(db: Executor, platformId: number, platform: NewPlatform) {
  // One by one, since thousands of modules would exceed the parameters of a statement.
  for (const [position, { registered, ...module }] of platform.modules.entries()) {
    const registered_at = registered ? platform.at : null
    await insertModule(db, platformId, { ...module, position, registered_at, added_at: null })
  }
}

export async function insertModule(
  db: Executor,
  platform_id: number,
  module: Module & { position: number; registered_at: string | null; added_at: string | null },
): Promise<void> {
  const { record_type, module_name, description, fields, ...times } = module
  await db
    .insertInto('modules')
    .values({
      platform_id,
      record_type,
      module_name,
      description,
      fields: JSON.stringify(fields),
      ...times,
    })
    .execute()
}

async function setSource(
  db: Executor,
  source: {
    platform_id: number
    source_base_url: string
    encrypted_source_key: string
    at: string
    recovered_at: string
  },
  node: string,
): Promise<void> {
  const { platform_id, source_base_url, encrypted_source_key, at, recovered_at } = source
  const before = await db
    .selectFrom('platforms')
    .select(['source_base_url', 'source_key_secret_id'])
    .where('platform_id', '=', platform_id)
    .executeTakeFirst()
  const source_key_secret_id = await insertSecret(db, 'source key', encrypted_source_key, at)
  await db
    .updateTable('platforms')
    .set({
      ...{ source_base_url, source_key_secret_id, updated_at: at, recovered_at },
      ...(before?.source_base_url === source_base_url
        ? {}
        : { certificate_expires_at: null, certificate_read_at: null }),
    })
    .where('platform_id', '=', platform_id)
    .execute()
  const former = before?.source_key_secret_id ?? null
  await db.deleteFrom('secrets').where('secret_id', '=', former).execute()
  const modules = await listRows(db, 'modules', { platform_id }, ['platform_id', 'module_id'])
  for (const module of modules) await invalidateCachedResponse(db, module, node)
}
