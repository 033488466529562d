/** Pulls of a process that has ended: other nodes detect it before the lease expires. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { listeningSessions, openNode, withTwoNodes } from '../../helpers/postgres/nodes.ts'
import { registerTestPlatform } from '../../helpers/storage/fixtures.ts'
import { requestPull, startTestPull } from '../../helpers/storage/pulls.ts'
import { untilTrue } from '../../helpers/time/until.ts'

/** Longer than the interval at which a live process renews its lease. */
const LATE_SECONDS = 7

const leaseOf = (storage: Storage) => ({ owner: storage.processName, seconds: 30 })

describe('a pull of another node', () => {
  test(
    'a pull is not interrupted while its node is alive, and is interrupted soon after it closes',
    withTwoNodes(async ({ url, clock, here }) => {
      await registerTestPlatform(here)
      const dying = await openNode(url, clock)
      const { pull_id } = await startTestPull(dying, leaseOf(dying))
      const { pulls } = here.storage
      clock.advance(LATE_SECONDS)
      assert.equal(await pulls.interruptAbandonedPulls(), 0)
      const lease = leaseOf(here.storage)
      assert.equal((await requestPull(here.storage, lease)).outcome, 'already_running')
      await dying.close()
      assert.equal(await pulls.interruptAbandonedPulls(), 1)
      assert.equal((await pulls.readPull(pull_id))?.state, 'interrupted')
      assert.equal((await requestPull(here.storage, lease)).outcome, 'queued')
    }),
  )

  test(
    'a pull is not interrupted when its node loses its connections briefly',
    withTwoNodes(async ({ here, there, observer }) => {
      await registerTestPlatform(here)
      const { pull_id } = await startTestPull(there.storage, leaseOf(there.storage))
      const pids = await listeningSessions(observer)
      await observer.query('SELECT pg_terminate_backend(pid, 60000) FROM unnest($1::int[]) pid', [
        pids,
      ])
      // The call above has waited for the end of the sessions and their locks; the lease was renewed just before.
      assert.equal(await here.storage.pulls.interruptAbandonedPulls(), 0)
      await untilTrue('both nodes are back', async () => {
        const { rows } = await observer.query(
          `SELECT count(*)::int AS n FROM pg_locks l JOIN pg_database d ON d.oid = l.database
           WHERE d.datname = current_database() AND locktype = 'advisory' AND granted`,
        )
        return rows[0]?.['n'] === 2
      })
      here.clock.advance(LATE_SECONDS)
      assert.equal(await here.storage.pulls.interruptAbandonedPulls(), 0)
      assert.equal((await here.storage.pulls.readPull(pull_id))?.state, 'running')
    }),
  )
})
