import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientSite, clientSubnet, UNKNOWN_ADDRESS } from './client-subnet.ts'

test('an IPv4 address is a subnet of its own in every notation', () => {
  assert.equal(clientSubnet('192.0.2.7'), '192.0.2.7')
  assert.equal(clientSubnet('::ffff:192.0.2.7'), '192.0.2.7')
  assert.equal(clientSubnet('::FFFF:192.0.2.7'), '192.0.2.7')
})

test('a connection that closed before its address was read is unknown', () => {
  assert.equal(clientSubnet(undefined), UNKNOWN_ADDRESS)
})

test('IPv6 addresses are grouped by their first 64 bits', () => {
  const one = clientSubnet('2001:db8:1:2:3:4:5:6')
  assert.equal(one, '2001:db8:1:2::/64')
  for (const same of ['2001:DB8:1:2::', '2001:0db8:0001:0002::ffff', '2001:db8:1:2::1%eth0']) {
    assert.equal(clientSubnet(same), one, same)
  }
  for (const other of ['2001:db8:1:3::1', '2001:db8::1:2:3:4:5', '::1', 'fe80::1']) {
    assert.notEqual(clientSubnet(other), one, other)
  }
  assert.equal(clientSubnet('::1'), '0:0:0:0::/64')
})

test('IPv6 addresses are grouped by their first 48 bits, and other addresses are not', () => {
  assert.equal(clientSite('2001:db8:1:2:3:4:5:6'), '2001:db8:1::/48')
  assert.equal(clientSite('2001:db8:1:ffff::1%eth0'), '2001:db8:1::/48')
  assert.equal(clientSite('2001:db8:2::1'), '2001:db8:2::/48')
  for (const none of ['192.0.2.7', '::ffff:192.0.2.7', 'unix', undefined]) {
    assert.equal(clientSite(none), null)
  }
})

test('a text that is not an address is a subnet of its own', () => {
  for (const text of ['', 'unix', ':::', '1.2.3']) assert.equal(clientSubnet(text), text)
})
