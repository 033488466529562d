/** Mails about alerts, sent to a real mail server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DoneResponse } from '@recordhub/protocol'
import { pino } from 'pino'
import { createMailer } from '../../src/features/monitoring/mail-alerts.ts'
import { createAlertWatch } from '../../src/features/monitoring/watch-alerts.ts'
import { CONTINUOUS_ALERTS, createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { EMAIL, startTestHub, type TestHub, withoutMachine } from '../helpers/hub/hub.ts'
import { expectAbsent, expectBody, expectError } from '../helpers/hub/response.ts'
import { REJECTION, startMailServer, type TestMailServer } from '../helpers/hub/smtp-server.ts'
import type { StorageEngine, TestClock } from '../helpers/storage/engine.ts'
import { listActivity, only, registerTestPlatform } from '../helpers/storage/fixtures.ts'
import { isDeep } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'

const FROM_TO = {
  HUB_ALERT_FROM: 'hub@example.org',
  HUB_ALERT_TO: 'ann@example.org,bob@example.org',
}

const PAUSE_SECONDS = 301
/** Timeouts longer than any test. */
const mailTimeouts = { connect: 600_000, silence: 600_000, total: 600_000 }

function settingsFor(server: TestMailServer): Record<string, string> {
  return { HUB_SMTP_URL: server.url, HUB_PUBLIC_URL: 'https://hub.example.org', ...FROM_TO }
}

function startMailingHub(engine: StorageEngine, server: TestMailServer, clock: TestClock) {
  return startTestHub(engine, {
    env: settingsFor(server),
    intervals: CONTINUOUS_ALERTS,
    clock,
    mailTimeouts,
  })
}

async function registerPlatforms(hub: TestHub, clock: TestClock, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    await registerTestPlatform({ storage: hub.storage, clock }, { name: `p${index}` })
  }
}

function untilMails(server: TestMailServer, count: number) {
  return until(async () => (server.mails.length >= count ? server.mails : null), `${count} mails`)
}

/** Waits until there are open alerts and all of them are recorded as mailed. */
function untilRecordedAsMailed(hub: TestHub) {
  return until(async () => {
    const open = await hub.alerts('&state=open')
    return open.length > 0 && open.every(({ mailed_at }) => mailed_at !== null) ? open : null
  }, 'every open alert is recorded as mailed')
}

function sendTestMail(hub: TestHub, role: 'operator' | 'admin' = 'admin') {
  const headers = { authorization: hub.authorization(role) }
  return hub.send({ method: 'POST', url: '/api/v1/alerts/test-mail', headers })
}

