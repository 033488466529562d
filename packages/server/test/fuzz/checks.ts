/** What every fuzzer checks, and how many cases it runs. */
import assert from 'node:assert/strict'
import { isErrorCode } from '../../src/errors.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import type { TestResponse } from '../helpers/hub/response.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { seed } from '../helpers/random/seed.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'

/** The seed of the quick tier. */
const QUICK_SEED = 21

/**
 * Runs a fuzzer. The quick tier always runs the same cases: a new case that fails is found by the deep tier, which uses
 * the seed of the run, and not by the change that happens to be tested then.
 */
export async function fuzz<Case>(
  cases: fc.Arbitrary<Case>,
  {
    quick,
    deep,
    check,
  }: { quick: number; deep: number; check: (one: Case) => Promise<void> | void },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => check(one)),
    {
      seed: isDeep ? seed : QUICK_SEED,
      numRuns: rounds(quick, deep),
      ...(isDeep ? { verbose: 1 } : {}),
    },
  )
}

/** All of a corpus in the deep tier; in the quick tier about as many of its entries as `quick`, from all of its parts. */
export function sampleOf<Entry>(corpus: readonly Entry[], quick: number): Entry[] {
  const step = isDeep ? 1 : Math.max(1, Math.floor(corpus.length / quick))
  return corpus.filter((_, index) => index % step === 0)
}

/** Statuses of errors that only a platform or a provider can cause: the hub reports what it received from them. */
const UPSTREAM_STATUSES: readonly number[] = [502, 503, 504]

/**
 * Asserts that the response is a success, or an error with a status below 500 and a code of the catalogue that says
 * what is wrong. @returns the code; null for a success.
 */
export function expectHandled(
  { status, header, text }: TestResponse,
  { upstream = false }: { upstream?: boolean } = {},
): string | null {
  if (status < 400) return null
  const isAllowed = status < 500 || (upstream && UPSTREAM_STATUSES.includes(status))
  assert.ok(isAllowed, `${status} ${text}`)
  assert.match(header('content-type'), /^application\/json(;|$)/, text)
  const { success, code, message, request_id } = Object(JSON.parse(text))
  assert.equal(success, false)
  assert.ok(isErrorCode(code), `${code} is not in the catalogue`)
  assert.equal(request_id, header('x-request-id'))
  assert.ok(typeof message === 'string' && message.length > 10, text)
  assert.ok(
    message.length < 5000,
    `A message of ${message.length} characters: ${message.slice(0, 300)}`,
  )
  return code
}

/** Asserts that both engines have the same result. A failure shows the first difference only. */
export function expectSame(onSqlite: string, onPostgres: string): void {
  if (onSqlite === onPostgres) return
  let at = 0
  while (onSqlite[at] === onPostgres[at]) at += 1
  const from = Math.max(0, at - 150)
  assert.equal(
    onPostgres.slice(from, at + 150),
    onSqlite.slice(from, at + 150),
    'PostgreSQL and SQLite differ',
  )
}

/** Asserts that no input changed the prototype of objects, and that the hub logged no unexpected error. */
export function expectUnharmed(...hubs: TestHub[]): void {
  assert.deepEqual(Object.keys(Object.prototype), [])
  assert.equal(Reflect.get({}, 'a'), undefined)
  for (const hub of hubs) {
    const errors = hub
      .log()
      .split('\n')
      // The hub logs what a platform responded.
      .filter((line) => /"level":(?:50|60)/.test(line) && !line.includes('"type":"HubError"'))
    assert.deepEqual(errors, [])
  }
}
