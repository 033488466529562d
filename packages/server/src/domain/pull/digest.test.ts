import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { hashOfReference, hashOfVersion, prefixOf } from '../record/digest-sums.ts'
import {
  addUp,
  chooseDigits,
  type DifferingBucket,
  findDiffering,
  groupBuckets,
  hasEqualTotals,
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

const KINDS = ['same', 'same', 'same', 'other', 'there', 'here', 'unversioned'] as const

/** One record of each kind on both sides: the buckets of the platform and those of the hub, which has some without a version. */
function toSides(kinds: readonly (typeof KINDS)[number][], digits: number) {
  const remote = new Map<string, Sums>()
  const local = new Map<string, Sums>()
  const versioned = new Map<string, Sums>()
  for (const [number, kind] of kinds.entries()) {
    const prefix = prefixOf(hashOfReference(`R-${number}`), digits)
    const add = (buckets: Map<string, Sums>, sum: number) =>
      buckets.set(prefix, plus(buckets.get(prefix) ?? { count: 0, sum: 0 }, { count: 1, sum }))
    if (kind !== 'here') add(remote, hashOfVersion(`R-${number}`, '1'))
    if (kind === 'there') continue
    const sum =
      kind === 'unversioned' ? 0 : hashOfVersion(`R-${number}`, kind === 'other' ? '2' : '1')
    add(local, sum)
    if (kind !== 'unversioned') add(versioned, sum)
  }
  return { remote, local, versioned, hasUnversioned: kinds.includes('unversioned') }
}

test('totals are equal exactly if all records have the same versions on both sides', () => {
  const records = fc.array(fc.constantFrom(...KINDS), { maxLength: 8 })
  fc.assert(
    fc.property(records, fc.constantFrom(1, 2, 3), (kinds, digits) => {
      const { remote, local, versioned, hasUnversioned } = toSides(kinds, digits)
      const isEqual = hasEqualTotals(remote, { ...addUp(versioned), hasUnversioned }, [])
      assert.equal(
        isEqual,
        kinds.every((kind) => kind === 'same'),
      )
      assert.equal(isEqual, findDiffering({ remote, local, known: [] }, digits).length === 0)
    }),
  )
})

test('totals prove nothing beside known differences or records without a version', () => {
  // A pushed record waited for a review. It is gone, and another one was pushed into another bucket.
  const waiting = { prefix: 'a00', remote: { count: 0, sum: 0 }, local: { count: 1, sum: 0 } }
  const local = new Map([['b00', { count: 1, sum: 0 }]])
  const found = findDiffering({ remote: new Map(), local, known: [waiting] }, 3)
  assert.deepEqual(
    found.map(({ prefix }) => prefix),
    ['a00', 'b00'],
  )
  const total = { count: 0, sum: 0 }
  assert.equal(hasEqualTotals(new Map(), { ...total, hasUnversioned: false }, []), true)
  assert.equal(hasEqualTotals(new Map(), { ...total, hasUnversioned: true }, []), false)
  assert.equal(hasEqualTotals(new Map(), { ...total, hasUnversioned: false }, [waiting]), false)
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

test('a comparison is three requests, or more where these take 3 s at most', () => {
  const requests = (digestMs: number) => {
    const { refine, read } = limitRequests(digestMs)
    return 1 + refine + read
  }
  assert.deepEqual([0, 10, 4000, 60_000].map(requests), [19, 19, 3, 3])
  for (let ms = 1; ms < 5000; ms++) assert.ok(requests(ms) === 3 || requests(ms) * ms <= 3000)
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
