import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, SettingError } from './config.ts'

const configOf = (environment: Record<string, string>) =>
  readConfig({ flags: {}, environment, envFile: {} }).config

test('DATABASE_URL takes an address of PostgreSQL, and none whose password would be shown', () => {
  for (const url of ['postgres://hub:12%2F34@db/hub', 'postgresql://db/hub?host=/run/postgresql']) {
    assert.equal(configOf({ DATABASE_URL: url }).DATABASE_URL, url)
  }
  for (const url of [
    'postgres://hub:12/34@db/hub',
    'postgres://hub:12#34@db/hub',
    'mysql://db/hub',
  ]) {
    assert.throws(() => configOf({ DATABASE_URL: url }), {
      name: SettingError.prototype.name,
      message: /^DATABASE_URL: must be/,
    })
  }
})

test('HUB_PULL_SCHEDULE takes what the schedules of both engines take', () => {
  for (const pattern of ['* * * * *', '*/5 8-18 * * 1-5', '0 0 L * *', 'off']) {
    assert.equal(configOf({ HUB_PULL_SCHEDULE: pattern }).HUB_PULL_SCHEDULE, pattern)
  }
  for (const pattern of ['@midnight', '0 12 15W * *', '0 0 0 1 1 * 2099', '0 0 31 2 *', 'often']) {
    assert.throws(
      () => configOf({ HUB_PULL_SCHEDULE: pattern }),
      /HUB_PULL_SCHEDULE: must be a cron/,
    )
  }
})
