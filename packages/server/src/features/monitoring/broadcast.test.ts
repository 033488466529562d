import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import type { ChangeReason } from '@recordhub/protocol'
import { createBroadcaster } from './broadcast.ts'

const PAUSE_MS = 1000

function startBroadcaster() {
  const published: string[] = []
  let commit = (_reason: ChangeReason): void => undefined
  let receive = (_message: string): void => undefined
  const broadcaster = createBroadcaster(
    {
      onCommit: (listener) => {
        commit = listener
      },
      publish: async (message) => void published.push(message),
      subscribe: (listener) => {
        receive = listener
      },
    },
    PAUSE_MS,
  )
  const received: (readonly ChangeReason[])[] = []
  let ends = 0
  const unsubscribe = broadcaster.subscribe({
    onChange: (reasons) => received.push(reasons),
    onEnd: () => {
      ends += 1
    },
  })
  return {
    ...broadcaster,
    published,
    received,
    unsubscribe,
    commit: (reason: ChangeReason) => commit(reason),
    receive: (message: string) => receive(message),
    ends: () => ends,
  }
}

describe('broadcasting changes', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('sends the first change at once and a burst once per second', () => {
    const { commit, received, published } = startBroadcaster()
    commit('records')
    mock.timers.tick(0)
    assert.deepEqual(received, [['records']])
    for (let ms = 0; ms < 5000; ms += 10) {
      commit(ms % 20 === 0 ? 'records' : 'pull')
      mock.timers.tick(10)
    }
    assert.equal(received.length, 6)
    assert.deepEqual(received.at(-1), ['records', 'pull'])
    assert.equal(published.length, received.length)
  })

  it('sends nothing if nothing has changed', () => {
    const { commit, received, published } = startBroadcaster()
    mock.timers.tick(60_000)
    commit('activity')
    mock.timers.tick(60_000)
    assert.deepEqual([received, published], [[['activity']], ['activity']])
  })

  it('forwards changes of another process without publishing them again', () => {
    const { receive, received, published } = startBroadcaster()
    receive('platforms,records')
    receive('nonsense')
    mock.timers.tick(0)
    assert.deepEqual(received, [['records', 'platforms']])
    assert.deepEqual(published, [])
  })

  it('sends nothing after unsubscribing, and stop() ends current and later subscribers', () => {
    const { commit, unsubscribe, subscribe, stop, received, ends } = startBroadcaster()
    unsubscribe()
    commit('pull')
    mock.timers.tick(0)
    assert.deepEqual(received, [])
    const ended: string[] = []
    const other = {
      onChange: () => assert.fail('it was notified'),
      onEnd: () => ended.push('other'),
    }
    subscribe(other)
    stop()
    subscribe(other)
    commit('records')
    mock.timers.tick(5000)
    assert.deepEqual([ended.length, ends()], [2, 0])
  })
})
