import type { FieldType } from '../records/kind.ts'
import type { Template } from '../records/template.ts'

/** The settings, validated without the data. */
export type Settings = {
  platform: {
    name: string
    title: string
    description: string
    sourceKeys: string[]
    /** The word in the paths: `/api/<word>/ping`. */
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

/** The origin of the rows of a module. */
export type Origin =
  | { kind: 'table'; table: string }
  | { kind: 'query'; query: string }
  /**
   * @property delimiter of a CSV file; null to detect it.
   * @property encoding a label of TextDecoder; null for UTF-8.
   */
  | { kind: 'file'; file: string; delimiter: string | null; encoding: string | null }

export type FieldSettings = {
  label: string | null
  type: FieldType | null
  required: boolean | null
}

export type ModuleSettings = {
  /** The position of a key in the file, for issues that only the data show. */
  positionOf: (key: string | null) => string
  recordType: string
  /** Null to derive it from the record type. */
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
  /** The column with the version of a record; null for a hash of the record. */
  version: string | null
}

export type PushSettings = {
  hubUrl: string
  hubApiKey: string
  everySeconds: number
  /** How long after newer changes a change may become visible. */
  overlapSeconds: number
  /** Whether existing rows are pushed at the first start. */
  pushesExisting: boolean
  /** The folder of the outbox and the progress file. */
  stateFolder: string
}
