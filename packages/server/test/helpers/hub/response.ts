/** Responses of the hub, checked against schemas. */
import assert from 'node:assert/strict'
import { ErrorResponse } from '@recordhub/protocol'
import { isJsonObject, type JsonObject } from '@recordhub/protocol/lossless-json'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { isErrorCode } from '../../../src/errors.ts'

export type TestResponse = {
  status: number
  /** The value of a header, or '' if it is missing. */
  header: (name: string) => string
  cookies: string[]
  text: string
}

/** Asserts the status and the schema of the body, and returns the body. */
export function expectBody<Schema extends TSchema>(
  response: TestResponse,
  status: number,
  schema: Schema,
): Static<Schema> {
  const value = parseBody(response, status)
  if (Value.Check(schema, value)) return value
  throw new Error(`${JSON.stringify([...Value.Errors(schema, value)])} in ${response.text}`)
}

/** Asserts the status and returns the body as a JSON object. */
export function expectObject(response: TestResponse, status: number): JsonObject {
  const value = parseBody(response, status)
  assert.ok(isJsonObject(value), response.text)
  return value
}

/** Asserts that the response is an error with exactly the documented members. */
export function expectError(response: TestResponse, status: number, code: string): ErrorResponse {
  const error = expectBody(response, status, ErrorResponse)
  assert.equal(error.code, code, response.text)
  assert.ok(isErrorCode(error.code), `${error.code} is not in the catalogue`)
  assert.equal(error.request_id, response.header('x-request-id'))
  assert.ok(error.message.length > 0)
  assert.doesNotMatch(error.message, /\{\w+\}/, 'a placeholder of the message was not filled in')
  const { errors, ...rest } = error
  expectMembers(rest, ['success', 'code', 'message', 'request_id'])
  for (const messages of Object.values(errors ?? {})) assert.ok(messages.length > 0)
  return error
}

/** Asserts that an object has exactly these members. */
export function expectMembers(value: object, members: readonly string[]): void {
  assert.deepEqual(Object.keys(value).sort(), [...members].sort())
}

/** Asserts that no text contains one of the secrets. */
export function expectAbsent(secrets: readonly string[], texts: readonly string[]): void {
  for (const secret of secrets) {
    assert.ok(secret.length >= 12, 'A short secret could occur by chance')
    for (const text of texts) assert.ok(!text.includes(secret), `${secret} is in ${text}`)
  }
}

function parseBody(response: TestResponse, status: number): unknown {
  assert.equal(response.status, status, response.text)
  assert.match(response.header('content-type'), /^application\/json(;|$)/)
  return JSON.parse(response.text)
}
