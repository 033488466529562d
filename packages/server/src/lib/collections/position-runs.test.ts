import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { PositionRuns } from './position-runs.ts'

test('the position of each id is found, regardless of the order in which the ids were added', () => {
  const positions = fc.uniqueArray(fc.nat(300), { maxLength: 100 })
  const ids = fc.uniqueArray(fc.nat(300), { maxLength: 100 })
  fc.assert(
    fc.property(ids, positions, (some, others) => {
      const runs = new PositionRuns()
      const added = new Map<number, number>()
      for (const [index, id] of some.entries()) {
        const position = others[index]
        if (position === undefined) break
        runs.add(id, position)
        added.set(id, position)
      }
      for (let id = 0; id <= 301; id += 1) assert.equal(runs.find(id), added.get(id) ?? null)
    }),
  )
})

test('ascending ids are found among millions', () => {
  const runs = new PositionRuns()
  for (let position = 1; position <= 2_000_000; position += 1) {
    // The gaps are ids of other modules and elements without a record.
    runs.add(position + Math.floor(position / 1000), position + Math.floor(position / 7000))
  }
  assert.equal(runs.find(1_501_500), 1_500_214)
})

test('entries over the capacity are not found', () => {
  const runs = new PositionRuns()
  for (let position = 1; position <= 300_000; position += 1) runs.add(-2 * position, position)
  assert.equal(runs.find(-2), 1)
  assert.equal(runs.find(-600_000), null)
})
