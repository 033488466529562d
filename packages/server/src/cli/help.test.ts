import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SETTING_NAMES } from '../config/settings.ts'
import { checkPlatformHelp, commandHelp, helpText } from './help.ts'

const settingsIn = (text: string) => SETTING_NAMES.filter((name) => text.includes(`\n  ${name} `))

test('the help of a command has its options and the settings that it uses', () => {
  const guide = commandHelp(['guide']) ?? ''
  assert.match(guide, /^Usage: recordhub guide \[options\]$/m)
  assert.match(guide, /--platform <name or id>.*\n.*--language <language>.*: curl, php, .*java\.$/m)
  assert.ok(settingsIn(guide).includes('HUB_PUBLIC_URL'))
  assert.ok(!settingsIn(guide).includes('HUB_PULL_SCHEDULE'))

  const check = commandHelp(['check-platform']) ?? ''
  assert.match(check, /^Usage: recordhub check-platform --url <base URL> \[options\]$/m)
  for (const option of ['--key', '--json', '--strict', '--push', '--for', '--public-url']) {
    assert.match(check, new RegExp(`^  ${option} .*\\S`, 'm'))
  }
  assert.equal(
    checkPlatformHelp(),
    check.replace('Usage: recordhub check-platform', 'Usage: recordhub-check-platform'),
  )
})

test('each command of the general help has its own help', () => {
  const [, list = ''] = /Commands:\n(.*?)\n\n/s.exec(helpText()) ?? []
  const names = list.split('\n').map((line) => line.trim().split(/ {2,}/)[0] ?? '')
  assert.ok(names.length >= 7, list)
  for (const name of names) {
    assert.match(commandHelp(name.split(' ')) ?? '', new RegExp(`^Usage: recordhub ${name}`, 'm'))
  }
  assert.match(commandHelp(['token']) ?? '', /token create/)
  assert.match(commandHelp(['operator', 'invite']) ?? '', /invite <email>/)
  assert.equal(commandHelp(['token', 'nonsense']), null)
  assert.equal(commandHelp([]), null)
})
