/** Any environment, `.env` file and arguments: valid settings, or one line that names what is wrong. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseEnv } from 'node:util'
import { COMMAND_OPTIONS, COMMAND_SWITCHES, parseArguments } from '../../src/cli/arguments.ts'
import { readConfig, readConfigLeniently, SettingError } from '../../src/config/config.ts'
import { flagOf, SECRET_SETTINGS, SETTING_NAMES } from '../../src/config/settings.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { anyString, anyText, bytesOf } from './arbitraries.ts'
import { fuzz, sampleOf } from './checks.ts'
import { NUMBERS, STRINGS } from './corpus.ts'

const USUAL = [
  ...[
    'on',
    'off',
    'true',
    'ON',
    '8080',
    '0',
    '65535',
    '65536',
    '0.5',
    '1',
    '.5',
    '1.',
    'UTC',
    'Europe/Berlin',
    'utc',
    '+01:00',
  ],
  ...[
    '* * * * *',
    '*/5 * * * *',
    '0 0 31 2 *',
    '60 * * * *',
    '* * * * * *',
    '@daily',
    'a@example.org',
    'a@b',
    'a@example.org,b@example.org',
    ',',
  ],
  ...[
    'https://hub.example',
    'http://hub.example/path/',
    'ftp://x',
    'http://',
    'https://user:pass@hub',
    'http://[::1]:8080',
    'smtp://a:b@host:25',
    'smtps://host',
    'smtp://a%zz@host',
  ],
  ...[
    'postgres://u:p@host/db',
    'postgres://u:p/w@host/db',
    'sqlite:',
    'sqlite:x',
    'postgresql://',
    '10.0.0.0/8',
    '::1/129',
    '1.2.3.4/33',
    '9',
    '10',
    'a=b',
    'a=%zz',
    '=',
    'a=b,c',
    '__proto__=x',
  ],
]
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...USUAL) },
  { weight: 2, arbitrary: anyString },
  { weight: 1, arbitrary: fc.constantFrom(...NUMBERS) },
)

/** Asserts that a function returns, or throws an error in one line. */
function expectOneLine<Result>(run: () => Result): Result | SettingError {
  try {
    return run()
  } catch (error) {
    assert.ok(error instanceof SettingError, String(error))
    assert.doesNotMatch(error.message, /[\r\n\u2028\u2029]/)
    assert.ok(error.message.length > 10 && error.message.length < 2000, error.message)
    return error
  }
}

describe('fuzzed settings', () => {
  test('each setting accepts or rejects each text of the corpus, and names itself', () => {
    const texts = [...USUAL, ...sampleOf([...STRINGS, ...NUMBERS], 60)]
    for (const name of SETTING_NAMES) {
      for (const text of texts) {
        const { config, invalid } = readConfigLeniently({
          flags: {},
          environment: { [name]: text },
          envFile: {},
        })
        assert.ok(Object.hasOwn(config, name))
        for (const message of invalid) {
          assert.ok(
            SETTING_NAMES.some((one) => message.startsWith(one)),
            `${name}: ${message}`,
          )
          assert.doesNotMatch(message, /[\r\n]/)
          const isSecret = SECRET_SETTINGS.some((one) => one === name)
          if (isSecret && text.length > 12) assert.ok(!message.includes(text), message)
        }
      }
    }
  })

  test('any environment and any .env file', async () => {
    const variables = fc.dictionary(
      fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom(...SETTING_NAMES) },
        { weight: 1, arbitrary: anyText },
        {
          weight: 1,
          arbitrary: fc.constantFrom('HUB_X', '__proto__', 'HUB_SECRET_FILE', 'constructor'),
        },
      ),
      value,
      { maxKeys: 5 },
    )
    const line = fc
      .tuple(
        fc.constantFrom(...SETTING_NAMES),
        fc.constantFrom('=', ' = ', ': ', '', "='", '="', '=`'),
        value,
        fc.constantFrom('', '"', "'", ' # c', '\r'),
      )
      .map((parts) => parts.join(''))
    const file = bytesOf(
      fc.array(fc.oneof(line, anyText), { maxLength: 5 }).map((lines) => lines.join('\n')),
    )
    await fuzz(fc.tuple(variables, file, variables), {
      quick: 30,
      deep: 50_000,
      check([environment, bytes, flags]) {
        const envFile = parseEnv(bytes.toString('utf8'))
        const result = expectOneLine(() => readConfig({ flags, environment, envFile }))
        if (result instanceof SettingError)
          assert.match(result.message, /^[A-Z]+_[A-Z_]+|^PORT|^HOST/)
        else assert.deepEqual(Object.keys(result.config).sort(), [...SETTING_NAMES].sort())
      },
    })
    assert.deepEqual(Object.keys(Object.prototype), [])
  })

  test('any arguments of the command line', async () => {
    const flags = [
      ...SETTING_NAMES.map(flagOf),
      ...COMMAND_OPTIONS,
      ...COMMAND_SWITCHES,
      'help',
      'version',
    ]
    const argument = fc.oneof(
      fc.constantFrom(...flags).map((flag) => `--${flag}`),
      fc.tuple(fc.constantFrom(...flags), value).map(([flag, text]) => `--${flag}=${text}`),
      fc.constantFrom(
        'start',
        'token',
        'create',
        'backup',
        '-',
        '--',
        '-h',
        '-v',
        '-x',
        '-hv',
        '--no-json',
        '--__proto__',
        '--__proto__=x',
        '--constructor',
      ),
      value,
    )
    await fuzz(fc.array(argument, { maxLength: 5 }), {
      quick: 50,
      deep: 50_000,
      check(args) {
        const result = expectOneLine(() => parseArguments(args))
        if (result instanceof SettingError) return
        for (const name of Object.keys(result.settings))
          assert.ok(SETTING_NAMES.some((one) => one === name))
      },
    })
  })
})
