import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SettingError } from '../config/config.ts'
import { flagOf, SETTING_NAMES } from '../config/settings.ts'
import {
  assertOptionsKnown,
  COMMAND_OPTIONS,
  COMMAND_SWITCHES,
  parseArguments,
} from './arguments.ts'
import { COMMAND_NAMES, findCommand } from './commands.ts'

function parse(args: string[]): void {
  assertOptionsKnown(parseArguments(args))
}

test('a command accepts the options and settings of its help, and rejects all others by name', () => {
  const parsed = [
    ...[...COMMAND_OPTIONS, ...SETTING_NAMES.map(flagOf)].map((flag) => [flag, `--${flag}=1`]),
    ...COMMAND_SWITCHES.map((flag) => [flag, `--${flag}`]),
  ].map(([flag = '', argument = '']) => ({ flag, found: parseArguments([argument]) }))
  for (const name of COMMAND_NAMES) {
    const known = findCommand(name.split(' '))
    assert.equal(known?.name, name)
    const accepted = new Set([...known.options, ...known.settings.map(flagOf)])
    for (const { flag, found } of parsed) {
      const check = () => assertOptionsKnown({ ...found, positionals: name.split(' ') })
      if (accepted.has(flag)) check()
      else {
        const message = `${name} has no option --${flag}; see recordhub ${name} --help.`
        assert.throws(check, new SettingError(message))
      }
    }
  }
})

test('an option that no command has is rejected with the command', () => {
  for (const [args, message] of [
    [['start', '--colour', 'blue'], 'start has no option --colour; see recordhub start --help.'],
    [
      ['token', 'create', '-x'],
      'token create has no option -x; see recordhub token create --help.',
    ],
    [['--colour'], 'recordhub has no option --colour; see recordhub --help.'],
    [['a\n'.repeat(5000), '--colour'], 'recordhub has no option --colour; see recordhub --help.'],
  ] as const) {
    assert.throws(() => parse([...args]), new SettingError(message))
  }
})
