import { Inbox, InboxItem, PutAsideRequest, ReopenItemRequest } from '@recordhub/protocol'
import type { NewAuditEntry } from '../../domain/activity/activity.ts'
import { hourOf, hourText } from '../../domain/alerts/push-baseline.ts'
import { type Fault, findFaults, type InboxFacts, toItems } from '../../domain/inbox/inbox.ts'
import { found, invalidMember } from '../../errors.ts'
import { route } from '../../http/route.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/** Faults of one kind that are read. A hub with more of them has an inbox that nobody reads to its end. */
const MAX_FAULTS = 200
const DAY_HOURS = 24
const MAX_SNOOZE_MS = 90 * DAY_HOURS * 3_600_000

type InboxDeps = Pick<
  FeatureDeps,
  | 'alerts'
  | 'platforms'
  | 'missing'
  | 'rejectedPushes'
  | 'pushErrors'
  | 'manifests'
  | 'digests'
  | 'operators'
  | 'inbox'
> &
  Pick<FeatureDeps, 'clock'> & {
    /** The time of the newest backup in the folder of the hub; null if there is none. */
    findNewestBackup: () => Promise<string | null>
  }

/** @param health of all platforms, if it was read already. */
type ReadInbox = (health?: InboxFacts['health']) => Promise<Inbox>

/** Reads everything that waits for a person. */
export function createReadInbox(deps: InboxDeps): ReadInbox {
  return async (health) => {
    const { facts, is_complete } = await readFacts(deps, health)
    const items = toItems(findFaults(facts), await deps.inbox.listMarks(), facts.now)
    const put_aside = items.filter((item) => item.put_aside !== null).length
    const open = items.length - put_aside
    return { open, put_aside, is_complete, items, read_at: facts.now }
  }
}

/** Everything that waits for a person, and putting it aside. */
export function inboxRoutes(deps: InboxDeps) {
  const { inbox, clock } = deps
  const readInbox = createReadInbox(deps)

  async function findFault(key: string): Promise<Fault> {
    const { facts } = await readFacts(deps)
    return found(
      'item',
      findFaults(facts).find((fault) => fault.key === key),
    )
  }

  async function toItem(fault: Fault): Promise<InboxItem> {
    const items = toItems([fault], await inbox.listMarks(), clock.now().toISOString())
    return found('item', items[0])
  }

  return [
    route('GET /api/v1/inbox', {
      summary: 'Read everything that waits for a person',
      response: Inbox.properties,
      handle: () => readInbox(),
    }),

    route('POST /api/v1/inbox/put-aside', {
      summary: 'Acknowledge an item until its fault changes, or snooze it',
      body: PutAsideRequest,
      response: { item: InboxItem },
      async handle({ body: { key, until = null }, requester }) {
        const now = clock.now().getTime()
        const end = until === null ? null : Date.parse(until)
        if (end !== null && !(end > now && end <= now + MAX_SNOOZE_MS)) {
          throw invalidMember('until', 'must be a time within the next 90 days')
        }
        const fault = await findFault(key)
        const { occurrence, title } = fault
        const action = until === null ? 'inbox.acknowledge' : 'inbox.snooze'
        const details = { title, ...(until === null ? {} : { until }) }
        const audit: NewAuditEntry = { ...requester, action, target: key, details }
        const mark = {
          key,
          occurrence,
          until: end === null ? null : new Date(end).toISOString(),
          by: requester.actor,
        }
        await inbox.saveMark(mark, audit)
        return { item: await toItem(fault) }
      },
    }),

    route('POST /api/v1/inbox/reopen', {
      summary: 'Take back that an item was put aside',
      body: ReopenItemRequest,
      response: { item: InboxItem },
      async handle({ body: { key }, requester }) {
        const fault = await findFault(key)
        found('item that was put aside', (await toItem(fault)).put_aside)
        const { occurrence } = fault
        const audit = { ...requester, action: 'inbox.reopen', target: key } as const
        const until = clock.now().toISOString()
        await inbox.saveMark({ key, occurrence, until, by: requester.actor }, audit)
        return { item: await toItem(fault) }
      },
    }),
  ]
}

async function readFacts(
  deps: InboxDeps,
  health?: InboxFacts['health'],
): Promise<{ facts: InboxFacts; is_complete: boolean }> {
  const { alerts, platforms, missing, rejectedPushes, pushErrors, manifests, digests } = deps
  const now = deps.clock.now()
  const hour = hourOf(now)
  const limit = MAX_FAULTS + 1
  const limited = {
    alerts: await alerts.listAlerts({ state: 'open', limit, after: null }),
    reviews: await missing.listReviews({ state: 'pending', limit, before: null }),
    // What is held waits for the platform, not for an operator.
    groups: await rejectedPushes.listGroups({ platform: null, withoutHeld: true, limit }),
  }
  const facts: InboxFacts = {
    now: now.toISOString(),
    platforms: await alerts.listWatchedPlatforms(),
    health: health ?? (await platforms.listHealth()),
    alerts: limited.alerts.slice(0, MAX_FAULTS),
    reviews: limited.reviews.slice(0, MAX_FAULTS),
    groups: limited.groups.slice(0, MAX_FAULTS),
    pushErrors: await pushErrors.readPushErrors(hourText(hour - DAY_HOURS + 1), hourText(hour)),
    pushSources: await pushErrors.listPushSources(),
    drift: await manifests.listDrift(),
    disagreements: await digests.listDisagreements(),
    tokens: await deps.operators.listTokens(null),
    newestBackup: await deps.findNewestBackup(),
  }
  const is_complete = Object.values(limited).every(({ length }) => length <= MAX_FAULTS)
  return { facts, is_complete }
}
