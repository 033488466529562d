/** Alerts: their kinds, their words, and what becomes of them. Pure decisions. */
import type { Alert, AlertKind } from '@recordhub/protocol'
import type { NewActivity } from '../activity/activity.ts'

/** What to do about each kind. */
export const ADVICE: Readonly<Record<AlertKind, string>> = {
  platform_failing:
    "Test the platform's connection in the hub. If it fails there too, its base URL, its source API key or the platform itself needs mending; else its logs say why.",
  module_failing:
    'The answer of the platform for this module is what is wrong: its last pull says how. Mend it there, or unregister the module if the platform has it no more.',
  platform_silent:
    'See whether the platform still runs, whether its outgoing calls reach the hub, and whether its hub API key is the one that is valid. Nothing needs doing if it has nothing to send, such as on a holiday.',
  rejected_rising:
    'The rejected pushes say what is wrong with each. Often the platform was changed lately; what is kept can be sent again once it is mended.',
  push_errors_rising:
    'Open the push errors on the Activity page: they show the reason, the beginning of the key and the address of each sender. If a platform sent them, give its owner the current hub API key, or the message that its request got. If nobody you know sent them, block the address in front of the hub.',
  missing_review:
    'See whether the platform still has the records. Then approve in the hub that they are gone, or dismiss it.',
  search_behind:
    "See in the hub's log why the search index is not kept. While millions of records come for the first time it needs nothing but time.",
  disk_low:
    'Make room on the disk, or give it more. Shorter retention (HUB_RETENTION_…) frees space within hours. A full disk refuses every push.',
  mail_failing:
    'Send a test mail from the hub: its answer has the words of the mail server. Then look at HUB_SMTP_URL, HUB_ALERT_FROM and HUB_ALERT_TO.',
}

export type AlertPlatform = { platform_id: number; platform_name: string }

/** Something that is so at the moment. `kind` and `subject` together tell it from others. */
export type FoundAlert = {
  kind: AlertKind
  subject: string
  platform: AlertPlatform | null
  message: string
}

export type OpenAlert = FoundAlert & { alert_id: number; raised_at: string }

/** In bytes; `available` is what the hub may use. */
export type DiskSpace = { available: number; total: number }

export type AlertChanges = {
  raise: FoundAlert[]
  resolve: OpenAlert[]
  /** Open ones with other words than before. */
  reword: { alert_id: number; message: string }[]
}

/**
 * What becomes of the open alerts of some kinds, now that this was found of them: what is new is raised,
 * what was not found any more is over.
 */
export function judgeAlerts(open: OpenAlert[], found: FoundAlert[]): AlertChanges {
  const openByKey = new Map(open.map((alert) => [keyOf(alert), alert]))
  const foundByKey = new Map(found.map((alert) => [keyOf(alert), alert]))
  const reword: AlertChanges['reword'] = []
  for (const [key, { alert_id, message }] of openByKey) {
    const now = foundByKey.get(key)
    if (now && now.message !== message) reword.push({ alert_id, message: now.message })
  }
  return {
    raise: [...foundByKey].filter(([key]) => !openByKey.has(key)).map(([, alert]) => alert),
    resolve: [...openByKey].filter(([key]) => !foundByKey.has(key)).map(([, alert]) => alert),
    reword,
  }
}

export function isNoChange({ raise, resolve, reword }: AlertChanges): boolean {
  return raise.length + resolve.length + reword.length === 0
}

function keyOf({ kind, subject }: Pick<FoundAlert, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`
}

/** The lines of an alert that is raised, and of one that is over. */
export function describeAlert(alert: FoundAlert, what: 'raised' | 'resolved'): NewActivity {
  const { kind, platform, message } = alert
  return {
    level: what === 'raised' ? 'warning' : 'info',
    kind: `alert.${what}`,
    message: what === 'raised' ? `Alert: ${message}` : `No longer so: ${message}`,
    ...(platform ? { platform } : {}),
    details: { alert: kind },
  }
}

/** What is to be told by mail: alerts that nobody was told of, and of those that were, which are over. */
export type UnmailedAlerts = { raised: Alert[]; over: Alert[] }
