import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { findAddressProblem } from './address-guard.ts'

test('link-local, multicast and metadata addresses are rejected in every form', () => {
  for (const address of [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '239.1.2.3',
    '[ff02::1]',
    'fe80::1%eth0',
    '[fe80::1%25eth0]',
    '[fd00:ec2::254]',
    'FD20:CE:0:0::254',
    // The same addresses embedded in IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
    '::ffff:169.254.169.254',
    '[::ffff:a9fe:a9fe]',
    '0:0:0:0:0:FFFF:169.254.169.254',
    '::169.254.169.254',
    '::ffff:0:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '2001:0:a9fe:a9fe::1',
    '2001:0:5db8:d822:0:0:5601:5601',
    '2606:2800::5efe:169.254.169.254',
    '2606:2800::200:5efe:a9fe:a9fe',
  ]) {
    assert.notEqual(findAddressProblem(address, 'any'), null, address)
    assert.notEqual(findAddressProblem(address, 'public'), null, address)
  }
})

test('private and reserved addresses are rejected if only public ones are allowed', () => {
  for (const address of [
    '0.0.0.0',
    '127.0.0.1',
    '127.255.255.254',
    '10.1.2.3',
    '100.64.0.1',
    '172.31.255.255',
    '192.0.2.1',
    '192.168.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '255.255.255.255',
    '::',
    '::1',
    '0000:0000:0000:0000:0000:0000:0000:0001',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
    '2002:c0a8:1::',
    '2001:0:c0a8:1::',
    '2001:db8::1',
    'fd12::1',
    'fec0::1',
    '100::1',
  ]) {
    assert.equal(findAddressProblem(address, 'any'), null, address)
    assert.notEqual(findAddressProblem(address, 'public'), null, address)
  }
})

test('public addresses pass, and so do names, whose addresses are checked later', () => {
  for (const address of [
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:2800:220:1::1',
    '64:ff9b::93.184.216.34',
    '2002:5db8:d822::1',
    'localhost',
    'example.org',
    '',
    '[]',
    '1.2.3',
    '::g',
  ]) {
    assert.equal(findAddressProblem(address, 'public'), null, address)
  }
})

test('an IPv4 address embedded in IPv6 is treated like the IPv4 address', () => {
  fc.assert(
    fc.property(
      fc.ipV4(),
      fc.constantFrom('any' as const, 'public' as const),
      (address, networks) => {
        const expected = findAddressProblem(address, networks)
        for (const prefix of ['::ffff:', '64:ff9b::', '::ffff:0:']) {
          assert.equal(
            findAddressProblem(`${prefix}${address}`, networks),
            expected,
            `${prefix}${address}`,
          )
        }
      },
    ),
  )
})
