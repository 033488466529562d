import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ManifestChange } from '@recordhub/protocol'
import { changeLabel } from './change-labels.ts'

it('labels each manifest change with its values before and after', () => {
  const module = { record_type: 'employee' }
  const label = (change: ManifestChange) => changeLabel(change, () => 'Employees')
  assert.deepEqual(
    [
      label({ change: 'module_added', ...module, module_name: 'Employees' }),
      label({ change: 'field_removed', ...module, key: 'left_on', label: 'Left on' }),
      label({
        change: 'field_changed',
        ...module,
        key: 'salary',
        member: 'required',
        before: false,
        after: true,
      }),
      label({
        change: 'platform_changed',
        member: 'platform_description',
        before: '',
        after: 'All of it',
      }),
    ],
    [
      { tone: 'added', subject: 'Module Employees (employee)', before: null, after: null },
      {
        tone: 'removed',
        subject: 'Field Left on (left_on) of Employees',
        before: null,
        after: null,
      },
      { tone: 'changed', subject: 'Required of salary of Employees', before: 'no', after: 'yes' },
      {
        tone: 'changed',
        subject: 'Platform description',
        before: '—',
        after: 'All of it',
      },
    ],
  )
})
