/** Settings: no value costs more than in proportion to its length. */
import { test } from 'node:test'
import { readConfigLeniently } from '../../src/config/config.ts'
import { SETTING_NAMES } from '../../src/config/settings.ts'
import { TEXTS } from './families.ts'
import { expectLinear } from './growth.ts'

test('the cost of reading a setting grows with its length', (t) =>
  expectLinear(
    t,
    SETTING_NAMES.map((name) => ({
      name,
      size: 2 ** 16,
      use: (text: string) =>
        readConfigLeniently({ flags: {}, environment: { [name]: text }, envFile: {} }),
    })),
    TEXTS,
  ))
