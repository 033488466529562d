import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RepairChange } from '@recordhub/protocol'
import { parseLossless, stringifyLossless } from '@recordhub/protocol/lossless-json'
import { applyChanges, proposeModule } from './repair.ts'

/** The body after the changes, as text, and whether it has changed. */
function repair(text: string, ...changes: RepairChange[]): [string, boolean] {
  const { body, isChanged } = applyChanges(parseLossless(text), changes)
  return [stringifyLossless(body), isChanged]
}

test('a rule changes members in their place, and keeps the digits of all numbers', () => {
  const body = '{"record_type":"loans","n":1.10,"data":{"a/b":"12.50","c":7,"d":" x ","e":null}}'
  const cases: [RepairChange, string][] = [
    [{ op: 'set', path: '/record_type', value: 'loan' }, body.replace('loans', 'loan')],
    [{ op: 'set', path: '/data/new', value: [1] }, body.replace('null}', 'null,"new":[1]}')],
    [{ op: 'rename', path: '/data/c', to: 'count' }, body.replace('"c"', '"count"')],
    [{ op: 'remove', path: '/n' }, body.replace('"n":1.10,', '')],
    [{ op: 'to_number', path: '/data/a~1b' }, body.replace('"12.50"', '12.50')],
    [{ op: 'to_text', path: '/n' }, body.replace('1.10', '"1.10"')],
    [{ op: 'trim', path: '/data/d' }, body.replace(' x ', 'x')],
    [{ op: 'default', path: '/data/e', value: 0 }, body.replace('null', '0')],
  ]
  for (const [change, expected] of cases) assert.deepEqual(repair(body, change), [expected, true])
  const twice = repair(body, { op: 'trim', path: '/data/d' }, { op: 'remove', path: '/data/d' })
  assert.equal(twice[0], body.replace('"d":" x ",', ''))
})

test('a change that does not apply to a body leaves it as it is', () => {
  const body = '{"a":"text","b":1,"c":{"d":true},"e":null}'
  const changes: RepairChange[] = [
    { op: 'rename', path: '/a', to: 'b' },
    { op: 'rename', path: '/missing', to: 'x' },
    { op: 'remove', path: '/a/b' },
    { op: 'set', path: '/missing/x', value: 1 },
    { op: 'to_number', path: '/a' },
    { op: 'to_text', path: '/c' },
    { op: 'to_text', path: '/e' },
    { op: 'trim', path: '/b' },
    { op: 'default', path: '/b', value: 2 },
    { op: 'remove', path: '/constructor' },
  ]
  for (const change of changes) assert.deepEqual(repair(body, change), [body, false])
  assert.deepEqual(repair('["a"]', { op: 'remove', path: '/0' }), ['["a"]', false])
})

test('a module is proposed for a similar name, if only one is as similar', () => {
  const modules = [
    { record_type: 'loan', module_name: 'Loans' },
    { record_type: 'artwork', module_name: 'Œuvres' },
    { record_type: 'exhibition', module_name: 'Expositions' },
    { record_type: 'story', module_name: 'Stories' },
    { record_type: 'cat', module_name: 'Cats' },
  ]
  const cases: [string, string | null, string?][] = [
    ['loans', 'loan', 'name'],
    ['LOAN', 'loan', 'name'],
    ['expo-sitions', 'exhibition', 'name'],
    ['exhibitions', 'exhibition', 'plural'],
    ['artworks', 'artwork', 'plural'],
    ['artwrok', 'artwork', 'spelling'],
    ['exibitoin', 'exhibition', 'spelling'],
    ['lone', null],
    ['car', null],
    ['person', null],
    ['', null],
  ]
  for (const [sent, record_type, reason] of cases) {
    const found = proposeModule(sent, modules)
    const expected = record_type === null ? null : [record_type, reason]
    assert.deepEqual(found && [found.record_type, found.reason], expected, sent)
  }
  const alike = ['loan_in', 'loan_on'].map((record_type) => ({ record_type, module_name: '' }))
  assert.equal(proposeModule('loan_an', alike), null)
})
