/** The pull of `recordhub demo`, which its hub receives like any other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pull } from '@recordhub/protocol'
import { pullAll } from '../../src/cli/demo.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

test('pullAll waits for a running pull and then runs another one', async () => {
  await using hub = await startTestHub(sqliteEngine)
  await using platform = await simulatePlatform()
  await hub.register(platform)
  const request = platform.delayNextResponse('records/cases')
  const running = await hub.startPull()
  await request.arrived
  const rejected = Promise.withResolvers<void>()
  const headers = { authorization: hub.authorization('operator') }
  const pulling = pullAll({
    get: (path) => fetch(`${hub.address}${path}`, { headers }),
    post: async (path) => {
      const response = await fetch(`${hub.address}${path}`, { method: 'POST', headers })
      if (response.status === 409) rejected.resolve()
      return response
    },
  })
  await rejected.promise
  request.release()
  await pulling
  await hub.untilPullEnds(running.id)
  const { pulls }: { pulls: Pull[] } = JSON.parse((await hub.get('/api/v1/pulls')).text)
  assert.deepEqual([pulls.length, pulls[1]?.id], [2, running.id])
})
