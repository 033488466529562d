import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Alert } from '@recordhub/protocol'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { composeAlertMail, composeTestMail, mergeRecipients } from './alert-mail.ts'

function alert(message: string, over: Partial<Alert> = {}): Alert {
  return {
    id: 1,
    kind: 'platform_failing',
    platform_name: 'school',
    missing_review_id: null,
    message,
    advice: 'Fix it.',
    raised_at: '2026-03-10T08:00:00.000Z',
    resolved_at: null,
    acknowledged_at: null,
    acknowledged_by: null,
    mailed_at: null,
    ...over,
  }
}
const resolved = (message: string) => alert(message, { resolved_at: '2026-03-10T09:30:00.000Z' })

test('a single alert is in the subject, with advice and a link in the text', () => {
  const { subject, text } = composeAlertMail(
    { raised: [alert('School fails')], resolved: [] },
    'https://hub.example.org',
  )
  assert.equal(subject, 'Recordhub: School fails')
  assert.match(text, /^New:\n- School fails\n\nWhat to do:\n- Test the platform/)
  assert.match(text, /\n\nhttps:\/\/hub\.example\.org\/dashboard\n$/)
})

test('an alert about a review of missing records links to that review', () => {
  const raised = [alert('Many records missing', { kind: 'missing_review', missing_review_id: 7 })]
  const link = 'https://hub.example.org/dashboard/inbox?tab=missing&review=7'
  const { text } = composeAlertMail({ raised, resolved: [] }, 'https://hub.example.org')
  assert.ok(text.includes(`- Many records missing ${link}\n`), text)
  assert.doesNotMatch(composeAlertMail({ raised, resolved: [] }, '').text, /review=/)
})

test('a mail formats the instants in a message, in UTC', () => {
  const message = 'School fails since 2026-03-10T07:59:59.123Z: HTTP 500'
  const { subject, text } = composeAlertMail({ raised: [alert(message)], resolved: [] }, '')
  const formatted = 'School fails since 2026-03-10 07:59 UTC: HTTP 500'
  assert.equal(subject, `Recordhub: ${formatted}`)
  assert.ok(text.startsWith(`New:\n- ${formatted}\n`))
})

test('a resolved alert shows its period and no advice', () => {
  const { subject, text } = composeAlertMail(
    { raised: [], resolved: [resolved('School fails')] },
    '',
  )
  assert.equal(subject, 'Recordhub: resolved: School fails')
  assert.match(text, /School fails \(from 2026-03-10 08:00 UTC to 2026-03-10 09:30 UTC\)/)
  assert.doesNotMatch(text, /What to do|http/)
})

test('a thousand alerts are one mail with counts and each advice once', () => {
  const raised = Array.from({ length: 1000 }, (_, index) => alert(`Platform ${index} fails`))
  const { subject, text } = composeAlertMail({ raised, resolved: [resolved('One')] }, '')
  assert.equal(subject, 'Recordhub: alerts: 1000 new, 1 resolved')
  assert.match(text, /- Platform 49 fails\n- and 950 more\n/)
  assert.equal(text.split('Test the platform').length, 2)
  assert.ok(text.length < 10_000)
})

test('any platform name gives a short one-line subject and one line per alert', () => {
  const hostile = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.constant('x\r\nBcc: evil@example.org\r\n\r\nHello'),
    fc.constant('\u202Etxt\u2028\u0000\ud800 long '.repeat(200)),
  )
  fc.assert(
    fc.property(hostile, hostile, (one, other) => {
      const { subject, text } = composeAlertMail({ raised: [alert(one)], resolved: [] }, '')
      assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029]/u)
      assert.ok([...subject].length <= 140 && subject.isWellFormed())
      const both = composeAlertMail({ raised: [alert(one), alert(other)], resolved: [] }, '').text
      assert.equal(both.split('\n').filter((line) => line.startsWith('- ')).length, 3)
      assert.ok(text.isWellFormed() && both.length < 5000)
      assert.doesNotMatch(both.replaceAll('\n', ''), /[\p{Cc}\u2028\u2029]/u)
    }),
  )
})

test('a test mail names the operator who requested it', () => {
  const { text } = composeTestMail('ann@example.org\nBcc: x', '')
  assert.match(text, /^ann@example.org Bcc: x sent this test mail/)
})

test('each recipient of alerts is listed once, and only if it is an e-mail address', () => {
  assert.deepEqual(
    mergeRecipients(
      ['Ops@example.org'],
      ['ops@example.org', 'x@a.example, y@b.example', 'b@c.example'],
    ),
    ['ops@example.org', 'b@c.example'],
  )
})
