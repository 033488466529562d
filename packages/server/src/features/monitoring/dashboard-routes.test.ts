import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlatformHealth } from '@recordhub/protocol'
import { untilTrue } from '../../../test/helpers/time/until.ts'
import { openStream } from './dashboard-routes.ts'

const healthy: PlatformHealth = { state: 'healthy', reasons: [] }
const failing: PlatformHealth = { state: 'failing', reasons: [] }

test('while a client does not read, the events of a name become one event with all that they say', async () => {
  const { stream, send, end } = openStream()
  send([{ name: 'changed', content: { reasons: ['activity'] } }])
  send([{ name: 'platform.health', content: { platforms: [{ id: 1, health: failing }] } }])
  send([{ name: 'heartbeat', content: {} }])
  const both = [
    { id: 2, health: failing },
    { id: 1, health: healthy },
  ]
  send([{ name: 'platform.health', content: { platforms: both } }])
  send([{ name: 'heartbeat', content: {} }])
  send([{ name: 'changed', content: { reasons: ['records'] } }])
  const received: string[] = []
  stream.on('data', (text: Buffer) => void received.push(text.toString()))
  await untilTrue('the events are received', () => received.join('').includes('event: changed'))
  end()
  const events = received
    .join('')
    .split('\n\n')
    .flatMap((event) => {
      const [, name, data = ''] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? []
      return name ? [[name, JSON.parse(data)]] : []
    })
  const platforms = [
    { id: 1, health: healthy },
    { id: 2, health: failing },
  ]
  assert.deepEqual(events, [
    ['platform.health', { platforms }],
    ['heartbeat', {}],
    ['changed', { reasons: ['records', 'activity'] }],
  ])
})
