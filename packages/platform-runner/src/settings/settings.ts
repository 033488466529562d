import type { FieldType } from '../records/kind.ts'
import type { Template } from '../records/template.ts'

/** What the owner has written, checked as far as that goes without looking at the data. */
export type Settings = {
  platform: {
    name: string
    title: string
    description: string
    sourceKeys: string[]
    /** The neutral word in the paths. */
    pathWord: string
  }
  listen: { host: string; port: number }
  source: SourceSettings
  modules: ModuleSettings[]
  push: PushSettings | null
}

export type SourceSettings =
  | { kind: 'postgres'; url: string }
  | { kind: 'mysql'; url: string }
  | { kind: 'sqlite'; path: string }
  | { kind: 'folder'; path: string }

/** Where the rows of a module come from. */
export type Origin =
  | { kind: 'table'; table: string }
  | { kind: 'query'; query: string }
  /**
   * @property delimiter between the cells of a CSV file; null where it is to be found out.
   * @property encoding as TextDecoder calls it; null for UTF-8.
   */
  | { kind: 'file'; file: string; delimiter: string | null; encoding: string | null }

export type FieldSettings = {
  label: string | null
  type: FieldType | null
  required: boolean | null
}

export type ModuleSettings = {
  /** Where it stands in the file, for faults that only the data show. */
  placeOf: (key: string | null) => string
  recordType: string
  /** Null where it is to be made of the name of its table or file. */
  name: string | null
  description: string
  origin: Origin
  reference: Template
  fullName: Template
  /** Only these; null for all. */
  columns: string[] | null
  leaveOut: string[]
  fields: Record<string, FieldSettings>
  search: string[]
  updatedAt: string | null
}

export type PushSettings = {
  hubUrl: string
  hubApiKey: string
  everySeconds: number
  /** How late a change may show after what is newer than it. */
  overlapSeconds: number
  /** Whether what is there at the very first start is pushed, too. */
  pushesExisting: boolean
  /** Where the outbox lies, and how far it got. */
  stateFolder: string
}
