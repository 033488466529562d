import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from './forwarded-addresses.ts'

test('an address has one form, however a proxy writes it', () => {
  for (const [text, address] of [
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:5678', '192.0.2.1'],
    ['"192.0.2.1:5678"', '192.0.2.1'],
    ['[192.0.2.1]:5678', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:5678', '2001:db8::1'],
    ['"[2001:db8::1]:5678"', '2001:db8::1'],
    ['[fe80::1%eth0]:5678', 'fe80::1'],
    ['fe80::1%25eth0', 'fe80::1'],
    ...['', '-', 'unknown', '_hidden', 'localhost', '192.0.2', '192.0.2.999', '192.0.2.1:x'].map(
      (text) => [text, null] as const,
    ),
    ...['192.0.2.1:123456', '2001:db8::1]:5678', '[2001:db8::1', '"192.0.2.1', '192.0.2.010'].map(
      (text) => [text, null] as const,
    ),
  ] as const) {
    assert.equal(parseAddress(text), address, text)
  }
})
