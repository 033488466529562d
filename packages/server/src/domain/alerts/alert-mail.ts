/** The mail about all new and resolved alerts, as plain text. */
import type { Alert } from '@recordhub/protocol'
import { toSingleLine } from '../../lib/text/code-points.ts'
import { isEmail } from '../../lib/text/email.ts'
import { formatInstants, formatTime } from '../../lib/time/clock.ts'
import { ADVICE, type UnmailedAlerts } from './alert.ts'

/** A mail without its recipients. */
export type Mail = { subject: string; text: string }

/** The maximum number of alerts that a mail lists. The page lists all of them. */
const MAX_LISTED = 50
const MAX_SUBJECT_LENGTH = 120
const MAX_MESSAGE_LENGTH = 500

/**
 * The recipients of mails about alerts: those of the settings, and the operators who chose the mails. A provider of single
 * sign-on may name any address, so those that are not e-mail addresses are left out.
 */
export function mergeRecipients(configured: readonly string[], chosen: readonly string[]) {
  const all = [...configured, ...chosen.filter(isEmail)]
  return [...new Map(all.map((address) => [address.toLowerCase(), address])).values()]
}

/** @param publicUrl HUB_PUBLIC_URL; empty if it is not set. */
export function composeAlertMail({ raised, resolved }: UnmailedAlerts, publicUrl: string): Mail {
  const sections = [
    ...sectionOf('New:', raised, (alert) => describeRaised(alert, publicUrl)),
    ...sectionOf('Resolved:', resolved, (alert) => describeResolved(alert)),
    ...adviceFor(raised),
    linkToHub(publicUrl),
  ]
  return { subject: subjectOf({ raised, resolved }), text: `${sections.join('\n\n')}\n` }
}

export function composeTestMail(actor: string, publicUrl: string): Mail {
  const text = `${toSingleLine(actor, MAX_SUBJECT_LENGTH)} sent this test mail from Recordhub. Alerts are sent to the same address.`
  return { subject: 'Recordhub: test mail', text: `${text}\n\n${linkToHub(publicUrl)}\n` }
}

function subjectOf({ raised, resolved }: UnmailedAlerts): string {
  const [first] = [...raised, ...resolved]
  if (first && raised.length + resolved.length === 1) {
    const message = toSingleLine(formatInstants(first.message), MAX_SUBJECT_LENGTH)
    return raised.length === 1 ? `Recordhub: ${message}` : `Recordhub: resolved: ${message}`
  }
  const counts = [
    ...(raised.length > 0 ? [`${raised.length} new`] : []),
    ...(resolved.length > 0 ? [`${resolved.length} resolved`] : []),
  ]
  return `Recordhub: alerts: ${counts.join(', ')}`
}

function sectionOf(title: string, alerts: Alert[], describe: (alert: Alert) => string): string[] {
  if (alerts.length === 0) return []
  const listed = alerts.slice(0, MAX_LISTED).map((alert) => `- ${describe(alert)}`)
  const others = alerts.length - listed.length
  return [[title, ...listed, ...(others > 0 ? [`- and ${others} more`] : [])].join('\n')]
}

function describeRaised({ message, missing_review_id }: Alert, publicUrl: string): string {
  const text = formatMessage(message)
  if (missing_review_id === null || publicUrl === '') return text
  return `${text} ${publicUrl}/dashboard/inbox?tab=missing&review=${missing_review_id}`
}

function describeResolved({ message, raised_at, resolved_at }: Alert): string {
  const until = resolved_at === null ? '' : ` to ${formatTime(resolved_at)}`
  return `${formatMessage(message)} (from ${formatTime(raised_at)}${until})`
}

function formatMessage(message: string): string {
  return toSingleLine(formatInstants(message), MAX_MESSAGE_LENGTH)
}

/** The advice for each kind of alert that was raised. */
function adviceFor(raised: Alert[]): string[] {
  const kinds = [...new Set(raised.map(({ kind }) => kind))]
  if (kinds.length === 0) return []
  return [['What to do:', ...kinds.map((kind) => `- ${ADVICE[kind]}`)].join('\n')]
}

function linkToHub(publicUrl: string): string {
  return publicUrl === '' ? 'The dashboard of the hub lists all alerts.' : `${publicUrl}/dashboard`
}
