/**
 * The interface to the hub. The hub passes its own client and its own validation, so that the checker and the hub never
 * disagree about which data is valid.
 */
import type { ConnectionCheck, Manifest, PingResponse } from '@recordhub/protocol'
import type { JsonObject, JsonValue } from '@recordhub/protocol/lossless-json'

/** The address and the source API key of a platform. */
export type CheckTarget = { source_base_url: string; source_api_key: string }

/** The hub: its client and its validation. */
export type Hub = {
  version: string
  now: () => Date
  client: CheckClient
  rules: HubRules
}

/** Calls a platform as the hub does. Each method throws errors that {@link HubRules.toPlatformError} recognises. */
export type CheckClient = {
  /**
   * Requests the ping and the manifest and yields the result of each.
   * @param options `retry` runs each request.
   */
  checkDescription: (
    target: CheckTarget,
    options: { expected: string | null; signal: AbortSignal; retry: Retry },
  ) => AsyncGenerator<ConnectionCheck, Description>
  /** Requests the records of a module without conditions. The first byte may take as long as `maxSeconds`. */
  openRecords: (
    target: CheckTarget,
    recordType: string,
    options: { signal: AbortSignal; maxSeconds: number; asksForGzip: boolean },
  ) => Promise<RecordsPage>
  /** Searches the platform; null if it has no search endpoint. */
  search: (target: CheckTarget, query: string, signal: AbortSignal) => Promise<JsonValue | null>
  /** Sends one request with any key. Throws for a 429 response, and without a response. */
  send: (
    target: Pick<CheckTarget, 'source_base_url'>,
    path: string,
    options: SendOptions,
  ) => Promise<PlatformResponse>
}

/** Runs a request, and repeats it while the platform limits the rate of requests. */
export type Retry = <Result>(request: () => Promise<Result>) => Promise<Result>

/** The description that a platform gives of itself, as far as it could be read. */
export type Description = {
  /** The address that responded, which may be corrected; null if none did. */
  source_base_url: string | null
  /** The target for further requests; null if they would all fail. */
  target: CheckTarget | null
  ping: PingResponse | null
  manifest: Manifest | null
}

export type SendOptions = {
  method: 'GET' | 'HEAD'
  /** The key to send; null for none. */
  key: string | null
  headers: Record<string, string>
  signal: AbortSignal
  /** Maximum number of bytes of the body to read. */
  maxBytes: number
}

export type PlatformResponse = {
  status: number
  /** The value of a header by its lower-case name; "" if it is missing. */
  header: (name: string) => string
  text: string
  /** The time until the response began. */
  began_ms: number
}

/** The `ETag` and `Last-Modified` of a response, as far as they can be sent back. */
export type Validators = { etag: string | null; last_modified: string | null }

/** One page of a records response. A response without links has one page. */
export type RecordsPage = {
  /** From 1. */
  number: number
  contentType: string
  header: (name: string) => string
  validators: Validators | null
  /** The elements of `records` as they arrive. */
  batches: () => AsyncIterable<RecordsBatch>
  /** The members outside of `records` that have been read so far. */
  envelope: () => Readonly<Record<string, unknown>>
  /**
   * Throws if the envelope reports a failure, or is of another platform or module.
   * @param expected `platform_name`: null for any.
   */
  assertEnvelope: (expected: { record_type: string; platform_name: string | null }) => void
  /** The `total` of the envelope; null without a valid one. */
  total: () => number | null
  /**
   * Requests the next page after this one is read; null after the last one. Throws for pages without an end.
   * @param read the numbers of elements and of different references on all pages so far.
   * @param warn is called for a link of the last page that is not followed.
   */
  next: (
    read: { received: number; references: number; total: number | null },
    warn: () => void,
  ) => Promise<RecordsPage | null>
}

export type RecordsBatch = {
  bytes: number
  elements: { index: number; value: JsonValue; bytes: number }[]
  /** The indexes of elements that are too large to be read. */
  tooLarge: readonly number[]
  /** The error of the element after these that is not JSON; null without one. */
  error: Error | null
}

/** An error that a request to the platform, or a push, resulted in. */
export type PlatformError = { code: string; message: string; cause: string; fix: string }

/** The hub's own rules about data of platforms. */
export type HubRules = {
  /** All reasons for which the hub rejects a manifest. */
  findManifestIssues: (manifest: JsonObject) => Iterable<ManifestIssue>
  /** The reason why a record type cannot be used in a path; null if it can. */
  findRecordTypeIssue: (recordType: string) => string | null
  validateRecord: (element: JsonValue) => RecordValidation
  /** The errors of a record on one line. */
  formatErrors: (errors: Record<string, string[]>) => string
  /** The reference number of an element or a push, whatever else is invalid; null without a valid one. */
  referenceOf: (value: JsonValue) => string | null
  /** The record type of a push, whatever else is invalid; null without a valid one. */
  recordTypeOf: (value: JsonValue) => string | null
  isKnownType: (type: string) => boolean
  /** Describes a value that does not match the type; null if it matches. */
  findTypeIssue: (value: JsonValue, type: string) => string | null
  isUnreadableDate: (value: JsonValue, field: { key: string; type: string }) => boolean
  isStorableText: (text: string) => boolean
  /** Whether the hub takes a response as a failure, whatever its status. */
  reportsFailure: (response: JsonObject) => boolean
  /** The number of records that the hub finds in a search response; null if it does not understand it. */
  countSearchResults: (response: JsonValue) => number | null
  /** The headers of a conditional request. */
  conditionalHeaders: (validators: Validators) => Record<string, string>
  /** The target of the link to the next page in a `Link` header; null without one. */
  findNextLink: (header: string) => string | null
  /** Normalises an address. Throws if it is invalid. */
  parseSourceUrl: (url: string) => string
  /** Replaces keys in a text. */
  redact: (text: string, keys: readonly string[]) => string
  toSingleLine: (text: string, maxLength: number) => string
  /** Null for errors that are not the platform's. */
  toPlatformError: (error: unknown) => PlatformError | null
  /** The delay in milliseconds before a rate-limited request is sent again; null if it must not be. */
  retryDelay: (error: unknown, attempts: number) => number | null
}

export type ManifestIssue = {
  kind: 'shape' | 'text' | 'duplicate_module' | 'record_type' | 'duplicate_field'
  reason: string
}

export type RecordValidation =
  | {
      outcome: 'valid'
      input: { reference_number: string; full_name: string; data: JsonObject }
    }
  /** The errors by member. */
  | { outcome: 'invalid'; errors: Record<string, string[]> }
