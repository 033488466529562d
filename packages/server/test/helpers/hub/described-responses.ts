/** Checks every response that a test receives against the OpenAPI document that the hub publishes. */
import assert from 'node:assert/strict'
import { isJsonObject, type JsonObject } from '@recordhub/protocol/lossless-json'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { Compile } from 'typebox/schema'

/** What a request asked for, and its response. */
export type Exchange = {
  method: string
  url: string
  status: number
  /** The header `Content-Type`; empty if it is missing. */
  contentType: string
  /** Null for a body that the test has not read. */
  text: string | null
}

type Check = (text: string) => void
type Described = { checkBody: Map<string, Check> }
type Operation = { responses: Map<string, Described> }

/** One router for the process: all hubs of a version publish the same document. */
let router: findMyWay.Instance<findMyWay.HTTPVersion.V1> | null = null

export const DOCUMENT_URL = '/api/openapi.json'

/** Reads the document from the first hub of the process. @param read its text; null if the hub does not respond. */
export async function provideDocument(read: () => Promise<string | null>): Promise<void> {
  if (router !== null) return
  const text = await read()
  if (text !== null) router = createRouter(JSON.parse(text))
}

/** Asserts that the document describes the status, the content type and the body. Pages and files are not in it. */
export function expectDescribed({ method, url, status, contentType, text }: Exchange): void {
  const [path = ''] = url.split('?')
  const found = router?.find(toMethod(method === 'HEAD' ? 'GET' : method), path)
  if (!found) return
  const { responses }: Operation = found.store
  const name = `${method} ${path} ${status}`
  const described = responses.get(String(status)) ?? responses.get(`${Math.floor(status / 100)}XX`)
  assert.ok(described, `${name}: the OpenAPI document does not describe the status. ${text}`)
  if (method === 'HEAD' || (!text && described.checkBody.size === 0)) return
  const [type = ''] = contentType.split(';')
  const checkBody = described.checkBody.get(type.trim().toLowerCase())
  assert.ok(checkBody, `${name}: the OpenAPI document does not describe ${contentType || 'a body'}`)
  if (text === null) return
  try {
    checkBody(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    assert.fail(`${name}: the body is not as the OpenAPI document describes it: ${reason}\n${text}`)
  }
}

function createRouter({ paths }: JsonObject) {
  const created = findMyWay({ maxParamLength: 1024 })
  for (const [path, item] of Object.entries(Object(paths))) {
    for (const [method, operation] of Object.entries(Object(item))) {
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
      created.on(toMethod(method.toUpperCase()), url, () => undefined, toOperation(operation))
    }
  }
  return created
}

function toOperation(operation: unknown): Operation {
  const responses = Object.entries(Object(Object(operation).responses))
  return {
    responses: new Map(responses.map(([status, response]) => [status, toDescribed(response)])),
  }
}

function toDescribed(response: unknown): Described {
  const content = Object.entries(Object(Object(response).content ?? {}))
  return {
    checkBody: new Map(
      content.map(([type, media]) => {
        const [name = ''] = type.split(';')
        return [name, name === 'application/json' ? checkJson(Object(media).schema) : () => {}]
      }),
    ),
  }
}

/** Compiles the schema for the first response that has it. */
function checkJson(schema: unknown): Check {
  let compiled: ReturnType<typeof compile> | null = null
  return (text) => {
    compiled ??= compile(schema)
    const value: unknown = JSON.parse(text)
    if (compiled.Check(value)) return
    const [, errors] = compiled.Errors(value)
    assert.fail(JSON.stringify(errors.slice(0, 5)))
  }
}

const compile = (schema: unknown) => Compile(Object(close(schema)))

/** The schema without members that it does not name: the hub sends only what it describes. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close)
  if (!isJsonObject(schema)) return schema
  const { enum: _enum, const: _const, ...inner } = schema
  const closed = Object.fromEntries(
    Object.entries(inner).map(([key, value]) => [
      key,
      key === 'properties' ? mapMembers(value, close) : close(value),
    ]),
  )
  const isOpen = !('properties' in schema) || 'additionalProperties' in schema
  return { ...schema, ...closed, ...(isOpen ? {} : { additionalProperties: false }) }
}

function mapMembers(value: unknown, map: (one: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(Object(value)).map(([key, one]) => [key, map(one)]))
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

function toMethod(method: string): HTTPMethod {
  return METHODS.find((one) => one === method) ?? 'OPTIONS'
}
