/** The Atom feed of alerts (RFC 4287): one entry per change of an alert. */
import { createHash } from 'node:crypto'
import type { Alert, AlertChange } from '@recordhub/protocol'
import { toSingleLine } from '../../lib/text/code-points.ts'
import { formatInstants, formatTime } from '../../lib/time/clock.ts'

type FeedEvent = { alert_event_id: number; change: AlertChange; at: string; alert: Alert }

const MAX_TITLE_LENGTH = 200
const TITLES: Readonly<Record<AlertChange, string>> = {
  raised: 'Alert',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
}

/**
 * Writes the feed. The ids depend only on `feed_id` and the ids of the events, so that they stay the same when the address
 * or the secret of the hub changes.
 * @param feed `events`: newest first. `feed_id`: a UUID. `created_at`: RFC 3339.
 * @param hub `url`: without a slash at the end.
 */
export function writeAlertFeed(
  feed: { feed_id: string; created_at: string; events: readonly FeedEvent[] },
  hub: { url: string; version: string },
): string {
  const { feed_id, created_at, events } = feed
  // The clock of another node may be behind, so the newest event need not have the latest time.
  const updated = events.reduce((latest, { at }) => (at > latest ? at : latest), created_at)
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    `  <id>urn:uuid:${escapeXml(feed_id)}</id>`,
    `  <title>${escapeXml(`Recordhub alerts (${URL.parse(hub.url)?.host ?? hub.url})`)}</title>`,
    `  <updated>${updated}</updated>`,
    '  <author><name>Recordhub</name></author>',
    `  <generator version="${escapeXml(hub.version)}">Recordhub</generator>`,
    `  <link rel="self" type="application/atom+xml" href="${escapeXml(`${hub.url}/api/v1/alerts/feed`)}"/>`,
    `  ${linkTo(`${hub.url}/dashboard/inbox?tab=alerts`)}`,
    ...events.flatMap((event) => entryOf(event, feed_id, hub.url)),
    '</feed>',
  ]
  return `${lines.join('\n')}\n`
}

function entryOf(event: FeedEvent, feedId: string, url: string): string[] {
  const { change, at, alert, alert_event_id } = event
  const title = toSingleLine(formatInstants(alert.message), MAX_TITLE_LENGTH)
  const { missing_review_id: review } = alert
  const target = review === null ? 'tab=alerts' : `tab=missing&review=${review}`
  return [
    '  <entry>',
    `    <id>urn:uuid:${deriveUuid(`${feedId} ${alert_event_id}`)}</id>`,
    `    <title>${escapeXml(`${TITLES[change]}: ${title}`)}</title>`,
    `    <published>${at}</published>`,
    `    <updated>${at}</updated>`,
    `    ${linkTo(`${url}/dashboard/inbox?${target}`)}`,
    `    <category term="${change}"/>`,
    `    <category term="${alert.kind}"/>`,
    `    <content type="text">${escapeXml(describe(event))}</content>`,
    '  </entry>',
  ]
}

function linkTo(href: string): string {
  return `<link rel="alternate" type="text/html" href="${escapeXml(href)}"/>`
}

function describe({ change, at, alert }: FeedEvent): string {
  const message = formatInstants(alert.message)
  if (change === 'raised') return `${message}\n\n${alert.advice}`
  if (change === 'resolved') {
    return `${message}\n\nOpen from ${formatTime(alert.raised_at)} to ${formatTime(at)}.`
  }
  return `${message}\n\nAcknowledged by ${alert.acknowledged_by ?? 'an operator'}, ${formatTime(at)}.`
}

/** A UUID that depends only on a name (version 8, RFC 9562, section 5.8). */
function deriveUuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

/** Characters that XML 1.0 does not allow, except lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const NOT_ALLOWED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** A text as the content of an XML element, or of an attribute in double quotes. Replaces what XML cannot contain by U+FFFD. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(NOT_ALLOWED, '\ufffd')
    .replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '')
}
