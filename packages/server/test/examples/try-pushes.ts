/** Checks an example with a hub that disconnects, is busy or rejects a push, and that its outbox survives a kill. */

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { PUSH_RETRY_RULES, pushRetryRule } from '@recordhub/protocol/push-retry'
import { rounds } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'
import type { Example } from './examples.ts'
import { BUSY_SECONDS, type FaultyReceiver, startFaultyReceiver } from './faulty-receiver.ts'
import type { Program } from './run-program.ts'

const HUB_KEY = 'rhk_of_the_examples'
/** Some of the retried statuses. The delay grows with each retry, so all of them would take too long. */
const RETRIED = [401, 404, 408]
const FINAL = Object.keys(PUSH_RETRY_RULES)
  .map(Number)
  .filter((status) => !pushRetryRule(status).retry)

export async function tryPushes(
  t: Pick<TestContext, 'after'>,
  example: Example,
  start: (env: Record<string, string>, part?: 'worker') => Program,
): Promise<void> {
  const receiver = await startFaultyReceiver(t)
  const env = { HUB_URL: receiver.address, HUB_API_KEY: HUB_KEY }

  const retried = rounds(1, RETRIED.length)
  receiver.setResponses('disconnect', 'busy', ...RETRIED.slice(0, retried), 'accept')
  const program = start(env)
  await until(async () => {
    const isDone = example.isQueue
      ? new Set(bodiesOf(receiver)).size === 2 && receiver.received.length === retried + 4
      : (await Promise.race([program.ended, undefined])) !== undefined
    return isDone ? true : null
  }, 'both pushes have arrived').catch((error: Error) => {
    throw new Error(`${error.message}: ${program.output()}`)
  })
  await program.stop()
  checkRequests(receiver, example, retried + 2)
  // The receiver closes the first connection. The clients of other languages close a connection that is idle for some seconds.
  if (example.language === 'php') assert.equal(receiver.connections(), 2, 'a connection is reused')

  for (const status of FINAL.toReversed().slice(0, rounds(1, 2))) {
    await tryRejection(receiver, example, { status, start: () => start(env) })
  }
  if (example.isOutbox) await tryOutbox(receiver, (part) => start(env, part))
}

async function tryRejection(
  receiver: FaultyReceiver,
  example: Example,
  { status, start }: { status: number; start: () => Program },
): Promise<void> {
  const before = receiver.received.length
  receiver.setResponses(status)
  const rejected = start()
  const count = example.isQueue || example.isOutbox ? 2 : 1
  await until(
    async () => (receiver.received.length >= before + count ? true : null),
    'the rejection has been sent',
  )
  if (!example.isQueue) {
    const code = await rejected.ended
    assert.notEqual(code, 0, 'a rejection is reported')
    assert.match(rejected.output(), new RegExp(`${status}|Test response\\.`), 'with its reason')
  }
  await rejected.stop()
  assert.equal(receiver.received.length, before + count, 'a rejected push is not sent again')
}

/** Kills the program while the hub is unavailable. The next one sends the pushes in the outbox. */
async function tryOutbox(
  receiver: FaultyReceiver,
  start: (part?: 'worker') => Program,
): Promise<void> {
  const before = receiver.received.length
  receiver.setResponses('disconnect')
  const killed = start()
  await until(
    async () => (receiver.received.length > before ? true : null),
    'the first push has been tried',
  )
  await killed.stop()
  const tried = receiver.received.length
  receiver.setResponses('accept')
  const worker = start('worker')
  assert.equal(await worker.ended, 0, worker.output())
  const sent = receiver.received.slice(tried)
  assert.deepEqual(
    sent.map(({ method }) => method),
    ['POST', 'PATCH'],
  )
  assert.equal(sent[0]?.body, receiver.received[before]?.body, 'the body is unchanged')
}

function bodiesOf({ received }: FaultyReceiver): string[] {
  return received.map(({ body }) => JSON.parse(body).data.job_title)
}

/** Checks that the first push is sent unchanged until it is accepted, and then the second one. */
function checkRequests(receiver: FaultyReceiver, { isQueue }: Example, failures: number): void {
  const { received } = receiver
  for (const { headers, method } of received) {
    assert.equal(headers['x-api-key'], HUB_KEY)
    assert.match(headers['content-type'] ?? '', /^application\/json/)
    assert.match(headers.accept ?? '', /application\/json/)
    assert.match(method, /^(POST|PATCH)$/)
  }
  const ofFirst = received.filter(({ method }) => method === 'POST')
  assert.equal(new Set(ofFirst.map(({ body }) => body)).size, 1, 'the body is unchanged')
  const ofSecond = received.filter(({ method }) => method === 'PATCH')
  assert.equal(JSON.parse(ofSecond[0]?.body ?? '').data.department, null)
  // Workers of a queue send the next push during the delay. The hub orders both by `occurred_at`.
  if (isQueue) return
  const methods = received.map(({ method }) => method)
  const expected = [...Array.from({ length: failures + 1 }, () => 'POST'), 'PATCH']
  assert.deepEqual(methods, expected)
  const waited = (received[2]?.at ?? 0) - (received[1]?.at ?? 0)
  assert.ok(waited >= BUSY_SECONDS * 1000 - 50, `the delay was ${waited} ms of ${BUSY_SECONDS} s`)
}
