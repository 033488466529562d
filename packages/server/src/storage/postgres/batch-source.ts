/**
 * The {@link BatchSource} on PostgreSQL, which loads all rows of a batch before the first write is decided. Every
 * statement is sent as soon as its parameters are known; `record-writer.ts` lists the steps.
 */

import { isUnchanged } from '../../domain/pull/unchanged.ts'
import type { HashReference } from '../../domain/record/erasure.ts'
import type { Hold } from '../../domain/revert/hold.ts'
import { takeWithinBytes } from '../../lib/collections/pagination.ts'
import { isStorableText } from '../../lib/text/code-points.ts'
import type {
  PullWrite,
  PushWrite,
  RecordRead,
  RecordWrite,
  ReplayWrite,
  RevertWrite,
  WriteBatch,
} from '../port/record-store.ts'
import type { BatchSource, WriteAuthorization } from '../shared/records/batch-applier.ts'
import {
  isKeyUseOutdated,
  type Tombstone,
  toKeyPlatform,
  toModuleOfRead,
  toReplayableRejection,
  toWritableModule,
} from '../shared/records/write-rows.ts'
import { integerOf, type Row } from '../shared/schema/databases.ts'
import { MAX_LOCKED_BYTES } from './write-sql.ts'
import {
  type LockedRecord,
  type PeekedRecord,
  type RecordKey,
  toLockedRecord,
  type WriteStatements,
} from './write-statements.ts'

/** Columns of pulled records by read and reference, read without a lock. */
type PeekedRecords = ReadonlyMap<RecordRead, ReadonlyMap<string, PeekedRecord>>
/** Records by the `nameOf` their keys. */
type LockedRecords = ReadonlyMap<string, LockedRecord>

type LoadedBatch = {
  authorization: WriteAuthorization
  peeked: PeekedRecords
  /** Every record that a write may change. */
  locked: LockedRecords
  tombstones: ReadonlyMap<RecordWrite, Tombstone>
  /** By the id of their record. */
  holds: ReadonlyMap<number, Hold[]>
  /** Numbers of the write sequence, one for each write that may need one. */
  numbers: readonly number[]
}

/**
 * @param options `maxBytes`: records with more data are left to the next transaction, unless the batch has both pushed
 *   and pulled ones.
 * @returns `count`: the number of writes, from the start of the batch, whose rows the source has.
 */
export async function loadBatchSource(
  statements: WriteStatements,
  { at, writes }: Pick<WriteBatch, 'at' | 'writes'>,
  { hashReference, maxBytes }: { hashReference: HashReference; maxBytes: number },
): Promise<{ source: BatchSource; count: number }> {
  const allPulls = writes.filter(isPull)
  const keyed = writes.filter(isKeyed)
  const keys = keyed.filter((write) => isStorableText(write.record_type))
  const isOnlyKeyed = allPulls.length === 0
  const maxKeyedBytes = isOnlyKeyed ? maxBytes : Number.POSITIVE_INFINITY
  const [authorization, peeked, lockedKeyed, heldKeyed, numbersOfKeyed] = await Promise.all([
    loadAuthorization(statements, { at, writes }),
    peekRecords(statements, allPulls),
    lockFitting(statements, keyed, maxKeyedBytes),
    isOnlyKeyed ? findHeldModules(statements, keys) : [],
    // Numbers are allocated after the locks, so that those of a record rise on every node.
    isOnlyKeyed ? statements.allocateSequence(keyed.length) : [],
  ])
  const pulls = keyed.length > 0 ? allPulls : takeFitting(allPulls, peeked, maxBytes)
  const tombstones = await findTombstones(statements, {
    ...{ writes, authorization, peeked, hashReference },
  })
  const { locked, held, numbers } = isOnlyKeyed
    ? { ...lockedKeyed, held: heldKeyed, numbers: numbersOfKeyed }
    : await lockPulled(statements, {
        ...{ pulls, keyed, authorization, peeked },
        lockedKeyed: lockedKeyed.locked,
      })
  const stored = [...locked.values()].flatMap((record) => record.stored ?? [])
  const holds =
    held.length === 0 || stored.length === 0
      ? new Map<number, Hold[]>()
      : await statements.findHolds(stored.map((record) => record.record_id))
  const source = createSource({ authorization, peeked, locked, tombstones, holds, numbers })
  return { source, count: lockedKeyed.count + pulls.length }
}

