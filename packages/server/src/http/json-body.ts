import { MAX_JSON_DEPTH } from '@recordhub/protocol'
import { findUnsafeJson, parseLossless } from '@recordhub/protocol/lossless-json'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { UNSAFE_MESSAGES } from '../domain/record/record-input.ts'
import { HubError } from '../errors.ts'
import { NOT_UTF8 } from '../lib/json/json-array-scanner.ts'
import { findCompression } from '../lib/net/find-compression.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Reads the body of a request. @param parse parses it as lossless JSON. @throws HubError `invalid_json` */
type ReadBody = (
  bytes: Buffer,
  parse: (bytes: Buffer) => unknown,
  request: FastifyRequest,
) => unknown

/** Accepts only JSON bodies. By default they are parsed. */
export function acceptJsonBodies(
  app: FastifyInstance,
  read: ReadBody = (bytes, parse) => parse(bytes),
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i,
    { parseAs: 'buffer' },
    (
      request: FastifyRequest,
      body: Buffer,
      done: (error: Error | null, body?: unknown) => void,
    ) => {
      try {
        rejectEncoding(request)
        // Some clients send the type with every request.
        if (body.length === 0 && isBodyOptional(request)) return done(null, null)
        done(null, read(body, parseBody, request))
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  )
}

function isBodyOptional({ routeOptions }: FastifyRequest): boolean {
  const { anyOf = [] }: { anyOf?: { type?: string }[] } = Object(routeOptions.schema?.body)
  return anyOf.some(({ type }) => type === 'null')
}

/** Rejects compressed bodies: a proxy that decompresses them would read another body than the hub. */
function rejectEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw new HubError('unsupported_media_type')
}

function parseBody(body: Buffer): unknown {
  if (body.length === 0) throw new HubError('invalid_json', { reason: 'it is empty' })
  const compression = findCompression(body)
  if (compression !== null) {
    const reason = `it is compressed (${compression}); send it uncompressed`
    throw new HubError('invalid_json', { reason })
  }
  const value = parse(decode(body))
  const unsafe = findUnsafeJson(value, MAX_JSON_DEPTH)
  if (unsafe !== null)
    throw new HubError('invalid_json', { reason: `it ${UNSAFE_MESSAGES[unsafe]}` })
  return value
}

function decode(body: Buffer): string {
  try {
    return decoder.decode(body)
  } catch {
    throw new HubError('invalid_json', { reason: `it ${NOT_UTF8}` })
  }
}

function parse(text: string): unknown {
  try {
    return parseLossless(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be parsed'
    throw new HubError('invalid_json', { reason: reason.slice(0, 200) })
  }
}
