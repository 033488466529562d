import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { pushWrite } from '../../helpers/storage/fixtures.ts'

const NO_ACTIVITY = {
  received_post: 0,
  received_patch: 0,
  received_pull: 0,
  created: 0,
  updated: 0,
  rejected: 0,
  platforms_added: 0,
  modules_added: 0,
}

test('hourly statistics cover all platforms and omit hours without activity', async (kit) => {
  kit.clock.set('2026-03-09T22:59:59.999Z')
  await kit.register({ name: 'outside' })
  kit.clock.set('2026-03-09T23:00:00.000Z')
  const school = await kit.register({ modules: ['students', 'rooms'] })
  await kit.write(pushWrite(school), pushWrite(school, { reference: 'r-2' }))
  kit.clock.set('2026-03-10T01:59:59.999Z')
  const clinic = await kit.register({ name: 'clinic' })
  await kit.write(pushWrite(clinic), pushWrite(school, { source: 'PATCH', data: '{"a":9}' }))
  kit.clock.set('2026-03-10T02:00:00.000Z')
  await clinic.post({ reference: 'r-2' })
  const hours = await kit.storage.statistics.readHours('2026-03-09T23', '2026-03-10T01')
  assert.deepEqual(
    hours.toSorted((one, other) => one.hour.localeCompare(other.hour)),
    [
      {
        ...NO_ACTIVITY,
        hour: '2026-03-09T23',
        received_post: 2,
        created: 2,
        platforms_added: 1,
        modules_added: 2,
      },
      {
        ...NO_ACTIVITY,
        hour: '2026-03-10T01',
        received_post: 1,
        received_patch: 1,
        created: 1,
        updated: 1,
        platforms_added: 1,
        modules_added: 1,
      },
    ],
  )
  assert.deepEqual(await kit.storage.statistics.readHours('2026-03-10T03', '2026-03-10T04'), [])
})
