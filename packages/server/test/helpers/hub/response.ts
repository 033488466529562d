/** A response of the hub for tests: parsed and checked against a schema, never cast. */
import assert from 'node:assert/strict'
import { ErrorResponse } from '@recordhub/protocol'
import { isJsonObject, type JsonObject } from '@recordhub/protocol/lossless-json'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { isErrorCode } from '../../../src/errors.ts'

export type TestResponse = {
  status: number
  /** The value of a header, or '' without it. */
  header: (name: string) => string
  cookies: string[]
  text: string
}

/** Asserts the status and the schema of the body, and returns the body. */
export function expectBody<Schema extends TSchema>(
  answer: TestResponse,
  status: number,
  schema: Schema,
): Static<Schema> {
  const value = parseBody(answer, status)
  if (Value.Check(schema, value)) return value
  throw new Error(`${JSON.stringify([...Value.Errors(schema, value)])} in ${answer.text}`)
}

/** Asserts the status and returns the body as a JSON object. */
export function expectObject(answer: TestResponse, status: number): JsonObject {
  const value = parseBody(answer, status)
  assert.ok(isJsonObject(value), answer.text)
  return value
}

/** Asserts that the response is an error with exactly the documented members. */
export function expectError(answer: TestResponse, status: number, code: string): ErrorResponse {
  const error = expectBody(answer, status, ErrorResponse)
  assert.equal(error.code, code, answer.text)
  assert.ok(isErrorCode(error.code), `${error.code} is not in the catalogue`)
  assert.equal(error.request_id, answer.header('x-request-id'))
  assert.ok(error.message.length > 0)
  assert.doesNotMatch(error.message, /\{\w+\}/, 'a place in the words was not filled in')
  const { errors, ...rest } = error
  expectMembers(rest, ['success', 'code', 'message', 'request_id'])
  for (const faults of Object.values(errors ?? {})) assert.ok(faults.length > 0)
  return error
}

/** Asserts that an object has exactly these members. */
export function expectMembers(value: object, members: readonly string[]): void {
  assert.deepEqual(Object.keys(value).sort(), [...members].sort())
}

/** Asserts that none of these texts is in any of those. */
export function expectAbsent(secrets: readonly string[], texts: readonly string[]): void {
  for (const secret of secrets) {
    assert.ok(secret.length >= 12, 'A secret this short may be anywhere')
    for (const text of texts) assert.ok(!text.includes(secret), `${secret} is in ${text}`)
  }
}

function parseBody(answer: TestResponse, status: number): unknown {
  assert.equal(answer.status, status, answer.text)
  assert.match(answer.header('content-type'), /^application\/json(;|$)/)
  return JSON.parse(answer.text)
}
