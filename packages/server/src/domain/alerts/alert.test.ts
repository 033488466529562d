import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { describeAlert, diffAlerts, type FoundAlert, isEmpty, type OpenAlert } from './alert.ts'

const KINDS = ['platform_failing', 'platform_silent', 'disk_low'] as const
const anAlert: fc.Arbitrary<FoundAlert> = fc.record({
  kind: fc.constantFrom(...KINDS),
  subject: fc.constantFrom('1', '2', '3'),
  platform: fc.constant(null),
  message: fc.constantFrom('It fails', 'It fails again'),
})
const keyOf = ({ kind, subject }: FoundAlert) => `${kind} ${subject}`
const foundSets = fc.array(fc.uniqueArray(anAlert, { selector: keyOf, maxLength: 6 }), {
  maxLength: 12,
})

test('the open alerts are always those found last, and each is raised and resolved alternately', () => {
  fc.assert(
    fc.property(foundSets, (rounds) => {
      let open: OpenAlert[] = []
      let next = 1
      const changes: string[] = []
      for (const found of rounds) {
        const { raise, resolve, reword } = diffAlerts(open, found)
        const resolved = new Set(resolve.map(({ alert_id }) => alert_id))
        for (const alert of resolve) changes.push(`resolved ${keyOf(alert)}`)
        for (const alert of raise) changes.push(`new ${keyOf(alert)}`)
        const messages = new Map(reword.map(({ alert_id, message }) => [alert_id, message]))
        open = [
          ...open
            .filter(({ alert_id }) => !resolved.has(alert_id))
            .map((alert) => ({ ...alert, message: messages.get(alert.alert_id) ?? alert.message })),
          ...raise.map((alert) => ({ ...alert, alert_id: next++, raised_at: 'now' })),
        ]
        const actual = open.map((alert) => `${keyOf(alert)} ${alert.message}`)
        assert.deepEqual(
          actual.toSorted(),
          found.map((alert) => `${keyOf(alert)} ${alert.message}`).toSorted(),
        )
        // Comparing the same alerts again changes nothing.
        assert.ok(isEmpty(diffAlerts(open, found)))
      }
      for (const kind of KINDS) {
        for (const subject of ['1', '2', '3']) {
          const ofAlert = changes.filter((one) => one.endsWith(` ${kind} ${subject}`))
          ofAlert.forEach((change, index) => {
            assert.ok(change.startsWith(index % 2 === 0 ? 'new ' : 'resolved '))
          })
        }
      }
    }),
  )
})

test('an alert that is found twice is raised once', () => {
  const alert = { kind: 'disk_low', subject: 'disk', platform: null, message: 'Low' } as const
  assert.equal(diffAlerts([], [alert, alert]).raise.length, 1)
})

test('the activity entry contains whether the alert was raised or resolved', () => {
  const platform = { platform_id: 1, platform_name: 'school' }
  const alert = { kind: 'platform_failing', subject: '1', platform, message: 'It fails' } as const
  const raised = describeAlert(alert, 'raised')
  assert.deepEqual(
    [raised.kind, raised.level, raised.platform],
    ['alert.raised', 'warning', platform],
  )
  assert.match(describeAlert(alert, 'resolved').message, /^Alert resolved: It fails$/)
})
