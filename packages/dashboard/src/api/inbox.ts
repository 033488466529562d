/**
 * What waits for an operator. Only this file knows where the items come from: the snapshot that the page polls anyway, so
 * that the count in the navigation and the items are of one moment.
 */
import type { Alert, HealthReason, PlatformSummary, Snapshot } from '@recordhub/protocol'
import { useStore } from '../lib/store.ts'
import { snapshot } from './live.ts'

export type InboxItem = {
  key: string
  /** Red: something fails. Orange: a decision or a date. */
  color: 'red' | 'orange'
  kind: HealthReason['code'] | 'alert'
  /** What is wrong, without a full stop. */
  what: string
  /** Why, or what to do. May contain RFC 3339 times. */
  why: string
  since: string | null
  platform: PlatformSummary | null
  /** The open alert about it, which an operator can acknowledge. */
  alert: Alert | null
  reviewId: number | null
}

/** The items, the most urgent first; null before the first snapshot. */
export function useInbox(): InboxItem[] | null {
  const current = useStore(snapshot)
  return current && inboxItems(current)
}

/** The one count of everything that waits, for the navigation and the titles of the tabs. */
export function useInboxCount(): number {
  return useInbox()?.length ?? 0
}

/**
 * One item per fault. An alert about a condition that a platform's health also has is one item with it, and an
 * acknowledged alert of a failure waits for nobody.
 */
export function inboxItems({ platforms, alerts }: Pick<Snapshot, 'platforms' | 'alerts'>) {
  const used = new Set<number>()
  const find = (platform: PlatformSummary, kinds: readonly Alert['kind'][]) => {
    const found = alerts.latest.find(
      (alert) => alert.platform_name === platform.platform_name && kinds.includes(alert.kind),
    )
    if (found) used.add(found.id)
    return found ?? null
  }
  const ofPlatforms = platforms.flatMap((platform) => {
    const codes = platform.health.reasons.map(({ code }) => code)
    return platform.health.reasons.flatMap((reason): InboxItem[] => {
      const { code, message, since } = reason
      if (isPartOfAnother(code, codes)) return []
      if (code === 'review_pending') {
        const reviews = alerts.latest.filter(
          ({ kind, platform_name }) =>
            kind === 'missing_review' && platform_name === platform.platform_name,
        )
        for (const { id } of reviews) used.add(id)
        if (reviews.length === platform.missing_reviews) {
          return reviews.map((alert) => toReview(alert, platform))
        }
      }
      const alert = find(platform, ALERTS_ABOUT[code] ?? [])
      return [
        {
          key: `${platform.id} ${code}`,
          color: RED.includes(code) ? 'red' : 'orange',
          kind: code,
          what: TITLES[code]?.(platform.display_title) ?? withoutStop(message),
          why: code in TITLES ? message : '',
          since,
          platform,
          alert,
          reviewId: null,
        },
      ]
    })
  })
  const ofHub = alerts.latest
    .filter(({ id }) => !used.has(id))
    .map(
      (alert): InboxItem => ({
        key: `alert ${alert.id}`,
        color: alert.kind === 'rejected_rising' ? 'orange' : 'red',
        kind: 'alert',
        what: withoutStop(alert.message),
        why: alert.advice,
        since: alert.raised_at,
        platform: platforms.find((one) => one.platform_name === alert.platform_name) ?? null,
        alert,
        reviewId: null,
      }),
    )
  return [...ofPlatforms, ...ofHub]
    .filter(({ alert }) => !alert?.acknowledged_at)
    .toSorted((one, other) => ORDER.indexOf(one.color) - ORDER.indexOf(other.color))
}

const ORDER: readonly InboxItem['color'][] = ['red', 'orange']
const RED: readonly HealthReason['code'][] = ['pulls_failing', 'pushes_rejected']

const ALERTS_ABOUT: Partial<Record<HealthReason['code'], readonly Alert['kind'][]>> = {
  pulls_failing: ['platform_failing', 'module_failing'],
  pushes_rejected: ['platform_failing', 'rejected_rising'],
  rejections_open: ['rejected_rising'],
  silent: ['platform_silent'],
}

const TITLES: Partial<Record<HealthReason['code'], (title: string) => string>> = {
  pulls_failing: (title) => `Pulls of ${title} fail`,
  pushes_rejected: (title) => `Pushes of ${title} are rejected`,
  modules_incomplete: (title) => `Records of ${title} are not verified`,
  silent: (title) => `${title} has stopped pushing`,
  key_expiring: (title) => `A replaced hub API key of ${title} expires`,
  certificate_expiring: (title) => `The certificate of ${title} expires`,
}

/** Whether another reason of the platform says the same, or why. */
function isPartOfAnother(
  code: HealthReason['code'],
  all: readonly HealthReason['code'][],
): boolean {
  if (code === 'new' || code === 'inactive') return true
  if (code === 'rejections_open') return all.includes('pushes_rejected')
  const causes: HealthReason['code'][] = ['rejections_open', 'review_pending', 'pushes_rejected']
  return code === 'modules_incomplete' && all.some((one) => causes.includes(one))
}

function toReview(alert: Alert, platform: PlatformSummary): InboxItem {
  const [what = ''] = alert.message.split(' Review ')
  return {
    key: `review ${alert.missing_review_id}`,
    color: 'orange',
    kind: 'review_pending',
    what: withoutStop(what),
    why: 'Nothing changes until you decide.',
    since: alert.raised_at,
    platform,
    // A review waits for its decision, not for an acknowledgement.
    alert: null,
    reviewId: alert.missing_review_id,
  }
}

function withoutStop(text: string): string {
  return text.trim().replace(/\.$/, '')
}
