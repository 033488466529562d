/** `platform.yaml`: no text costs more than in proportion to its length. */
import { test } from 'node:test'
import { TEXTS, VALUES } from '../../server/test/growth/families.ts'
import { expectLinear } from '../../server/test/growth/growth.ts'
import { readSettings } from '../src/settings/read-settings.ts'

test('the cost of reading platform.yaml grows with its length', (t) => {
  const file = { name: 'platform.yaml', folder: '.' }
  const read = (text: string) => readSettings(text, file, {})
  return expectLinear(
    t,
    [
      { name: 'the file', use: read },
      { name: 'a value', use: (text: string) => read(`platform:\n  name: ${text}\n`) },
    ].map((one) => ({ ...one, size: 2 ** 16 })),
    [...TEXTS, ...VALUES],
  )
})
