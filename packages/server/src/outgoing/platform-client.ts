import { type Manifest, PingAnswer } from '@recordhub/protocol'
import { Compile } from 'typebox/compile'
import { conditionsOf, type Validators } from '../domain/kept-answer.ts'
import { checkManifest } from '../domain/manifest.ts'
import { HubError } from '../errors.ts'
import { isJsonObject, type JsonObject, parseExact } from '../lib/exact-json.ts'
import {
  type CallTarget,
  createPlatformCaller,
  type OutgoingSettings,
  type PlatformAnswer,
} from './call-platform.ts'
import { hidingKey } from './hide-key.ts'
import { findReportedFailure, toBodyError } from './outgoing-error.ts'
import { type RecordsBeginning, readBeginning } from './records-beginning.ts'
import { openPages, type RecordsPage } from './records-pages.ts'

/** A ping or a manifest that takes longer is no answer to a person who waits for it. */
const SHORT_CALL_SECONDS = 30
const ONCE = { firstByteSeconds: SHORT_CALL_SECONDS, endsAt: null, conditions: null }
const MAX_SHORT_ANSWER_BYTES = 8 * 1024 * 1024

const isPing = Compile(PingAnswer)

export type RecordsOptions = {
  /** Ends the read. */
  signal: AbortSignal
  /** What the first byte of each page may take. */
  firstByteSeconds: number
  /** Until when, by `performance.now()`, there is time to wait and ask again; null for once only. */
  endsAt: number | null
  /** Of an answer that may still hold; null for none. */
  validators: Validators | null
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
  readBeginning: (
    target: CallTarget,
    recordType: string,
    signal: AbortSignal,
  ) => Promise<RecordsBeginning>
  /** Whether the platform has the optional search endpoint. Its answer is not read. */
  hasSearch: (target: CallTarget, signal: AbortSignal) => Promise<boolean>
  close: () => Promise<void>
}

export function createPlatformClient(settings: OutgoingSettings): PlatformClient {
  const caller = createPlatformCaller(settings)

  const fetchShort = (target: CallTarget, path: string, ending: AbortSignal | null) =>
    hidingKey(target.source_api_key, () => fetchAnswer(target, path, ending))

  async function fetchAnswer(
    target: CallTarget,
    path: string,
    ending: AbortSignal | null,
  ): Promise<{ answer: PlatformAnswer; value: JsonObject }> {
    const limit = AbortSignal.timeout(SHORT_CALL_SECONDS * 1000)
    const signal = ending ? AbortSignal.any([limit, ending]) : limit
    const answer = await caller.call(target, caller.addressOf(target, path), { ...ONCE, signal })
    try {
      const value = parseAnswer(await readBounded(answer), answer)
      const failure = findReportedFailure(value, answer.path)
      if (failure) throw failure
      return { answer, value }
    } catch (error) {
      throw toBodyError(error, answer.path)
    }
  }

  return {
    async ping(target, signal = null) {
      const { answer, value } = await fetchShort(target, 'ping', signal)
      if (isPing.Check(value)) return value
      const [first] = isPing.Errors(value)
      const reason = first ? `${first.instancePath} ${first.message}`.trim() : 'it is no ping'
      throw new HubError('platform_answer_invalid', { path: answer.path, reason })
    },
    async fetchManifest(target, signal = null) {
      const { answer, value } = await fetchShort(target, 'manifest', signal)
      const checked = checkManifest(value)
      if (checked.outcome === 'valid') return checked.manifest
      throw new HubError('platform_answer_invalid', { path: answer.path, reason: checked.reason })
    },
    async openRecords(target, recordType, { signal, firstByteSeconds, endsAt, validators }) {
      const options = { signal, firstByteSeconds, endsAt }
      const url = caller.addressOf(target, `records/${encodeURIComponent(recordType)}`)
      const conditions = validators && conditionsOf(validators)
      const answer = await caller.call(target, url, { ...options, conditions })
      if (!answer.isModified) return null
      return openPages(answer, {
        ask: (next) => caller.call(target, next, { ...options, conditions: null }),
        maxPages: settings.patience.maxPages,
      })
    },
    readBeginning: (target, recordType, ending) =>
      hidingKey(target.source_api_key, async () => {
        const signal = AbortSignal.any([AbortSignal.timeout(SHORT_CALL_SECONDS * 1000), ending])
        const url = caller.addressOf(target, `records/${encodeURIComponent(recordType)}`)
        return readBeginning(await caller.call(target, url, { ...ONCE, signal }))
      }),
    hasSearch: (target, ending) =>
      hidingKey(target.source_api_key, async () => {
        const signal = AbortSignal.any([AbortSignal.timeout(SHORT_CALL_SECONDS * 1000), ending])
        const url = caller.addressOf(target, 'search?query=recordhub')
        try {
          const { body } = await caller.call(target, url, { ...ONCE, signal })
          await body[Symbol.asyncIterator]().return?.()
          return true
        } catch (error) {
          if (error instanceof HubError && error.code === 'platform_path_missing') return false
          throw error
        }
      }),
    close: caller.close,
  }
}

async function readBounded(answer: PlatformAnswer): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body) {
    bytes += chunk.length
    if (bytes > MAX_SHORT_ANSWER_BYTES) {
      throw new HubError('platform_answer_too_large', {
        path: answer.path,
        limit: MAX_SHORT_ANSWER_BYTES,
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
}

function parseAnswer(text: string, answer: PlatformAnswer): JsonObject {
  try {
    const value = parseExact(text)
    if (isJsonObject(value)) return value
    throw new HubError('platform_answer_invalid', {
      path: answer.path,
      reason: 'it is no JSON object',
    })
  } catch (error) {
    if (error instanceof HubError) throw error
    const got = /^\s*</.test(text)
      ? 'an HTML page'
      : text.trim() === ''
        ? 'nothing'
        : 'something else'
    throw new HubError('platform_not_json', { got, path: answer.path })
  }
}
