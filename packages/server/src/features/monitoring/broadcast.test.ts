import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ChangeReason, PlatformHealth, Pull, SnapshotPull } from '@recordhub/protocol'
import { noCounts } from '../../domain/pull/pull.ts'
import { createBroadcaster, type HubEvent } from './broadcast.ts'

const PAUSE_MS = 1000
const NO_PULL: SnapshotPull = {
  ...{ running: false, pull: null, last: null, tasks: [] },
  ...{ schedule_paused: false, next_run_at: null },
}
const SCHEDULE = {
  ...{ pattern: null, paused: false, paused_since: null, paused_by: null, next_run_at: null },
}
const AT = '2026-11-21T07:30:00.000Z'

function pullOf(id: number, finished_at: string | null): Pull {
  const tasks = { tasks_total: 0, tasks_done: 0, task_states: {} }
  return {
    id,
    ...{ trigger: 'api', started_by: null, counts: noCounts(), failure: null },
    begun: { rejected: false, not_listed: false },
    state: finished_at === null ? 'running' : 'succeeded',
    ...{ requested_at: AT, started_at: AT, finished_at },
    progress: {
      ...{ ...tasks, records_total: null, records_received: 0, waiting: null },
      ...{ records_expected: null, records_done: null, percent: null },
      ...{ records_per_second: null, seconds_left: null },
    },
  }
}
const running = pullOf(7, null)
const ended = pullOf(7, AT)

function startBroadcaster() {
  const published: string[] = []
  const listeners: { commit?: (reason: ChangeReason) => void; receive?: (text: string) => void } =
    {}
  let pull = NO_PULL
  let reads = 0
  let health: PlatformHealth = { state: 'healthy', reasons: [] }
  let continueSending = () => {}
  const broadcaster = createBroadcaster({
    broadcast: {
      onCommit: (listener) => Object.assign(listeners, { commit: listener }),
      publish: async (message) => void published.push(message),
      subscribe: (listener) => Object.assign(listeners, { receive: listener }),
    },
    readPull: async () => {
      reads += 1
      return pull
    },
    readSchedule: async () => SCHEDULE,
    readHealth: async () => [{ id: 1, health }],
    pauseMs: PAUSE_MS,
    sleep: (ms, signal) =>
      ms === 0
        ? setImmediate(!signal.aborted)
        : new Promise((resolve) => {
            continueSending = () => resolve(!signal.aborted)
          }),
    onError: (error) => assert.fail(String(error)),
  })
  const listen = () => {
    const received: HubEvent[] = []
    const unsubscribe = broadcaster.subscribe({
      onEvents: (events) => received.push(...events),
      onEnd: () => received.push({ name: 'heartbeat', content: {} }),
    })
    return { received, unsubscribe, names: () => received.splice(0).map(({ name }) => name) }
  }
  /** Waits until everything is sent that may be sent now. */
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  }
  return {
    ...broadcaster,
    ...{ published, listen, settle },
    reads: () => reads,
    setState: (state: PlatformHealth['state']) => {
      health = { state, reasons: [] }
    },
    setPull: (over: Partial<SnapshotPull>) => {
      pull = { ...NO_PULL, ...over }
    },
    commit: (...reasons: ChangeReason[]) => {
      for (const reason of reasons) listeners.commit?.(reason)
    },
    receive: (message: string) => listeners.receive?.(message),
    async passPause() {
      continueSending()
      await settle()
    },
  }
}

