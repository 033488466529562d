/** What allows a write, read once a batch inside its transaction. */
import { isStorableText } from '../../lib/text/storable-text.ts'
import type { RecordRead, ReplayWrite, WriteBatch, WriteRejection } from '../port/record-store.ts'
import {
  isUseToNote,
  type KeyGate,
  type ModuleGate,
  type ReplayGate,
  toGateOfRead,
  toGateOfReplay,
  toKeyGate,
  toModuleGate,
} from '../shared/records/write-rows.ts'
import { integerOf } from '../shared/schema/columns.ts'
import type { WriteStatements } from './write-statements.ts'

export type WriteGates = {
  /** The active platform of a hub key that holds now. */
  platformOfKey: (hubKeyId: number) => KeyGate | null
  registeredModule: (platformId: number, recordType: string) => ModuleGate | null
  /** The registered module that a running pull reads; else why it must not be written. */
  moduleOfRead: (read: RecordRead) => ModuleGate | WriteRejection
  /** What allows a replay, once; else why it must not be made. */
  takeRefusal: (write: ReplayWrite) => ReplayGate | WriteRejection
  /** The hub keys whose use is to be noted. */
  keysToNote: number[]
}

export async function openWriteGates(
  statements: WriteStatements,
  { at, writes }: WriteBatch,
): Promise<WriteGates> {
  const keyIds = new Set<number>()
  const pushed = new Map<string, { platform_id: number; record_type: string }>()
  const reads = new Set<RecordRead>()
  const refusals = new Set<number>()
  for (const write of writes) {
    if ('read' in write) {
      reads.add(write.read)
      continue
    }
    if ('replay' in write) refusals.add(write.replay.rejected_push_id)
    else keyIds.add(write.hub_key_id)
    // No module can have such a type, and no statement take it.
    if (!isStorableText(write.record_type)) continue
    pushed.set(nameOf(write.platform_id, write.record_type), write)
  }
  const readList = [...reads]
  const [keyRows, moduleRows, readingRows, refusalRows] = await Promise.all([
    keyIds.size > 0 ? statements.findKeys([...keyIds], at) : [],
    pushed.size > 0 ? statements.findModules([...pushed.values()]) : [],
    readList.length > 0 ? statements.findReadings(readList) : [],
    refusals.size > 0 ? statements.findRefusals([...refusals]) : [],
  ])
  const keys = new Map(keyRows.map((row) => [integerOf(row, 'hub_key_id'), toKeyGate(row)]))
  const modules = new Map(
    moduleRows.map(toModuleGate).map((gate) => [nameOf(gate.platform_id, gate.record_type), gate]),
  )
  const readings = new Map(readingRows.map((row) => [integerOf(row, 'ord'), row]))
  const gatesOfReads = new Map(
    readList.map((read, index) => [read, toGateOfRead(readings.get(index + 1))]),
  )
  const refused = new Map(refusalRows.map((row) => [integerOf(row, 'rejected_push_id'), row]))
  const taken = new Set<number>()
  return {
    takeRefusal(write) {
      const { rejected_push_id } = write.replay
      const gate = toGateOfReplay(refused.get(rejected_push_id), write)
      if (typeof gate === 'string' || taken.size < taken.add(rejected_push_id).size) return gate
      return 'already_replayed'
    },
    platformOfKey: (hubKeyId) => keys.get(hubKeyId) ?? null,
    registeredModule: (platformId, type) => modules.get(nameOf(platformId, type)) ?? null,
    moduleOfRead: (read) => gatesOfReads.get(read) ?? 'module_not_registered',
    keysToNote: keyRows
      .filter((row) => isUseToNote(row, at))
      .map((row) => integerOf(row, 'hub_key_id'))
      .sort((one, other) => one - other),
  }
}

function nameOf(platformId: number, recordType: string): string {
  return `${platformId} ${recordType}`
}
