/** Checks what an example does when the hub hangs up, is busy or rejects a push. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { eventually } from '../helpers/process/operator.ts'
import type { Example } from './examples.ts'
import { BUSY_SECONDS, type MoodyReceiver, startMoodyReceiver } from './moody-receiver.ts'
import type { Program } from './run-program.ts'

const HUB_KEY = 'rhk_of_the_examples'

export async function tryPushes(
  t: Pick<TestContext, 'after'>,
  example: Example,
  start: (env: Record<string, string>) => Program,
): Promise<void> {
  const receiver = await startMoodyReceiver(t)
  const env = { HUB_URL: receiver.address, HUB_API_KEY: HUB_KEY }

  receiver.answerWith('hang up', 'busy', 'take')
  const patient = start(env)
  await eventually('both pushes have arrived', async () => {
    const isOver = example.isQueue
      ? new Set(bodiesOf(receiver)).size === 2 && receiver.received.length === 4
      : (await Promise.race([patient.ended, undefined])) !== undefined
    return isOver ? true : null
  }).catch((error: Error) => {
    throw new Error(`${error.message}: ${patient.output()}`)
  })
  await patient.stop()
  checkRequests(receiver, example)

  const before = receiver.received.length
  receiver.answerWith('refuse')
  const refused = start(env)
  const count = example.isQueue || example.goesOn ? 2 : 1
  await eventually('the rejection has been sent', async () =>
    receiver.received.length >= before + count ? true : null,
  )
  if (!example.isQueue) {
    const code = await refused.ended
    assert.notEqual(code, 0, 'a rejection is reported')
    assert.match(refused.output(), /422|refused|So\./, 'with its reason')
  }
  await refused.stop()
  assert.equal(receiver.received.length, before + count, 'a rejected push is not sent again')
}

function bodiesOf({ received }: MoodyReceiver): string[] {
  return received.map(({ body }) => JSON.parse(body).data.job_title)
}

/** Checks that the first push is sent unchanged until it is accepted, and then the second one. */
function checkRequests(receiver: MoodyReceiver, { isQueue }: Example): void {
  const { received } = receiver
  for (const { headers, method } of received) {
    assert.equal(headers['x-api-key'], HUB_KEY)
    assert.match(headers['content-type'] ?? '', /^application\/json/)
    assert.match(headers.accept ?? '', /application\/json/)
    assert.match(method, /^(POST|PATCH)$/)
  }
  const ofFirst = received.filter(({ method }) => method === 'POST')
  assert.equal(new Set(ofFirst.map(({ body }) => body)).size, 1, 'the same, word for word')
  const ofSecond = received.filter(({ method }) => method === 'PATCH')
  assert.equal(JSON.parse(ofSecond[0]?.body ?? '').data.department, null)
  // Workers of a queue send the next push meanwhile; `occurred_at` tells the hub which one is newer.
  if (isQueue) return
  const methods = received.map(({ method }) => method)
  assert.deepEqual(methods, ['POST', 'POST', 'POST', 'PATCH'])
  const waited = (received[2]?.at ?? 0) - (received[1]?.at ?? 0)
  assert.ok(waited >= BUSY_SECONDS * 1000 - 50, `it waited ${waited} ms of ${BUSY_SECONDS} s`)
}
