import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ManifestChange } from '@recordhub/protocol'
import { changeInWords } from './change-words.ts'

it('describes each manifest change with its values before and after', () => {
  const place = { record_type: 'employee' }
  const describe = (change: ManifestChange) => changeInWords(change, () => 'Employees')
  assert.deepEqual(
    [
      describe({ change: 'module_added', ...place, module_name: 'Employees' }),
      describe({ change: 'field_removed', ...place, key: 'left_on', label: 'Left on' }),
      describe({
        change: 'field_changed',
        ...place,
        key: 'salary',
        member: 'required',
        before: false,
        after: true,
      }),
      describe({
        change: 'platform_changed',
        member: 'platform_description',
        before: '',
        after: 'All of it',
      }),
    ],
    [
      { tone: 'added', what: 'Module Employees (employee)', before: null, after: null },
      { tone: 'removed', what: 'Field Left on (left_on) of Employees', before: null, after: null },
      { tone: 'changed', what: 'Required of salary of Employees', before: 'no', after: 'yes' },
      {
        tone: 'changed',
        what: 'Description of the platform',
        before: '(empty)',
        after: 'All of it',
      },
    ],
  )
})
