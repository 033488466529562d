import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { ProgressReporter } from './progress-reporter.ts'

const INTERVAL_MS = 1000

function startReporter() {
  const reported: number[] = []
  let received = 0
  const reporter = new ProgressReporter(async () => void reported.push(received), INTERVAL_MS)
  return {
    reporter,
    reported,
    receive(count: number) {
      received += count
      reporter.changed()
    },
  }
}

describe('reporting the progress of a read', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('reports the first records at once and later ones once per interval', () => {
    const { receive, reported } = startReporter()
    receive(2)
    assert.deepEqual(reported, [2])
    for (let count = 0; count < 5; count += 1) receive(1)
    assert.deepEqual(reported, [2])
    mock.timers.tick(INTERVAL_MS)
    assert.deepEqual(reported, [2, 7], 'although nothing arrived since')
    mock.timers.tick(10 * INTERVAL_MS)
    assert.deepEqual(reported, [2, 7])
    receive(1)
    assert.deepEqual(reported, [2, 7, 8])
  })

  it('continues after a report has failed', async () => {
    let calls = 0
    const failing = new ProgressReporter(() => {
      calls += 1
      return Promise.reject(new Error('no database'))
    }, INTERVAL_MS)
    failing.changed()
    mock.timers.tick(INTERVAL_MS)
    failing.changed()
    assert.equal(calls, 2)
    await failing.stop()
  })

  it('reports nothing after it was stopped', async () => {
    const { reporter, receive, reported } = startReporter()
    receive(1)
    receive(1)
    await reporter.stop()
    mock.timers.tick(10 * INTERVAL_MS)
    assert.deepEqual(reported, [1])
  })
})
