import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Manifest, Module } from '@recordhub/protocol'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { findManifestChanges, mergeModule, type StoredModule } from './manifest-difference.ts'

const AT = '2026-11-21T08:00:00.000Z'
const LATER = '2026-11-22T08:00:00.000Z'

function field(key: string, over: Partial<Module['fields'][number]> = {}) {
  return { key, label: `Label ${key}`, type: 'string', required: false, ...over }
}

function module(record_type: string, keys: string[]): Module {
  const fields = keys.map((key) => field(key))
  return { module_name: `Module ${record_type}`, record_type, description: '', fields }
}

function manifest(...modules: Module[]): Manifest {
  return { platform_name: 'p', platform_title: 'P', platform_description: '', modules }
}

test('every change of a manifest is reported, field by field', () => {
  const before = manifest(module('cases', ['a', 'b']), module('people', []))
  const changed = module('cases', ['a', 'c'])
  changed.fields[0] = field('a', { label: 'A', type: 'number', required: true })
  const after = {
    ...manifest({ ...changed, module_name: 'Cases' }, module('visits', [])),
    platform_title: 'Q',
  }
  assert.deepEqual(findManifestChanges(before, after), [
    { change: 'platform_changed', member: 'platform_title', before: 'P', after: 'Q' },
    {
      change: 'module_changed',
      record_type: 'cases',
      member: 'module_name',
      before: 'Module cases',
      after: 'Cases',
    },
    ...(
      [
        ['label', 'Label a', 'A'],
        ['type', 'string', 'number'],
        ['required', false, true],
      ] as const
    ).map(([member, before, after]) => {
      return { change: 'field_changed', record_type: 'cases', key: 'a', member, before, after }
    }),
    { change: 'field_removed', record_type: 'cases', key: 'b', label: 'Label b' },
    { change: 'field_added', record_type: 'cases', key: 'c', label: 'Label c' },
    { change: 'module_removed', record_type: 'people', module_name: 'Module people' },
    { change: 'module_added', record_type: 'visits', module_name: 'Module visits' },
  ])
})

const anyManifest = fc
  .uniqueArray(
    fc.record({
      type: fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
      keys: fc.uniqueArray(fc.constantFrom('x', 'y', 'z', '__proto__', 'toString')),
    }),
    { selector: (one) => one.type },
  )
  .map((modules) => manifest(...modules.map(({ type, keys }) => module(type, keys))))

test('reordering a manifest is not a change', () => {
  fc.assert(
    fc.property(anyManifest, (one) => {
      const reversed = one.modules
        .map((each) => ({ ...each, fields: each.fields.toReversed() }))
        .toReversed()
      assert.deepEqual(findManifestChanges(one, { ...one, modules: reversed }), [])
    }),
  )
})

test('additions in one direction are removals in the other', () => {
  const invert = (change: string) =>
    change.replace(/added|removed/, (word) => (word === 'added' ? 'removed' : 'added'))
  fc.assert(
    fc.property(anyManifest, anyManifest, (one, other) => {
      const forward = findManifestChanges(one, other).map((each) => JSON.stringify(each))
      const backward = findManifestChanges(other, one).map((each) => invert(JSON.stringify(each)))
      assert.deepEqual(forward.sort(), backward.sort())
    }),
  )
})

test('a new field has the time of its addition, and a removed field is stored until it is added again', () => {
  const first = mergeModule(null, module('cases', ['a', 'b']), AT)
  assert.deepEqual(first, { ...module('cases', ['a', 'b']), removed_at: null, removed_fields: [] })
  const second = mergeModule(first, module('cases', ['c', 'a']), AT)
  assert.deepEqual(second?.fields, [field('c', { added_at: AT }), field('a')])
  assert.deepEqual(second.removed_fields, [{ ...field('b'), removed_at: AT }])
  const third = mergeModule(second, module('cases', ['c', 'a', 'b']), LATER)
  assert.deepEqual(third?.fields.at(-1), field('b', { added_at: LATER }))
  assert.deepEqual(third.fields[0], field('c', { added_at: AT }))
  assert.deepEqual(third.removed_fields, [])
})

test('a removed module has the time of its removal until it is added again', () => {
  const first = mergeModule(null, module('cases', ['a']), AT)
  const removed = mergeModule(mergeModule(first, null, AT), null, LATER)
  assert.equal(removed?.removed_at, AT)
  assert.deepEqual(removed.fields, module('cases', ['a']).fields)
  assert.equal(mergeModule(removed, module('cases', ['a']), LATER)?.removed_at, null)
  assert.equal(mergeModule(null, null, AT), null)
})

test('every key that was ever declared is in exactly one list', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(fc.constantFrom('x', 'y', 'z')), { minLength: 1 }),
      (all) => {
        let stored: StoredModule | null = null
        for (const keys of all) stored = mergeModule(stored, module('cases', keys), AT)
        const current = stored?.fields.map((one) => one.key) ?? []
        const removed = stored?.removed_fields.map((one) => one.key) ?? []
        assert.deepEqual(current, all.at(-1))
        assert.deepEqual([...current, ...removed].sort(), [...new Set(all.flat())].sort())
      },
    ),
  )
})
