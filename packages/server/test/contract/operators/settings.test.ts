import assert from 'node:assert/strict'
import type { SettingChange } from '../../../src/storage/port/operator-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog } from '../../helpers/storage/fixtures.ts'

test('settings are stored with their author, deleted by null, and logged only if they change', async (kit) => {
  const logged: SettingChange[][] = []
  const change = (values: Record<string, string | null>, actor: string) =>
    kit.storage.settings.changeSettings(values, actor, (changes) => {
      logged.push(changes)
      return changeLog('settings.changed')
    })
  const first = { changed_at: kit.clock.text, changed_by: 'ann' }
  assert.deepEqual(await change({ B: '2', A: '1', C: null }, 'ann'), [
    { name: 'A', value: '1', ...first },
    { name: 'B', value: '2', ...first },
  ])
  kit.clock.advance(5)
  await change({ A: '1' }, 'bob')
  const stored = await change({ A: '1', B: null, D: '4' }, 'bob')
  const second = { changed_at: kit.clock.text, changed_by: 'bob' }
  assert.deepEqual(stored, [
    { name: 'A', value: '1', ...first },
    { name: 'D', value: '4', ...second },
  ])
  const reopened = await kit.reopen()
  assert.deepEqual(await reopened.settings.listSettings(), stored)
  assert.deepEqual(logged, [
    [
      { name: 'B', before: null, after: '2' },
      { name: 'A', before: null, after: '1' },
    ],
    [
      { name: 'B', before: '2', after: null },
      { name: 'D', before: null, after: '4' },
    ],
  ])
  assert.equal((await kit.activity()).length, 2)
})