/** Returns the first writes whose changed records have at most `maxBytes` of data; at least one. */
function takeFitting(pulls: PullWrite[], peeked: PeekedRecords, maxBytes: number): PullWrite[] {
  const sized = pulls.map((write) => {
    const isUnread = isPeekedUnchanged(peeked, write)
    const { bytes = 0 } = peeked.get(write.read)?.get(write.reference_number) ?? {}
    return { write, bytes: isUnread ? 0 : bytes }
  })
  return takeWithinBytes(sized, maxBytes).map(({ write }) => write)
}

function createSource(batch: LoadedBatch): BatchSource {
  const newIds = [...batch.locked.values()].flatMap(({ new_record_id }) => new_record_id ?? [])
  // New records get ids in the order of the writes, since lists show records in the order of their ids.
  const recordIds = newIds.sort((one, other) => one - other).values()
  const numbers = batch.numbers.values()
  return {
    authorization: batch.authorization,
    findTombstone: (write) => batch.tombstones.get(write) ?? null,
    findHolds: (_module, recordId) => batch.holds.get(recordId) ?? [],
    peekRecord: ({ read, reference_number }) =>
      batch.peeked.get(read)?.get(reference_number) ?? null,
    loadRecord(module, reference_number) {
      const record = batch.locked.get(nameOf({ ...module, reference_number }))
      if (!record) throw new Error('A record of the batch was not loaded')
      return record.stored
    },
    allocateRecordId: () => take(recordIds, 'record ids'),
    allocateSequence: () => take(numbers, 'sequence numbers'),
  }
}

function take(values: Iterator<number>, name: string): number {
  const next = values.next()
  if (next.done) throw new Error(`Too few ${name} were allocated for the batch`)
  return next.value
}

export async function loadAuthorization(
  statements: WriteStatements,
  { at, writes }: Pick<WriteBatch, 'at' | 'writes'>,
): Promise<WriteAuthorization> {
  const keyIds = new Set<number>()
  const modules = new Map<string, { platform_id: number; record_type: string }>()
  const reads = new Set<RecordRead>()
  const rejectionIds = new Set<number>()
  const revertIds = new Set<number>()
  for (const write of writes) {
    if (isPull(write)) {
      reads.add(write.read)
      continue
    }
    if ('replay' in write) rejectionIds.add(write.replay.rejected_push_id)
    else if ('revert' in write) revertIds.add(write.revert.revert_id)
    else keyIds.add(write.hub_key_id)
    // No module has a type that is not storable, and no statement accepts it as a parameter.
    if (!isStorableText(write.record_type)) continue
    modules.set(moduleName(write.platform_id, write.record_type), write)
  }
  const readList = [...reads]
  const [keyRows, moduleRows, readRows, rejectionRows, revertRows] = await Promise.all([
    keyIds.size > 0 ? statements.findKeys([...keyIds], at) : [],
    modules.size > 0 ? statements.findModules([...modules.values()]) : [],
    readList.length > 0 ? statements.findModulesOfReads(readList) : [],
    rejectionIds.size > 0 ? statements.findRejections([...rejectionIds]) : [],
    revertIds.size > 0 ? statements.findRunningReverts([...revertIds]) : [],
  ])
  const owners = new Map(revertRows.map((row) => [integerOf(row, 'revert_id'), row['lease_owner']]))
  const platforms = new Map(
    keyRows.map((row) => [integerOf(row, 'hub_key_id'), toKeyPlatform(row)]),
  )
  const registered = new Map(
    moduleRows
      .map(toWritableModule)
      .map((module) => [moduleName(module.platform_id, module.record_type), module]),
  )
  const rowsOfReads = new Map(readRows.map((row) => [integerOf(row, 'ord'), row]))
  const modulesOfReads = new Map(
    readList.map((read, index) => [read, toModuleOfRead(rowsOfReads.get(index + 1))]),
  )
  const rejections = new Map(rejectionRows.map((row) => [integerOf(row, 'rejected_push_id'), row]))
  return {
    platformOfKey: (hubKeyId) => platforms.get(hubKeyId) ?? null,
    registeredModule: (platformId, type) => registered.get(moduleName(platformId, type)) ?? null,
    moduleOfRead: (read) => modulesOfReads.get(read) ?? 'module_not_registered',
    rejectionOf: (write) =>
      toReplayableRejection(rejections.get(write.replay.rejected_push_id), write),
    isReverting: ({ revert_id, owner }) => owners.get(revert_id) === owner,
    outdatedKeys: keyRows
      .filter((row) => isKeyUseOutdated(row, at))
      .map((row) => integerOf(row, 'hub_key_id'))
      .sort((one, other) => one - other),
  }
}

