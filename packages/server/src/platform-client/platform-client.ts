import { type Manifest, PingAnswer } from '@recordhub/protocol'
import { Compile } from 'typebox/compile'
import { conditionsOf, type Validators } from '../domain/kept-answer.ts'
import { checkManifest } from '../domain/manifest.ts'
import { HubError } from '../errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json/lossless-json.ts'
import { peekRecords, type RecordsPeek } from './records/peek-records.ts'
import { openPages, type RecordsPage } from './records/records-pages.ts'
import { readJsonBody } from './request/read-json-body.ts'
import { withRedactedKey } from './request/redact-key.ts'
import { findReportedFailure, toBodyError } from './request/request-error.ts'
import {
  type CallTarget,
  createRequestSender,
  type PlatformClientSettings,
  type PlatformResponse,
  type RawRequestOptions,
  type RawResponse,
} from './request/send-request.ts'

const MAX_SHORT_ANSWER_BYTES = 8 * 1024 * 1024
const MAX_SEARCH_ANSWER_BYTES = 1024 * 1024

const isPing = Compile(PingAnswer)

type RecordsOptions = {
  /** Ends the read. */
  signal: AbortSignal
  /** What the first byte of each page may take. */
  firstByteSeconds: number
  /** Until when, by `performance.now()`, there is time to wait and ask again; null for once only. */
  endsAt: number | null
  /** Of an answer that may still hold; null for none. */
  validators: Validators | null
  /** Whether a compressed answer is asked for. */
  asksForGzip?: boolean
}

/** What the hub asks of a platform. Each method throws a HubError that says what to do. */
export type PlatformClient = {
  /** @param signal as for `fetchManifest`. */
  ping: (target: CallTarget, signal?: AbortSignal | null) => Promise<PingAnswer>
  /** @param signal ends it; left out or null where only its own limit of time does. */
  fetchManifest: (target: CallTarget, signal?: AbortSignal | null) => Promise<Manifest>
  /**
   * Opens the records answer of one module, to be read element by element with bounded memory. Tries
   * again where the platform refuses the connection or is busy, before anything has come.
   * @returns null where the answer that `validators` are of still holds.
   */
  openRecords: (
    target: CallTarget,
    recordType: string,
    options: RecordsOptions,
  ) => Promise<RecordsPage | null>
  /** Reads the beginning of a module's records answer, for as long as a short call may take. */
  peekRecords: (target: CallTarget, recordType: string, signal: AbortSignal) => Promise<RecordsPeek>
  /** Whether the platform has the optional search endpoint. Its answer is not read. */
  hasSearch: (target: CallTarget, signal: AbortSignal) => Promise<boolean>
  /**
   * Has the platform search its own data by a keyword or a person's name, for 10 s and 1 MiB at most.
   * @returns the answer, whose shape is open (specification 4.2); null where it has no such endpoint.
   */
  search: (target: CallTarget, query: string, signal: AbortSignal) => Promise<JsonValue | null>
  /**
   * Calls a path below `/api/<word>/` once, with any key, and hands out whatever is answered.
   * @throws HubError where there was no answer.
   */
  sendRaw: (
    target: Pick<CallTarget, 'source_base_url'>,
    path: string,
    options: RawRequestOptions,
  ) => Promise<RawResponse>
  close: () => Promise<void>
}

export function createPlatformClient(settings: PlatformClientSettings): PlatformClient {
  const caller = createRequestSender(settings)
  const { shortCallSeconds } = settings.timeouts
  const once = { firstByteSeconds: shortCallSeconds, endsAt: null, conditions: null }

  async function fetchShort(
    target: CallTarget,
    path: string,
    ending: AbortSignal | null,
  ): Promise<{ answer: PlatformResponse; value: JsonObject }> {
    const limits = { seconds: shortCallSeconds, bytes: MAX_SHORT_ANSWER_BYTES }
    const { answer, value } = await fetchAnswer(target, path, ending, limits)
    if (isJsonObject(value)) return { answer, value }
    const reason = 'it is no JSON object'
    throw new HubError('platform_answer_invalid', { path: answer.path, reason })
  }

  const fetchAnswer = (
    target: CallTarget,
    path: string,
    ending: AbortSignal | null,
    { seconds, bytes }: { seconds: number; bytes: number },
  ): Promise<{ answer: PlatformResponse; value: JsonValue }> =>
    withRedactedKey(target.source_api_key, async () => {
      const limit = AbortSignal.timeout(seconds * 1000)
      const answer = await caller.get(target, caller.urlOf(target, path), {
        signal: ending ? AbortSignal.any([limit, ending]) : limit,
        firstByteSeconds: seconds,
        endsAt: null,
        conditions: null,
      })
      try {
        const value = await readJsonBody(answer, bytes)
        const failure = isJsonObject(value) ? findReportedFailure(value, answer) : null
        if (failure) throw failure
        return { answer, value }
      } catch (error) {
        throw toBodyError(error, answer.path)
      }
    })

  return {
    async ping(target, signal = null) {
      const { answer, value } = await fetchShort(target, 'ping', signal)
      if (isPing.Check(value)) return value
      const [first] = isPing.Errors(value)
      const reason = first ? `${first.instancePath || 'it'} ${first.message}` : 'it is no ping'
      throw new HubError('platform_answer_invalid', { path: answer.path, reason })
    },
    async fetchManifest(target, signal = null) {
      const { answer, value } = await fetchShort(target, 'manifest', signal)
      const checked = checkManifest(value)
      if (checked.outcome === 'valid') return checked.manifest
      throw new HubError('platform_answer_invalid', { path: answer.path, reason: checked.reason })
    },
    async openRecords(target, recordType, { validators, ...options }) {
      const url = caller.urlOf(target, `records/${encodeURIComponent(recordType)}`)
      const conditions = validators && conditionsOf(validators)
      const answer = await caller.get(target, url, { ...options, conditions })
      if (!answer.isModified) return null
      return openPages(answer, {
        ask: (next) => caller.get(target, next, { ...options, conditions: null }),
        maxPages: settings.timeouts.maxPages,
      })
    },
    peekRecords: (target, recordType, ending) =>
      withRedactedKey(target.source_api_key, async () => {
        const signal = AbortSignal.any([AbortSignal.timeout(shortCallSeconds * 1000), ending])
        const url = caller.urlOf(target, `records/${encodeURIComponent(recordType)}`)
        return peekRecords(await caller.get(target, url, { ...once, signal }))
      }),
    hasSearch: (target, ending) =>
      withRedactedKey(target.source_api_key, async () => {
        const signal = AbortSignal.any([AbortSignal.timeout(shortCallSeconds * 1000), ending])
        const url = caller.urlOf(target, 'search?query=recordhub')
        try {
          const { body } = await caller.get(target, url, { ...once, signal })
          await body[Symbol.asyncIterator]().return?.()
          return true
        } catch (error) {
          if (error instanceof HubError && error.code === 'platform_path_missing') return false
          throw error
        }
      }),
    async search(target, query, signal) {
      const path = `search?query=${encodeURIComponent(query.toWellFormed())}`
      const limits = { seconds: settings.timeouts.searchSeconds, bytes: MAX_SEARCH_ANSWER_BYTES }
      try {
        return (await fetchAnswer(target, path, signal, limits)).value
      } catch (error) {
        if (error instanceof HubError && error.code === 'platform_path_missing') return null
        throw error
      }
    },
    sendRaw: (target, path, options) => caller.sendRaw(caller.urlOf(target, path), options),
    close: caller.close,
  }
}
