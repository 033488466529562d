import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepAccepted, type RejectionGroup, RejectionGroups } from './rejection-groups.ts'

/** Reads rejected records with these contents. */
function read(contents: string[], accepted: RejectionGroup[] = []): RejectionGroups {
  const groups = new RejectionGroups('loans', accepted)
  for (const content of contents) groups.add('duplicate_reference', 'It is a copy.', () => content)
  groups.end()
  return groups
}

const GROUPS = read(['a', 'b', 'b']).list()

test('an accepted group stays accepted until it grows, shrinks or changes', () => {
  const acceptedOf = (...contents: string[]) => read(contents, GROUPS).accepted
  assert.equal(acceptedOf('b', 'a', 'b'), 3, 'in any order')
  assert.deepEqual(read(['b', 'a', 'b'], GROUPS).open(), { reasons: [], others: 0 })
  for (const contents of [['a', 'b', 'b', 'c'], ['a', 'b'], ['a', 'a', 'b'], ['a', 'b', 'c'], []]) {
    assert.equal(acceptedOf(...contents), 0, contents.join())
  }
  assert.deepEqual(read(['a', 'b', 'b', 'c'], GROUPS).open().reasons, [['It is a copy.', 4]])
})

test('another cause is not accepted with a group', () => {
  const groups = new RejectionGroups('loans', GROUPS)
  for (const content of ['a', 'b', 'b'])
    groups.add('invalid_record', 'It is a copy.', () => content)
  groups.end()
  assert.equal(groups.accepted, 0)
})

test('a new read keeps the acceptance of the same groups only', () => {
  const stored = GROUPS.map((group) => ({ ...group, accepted_at: 'at', accepted_by: 'ann' }))
  assert.deepEqual(keepAccepted(stored, GROUPS), stored)
  const [changed] = keepAccepted(stored, read(['a', 'b', 'c']).list())
  assert.deepEqual([changed?.accepted_at, changed?.accepted_by], [null, null])
  assert.deepEqual(keepAccepted(stored, []), [])
})

test('at most 100 causes are remembered, and the others are counted', () => {
  const groups = new RejectionGroups('loans', [])
  for (let index = 0; index < 120; index++)
    groups.add('invalid_record', `It is ${index}.`, () => '')
  groups.end()
  assert.deepEqual([groups.list().length, groups.open().others], [100, 20])
})
