/** The definition of a platform, which the handler serves. */

export type PlatformField = {
  /** The key in a record's `data`. */
  key: string
  /** The heading of the column in the hub; the key by default. */
  label?: string
  /** `string` by default. With `number`, `date` and similar types the hub sorts by value. */
  type?: string
  required?: boolean
}

export type PlatformRecord = {
  /** The platform's own identifier of the record: never changed, never reused. */
  reference_number: string
  /** The person or thing that the record is about. */
  full_name: string
  /** The JSON values of the fields, by key; null for an empty field. */
  data: object
  /**
   * A text of at most 512 bytes or an integer that changes whenever anything in the record changes: a row version, the
   * change time with microseconds, a hash of the row. With one in every record, the hub reads only what differs.
   */
  version?: string | number | null
}

export type Records = Iterable<PlatformRecord> | AsyncIterable<PlatformRecord>

/** One page of a module's records. */
export type RecordsPage = {
  records: Records
  /** The cursor of the next page; null on the last page. */
  next: string | null
  /** The number of records on all pages, if known: the hub uses it to show the progress. */
  total?: number
}

export type RecordsRequest = {
  /** Aborted when the hub has closed the connection: stop reading. */
  signal: AbortSignal
}

/** A request for the buckets of a digest. */
export type DigestRequest = RecordsRequest & {
  /** How many hex digits of `md5(reference_number)` name a bucket: 1 to 8. */
  digits: number
  /** Only records whose `md5(reference_number)` begins with one of these; null for all. At most 100. */
  prefixes: readonly string[] | null
}

/**
 * The first hex digits of `md5(reference_number)`, the number of records of the bucket, and the sum of the first 12 hex
 * digits of `md5(reference_number || U+001F || version)` as integers, as a query returns them. The kit reduces the sum
 * modulo 2^48, if the query has not: a number must be below 2^53.
 */
export type DigestBucket = readonly [
  prefix: string,
  count: number | bigint | string,
  sum: number | bigint | string,
]

export type PlatformModule = {
  /** The display name: "Employees". */
  name: string
  /** The identifier in URLs and pushes: "employee". Never changed. */
  recordType: string
  description?: string
  fields: readonly PlatformField[]
  /**
   * A text that changes whenever a record of the module changes, such as the newest change time and the number of
   * records. While it is the same, the platform does not read the records and the hub does not request them.
   */
  version?: () => Promise<string> | string
  /**
   * The digest of the module, computed by the database; null if a record has no version. Without it, the kit reads all
   * records for each digest, which is a scan of the module: the first byte of the response comes after the last record,
   * and the hub waits for it until the time limit of a pull.
   */
  digest?: (
    request: DigestRequest,
  ) =>
    | Iterable<DigestBucket>
    | AsyncIterable<DigestBucket>
    | null
    | Promise<Iterable<DigestBucket> | AsyncIterable<DigestBucket> | null>
  /**
   * The records whose `md5(reference_number)` begins with one of the prefixes. Without it, the kit reads all records and
   * sends these.
   */
  recordsByPrefix?: (
    prefixes: readonly string[],
    request: RecordsRequest,
  ) => Records | Promise<Records>
} & (
  | {
      /** All records; the kit streams them. */
      records: (request: RecordsRequest) => Records | Promise<Records>
      pages?: never
    }
  | {
      /**
       * One page of records, for modules that are too large for one response. `cursor` is null for the first page, then
       * `next` of the previous page.
       */
      pages: (cursor: string | null, request: RecordsRequest) => RecordsPage | Promise<RecordsPage>
      records?: never
    }
)

/** A search result, with its module if known. */
export type FoundRecord = PlatformRecord & { record_type?: string }

export type PlatformDefinition = {
  /** The identifier of the platform: unique in a hub, never changed. */
  name: string
  /** The display name. */
  title: string
  description?: string
  /** The source API key that the hub must send; several while a key is rotated. */
  sourceKey: string | readonly string[]
  modules: readonly PlatformModule[]
  /** Finds the records that match a query; omitted if the platform has no search. */
  search?: (
    query: string,
    request: RecordsRequest,
  ) =>
    | Iterable<FoundRecord>
    | AsyncIterable<FoundRecord>
    | Promise<Iterable<FoundRecord> | AsyncIterable<FoundRecord>>
}

/** The body of the manifest response. */
export type Manifest = {
  success: true
  platform_name: string
  platform_title: string
  platform_description: string
  modules: {
    module_name: string
    record_type: string
    description: string
    fields: Required<PlatformField>[]
  }[]
}

export function toManifest(platform: PlatformDefinition): Manifest {
  const { name, title, description = '', modules } = platform
  return {
    success: true,
    platform_name: name,
    platform_title: title,
    platform_description: description,
    modules: modules.map((module) => ({
      module_name: module.name,
      record_type: module.recordType,
      description: module.description ?? '',
      fields: module.fields.map(({ key, label = key, type = 'string', required = false }) => ({
        key,
        label,
        type,
        required,
      })),
    })),
  }
}
