import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FaultResult } from '../helpers/process/fault-report.ts'
import { findFaultIssues, formatFaultTable, mergeRows } from './fault-table.ts'

const EXPECTED = { 'full disk': ['SQLite'], kill: ['SQLite', 'PostgreSQL'] } as const
const SUCCESS = { tries: 2, acknowledged: 1500, lost: 0, duplicated: 0, recoveredMs: 850 }

function row(fault: string, engine: FaultResult['engine'], changes = {}): FaultResult {
  return { fault, engine, ...SUCCESS, ...changes }
}

test('rows of the same fault and engine are added up, and the table has the order of the expected faults', () => {
  const rows = mergeRows(
    [
      row('kill', 'PostgreSQL', { recoveredMs: null }),
      row('kill', 'SQLite'),
      row('kill', 'SQLite', { tries: 1, recoveredMs: 1240 }),
      row('full disk', 'SQLite', { lost: null }),
    ],
    EXPECTED,
  )
  assert.deepEqual(formatFaultTable(rows), [
    '| fault | engine | tries | acknowledged | lost | duplicated | recovered in |',
    '|---|---|--:|--:|--:|--:|--:|',
    '| full disk | SQLite | 2 | 1,500 | – | 0 | 0.8 s |',
    '| kill | SQLite | 3 | 3,000 | 0 | 0 | 1.2 s |',
    '| kill | PostgreSQL | 2 | 1,500 | 0 | 0 | – |',
    '| **Total** |  | 7 | 6,000 | 0 | 0 | 1.2 s |',
  ])
})

test('a run fails if a row is missing or unknown, a fault was not caused, or writes were lost or duplicated', () => {
  const rows = [
    row('kill', 'SQLite', { lost: 1 }),
    row('kill', 'PostgreSQL', { tries: 0 }),
    row('flood', 'SQLite'),
  ]
  const issues = [
    'helpers/process/faults.ts does not list "flood" on SQLite.',
    '"kill" on PostgreSQL was not caused.',
    '"kill" on SQLite lost or duplicated acknowledged writes.',
  ]
  assert.deepEqual(findFaultIssues(rows, EXPECTED, { isComplete: true }), [
    'No test reported "full disk" on SQLite.',
    ...issues,
  ])
  assert.deepEqual(findFaultIssues(rows, EXPECTED, { isComplete: false }), issues)
})