describeOnEngines('mails about alerts', (engine) => {
  test('an alert sends one mail when it opens and one when it resolves', async () => {
    await using server = await startMailServer()
    const clock = createStoppedClock()
    await using hub = await startMailingHub(engine, server, clock)
    await registerPlatforms(hub, clock, 1)
    await hub.setPullFailures(5)
    await untilMails(server, 1)
    await untilRecordedAsMailed(hub)
    await hub.setPullFailures(0)
    await hub.untilAlertsOpen('platform_failing', 0)
    clock.advance(PAUSE_SECONDS)
    await untilMails(server, 2)
    // The third mail is about the next alert, so no other mail was sent in between.
    clock.advance(PAUSE_SECONDS)
    await hub.setPullFailures(6)
    const [raised, resolved, again] = await untilMails(server, 3)
    assert.ok(raised && resolved && again)
    assert.deepEqual(raised.to, ['ann@example.org', 'bob@example.org'])
    assert.doesNotMatch(raised.source, /ann@|bob@/)
    assert.match(raised.source, /^Subject: Recordhub: Pulls of Title p1 have failed/m)
    assert.match(raised.source, /What to do:/)
    assert.match(raised.source, /https:\/\/hub\.example\.org\/dashboard/)
    assert.match(resolved.source, /^Subject: Recordhub: resolved: Pulls of Title p1 have failed/m)
    assert.match(again.source, /^Subject: Recordhub: Pulls of Title p1 have failed/m)
    assert.equal(server.attempts(), 3)
  })

  test('many alerts at once send one mail, and their resolutions wait for the next mail', async () => {
    await using server = await startMailServer()
    const clock = createStoppedClock()
    await using hub = await startMailingHub(engine, server, clock)
    await registerPlatforms(hub, clock, 60)
    await hub.setPullFailures(5)
    await hub.untilAlertsOpen('platform_failing', 60)
    const [storm] = await untilMails(server, 1)
    assert.match(storm?.source ?? '', /^Subject: Recordhub: alerts: 60 new\r$/m)
    assert.match(storm?.source ?? '', /- and 10 more/)
    await untilRecordedAsMailed(hub)
    await hub.setPullFailures(0)
    await hub.untilAlertsOpen('platform_failing', 0)
    assert.equal(server.mails.length, 1)
    clock.advance(PAUSE_SECONDS)
    const [, afterPause] = await untilMails(server, 2)
    assert.match(afterPause?.source ?? '', /^Subject: Recordhub: alerts: 60 resolved\r$/m)
  })

  if (isDeep)
    test('several nodes open each alert once and send one mail', async () => {
      await using server = await startMailServer()
      const clock = createStoppedClock()
      await using hub = await startTestHub(engine, { clock })
      const log = pino({ level: 'silent' })
      const settings = { url: server.url, from: FROM_TO.HUB_ALERT_FROM }
      const mailer = createMailer(settings, mailTimeouts)
      const jobFailures = new Map()
      const deps = {
        ...withoutMachine(hub.storage),
        mailer,
        config: { HUB_PUBLIC_URL: '', HUB_ALERT_TO: ['ann@example.org'] },
        clock,
        log,
        jobFailures,
      }
      const watches = Array.from({ length: 6 }, () => createAlertWatch(deps))
      await registerPlatforms(hub, clock, 3)
      await hub.setPullFailures(5)
      const { signal } = new AbortController()
      for (let round = 1; round <= 3; round += 1) {
        await Promise.all(watches.map((watch) => watch(signal)))
      }
      assert.deepEqual(await hub.alertActivityKinds(), Array(3).fill('alert.raised'))
      assert.match(only(server.mails).source, /alerts: 3 new/)
    })

  test('a rejected mail opens an alert with the reason and is retried', async () => {
    await using server = await startMailServer()
    server.setReaction('reject')
    const clock = createStoppedClock()
    await using hub = await startMailingHub(engine, server, clock)
    await registerPlatforms(hub, clock, 1)
    await hub.setPullFailures(5)
    const failing = only(await hub.untilAlertsOpen('mail_failing'))
    assert.ok(failing.message.includes(REJECTION), failing.message)
    server.setReaction('accept')
    clock.advance(PAUSE_SECONDS)
    await hub.untilAlertsOpen('mail_failing', 0)
    // The mail is about the platform only; the mail_failing alert is not mailed.
    assert.match(only(server.mails).source, /^Subject: Recordhub: Pulls of Title p\d have failed/m)
    assert.equal(server.attempts(), 2)
  })

  test('a hub stops while the mail server hangs, and sends the mail after its restart', async () => {
    await using server = await startMailServer()
    server.setReaction('hang')
    const clock = createStoppedClock()
    await using hub = await startMailingHub(engine, server, clock)
    await registerPlatforms(hub, clock, 1)
    await hub.setPullFailures(5)
    await until(async () => (server.attempts() > 0 ? true : null), 'a mail is being sent')
    server.setReaction('accept')
    clock.advance(PAUSE_SECONDS)
    await hub.restart({
      env: settingsFor(server),
      intervals: CONTINUOUS_ALERTS,
      clock,
      mailTimeouts,
    })
    await untilMails(server, 1)
    await untilRecordedAsMailed(hub)
    assert.ok(!(await hub.alerts()).some(({ kind }) => kind === 'mail_failing'))
  })

  test('without a mail server alerts are listed only, and mailed once a server is configured', async () => {
    await using server = await startMailServer()
    const clock = createStoppedClock()
    await using hub = await startTestHub(engine, { intervals: CONTINUOUS_ALERTS, clock })
    await registerPlatforms(hub, clock, 1)
    await hub.setPullFailures(5)
    assert.equal(only(await hub.untilAlertsOpen('platform_failing')).mailed_at, null)
    expectError(await sendTestMail(hub), 409, 'mail_not_set_up')
    await hub.restart({
      env: settingsFor(server),
      intervals: CONTINUOUS_ALERTS,
      clock,
      mailTimeouts,
    })
    await untilMails(server, 1)
    assert.equal((await untilRecordedAsMailed(hub)).length, 1)
  })

  test('operators who want the mails about alerts get them while their accounts are enabled', async () => {
    await using server = await startMailServer()
    const clock = createStoppedClock()
    const { HUB_ALERT_TO: _, ...env } = settingsFor(server)
    const options = { env, intervals: CONTINUOUS_ALERTS, clock, mailTimeouts }
    await using hub = await startTestHub(engine, { ...options, withOperator: true })
    expectError(await sendTestMail(hub), 409, 'mail_not_set_up')
    const gone = await hub.createOperator({ role: 'viewer' })
    for (const email of [EMAIL, gone.email]) {
      const session = await hub.signIn(email)
      const { account } = await hub.call('PATCH /api/v1/account', {
        ...{ as: session, body: { alert_mails: true } },
      })
      assert.deepEqual([account.alert_mails, account.mail_set_up], [true, true])
    }
    await hub.call('PATCH /api/v1/operators/:id', {
      ...{ params: { id: gone.id }, body: { disabled: true } },
    })
    await registerPlatforms(hub, clock, 1)
    await hub.setPullFailures(5)
    const [invitation, mail] = await untilMails(server, 2)
    assert.deepEqual([invitation?.to, mail?.to], [[gone.email], [EMAIL]])
  })

  test("an admin sends a test mail, and a rejection returns the mail server's message", async () => {
    const login = { user: 'hub', password: 'a password of the mail server' }
    await using server = await startMailServer({ login, rejectedRecipient: 'bob@example.org' })
    await using hub = await startTestHub(engine, { env: settingsFor(server) })
    expectError(await sendTestMail(hub, 'operator'), 403, 'forbidden')
    const accepted = expectBody(await sendTestMail(hub), 200, DoneResponse)
    assert.match(accepted.message, /but rejected bob@example\.org/)
    assert.match(only(server.mails).source, /^token \d+ \(test admin\) sent this test mail/m)
    server.setReaction('reject')
    const rejected = expectError(await sendTestMail(hub), 502, 'mail_failed')
    assert.ok(rejected.message.includes(REJECTION), rejected.message)
    const audit = await listActivity(hub.storage.activity, {
      platform: null,
      level: null,
      limit: 9,
      before: null,
    })
    assert.deepEqual(audit, [])
    expectAbsent(
      [login.password, encodeURIComponent(login.password)],
      [hub.log(), rejected.message],
    )
  })
})
