/** The interface through which the platform checker uses the hub's platform client and validation. */
import type { CheckClient, Hub, HubRules, RecordsPage } from '@recordhub/platform-checker'
import { connectionHint } from '../../domain/platform/connection-hints.ts'
import { findManifestIssues, findRecordTypeIssue } from '../../domain/platform/manifest.ts'
import { redactText } from '../../domain/platform/redact-keys.ts'
import { decideRetry } from '../../domain/pull/retry.ts'
import { conditionalHeaders } from '../../domain/pull/unchanged.ts'
import { findTypeMismatch, isBadDate, isKnownType } from '../../domain/record/field-types.ts'
import { parseData } from '../../domain/record/record.ts'
import {
  checkPulled,
  formatErrors,
  recordTypeOf,
  referenceOf,
} from '../../domain/record/record-input.ts'
import { parseSearchResponse } from '../../domain/search/search-response.ts'
import { HubError } from '../../errors.ts'
import { findLink } from '../../lib/net/link-header.ts'
import { isStorableText, toSingleLine } from '../../lib/text/code-points.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { type PlatformClient, parseSourceUrl } from '../../platform-client/platform-client.ts'
import { readElements } from '../../platform-client/records/records-chunk.ts'
import type { RecordsPage as ClientPage } from '../../platform-client/records/records-pages.ts'
import { findEnvelopeError, totalOf } from '../../platform-client/records/records-stream.ts'
import { reportsFailure } from '../../platform-client/request/error-message.ts'
import { toThrottledError } from '../../platform-client/request/request-error.ts'
import { checkDescription } from './test-connection.ts'

export function createCheckerHub(client: PlatformClient, clock: Clock, version: string): Hub {
  return {
    version,
    now: () => clock.now(),
    client: toCheckClient(client),
    rules: CHECKER_RULES,
  }
}

export const CHECKER_RULES: HubRules = {
  findManifestIssues,
  findRecordTypeIssue,
  validateRecord(element) {
    const checked = checkPulled(element)
    if (checked.outcome === 'invalid') return checked
    return { outcome: 'valid', input: { ...checked.input, data: parseData(checked.input.data) } }
  },
  formatErrors,
  referenceOf,
  recordTypeOf,
  isKnownType,
  findTypeIssue: findTypeMismatch,
  isUnreadableDate: isBadDate,
  isStorableText,
  reportsFailure,
  countSearchResults(response) {
    const read = parseSearchResponse(response, 0)
    return read.outcome === 'found' ? read.found : null
  },
  conditionalHeaders,
  findNextLink: (header) => findLink(header, 'next'),
  parseSourceUrl,
  redact: redactText,
  toSingleLine,
  toPlatformError(error) {
    if (!(error instanceof HubError)) return null
    const { code, message } = error
    return { code, message, ...connectionHint(code) }
  },
  retryDelay(error, attempts) {
    if (!(error instanceof HubError) || error.code !== 'platform_throttled') return null
    const { retryAfterSeconds: seconds } = error
    const failure = { status: 429, retry_after_ms: seconds === undefined ? null : seconds * 1000 }
    const context = { attempts, left_ms: Infinity, jitter: Math.random() }
    const decision = decideRetry(failure, context)
    return decision.outcome === 'retry' ? decision.pause_ms : null
  },
}

function toCheckClient(client: PlatformClient): CheckClient {
  return {
    checkDescription(target, { expected, signal, retry }) {
      const retrying: Pick<PlatformClient, 'ping' | 'fetchManifest'> = {
        // Without warnings: the checker has a rule for them.
        ping: (to, end) => retry(() => client.ping(to, end)),
        fetchManifest: (to, end) => retry(() => client.fetchManifest(to, end)),
      }
      const options = { expected, correctUrl: expected === null, signal }
      return checkDescription(retrying, target, options)
    },
    async openRecords(target, recordType, { signal, maxSeconds, asksForGzip }) {
      const page = await client.openRecords(target, recordType, {
        ...{ signal, acceptGzip: asksForGzip, validators: null, firstByteSeconds: maxSeconds },
        retryUntil: performance.now() + maxSeconds * 1000,
      })
      if (!page) throw new Error('304 in response to an unconditional request')
      return toCheckPage(page)
    },
    search: client.search,
    async send(target, path, options) {
      const response = await client.sendRaw(target, path, options)
      if (response.status === 429) throw toThrottledError(response.path, response.header)
      return response
    },
  }
}

function toCheckPage(page: ClientPage): RecordsPage {
  return {
    number: page.number,
    contentType: page.contentType,
    header: page.header,
    validators: page.validators,
    envelope: page.envelope,
    async *batches() {
      for await (const chunk of page.chunks()) {
        const { elements, error } = readElements(chunk, [...chunk.starts.keys()])
        try {
          yield {
            bytes: chunk.bytes.length,
            elements: elements.map(({ index, value, bytes }) => ({
              ...{ index, value, bytes: bytes.length },
            })),
            tooLarge: chunk.tooLarge,
            error:
              error === null
                ? null
                : new HubError('platform_response_invalid', { path: page.path, reason: error }),
          }
        } finally {
          page.release(chunk)
        }
      }
    },
    assertEnvelope({ record_type, platform_name }) {
      const envelope = page.envelope()
      const expected = {
        record_type,
        platform_name: platform_name ?? String(envelope['platform_name']),
      }
      const error = findEnvelopeError(envelope, expected, page)
      if (error) throw error
    },
    total: () => totalOf(page.envelope()),
    async next(read, warn) {
      const next = await page.next(read, warn)
      return next && toCheckPage(next)
    },
  }
}
