import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyRefused } from './address-guard.ts'

test('link-local and metadata addresses are refused in every form', () => {
  for (const address of [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '[::ffff:a9fe:a9fe]',
    'fe80::1%eth0',
    '[fd00:ec2::254]',
    '100.100.100.200',
  ]) {
    assert.notEqual(whyRefused(address, 'any'), null, address)
    assert.notEqual(whyRefused(address, 'public'), null, address)
  }
})

test('private addresses are refused where only public ones are allowed', () => {
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '::1',
    '::ffff:10.0.0.1',
    'fd12::1',
  ]) {
    assert.equal(whyRefused(address, 'any'), null, address)
    assert.notEqual(whyRefused(address, 'public'), null, address)
  }
})

test('public addresses and names pass; a name is judged by the address it leads to', () => {
  for (const address of ['93.184.216.34', '2606:2800:220:1::1', 'localhost', 'example.org']) {
    assert.equal(whyRefused(address, 'public'), null, address)
  }
})
