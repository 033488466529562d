import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { replaceDocument } from '../lib/test-document.ts'
import { emptySnapshot, testPull, testTask } from '../lib/test-pulls.ts'
import { connection, onChange, startLive, withPull } from './live.ts'
import { session } from './session.ts'

describe('a snapshot with the pull of an action', () => {
  it('shows a started pull as the running one, without the modules of the pull before', () => {
    const before = { ...emptySnapshot, pull: { ...emptySnapshot.pull, tasks: [testTask()] } }
    const { pull } = withPull(before, testPull({ id: 8, finished_at: null }))
    assert.deepEqual([pull.running, pull.pull?.id, pull.tasks], [true, 8, []])
  })

  it('shows a cancelled pull as the last one, with its modules', () => {
    const running = withPull(emptySnapshot, testPull({ finished_at: null }))
    const before = { ...running, pull: { ...running.pull, tasks: [testTask()] } }
    const finished_at = '2026-11-21T07:30:09.000Z'
    const { pull } = withPull(before, testPull({ state: 'cancelled', finished_at }))
    assert.deepEqual([pull.running, pull.pull, pull.last?.state], [false, null, 'cancelled'])
    assert.equal(pull.tasks.length, 1)
  })
})

test('a page over the rate limit says so without a sign-in, and reads its data again after the limit', async (t) => {
  replaceDocument()
  const statuses = [429, 304]
  t.mock.method(
    globalThis,
    'fetch',
    async () => new Response(null, { status: statuses.shift() ?? 500 }),
  )
  let onTimer = (_poll: () => void) => {}
  t.mock.method(globalThis, 'setTimeout', (poll: () => void) => onTimer(poll))
  const nextTimer = () => new Promise<() => void>((resolve) => (onTimer = resolve))
  const started = nextTimer()
  startLive()
  const poll = await started
  const failed = nextTimer()
  poll()
  const pollAgain = await failed
  assert.deepEqual([connection.get(), session.get().hasEnded], ['rate_limited', false])
  const changed = new Promise<string>((resolve) => onChange(resolve))
  pollAgain()
  assert.equal(await changed, 'snapshot')
  assert.equal(connection.get(), 'polling')
})
