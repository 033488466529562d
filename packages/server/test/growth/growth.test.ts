import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Family } from './families.ts'
import { measureGrowth } from './growth.ts'

const SLASHES: Family = { name: 'slashes', make: (size) => `${'/'.repeat(size)}a` }

test('quadratic work is found, and linear work is not', async () => {
  const quadratic = {
    name: 'quadratic',
    // Large enough for the smaller input to cost more than the fixed work.
    size: 3 * 2 ** 13,
    use: (text: string) => text.replace(/\/+$/, ''),
  }
  assert.ok((await measureGrowth(quadratic, SLASHES)).ratio > 6)
  const linear = { name: 'linear', size: 2 ** 14, use: (text: string) => JSON.stringify([...text]) }
  assert.ok((await measureGrowth(linear, SLASHES)).ratio < 6)
})