async function peekRecords(
  statements: WriteStatements,
  pulls: PullWrite[],
): Promise<PeekedRecords> {
  const reads = Map.groupBy(pulls, (write) => write.read)
  const peeking = [...reads].map(async ([read, writes]) => {
    const references = [...new Set(writes.map((write) => write.reference_number))]
    return [read, await statements.peekRecords(read, references)] as const
  })
  return new Map(await Promise.all(peeking))
}

/**
 * Locks the records of all these writes, in key order, and loads those of the first writes that have at most `maxBytes`
 * of data, but at least one. `count`: the number of these writes.
 */
async function lockFitting(
  statements: WriteStatements,
  writes: RecordKey[],
  maxBytes: number,
): Promise<{ locked: LockedRecords; count: number }> {
  const keys = inKeyOrder(writes.filter((write) => isStorableText(write.record_type)))
  if (keys.length === 0) return { locked: new Map(), count: writes.length }
  const rows = await statements.lockRecords(keys)
  const rowOf = new Map(keys.map((key, index) => [nameOf(key), rows[index]]))
  const names = new Set<string>()
  const sized = writes.map((write) => {
    const name = nameOf(write)
    const bytes = names.has(name) ? 0 : Number(rowOf.get(name)?.['bytes'] ?? 0)
    names.add(name)
    return { name, bytes }
  })
  const fitting = takeWithinBytes(sized, maxBytes)
  const large = fitting.flatMap(({ name, bytes }) => {
    const row = bytes > MAX_LOCKED_BYTES && rowOf.get(name)
    return row ? [integerOf(row, 'record_id')] : []
  })
  const data = large.length > 0 ? await statements.readData(large) : new Map<number, string>()
  const locked = fitting.flatMap(({ name }) => {
    const row = rowOf.get(name)
    return row ? [[name, toLockedRecord(row, data)] as const] : []
  })
  return { locked: new Map(locked), count: fitting.length }
}

type FirstRoundTrip = Pick<LoadedBatch, 'authorization' | 'peeked'>

/**
 * Locks the pulled records that have changed since they were last read, and allocates ids for new ones. Unchanged
 * records are not locked: a row lock is a write.
 */
