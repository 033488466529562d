/** What a platform is to the hub: told once, served by the handler. */

export type PlatformField = {
  /** The key in a record's `data`. */
  key: string
  /** The heading of its column in the hub; the key where it is left out. */
  label?: string
  /** `string` where it is left out; `number`, `date` and the like let the hub sort by size. */
  type?: string
  required?: boolean
}

export type PlatformRecord = {
  /** The platform's own reference of the record: never changed, never used again. */
  reference_number: string
  /** The person or thing that it is about. */
  full_name: string
  /** The values under their fields' keys, as JSON has them; null for an empty one. */
  data: object
}

export type Records = Iterable<PlatformRecord> | AsyncIterable<PlatformRecord>

/** One page of a module's records. */
export type RecordsPage = {
  records: Records
  /** What leads to the page after it; null at the end. */
  next: string | null
  /** How many records all pages hold, where that is known: lets the hub show how far it is. */
  total?: number
}

export type RecordsRequest = {
  /** Aborted when nobody waits for the answer any more: stop reading. */
  signal: AbortSignal
}

export type PlatformModule = {
  /** How people call it: "Employees". */
  name: string
  /** How programs call it, in addresses and pushes: "employee". Never changed. */
  recordType: string
  description?: string
  fields: readonly PlatformField[]
  /**
   * A text that changes whenever any record of the module does, such as the newest time of change and the
   * number of records. While it stays, the hub is spared the records, and the platform reading them.
   */
  version?: () => Promise<string> | string
} & (
  | {
      /** All records, one after the other; never held in memory by the kit. */
      records: (request: RecordsRequest) => Records | Promise<Records>
      pages?: never
    }
  | {
      /**
       * Instead of `records`, where one answer takes too long: a page at a time. `cursor` is null at first,
       * then what `next` of the page before said.
       */
      pages: (cursor: string | null, request: RecordsRequest) => RecordsPage | Promise<RecordsPage>
      records?: never
    }
)

/** A record that somebody looked for, with its module where that is known. */
export type FoundRecord = PlatformRecord & { record_type?: string }

export type PlatformDefinition = {
  /** How programs call the platform; unique in a hub, never changed. */
  name: string
  /** How people call it. */
  title: string
  description?: string
  /** The key that the hub must send; several while one is replaced by another. */
  sourceKey: string | readonly string[]
  modules: readonly PlatformModule[]
  /** Records that fit what somebody looks for; left out where the platform has no search. */
  search?: (
    query: string,
    request: RecordsRequest,
  ) =>
    | Iterable<FoundRecord>
    | AsyncIterable<FoundRecord>
    | Promise<Iterable<FoundRecord> | AsyncIterable<FoundRecord>>
}
