/** The mail about alerts: plain text, one for all that is to be told at the moment. */
import type { Alert } from '@recordhub/protocol'
import { toSingleLine } from '../../lib/text/single-line.ts'
import { formatInstants, timeInWords } from '../../lib/time/clock.ts'
import { ADVICE, type UnmailedAlerts } from './alert.ts'

/** `to`: whom it is for, where that is not who alerts are for. */
export type Mail = { subject: string; text: string; to?: readonly string[] }

/** A mail names so many; the page has all of them. */
const MOST_NAMED = 50
const SUBJECT_LENGTH = 120
const MESSAGE_LENGTH = 500

/** @param publicUrl where operators find the hub; '' where nobody has said it. */
export function composeAlertMail({ raised, over }: UnmailedAlerts, publicUrl: string): Mail {
  const parts = [
    ...partOf('New:', raised, (alert) => describeRaised(alert, publicUrl)),
    ...partOf('Over:', over, (alert) => describeOver(alert)),
    ...adviceFor(raised),
    whereToLook(publicUrl),
  ]
  return { subject: subjectOf({ raised, over }), text: `${parts.join('\n\n')}\n` }
}

export function composeTestMail(actor: string, publicUrl: string): Mail {
  const text = `This is a test mail of Recordhub, which ${toSingleLine(actor, SUBJECT_LENGTH)} asked for. Alerts arrive here too.`
  return { subject: 'Recordhub: test mail', text: `${text}\n\n${whereToLook(publicUrl)}\n` }
}

function subjectOf({ raised, over }: UnmailedAlerts): string {
  const [first] = [...raised, ...over]
  if (first && raised.length + over.length === 1) {
    const words = toSingleLine(formatInstants(first.message), SUBJECT_LENGTH)
    return raised.length === 1 ? `Recordhub: ${words}` : `Recordhub: over: ${words}`
  }
  const counts = [
    ...(raised.length > 0 ? [`${raised.length} new`] : []),
    ...(over.length > 0 ? [`${over.length} over`] : []),
  ]
  return `Recordhub: alerts: ${counts.join(', ')}`
}

function partOf(title: string, alerts: Alert[], describe: (alert: Alert) => string): string[] {
  if (alerts.length === 0) return []
  const named = alerts.slice(0, MOST_NAMED).map((alert) => `- ${describe(alert)}`)
  const others = alerts.length - named.length
  return [[title, ...named, ...(others > 0 ? [`- and ${others} more`] : [])].join('\n')]
}

function describeRaised({ message, missing_review_id }: Alert, publicUrl: string): string {
  const text = formatMessage(message)
  if (missing_review_id === null || publicUrl === '') return text
  return `${text} ${publicUrl}/dashboard/activity?tab=missing&review=${missing_review_id}`
}

function describeOver({ message, raised_at, resolved_at }: Alert): string {
  const until = resolved_at === null ? '' : ` to ${timeInWords(resolved_at)}`
  return `${formatMessage(message)} (from ${timeInWords(raised_at)}${until})`
}

function formatMessage(message: string): string {
  return toSingleLine(formatInstants(message), MESSAGE_LENGTH)
}

/** Once for each kind, however many there are of it. */
function adviceFor(raised: Alert[]): string[] {
  const kinds = [...new Set(raised.map(({ kind }) => kind))]
  if (kinds.length === 0) return []
  return [['What to do:', ...kinds.map((kind) => `- ${ADVICE[kind]}`)].join('\n')]
}

function whereToLook(publicUrl: string): string {
  return publicUrl === '' ? "All alerts stand in the hub's page." : `${publicUrl}/dashboard`
}