describe('broadcasting changes', () => {
  it('sends the first change at once, and each event of a burst once per pause with the latest content', async () => {
    const { commit, listen, published, setPull, settle, passPause } = startBroadcaster()
    const { received, names } = listen()
    await settle()
    assert.deepEqual(names(), ['heartbeat'])
    await passPause()
    setPull({ running: true, pull: running })
    commit('pull', 'records')
    await settle()
    assert.deepEqual(names(), ['pull.progress', 'changed'])
    for (let count = 0; count < 50; count += 1) commit('pull')
    setPull({ last: ended })
    await settle()
    assert.deepEqual(names(), [])
    commit('pull')
    await passPause()
    assert.deepEqual(received[0], {
      name: 'pull.ended',
      content: { pull: { ...NO_PULL, last: ended } },
    })
    assert.deepEqual(names(), ['pull.ended', 'changed'])
    await passPause()
    commit('schedule')
    await settle()
    assert.deepEqual(received[0], { name: 'schedule.changed', content: { schedule: SCHEDULE } })
    assert.deepEqual(published, ['pull,records', 'pull', 'schedule'])
  })

  it('sends the health of a platform when it has changed', async () => {
    const { commit, listen, settle, setState, passPause } = startBroadcaster()
    const { received, names } = listen()
    await settle()
    names()
    setState('failing')
    commit('activity')
    await passPause()
    const health = { state: 'failing', reasons: [] }
    assert.deepEqual(received[0], {
      name: 'platform.health',
      content: { platforms: [{ id: 1, health }] },
    })
    names()
    commit('activity', 'records')
    await passPause()
    assert.deepEqual(names(), ['changed'])
    // A page that reads the snapshot after unread changes may know another health.
    commit('records')
    await passPause()
    commit('activity')
    await passPause()
    assert.deepEqual(names(), ['changed', 'platform.health', 'changed'])
  })

  it('sends the end of a pull even if the next one has started', async () => {
    const { commit, listen, setPull, settle, passPause } = startBroadcaster()
    const { names } = listen()
    await settle()
    setPull({ running: true, pull: pullOf(8, null), last: ended })
    commit('pull')
    names()
    await passPause()
    assert.deepEqual(names(), ['pull.ended', 'pull.progress', 'changed'])
  })

  it('starts each subscription with the state of the pull, without repeating it to the others', async () => {
    const { listen, setPull, settle, passPause } = startBroadcaster()
    setPull({ last: ended })
    const first = listen()
    await settle()
    assert.deepEqual(first.names(), ['pull.ended', 'heartbeat'])
    const second = listen()
    await passPause()
    assert.deepEqual([second.names(), first.names()], [['pull.ended', 'heartbeat'], []])
  })

  it('reads what another process has changed without publishing it again, and nothing without subscribers', async () => {
    const { receive, listen, published, reads, settle, passPause } = startBroadcaster()
    receive('pull')
    await settle()
    assert.equal(reads(), 0)
    const { names } = listen()
    await passPause()
    names()
    receive('schedule,pull,nonsense')
    await passPause()
    assert.deepEqual(names(), ['schedule.changed', 'changed'])
    assert.deepEqual([published, reads()], [[], 2])
  })

  it('sends nothing after unsubscribing, and stop() ends current and later subscriptions', async () => {
    const { commit, listen, stop, settle, passPause } = startBroadcaster()
    const left = listen()
    left.unsubscribe()
    const current = listen()
    await settle()
    current.names()
    stop()
    const late = listen()
    commit('records')
    await passPause()
    assert.deepEqual([left.names().length, current.names().length, late.names().length], [0, 1, 1])
  })

  it('lets other work run while it sends to many subscribers, and sends nothing to those that have left', async () => {
    const { commit, listen, settle, passPause } = startBroadcaster()
    const streams = Array.from({ length: 30 }, listen)
    await settle()
    for (const { received } of streams) received.splice(0)
    await passPause()
    const seen: number[] = []
    const countSent = () => streams.filter(({ received }) => received.length > 0).length
    commit('records')
    while (countSent() < 20) {
      await setImmediate()
      seen.push(countSent())
    }
    streams[29]?.unsubscribe()
    await settle()
    assert.ok(
      seen.some((sent) => sent > 0 && sent < 20),
      seen.join(),
    )
    assert.equal(countSent(), 29)
  })
})
