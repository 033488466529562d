import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { describeAlert, type FoundAlert, isNoChange, judgeAlerts, type OpenAlert } from './alert.ts'

const KINDS = ['platform_failing', 'platform_silent', 'disk_low'] as const
const anAlert: fc.Arbitrary<FoundAlert> = fc.record({
  kind: fc.constantFrom(...KINDS),
  subject: fc.constantFrom('1', '2', '3'),
  platform: fc.constant(null),
  message: fc.constantFrom('It is so', 'It is otherwise'),
})
const keyOf = ({ kind, subject }: FoundAlert) => `${kind} ${subject}`
const foundSets = fc.array(fc.uniqueArray(anAlert, { selector: keyOf, maxLength: 6 }), {
  maxLength: 12,
})

test('the open alerts are always those found last, each raised and resolved in turn', () => {
  fc.assert(
    fc.property(foundSets, (turns) => {
      let open: OpenAlert[] = []
      let next = 1
      const told: string[] = []
      for (const found of turns) {
        const { raise, resolve, reword } = judgeAlerts(open, found)
        const over = new Set(resolve.map(({ alert_id }) => alert_id))
        for (const alert of resolve) told.push(`over ${keyOf(alert)}`)
        for (const alert of raise) told.push(`new ${keyOf(alert)}`)
        const words = new Map(reword.map(({ alert_id, message }) => [alert_id, message]))
        open = [
          ...open
            .filter(({ alert_id }) => !over.has(alert_id))
            .map((alert) => ({ ...alert, message: words.get(alert.alert_id) ?? alert.message })),
          ...raise.map((alert) => ({ ...alert, alert_id: next++, raised_at: 'then' })),
        ]
        const seen = open.map((alert) => `${keyOf(alert)} ${alert.message}`)
        assert.deepEqual(
          seen.toSorted(),
          found.map((alert) => `${keyOf(alert)} ${alert.message}`).toSorted(),
        )
        // Judging the same alerts again changes nothing.
        assert.ok(isNoChange(judgeAlerts(open, found)))
      }
      for (const kind of KINDS) {
        for (const subject of ['1', '2', '3']) {
          const words = told.filter((one) => one.endsWith(` ${kind} ${subject}`))
          words.forEach((word, index) => {
            assert.ok(word.startsWith(index % 2 === 0 ? 'new ' : 'over '))
          })
        }
      }
    }),
  )
})

test('an alert that is found twice is raised once', () => {
  const alert = { kind: 'disk_low', subject: 'disk', platform: null, message: 'Low' } as const
  assert.equal(judgeAlerts([], [alert, alert]).raise.length, 1)
})

test('the activity entry says whether the alert was raised or resolved', () => {
  const platform = { platform_id: 1, platform_name: 'school' }
  const alert = { kind: 'platform_failing', subject: '1', platform, message: 'It fails' } as const
  const raised = describeAlert(alert, 'raised')
  assert.deepEqual(
    [raised.kind, raised.level, raised.platform],
    ['alert.raised', 'warning', platform],
  )
  assert.match(describeAlert(alert, 'resolved').message, /^No longer so: It fails$/)
})
