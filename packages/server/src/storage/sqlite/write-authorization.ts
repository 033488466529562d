/** What allows a write, looked up once a batch inside its transaction. */
import type { RecordRead, WriteRejection } from '../port/record-store.ts'
import type { KeyGate, ModuleGate } from '../shared/records/write-rows.ts'
import type { WriteStatements } from './write-statements.ts'

export type WriteGates = {
  /** The keys that were looked up and whose use is to be stored. */
  keysToNote: readonly number[]
  /** The active platform of a hub key that holds now. */
  platformOfKey: (hubKeyId: number) => KeyGate | null
  registeredModule: (platformId: number, recordType: string) => ModuleGate | null
  /** The registered module that a running pull reads; else why it must not be written. */
  moduleOfRead: (read: RecordRead) => ModuleGate | WriteRejection
}

export function openWriteGates(statements: WriteStatements, at: string): WriteGates {
  const keys = new Map<number, KeyGate | null>()
  const modules = new Map<string, ModuleGate | null>()
  const reads = new Map<RecordRead, ModuleGate | WriteRejection>()
  const keysToNote: number[] = []
  return {
    keysToNote,
    platformOfKey: (hubKeyId) =>
      remember(keys, hubKeyId, () => {
        const found = statements.findPlatformOfKey(hubKeyId, at)
        if (found?.isUseToNote) keysToNote.push(hubKeyId)
        return found?.gate ?? null
      }),
    registeredModule: (platformId, recordType) =>
      remember(modules, `${platformId} ${recordType}`, () =>
        statements.findRegisteredModule(platformId, recordType),
      ),
    moduleOfRead: (read) => remember(reads, read, () => statements.findModuleOfRead(read)),
  }
}

function remember<Key, Value>(known: Map<Key, Value>, key: Key, find: () => Value): Value {
  const value = known.get(key)
  if (value !== undefined) return value
  const found = find()
  known.set(key, found)
  return found
}
