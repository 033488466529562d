import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEmail } from './email.ts'

test('an e-mail address has a mailbox without quotes and a domain name', () => {
  for (const address of [
    'ann@example.org',
    'Ann.O-Neil+hub@sub.example.co.uk',
    "o'neil@example.org",
    '_@a-b.example',
  ]) {
    assert.equal(isEmail(address), true, address)
  }
  for (const address of [
    '',
    'ann',
    '@example.org',
    'ann@example',
    'ann@localhost',
    'ann@127.0.0.1',
    'ann@-example.org',
    'ann@example..org',
    '.ann@example.org',
    'ann.@example.org',
    'a..nn@example.org',
    'ann bob@example.org',
    'Ann <ann@example.org>',
    '"ann"@example.org',
    'änn@example.org',
    'ann@example.org\n',
    'ann@example.org\r\nBcc: bob@example.org',
  ]) {
    assert.equal(isEmail(address), false, address)
  }
})
