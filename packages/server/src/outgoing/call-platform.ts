/** Every call to a platform goes through here (specification 4.2). */
import { SOURCE_KEY_HEADER } from '@recordhub/protocol'
import { type Dispatcher, request } from 'undici'
import { HubError } from '../errors.ts'
import { readBody } from './answer-body.ts'
import { askAgain } from './ask-again.ts'
import { discardBody } from './discard-body.ts'
import { createDispatcher, type NetworkSettings, refuseAddress } from './dispatcher.ts'
import { toOutgoingError } from './outgoing-error.ts'
import type { Patience } from './patience.ts'
import { headerOf } from './response-header.ts'

/** A platform as it is called: its base address and the key it expects. */
export type CallTarget = { source_base_url: string; source_api_key: string }

export type OutgoingSettings = NetworkSettings & {
  /** The neutral word in the paths: `/api/<word>/ping`. */
  platformPath: string
  tunnelHeader: string
  patience: Patience
}

export type CallOptions = {
  signal: AbortSignal
  firstByteSeconds: number
  /** Until when, by `performance.now()`, the call may be made again; null for once only. */
  endsAt: number | null
  /** Headers that ask for the answer only where it has changed; null for none. */
  conditions: Record<string, string> | null
}

/** A 200 with its body, decompressed; or, where conditions were sent, a 304. */
export type PlatformAnswer = {
  url: URL
  path: string
  isModified: boolean
  contentType: string
  /** A header by its name in small letters; "" for none. */
  header: (name: string) => string
  body: AsyncIterable<Uint8Array>
}

export type PlatformCaller = {
  /** The address of a path below `/api/<word>/`. */
  addressOf: (target: CallTarget, path: string) => URL
  /**
   * GETs an address of a platform with the platform's key and hands out a 200's body.
   * @throws HubError with its own code for each way in which a call can go wrong.
   */
  call: (target: CallTarget, url: URL, options: CallOptions) => Promise<PlatformAnswer>
  close: () => Promise<void>
}

export function createPlatformCaller(settings: OutgoingSettings): PlatformCaller {
  const { patience } = settings
  const dispatcher = createDispatcher(settings)
  return {
    addressOf: (target, path) =>
      new URL(`${target.source_base_url}/api/${settings.platformPath}/${path}`),

    async call(target, url, { signal, firstByteSeconds, endsAt, conditions }) {
      refuseAddress(url.hostname, settings.networks)
      const ask = () =>
        request(url, {
          dispatcher,
          signal,
          headersTimeout: firstByteSeconds * 1000,
          // The body's pace is watched by whoever reads it.
          bodyTimeout: 0,
          headers: {
            Accept: 'application/json',
            [SOURCE_KEY_HEADER]: target.source_api_key,
            [settings.tunnelHeader]: 'true',
            ...conditions,
          },
        })
      const path = url.pathname
      try {
        const answer =
          endsAt === null ? await ask() : await askAgain(ask, { path, signal, endsAt, patience })
        await checkAnswer(answer, path, conditions !== null)
        return toPlatformAnswer(answer, url, patience)
      } catch (error) {
        throw toOutgoingError(error)
      }
    },

    close: () => dispatcher.destroy(),
  }
}

async function checkAnswer(
  answer: Dispatcher.ResponseData,
  path: string,
  isConditional: boolean,
): Promise<void> {
  const { statusCode: status, headers, body } = answer
  if (status === 304 && isConditional) return discardBody(body)
  const problem = findProblem(status, (name) => headerOf(headers, name), path)
  if (!problem) return
  await discardBody(body)
  throw problem
}

function toPlatformAnswer(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  url: URL,
  patience: Patience,
): PlatformAnswer {
  const path = url.pathname
  const header = (name: string) => headerOf(headers, name)
  return {
    url,
    path,
    isModified: statusCode !== 304,
    contentType: header('content-type'),
    header,
    body: readBody(body, { path, encoding: header('content-encoding'), patience }),
  }
}

function findProblem(
  status: number,
  header: (name: string) => string,
  path: string,
): HubError | null {
  if (status >= 300 && status < 400 && status !== 304) {
    const location = (header('location') || 'an unnamed place').slice(0, 200)
    return new HubError('platform_redirected', { location })
  }
  if (status === 401 || status === 403) return new HubError('platform_refused_key', { status })
  if (status === 404) return new HubError('platform_path_missing', { path })
  if (status !== 200) return new HubError('platform_failed', { status, path })
  if (/^text\/html/i.test(header('content-type'))) {
    return new HubError('platform_not_json', { got: 'an HTML page', path })
  }
  return null
}