async function lockPulled(
  statements: WriteStatements,
  options: FirstRoundTrip & {
    pulls: PullWrite[]
    keyed: RecordWrite[]
    lockedKeyed: LockedRecords
  },
): Promise<Pick<LoadedBatch, 'locked' | 'numbers'> & { held: Row[] }> {
  const { authorization, peeked, pulls, keyed, lockedKeyed } = options
  const changed: RecordKey[] = []
  const added: RecordKey[] = []
  for (const write of pulls) {
    const module = authorization.moduleOfRead(write.read)
    if (typeof module === 'string' || isPeekedUnchanged(peeked, write)) continue
    const { platform_id, record_type } = module
    const { reference_number } = write
    const isStored = peeked.get(write.read)?.has(reference_number)
    const keys = isStored ? changed : added
    keys.push({ platform_id, record_type, reference_number })
  }
  const isUnlocked = (key: RecordKey) => !lockedKeyed.has(nameOf(key))
  const newKeys = inKeyOrder(added.filter(isUnlocked))
  const count = keyed.length + changed.length + added.length
  const [lockedChanged, held, newIds, numbers] = await Promise.all([
    lockFitting(statements, changed.filter(isUnlocked), Number.POSITIVE_INFINITY),
    findHeldModules(statements, [...changed, ...keyed.filter(isKeyed)]),
    newKeys.length > 0 ? statements.allocateRecordIds(newKeys.length) : [],
    count > 0 ? statements.allocateSequence(count) : [],
  ])
  const locked = new Map([...lockedKeyed, ...lockedChanged.locked])
  for (const [index, key] of newKeys.entries()) {
    const new_record_id = newIds[index]
    if (new_record_id !== undefined) locked.set(nameOf(key), { stored: null, new_record_id })
  }
  return { locked, held, numbers }
}

/** Looks up tombstones, only for modules that have any and not for pulled records that are unchanged. */
async function findTombstones(
  statements: WriteStatements,
  options: FirstRoundTrip & { writes: RecordWrite[]; hashReference: HashReference },
): Promise<LoadedBatch['tombstones']> {
  const { authorization, peeked, writes, hashReference } = options
  const hashes = new Map<RecordWrite, string>()
  for (const write of writes) {
    const module = isPull(write)
      ? authorization.moduleOfRead(write.read)
      : authorization.registeredModule(write.platform_id, write.record_type)
    if (module === null || typeof module === 'string' || !module.hasTombstones) continue
    if (isPull(write) && isPeekedUnchanged(peeked, write)) continue
    const { reference_number } = write
    hashes.set(write, hashReference({ ...module, reference_number }))
  }
  if (hashes.size === 0) return new Map()
  const found = await statements.findTombstones([...new Set(hashes.values())])
  return new Map(
    [...hashes].flatMap(([write, hash]) => {
      const tombstone = found.get(hash)
      return tombstone ? [[write, tombstone] as const] : []
    }),
  )
}

/**
 * Returns the modules of these keys that have holds. Call it after the locks: a revert that has just committed may have
 * made the first hold of a module.
 */
async function findHeldModules(
  statements: WriteStatements,
  keys: readonly Omit<RecordKey, 'reference_number'>[],
): Promise<Row[]> {
  const modules = new Map(keys.map((key) => [moduleName(key.platform_id, key.record_type), key]))
  return modules.size === 0 ? [] : statements.findHeldModules([...modules.values()])
}

function isPeekedUnchanged(peeked: PeekedRecords, write: PullWrite): boolean {
  const record = peeked.get(write.read)?.get(write.reference_number)
  return record !== undefined && isUnchanged(record, write.content, write.read)
}

/** Returns each key once, in the order in which every node locks and inserts records. */
export function inKeyOrder<Key extends RecordKey>(keys: Iterable<Key>): Key[] {
  const named = new Map<string, Key>()
  for (const key of keys) named.set(nameOf(key), key)
  return [...named]
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
    .map(([, key]) => key)
}

function nameOf({ platform_id, record_type, reference_number }: RecordKey): string {
  return `${platform_id}\0${record_type}\0${reference_number}`
}

function moduleName(platformId: number, recordType: string): string {
  return `${platformId} ${recordType}`
}

/** Whether a write contains the key of its record. A pulled record does not: its module is that of its read. */
function isKeyed(write: RecordWrite): write is PushWrite | ReplayWrite | RevertWrite {
  return !isPull(write)
}

function isPull(write: RecordWrite): write is PullWrite {
  return 'read' in write
}
