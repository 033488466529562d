/** An answer of the hub as tests look at it: parsed and checked against a schema, never cast. */
import assert from 'node:assert/strict'
import { ErrorAnswer } from '@recordhub/protocol'
import { isJsonObject, type JsonObject } from '@recordhub/protocol/lossless-json'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { isErrorCode } from '../../../src/errors.ts'

export type Answer = {
  status: number
  /** The value of a header, '' where there is none. */
  header: (name: string) => string
  cookies: string[]
  text: string
}

/** The body as the schema says, and the status as expected. */
export function expectAnswer<Schema extends TSchema>(
  answer: Answer,
  status: number,
  schema: Schema,
): Static<Schema> {
  const value = parseBody(answer, status)
  if (Value.Check(schema, value)) return value
  throw new Error(`${JSON.stringify([...Value.Errors(schema, value)])} in ${answer.text}`)
}

/** The body as a JSON object, and the status as expected. */
export function expectObject(answer: Answer, status: number): JsonObject {
  const value = parseBody(answer, status)
  assert.ok(isJsonObject(value), answer.text)
  return value
}

/** An error in the one shape that errors have: nothing in it but what the documents name. */
export function expectError(answer: Answer, status: number, code: string): ErrorAnswer {
  const error = expectAnswer(answer, status, ErrorAnswer)
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

/** The members of an object are these and no others. */
export function expectMembers(value: object, members: readonly string[]): void {
  assert.deepEqual(Object.keys(value).sort(), [...members].sort())
}

/** None of these texts is in any of those. */
export function expectAbsent(secrets: readonly string[], texts: readonly string[]): void {
  for (const secret of secrets) {
    assert.ok(secret.length >= 12, 'A secret this short may be anywhere')
    for (const text of texts) assert.ok(!text.includes(secret), `${secret} is in ${text}`)
  }
}

function parseBody(answer: Answer, status: number): unknown {
  assert.equal(answer.status, status, answer.text)
  assert.match(answer.header('content-type'), /^application\/json(;|$)/)
  return JSON.parse(answer.text)
}
