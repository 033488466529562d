import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import {
  chooseDigits,
  type DifferingBucket,
  findDiffering,
  groupBuckets,
  limitRequests,
  minus,
  planRead,
  planRefinement,
  plus,
  type Sums,
  toRequests,
} from './digest.ts'

const FAST = limitRequests(10)
const SLOW = limitRequests(4000)
const MODULUS = 2 ** 48

const sums = fc.record(
  { count: fc.nat(1000), sum: fc.integer({ min: 0, max: MODULUS - 1 }) },
  { noNullPrototype: true },
)
const prefixes = fc.constantFrom('000', '001', '00f', '0a0', 'f00', 'fff')
const buckets = fc.array(fc.tuple(prefixes, sums)).map((entries) => new Map(entries))

function bucket(prefix: string, count: number): DifferingBucket {
  return { prefix, remote: { count, sum: 1 }, local: { count, sum: 2 } }
}

test('a bucket has about a thousand records, at one to three digits', () => {
  const table = [0, 100, 3000, 41_200, 200_000, 1_000_000, 10_000_000, 1e12].map(chooseDigits)
  assert.deepEqual(table, [1, 1, 1, 1, 2, 2, 3, 3])
})

test('sums are added and subtracted modulo 2^48', () => {
  fc.assert(
    fc.property(sums, sums, (one, other) => {
      assert.deepEqual(minus(plus(one, other), other), one)
      assert.ok(plus(one, other).sum < MODULUS)
    }),
  )
})

test('buckets are equal exactly if both sides are, or differ by what is known', () => {
  fc.assert(
    fc.property(buckets, buckets, fc.constantFrom(1, 2, 3), (remote, local, digits) => {
      const both = { remote: groupBuckets(remote, digits), local: groupBuckets(local, digits) }
      const differing = findDiffering({ ...both, known: [] }, digits)
      for (const { prefix, remote: there, local: here } of differing) {
        assert.notDeepEqual(there, here, prefix)
      }
      const none: Sums = { count: 0, sum: 0 }
      const known = [...new Set([...remote.keys(), ...local.keys()])].map((prefix) => ({
        prefix,
        remote: remote.get(prefix) ?? none,
        local: local.get(prefix) ?? none,
      }))
      assert.deepEqual(findDiffering({ ...both, known }, digits), [])
    }),
  )
})

test('a known difference explains only the sums that it has', () => {
  const remote = new Map([['a00', { count: 2, sum: 30 }]])
  const local = new Map([['a00', { count: 1, sum: 10 }]])
  const known = [{ prefix: 'a00', remote: { count: 2, sum: 30 }, local: { count: 1, sum: 10 } }]
  assert.deepEqual(findDiffering({ remote, local, known }, 3), [])
  const changed = new Map([['a00', { count: 2, sum: 31 }]])
  assert.equal(findDiffering({ remote: changed, local, known }, 3).length, 1)
  assert.equal(findDiffering({ remote: new Map(), local, known }, 3).length, 1)
  assert.equal(findDiffering({ remote, local, known: [] }, 3).length, 1)
})

test('large buckets are refined by two digits, at most to the sixth', () => {
  assert.equal(planRefinement([bucket('a', 2000)], 1, FAST), 3)
  assert.equal(planRefinement([bucket('abc', 2000)], 3, FAST), 5)
  assert.equal(planRefinement([bucket('a', 100)], 1, FAST), null)
  const many = Array.from({ length: 101 }, (_, index) => bucket(String(index), 100))
  assert.equal(planRefinement(many, 3, SLOW), null)
  assert.equal(planRefinement(many, 3, FAST), 5)
})

test('more than a quarter of the records are read in full, or in parts if that is not allowed', () => {
  const quarter = [bucket('a', 1250), bucket('b', 1250)]
  const options = { records: 10_000, mayReadInFull: true, limits: FAST }
  assert.deepEqual(planRead([quarter], options), {
    ...{ outcome: 'read', isPartial: false },
    buckets: quarter,
  })
  const more = [...quarter, bucket('c', 1250)]
  assert.deepEqual(planRead([more], options), { outcome: 'too_different' })
  assert.deepEqual(planRead([more], { ...options, mayReadInFull: false }), {
    ...{ outcome: 'read', isPartial: true },
    buckets: quarter,
  })
})

test('too many fine buckets are read as the coarser ones that contain them', () => {
  const fine = Array.from({ length: 101 }, (_, index) => bucket(`a${index}`, 1))
  const coarse = [bucket('a', 200)]
  const options = { records: 100_000, mayReadInFull: true, limits: SLOW }
  const plan = planRead([fine, coarse], options)
  assert.deepEqual(plan, { outcome: 'read', isPartial: false, buckets: coarse })
  assert.deepEqual(planRead([fine], options), { outcome: 'too_different' })
})

test('a slow platform gets at most three requests', () => {
  assert.equal(1 + SLOW.refine + SLOW.read, 3)
})

test('a request has at most a hundred prefixes', () => {
  const all = Array.from({ length: 250 }, (_, index) => String(index))
  const requests = toRequests(all)
  assert.deepEqual(
    requests.map(({ length }) => length),
    [100, 100, 50],
  )
  assert.deepEqual(requests.flat(), all)
})
