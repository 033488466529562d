import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import type { ChangeReason } from '@recordhub/protocol'
import { createBroadcaster } from './broadcast.ts'

const PAUSE_MS = 1000

function startBroadcaster() {
  const announced: string[] = []
  let hear = (_words: string): void => undefined
  const broadcaster = createBroadcaster(
    {
      announce: async (words) => void announced.push(words),
      listen: (listener) => {
        hear = listener
      },
    },
    PAUSE_MS,
  )
  const told: (readonly ChangeReason[])[] = []
  let ends = 0
  const unsubscribe = broadcaster.subscribe({
    tell: (reasons) => told.push(reasons),
    end: () => {
      ends += 1
    },
  })
  return {
    ...broadcaster,
    announced,
    told,
    unsubscribe,
    hear: (words: string) => hear(words),
    ends: () => ends,
  }
}

describe('broadcasting changes', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('sends the first change at once and a burst once per second', () => {
    const { note, told, announced } = startBroadcaster()
    note('records')
    mock.timers.tick(0)
    assert.deepEqual(told, [['records']])
    for (let ms = 0; ms < 5000; ms += 10) {
      note(ms % 20 === 0 ? 'records' : 'pull')
      mock.timers.tick(10)
    }
    assert.equal(told.length, 6)
    assert.deepEqual(told.at(-1), ['records', 'pull'])
    assert.equal(announced.length, told.length)
  })

  it('sends nothing if nothing has changed', () => {
    const { note, told, announced } = startBroadcaster()
    mock.timers.tick(60_000)
    note('activity')
    mock.timers.tick(60_000)
    assert.deepEqual([told, announced], [[['activity']], ['activity']])
  })

  it('forwards changes of another process without publishing them again', () => {
    const { hear, told, announced } = startBroadcaster()
    hear('platforms,records')
    hear('nonsense')
    mock.timers.tick(0)
    assert.deepEqual(told, [['records', 'platforms']])
    assert.deepEqual(announced, [])
  })

  it('sends nothing after unsubscribing, and stop() ends current and later subscribers', () => {
    const { note, unsubscribe, subscribe, stop, told, ends } = startBroadcaster()
    unsubscribe()
    note('pull')
    mock.timers.tick(0)
    assert.deepEqual(told, [])
    const sentAway: string[] = []
    const other = { tell: () => assert.fail('it was notified'), end: () => sentAway.push('other') }
    subscribe(other)
    stop()
    subscribe(other)
    note('records')
    mock.timers.tick(5000)
    assert.deepEqual([sentAway.length, ends()], [2, 0])
  })
})
