/** Server-sent events: who receives them, what they contain, and when a stream ends. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Snapshot } from '@recordhub/protocol'
import {
  newRecord,
  push,
  readSnapshot,
  registerPushingPlatform,
  type Session,
  signIn,
} from '../helpers/hub/actions.ts'
import { startTestHub, type TestHub, type TestHubOptions } from '../helpers/hub/hub.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { onEachEngineWhenDeep } from '../helpers/storage/engines.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { until } from '../helpers/time/until.ts'

const EVENTS = '/dashboard/events'
const ON: TestHubOptions = { env: { HUB_BROADCAST: 'on' }, withOperator: true }

type Heard = {
  /** The text received so far. */
  text: () => string
  /** Resolves when the received text matches. */
  untilHeard: (words: RegExp) => Promise<void>
  ended: Promise<void>
  leave: () => void
  headers: Headers
}

async function listen(hub: TestHub, { headers }: Session): Promise<Heard> {
  const leaving = new AbortController()
  const response = await fetch(`${hub.address}${EVENTS}`, {
    headers: { cookie: headers['cookie'] ?? '', accept: 'text/event-stream' },
    signal: leaving.signal,
  })
  assert.equal(response.status, 200)
  let text = ''
  let tell = () => {}
  const read = async () => {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      tell()
    }
  }
  return {
    text: () => text,
    async untilHeard(words) {
      while (!words.test(text)) await new Promise<void>((resolve) => (tell = resolve))
    },
    ended: read().catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error
    }),
    leave: () => leaving.abort(),
    headers: response.headers,
  }
}

onEachEngineWhenDeep((engine) => {
  describe(`server-sent events, on ${engine.name}`, () => {
    test('with broadcasting off, the endpoint returns 404 and the snapshot says so', async () => {
      await using hub = await startTestHub(engine, { withOperator: true })
      const { headers } = await signIn(hub)
      const { message } = expectError(await hub.send({ url: EVENTS, headers }), 404, 'not_found')
      assert.match(message, /HUB_BROADCAST/)
      assert.equal((await readSnapshot(hub)).broadcasting, false)
    })

    test('a request without a session, or with an API token, returns 401', async () => {
      await using hub = await startTestHub(engine, ON)
      expectError(await hub.send({ url: EVENTS }), 401, 'not_signed_in')
      const headers = { authorization: hub.authorization('admin') }
      expectError(await hub.send({ url: EVENTS, headers }), 401, 'not_signed_in')
    })

    test('a push notifies every listener, without its data', async () => {
      await using hub = await startTestHub(engine, ON)
      const { hub_api_key } = await registerPushingPlatform(hub)
      const session = await signIn(hub)
      const all = await Promise.all(Array.from({ length: 20 }, () => listen(hub, session)))
      for (const { headers } of all) {
        assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8')
        assert.equal(headers.get('cache-control'), 'no-store')
        assert.equal(headers.get('content-encoding'), null)
      }
      await push(hub, hub_api_key, newRecord('SECRET-1'))
      await Promise.all(all.map((one) => one.untilHeard(/^data: .*records/m)))
      for (const { text, leave, ended } of all) {
        assert.match(text(), /^retry: \d+\n\n(data: [a-z,]+\n\n)+$/)
        leave()
        await ended
      }
      const snapshot = await hub.send({ url: '/dashboard/realtime', headers: session.headers })
      assert.equal(expectBody(snapshot, 200, Snapshot).broadcasting, true)
    })

    test('a stream ends with its session and does not extend it', async () => {
      await using hub = await startTestHub(engine, { ...ON, intervals: { heartbeat: 20 } })
      const session = await signIn(hub)
      const soon = new Date(Date.now() + 3_600_000).toISOString()
      await runSql(hub.storage, `UPDATE operator_sessions SET expires_at = '${soon}'`)
      const heard = await listen(hub, session)
      await heard.untilHeard(/^: heartbeat\n\n: heartbeat/m)
      const kept = JSON.stringify(
        await runSql(hub.storage, 'SELECT expires_at FROM operator_sessions'),
      )
      assert.ok(kept.includes(soon), kept)
      await runSql(hub.storage, 'DELETE FROM operator_sessions')
      await heard.ended
    })

    test('stopping the hub ends open streams immediately', async () => {
      await using hub = await startTestHub(engine, ON)
      const heard = await listen(hub, await signIn(hub))
      await heard.untilHeard(/retry/)
      await Promise.all([hub.stop(), heard.ended])
    })

    test('a disconnected listener causes no error', async () => {
      await using hub = await startTestHub(engine, { ...ON, intervals: { heartbeat: 5 } })
      const { hub_api_key } = await registerPushingPlatform(hub)
      const heard = await listen(hub, await signIn(hub))
      heard.leave()
      await heard.ended
      const other = await listen(hub, await signIn(hub))
      await push(hub, hub_api_key, newRecord('N-1'))
      await other.untilHeard(/heartbeat\n\n.*heartbeat/s)
      other.leave()
      await until(async () => (/"level":50/.test(hub.log()) ? null : true), 'no error is logged')
    })
  })
})
