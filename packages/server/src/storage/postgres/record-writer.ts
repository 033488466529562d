/**
 * The write path on PostgreSQL: a batch of writes in one transaction, in two trips to the server for
 * pushes and in two or three for a read. Records are locked in the order of their keys, so that nodes
 * wait for each other and never in a circle.
 */
import { randomInt } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { HashReference } from '../../domain/record/erasure.ts'
import { isStorableText } from '../../lib/text/storable-text.ts'
import type {
  PullWrite,
  PushWrite,
  RecordStore,
  RecordWrite,
  ReplayWrite,
  WriteBatch,
  WriteOutcome,
} from '../port/record-store.ts'
import type { PostgresConnections } from './connection.ts'
import { isRefusedRow, isWorthAnotherTry } from './map-error.ts'
import { tryAgain } from './with-retry.ts'
import { openWriteGates, type WriteGates } from './write-authorization.ts'
import { type FoundRecords, inOrder, isKnownSame, nameOfKey, WritePlan } from './write-plan.ts'
import { createWriteStatements, type RecordKey, type WriteStatements } from './write-statements.ts'

/**
 * Writers of the same counters wait for each other, so each connection has rows of its own among so
 * many; a reader adds them up. Bounded, since nodes come and go.
 */
const COUNTER_ROWS = 32

export function createRecordWriter(
  connections: Pick<PostgresConnections, 'withWriter'>,
  hashReference: HashReference,
): Pick<RecordStore, 'applyWrites' | 'tryWrites'> {
  const nodes = new WeakMap<PoolClient, string>()
  const nodeOf = (client: PoolClient) => {
    const node = nodes.get(client) ?? pickCounterRow()
    nodes.set(client, node)
    return node
  }
  const attempt = (batch: WriteBatch, mode: { end: End; isolate: boolean }) =>
    connections.withWriter((client) => {
      const statements = createWriteStatements(client)
      const writer = { node: nodeOf(client), hashReference }
      const parts = { statements, batch, writer, end: mode.end }
      return mode.isolate ? applyOneByOne(parts) : applyTogether(parts)
    })
  async function apply(batch: WriteBatch, end: End): Promise<WriteOutcome[]> {
    if (batch.writes.length === 0) return []
    try {
      return await tryAgain(() => attempt(batch, { end, isolate: false }))
    } catch (error) {
      if (!isRefusedRow(error)) throw error
      // Savepoints cost, so they are taken only once a row has been refused.
      return tryAgain(() => attempt(batch, { end, isolate: true }))
    }
  }
  return {
    applyWrites: (batch) => apply(batch, 'commit'),
    tryWrites: (batch) => apply(batch, 'rollback'),
  }
}

type End = 'commit' | 'rollback'

/** The name of a set of counter rows, for one who counts. */
export function pickCounterRow(): string {
  return String(randomInt(COUNTER_ROWS))
}

type Group = {
  outcomes: WriteOutcome[]
  /** What is on its way to the server; the outcomes hold once it is through. */
  sent: Promise<unknown>[]
  seen: Seen
}
/** What a batch is written with: the name of its counter rows, and how erased references are hashed. */
type Writer = { node: string; hashReference: HashReference }
type Seen = { write: PullWrite; record_id: number }[]

type BatchParts = { statements: WriteStatements; batch: WriteBatch; writer: Writer; end: End }

async function applyTogether({
  statements,
  batch,
  writer,
  end,
}: BatchParts): Promise<WriteOutcome[]> {
  // Sent without waiting, and answered in their order.
  const begun = statements.begin()
  const opening = openWriteGates(statements, batch)
  const applying = applyGroup(statements, { gates: opening, batch, writer, seenBefore: [] })
  const [, gates, group] = await Promise.all([begun, opening, applying])
  await Promise.all([...group.sent, noteKeyUse(statements, gates, batch), statements[end]()])
  if (end === 'commit') noteSeen(group.seen)
  return group.outcomes
}

async function applyOneByOne({
  statements,
  batch,
  writer,
  end,
}: BatchParts): Promise<WriteOutcome[]> {
  const [, gates] = await Promise.all([statements.begin(), openWriteGates(statements, batch)])
  const outcomes: WriteOutcome[] = []
  const seen: Seen = []
  for (const write of batch.writes) {
    await statements.setSavepoint()
    try {
      const group = await applyGroup(statements, {
        gates: Promise.resolve(gates),
        batch: { ...batch, writes: [write] },
        writer,
        seenBefore: seen.map(({ record_id }) => record_id),
      })
      await Promise.all(group.sent)
      await statements.releaseSavepoint()
      outcomes.push(...group.outcomes)
      seen.push(...group.seen)
    } catch (error) {
      if (!isRefusedRow(error) || isWorthAnotherTry(error)) throw error
      await statements.rollbackToSavepoint()
      outcomes.push({ outcome: 'rejected', code: 'record_not_storable' })
    }
  }
  await Promise.all([noteKeyUse(statements, gates, batch), statements[end]()])
  if (end === 'commit') noteSeen(seen)
  return outcomes
}

type GroupParts = {
  gates: Promise<WriteGates>
  batch: WriteBatch
  writer: Writer
  seenBefore: number[]
}

