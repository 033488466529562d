import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { findLink } from './link-header.ts'

test('the next page is found in every form that RFC 8288 allows', () => {
  for (const header of [
    '<?page=2>; rel="next"',
    '<?page=2>; rel=next',
    '<?page=2>;rel="NEXT"',
    '<?page=2> ; REL = "next"',
    '< ?page=2 >; rel="last next"',
    '<?page=1>; rel="prev", <?page=2>; rel="next", <?page=9>; rel="last"',
    '<?page=1>; rel=prev,<?page=2>; title="a, b; rel=\\"prev\\""; rel=next',
    ', ,<?page=2>; title; rel=next; rel=prev',
    '<?page=2>; rel="next", <?page=3>; rel="next"',
    '<?other>; rel=next; anchor="/elsewhere", <?page=2>; rel=next',
    '<?a;b,c>; rel=prev, <?page=2>; rel=next',
  ]) {
    assert.equal(findLink(header, 'next'), '?page=2', header)
  }
})

test('no link is found if none has the relation', () => {
  for (const header of [
    '',
    'nonsense',
    '<?page=2>',
    '<?page=2>; rel="nextpage"',
    '<?page=2>; rel="prev"; rel="next"',
    '<?page=2>; title="rel=next"',
    '<?page=2; rel=next',
    'rel=next',
    '<?page=2>; rel="next',
  ]) {
    assert.equal(findLink(header, 'next'), null, header)
  }
})

test('any header can be parsed, and any target is returned unchanged', () => {
  const pieces = fc.constantFrom('<', '>', ';', ',', '"', '\\', 'rel', '=', 'next', ' ', 'x')
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      findLink(parts.join(''), 'next')
    }),
  )
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), fc.string(), (url, title) => {
      const quoted = JSON.stringify(title.replace(/[^ -~]/g, ''))
      assert.equal(findLink(`<${url}>; title=${quoted}; rel="next"`, 'next'), url)
    }),
  )
})
