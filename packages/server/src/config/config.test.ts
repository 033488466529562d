import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyStored, readConfig, SettingError } from './config.ts'

const configOf = (environment: Record<string, string>) =>
  readConfig({ flags: {}, environment, envFile: {} }).config

test('DATABASE_URL accepts PostgreSQL URLs, but none that would expose the password', () => {
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

test('HUB_PUBLIC_URL has no query, fragment or user, which would be in every link', () => {
  for (const [url, read] of [
    ['https://hub.example.org/', 'https://hub.example.org'],
    ['http://localhost:8080/hub', 'http://localhost:8080/hub'],
  ] as const) {
    assert.equal(configOf({ HUB_PUBLIC_URL: url }).HUB_PUBLIC_URL, read)
  }
  for (const end of ['?a=1', '?', '#a', '#', '/dashboard?tab=log#a']) {
    const HUB_PUBLIC_URL = `https://hub.example.org${end}`
    assert.throws(() => configOf({ HUB_PUBLIC_URL }), /^Error: HUB_PUBLIC_URL: must be a URL/)
  }
  const HUB_PUBLIC_URL = 'https://ann:secret@hub.example.org'
  assert.throws(() => configOf({ HUB_PUBLIC_URL }), /^Error: HUB_PUBLIC_URL: must be a URL/)
})

test('schedules are cron patterns of five fields, or off', () => {
  for (const pattern of ['* * * * *', '*/5 8-18 * * 1-5', '0 0 L * *', 'off']) {
    assert.equal(configOf({ HUB_PULL_SCHEDULE: pattern }).HUB_PULL_SCHEDULE, pattern)
  }
  for (const name of ['HUB_PULL_SCHEDULE', 'HUB_BACKUP_SCHEDULE']) {
    for (const pattern of ['*/10 * * * * *', '0 0 0 1 1 * 2099', '0 0 31 2 *', 'often']) {
      assert.throws(
        () => configOf({ [name]: pattern }),
        new RegExp(`${name}: must be a cron pattern of five fields`),
      )
    }
  }
})

const MAIL = {
  HUB_SMTP_URL: 'smtps://hub%40example.org:p%2Fw%23@mail.example.org:465',
  HUB_ALERT_FROM: 'hub@example.org',
  HUB_ALERT_TO: 'ann@example.org, bob@example.org',
}

test('mail needs a server and a sender; recipients can be stored in the hub', () => {
  const config = configOf(MAIL)
  assert.equal(config.HUB_SMTP_URL, MAIL.HUB_SMTP_URL)
  assert.deepEqual(config.HUB_ALERT_TO, ['ann@example.org', 'bob@example.org'])
  for (const url of ['smtp://localhost', 'smtp://[::1]:25', 'smtp://user:pass@mail.example.org/']) {
    assert.equal(configOf({ ...MAIL, HUB_SMTP_URL: url }).HUB_SMTP_URL, url)
  }
  for (const name of ['HUB_SMTP_URL', 'HUB_ALERT_FROM'] as const) {
    assert.throws(
      () => configOf({ ...MAIL, [name]: '' }),
      /HUB_SMTP_URL .*: set both or neither\.$/,
    )
  }
  assert.throws(
    () => configOf({ HUB_ALERT_TO: MAIL.HUB_ALERT_TO }),
    /HUB_ALERT_TO: set HUB_SMTP_URL/,
  )
  assert.deepEqual(configOf({ ...MAIL, HUB_ALERT_TO: '' }).HUB_ALERT_TO, [])
  assert.deepEqual(configOf({}).HUB_ALERT_TO, [])
})

test('an invalid mail setting is named, and its password is never shown', () => {
  for (const url of [
    'mail.example.org',
    'http://mail.example.org',
    'smtp://',
    'smtp://hub:12/34secret@mail',
    'smtp://hub:12#34secret@mail',
    'smtp://hub:12?34secret@mail',
    'smtp://hub:100%secret@mail',
    'smtp://hub:secret@mail?pool=true',
    'smtp://:secret@mail',
    'smtp://mail\r\nRCPT TO:<x>',
  ]) {
    assert.throws(
      () => configOf({ ...MAIL, HUB_SMTP_URL: url }),
      (error) =>
        error instanceof SettingError &&
        /^HUB_SMTP_URL: must be smtp:/.test(error.message) &&
        !error.message.includes('secret'),
    )
  }
  for (const to of ['ann', 'ann@example.org,', 'a@b.org\nBcc: c@d.org', ',', 'Ann <a@b.org>']) {
    assert.throws(() => configOf({ ...MAIL, HUB_ALERT_TO: to }), /^SettingError|HUB_ALERT_TO: must/)
  }
  const many = Array.from({ length: 51 }, (_, index) => `a${index}@example.org`).join(',')
  assert.throws(() => configOf({ ...MAIL, HUB_ALERT_TO: many }), /HUB_ALERT_TO: must be 50/)
  assert.throws(() => configOf({ ...MAIL, HUB_ALERT_FROM: 'a@b.org\r\nX: y' }), /HUB_ALERT_FROM/)
})

test('retention is on by default and takes whole days, with 0 for unlimited', () => {
  const config = configOf({ HUB_RETENTION_PULLS_DAYS: '0' })
  assert.deepEqual([config.HUB_RETENTION_HISTORY_DAYS, config.HUB_RETENTION_PULLS_DAYS], [365, 0])
  for (const days of ['-1', '1.5', 'never', '36501']) {
    assert.throws(
      () => configOf({ HUB_RETENTION_AUDIT_DAYS: days }),
      /HUB_RETENTION_AUDIT_DAYS: must be a whole number/,
    )
  }
})

const OIDC = {
  HUB_PUBLIC_URL: 'https://hub.example.org',
  HUB_OIDC_ISSUER: 'https://login.example.org/realms/hub',
  HUB_OIDC_CLIENT_ID: 'recordhub',
  HUB_OIDC_CLIENT_SECRET: 'a client secret',
}

test('single sign-on needs an issuer, a client, a secret and the public URL, or none of them', () => {
  const config = configOf({ ...OIDC, HUB_OIDC_DOMAINS: 'Example.org, sub.example.com' })
  assert.deepEqual(config.HUB_OIDC_DOMAINS, ['example.org', 'sub.example.com'])
  assert.equal(config.HUB_OIDC_ROLE, 'viewer')
  for (const name of ['HUB_OIDC_ISSUER', 'HUB_OIDC_CLIENT_ID', 'HUB_OIDC_CLIENT_SECRET']) {
    assert.throws(
      () => configOf({ ...OIDC, [name]: '' }),
      /HUB_OIDC_ISSUER, .*: set all or none\.$/,
    )
  }
  assert.throws(() => configOf({ ...OIDC, HUB_PUBLIC_URL: '' }), /HUB_PUBLIC_URL: single/)
  assert.equal(configOf({}).HUB_OIDC_ISSUER, '')
})

test('an invalid single sign-on setting is named, and the secret is never shown', () => {
  for (const [name, value] of [
    ['HUB_OIDC_ISSUER', 'login.example.org'],
    ['HUB_OIDC_ROLE', 'god'],
    ['HUB_OIDC_DOMAINS', '@example.org'],
    ['HUB_OIDC_DOMAINS', 'example.org,*'],
    ['HUB_OIDC_DOMAINS', 'localhost'],
  ] as const) {
    assert.throws(
      () => configOf({ ...OIDC, [name]: value }),
      (error: Error) =>
        error.message.startsWith(`${name}: must be`) &&
        !error.message.includes(OIDC.HUB_OIDC_CLIENT_SECRET),
    )
  }
})

test('the port of the metrics is a port or off, and their token is long', () => {
  assert.equal(configOf({}).HUB_METRICS_PORT, null)
  assert.equal(configOf({ HUB_METRICS_PORT: 'Off' }).HUB_METRICS_PORT, null)
  assert.equal(configOf({ HUB_METRICS_PORT: '9464' }).HUB_METRICS_PORT, 9464)
  for (const port of ['65536', '-1', 'on']) {
    assert.throws(() => configOf({ HUB_METRICS_PORT: port }), /^.*HUB_METRICS_PORT: must be a port/)
  }
  assert.throws(() => configOf({ HUB_METRICS_TOKEN: 'short' }), /at least 32 characters/)
})

test('the variables of OpenTelemetry have their standard formats', () => {
  const config = configOf({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a=b, x-tenant = 7',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  })
  const headers = { authorization: 'Bearer a=b', 'x-tenant': '7' }
  assert.deepEqual(config.OTEL_EXPORTER_OTLP_HEADERS, headers)
  assert.equal(config.OTEL_TRACES_SAMPLER_ARG, 0.25)
  for (const [name, value] of [
    ...[['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'] as const],
    ...[['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz'] as const],
    ...[['OTEL_TRACES_SAMPLER', 'sometimes'] as const],
    ...[['OTEL_TRACES_SAMPLER_ARG', '1.5'] as const],
  ]) {
    assert.throws(() => configOf({ [name]: value }), new RegExp(`^.*${name}: must be`))
  }
})

test('a stored setting applies where no source contains it, and an invalid one is left out and named', () => {
  const sources = { flags: {}, environment: { HUB_BACKUP_KEEP: '3' }, envFile: {} }
  const stored = Object.entries({
    ...{ HUB_BACKUP_KEEP: '9', HUB_RETENTION_PULLS_DAYS: '5', HOST: '::1', HUB_GONE: '1' },
    ...{ HUB_PULL_SCHEDULE: 'never' },
  }).map(([name, value]) => ({ name, value }))
  const { config, applied, invalid } = applyStored(readConfig(sources), stored)
  const { HUB_BACKUP_KEEP, HUB_RETENTION_PULLS_DAYS, HOST, HUB_PULL_SCHEDULE } = config
  assert.deepEqual([HUB_BACKUP_KEEP, HUB_RETENTION_PULLS_DAYS, HOST], [3, 5, '127.0.0.1'])
  assert.equal(HUB_PULL_SCHEDULE, '* * * * *')
  assert.deepEqual([...applied], ['HUB_RETENTION_PULLS_DAYS'])
  assert.match(invalid.join(), /^HUB_PULL_SCHEDULE: must be a cron pattern/)
})