async function applyGroup(
  statements: WriteStatements,
  { gates: opening, batch, writer, seenBefore }: GroupParts,
): Promise<Group> {
  const { writes } = batch
  const pushes = writes.filter(hasKey)
  const pulls = writes.filter(isPull)
  const onlyPushes = pulls.length === 0
  const pushKeys = inOrder(pushes.filter((push) => isStorableText(push.record_type)))
  const [gates, known, loadedPushes, earlyNumbers] = await Promise.all([
    opening,
    lookUpReads(statements, pulls),
    loadAll(statements, pushKeys),
    // Given out after the locks, so that the numbers of a record rise on every node.
    onlyPushes ? statements.nextNumbers(pushes.length) : [],
  ])
  const erased = await findErased(statements, { gates, known, writes, writer })
  const found = onlyPushes
    ? { known, loaded: loadedPushes, numbers: earlyNumbers }
    : await loadPulled(statements, { gates, known, pushes, pulls, loadedPushes })
  const plan = new WritePlan(gates, { ...found, erased }, { seenBefore, at: batch.at })
  const outcomes = writes.map((write) => plan.apply(write))
  const when = { day: batch.day, node: writer.node }
  return { outcomes, sent: plan.save(statements, when), seen: plan.seen }
}

type ErasedParts = { gates: WriteGates; writes: RecordWrite[]; writer: Writer }

type PulledParts = {
  gates: WriteGates
  known: FoundRecords['known']
  pushes: KeyedWrite[]
  pulls: PullWrite[]
  loadedPushes: FoundRecords['loaded']
}

/** Locks the pulled records that are not what was read last; those not there yet only get their ids. */
async function loadPulled(
  statements: WriteStatements,
  { gates, known, pushes, pulls, loadedPushes }: PulledParts,
): Promise<Omit<FoundRecords, 'erased'>> {
  const changed: RecordKey[] = []
  const added: RecordKey[] = []
  for (const write of pulls) {
    const module = gates.moduleOfRead(write.read)
    const ofRead = known.get(write.read)
    if (typeof module === 'string' || isKnownSame(ofRead, write)) continue
    const { reference_number } = write
    const key = {
      platform_id: module.platform_id,
      record_type: module.record_type,
      reference_number,
    }
    if (ofRead?.has(reference_number)) changed.push(key)
    else added.push(key)
  }
  const isNotPushed = (key: RecordKey) => !loadedPushes.has(nameOfKey(key))
  const newKeys = inOrder(added.filter(isNotPushed))
  const count = pushes.length + changed.length + added.length
  const [loadedPulls, newIds, numbers] = await Promise.all([
    loadAll(statements, inOrder(changed.filter(isNotPushed))),
    newKeys.length > 0 ? statements.nextIds(newKeys.length) : [],
    count > 0 ? statements.nextNumbers(count) : [],
  ])
  const loaded = new Map([...loadedPushes, ...loadedPulls])
  for (const [index, key] of newKeys.entries()) {
    const new_record_id = newIds[index]
    if (new_record_id !== undefined) loaded.set(nameOfKey(key), { stored: null, new_record_id })
  }
  return { known, loaded, numbers }
}

/** Asks only about modules of which something was erased, and not about records that are as read before. */
async function findErased(
  statements: WriteStatements,
  { gates, known, writes, writer }: Pick<FoundRecords, 'known'> & ErasedParts,
): Promise<FoundRecords['erased']> {
  const hashes = new Map<RecordWrite, string>()
  for (const write of writes) {
    const module = isPull(write)
      ? gates.moduleOfRead(write.read)
      : gates.registeredModule(write.platform_id, write.record_type)
    if (module === null || typeof module === 'string' || !module.hasTombstones) continue
    if (isPull(write) && isKnownSame(known.get(write.read), write)) continue
    const { reference_number } = write
    hashes.set(write, writer.hashReference({ ...module, reference_number }))
  }
  if (hashes.size === 0) return new Map()
  const tombstones = await statements.findTombstones([...new Set(hashes.values())])
  return new Map(
    [...hashes].flatMap(([write, hash]) => {
      const tombstone = tombstones.get(hash)
      return tombstone ? [[write, tombstone] as const] : []
    }),
  )
}

async function lookUpReads(
  statements: WriteStatements,
  pulls: PullWrite[],
): Promise<FoundRecords['known']> {
  const reads = Map.groupBy(pulls, (write) => write.read)
  const lookingUp = [...reads].map(async ([read, writes]) => {
    const references = [...new Set(writes.map((write) => write.reference_number))]
    return [read, await statements.lookUp(read, references)] as const
  })
  return new Map(await Promise.all(lookingUp))
}

async function loadAll(
  statements: WriteStatements,
  keys: RecordKey[],
): Promise<FoundRecords['loaded']> {
  if (keys.length === 0) return new Map()
  const loaded = await statements.load(keys)
  return new Map(
    keys.flatMap((key, index) => {
      const record = loaded[index]
      return record ? [[nameOfKey(key), record]] : []
    }),
  )
}

async function noteKeyUse(
  statements: WriteStatements,
  { keysToNote }: WriteGates,
  { at }: WriteBatch,
): Promise<void> {
  if (keysToNote.length > 0) await statements.noteKeyUse(keysToNote, at)
}

/** After the commit only: what was rolled back was not met. */
function noteSeen(seen: Seen): void {
  for (const { write, record_id } of seen) write.read.seen.add(record_id)
}

/** Writes that say themselves which record they are of. */
type KeyedWrite = PushWrite | ReplayWrite

function hasKey(write: RecordWrite): write is KeyedWrite {
  return !('read' in write)
}

function isPull(write: RecordWrite): write is PullWrite {
  return 'read' in write
}
