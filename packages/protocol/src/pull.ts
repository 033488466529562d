import Type, { type Static } from 'typebox'
import {
  ClosedObject,
  described,
  ErrorResponse,
  NullableInteger,
  NullableString,
  NullableTimestamp,
  OneOf,
  RequestText,
  Timestamp,
} from './common.ts'

export const PullTrigger = OneOf('operator', 'schedule', 'api')

const PullMode = OneOf('auto', 'full', 'digest')

export const PullState = OneOf(
  'queued',
  'running',
  'succeeded',
  'partial',
  'failed',
  'cancelled',
  'timed_out',
  'interrupted',
)

export const PULL_TASK_STATES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'interrupted',
  'not_reached',
  'skipped',
] as const
export const PullTaskState = OneOf(...PULL_TASK_STATES)

/** The results of the elements of a read. `received` counts all elements. */
export const PullCounts = Type.Object({
  received: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  stale: Type.Integer(),
  held: Type.Integer({
    description:
      'Records whose values were taken back by a revert: nothing else of them has changed, so they were left as they are',
  }),
  rejected: Type.Integer({ description: 'Without those that are accepted' }),
  accepted: Type.Integer({
    description: 'Rejected records that an operator has accepted as exceptions',
  }),
  missing: Type.Integer(),
  not_listed: Type.Integer({
    description:
      'Stored records that the complete read of a module did not contain and that are not marked as missing: they wait for a review or another read',
  }),
})

/** How a pull task read its module. */
export const READ_MODES = ['full', 'not_modified', 'digest'] as const
const ReadMode = OneOf(...READ_MODES)

export const FULL_REASONS = [
  'due',
  'first',
  'no_digest',
  'too_different',
  'not_stable',
  'operator',
] as const
const FullBecause = OneOf(...FULL_REASONS)

/** What comparing the module with the platform's digest found. */
const DigestResult = Type.Object({
  differing: Type.Integer({ description: 'Buckets that differed' }),
  repaired: Type.Integer({
    description: 'Of those, the buckets that are equal after they were read',
  }),
  explained: Type.Integer({
    description:
      'Elements that keep buckets different for known reasons: rejected, accepted, erased, held or under review',
  }),
  requests: Type.Integer({ description: 'Requests for digests and for the records of buckets' }),
  bytes: Type.Integer({ description: 'Received bytes, decompressed' }),
})

/** How many tasks of a pull are in each state; states without tasks are omitted. */
const TaskStates = Type.Partial(
  Type.Object({
    queued: Type.Integer(),
    running: Type.Integer(),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
    cancelled: Type.Integer(),
    timed_out: Type.Integer(),
    interrupted: Type.Integer(),
    not_reached: Type.Integer(),
    skipped: Type.Integer(),
  }),
)

/** Set while each running module waits for the response of its platform: the one that has waited longest. */
const PullWait = Type.Object({ platform_title: Type.String(), since: Timestamp })

/** The platforms whose modules an ended pull could not read. */
const PullFailure = Type.Object({
  platforms: Type.Integer(),
  platform_title: Type.String({ description: 'The first of them' }),
  error: NullableString,
})

const PullBegun = Type.Object(
  { rejected: Type.Boolean(), not_listed: Type.Boolean() },
  {
    description:
      'Whether a module rejected more records, or did not list more of those stored, than its earlier reads have shown. Later pulls repeat the counts',
  },
)

export const Pull = Type.Object({
  id: Type.Integer(),
  trigger: PullTrigger,
  started_by: described(
    NullableString,
    'The operator or API token that started the pull; null for the schedule',
  ),
  state: PullState,
  requested_at: Timestamp,
  started_at: NullableTimestamp,
  finished_at: NullableTimestamp,
  progress: Type.Object({
    tasks_total: Type.Integer(),
    tasks_done: Type.Integer(),
    task_states: TaskStates,
    records_total: NullableInteger,
    records_received: Type.Integer(),
    /**
     * Estimated number of records of the whole pull, from the totals that platforms report and from earlier pulls, and
     * how many of them are done; null if nothing is known.
     */
    records_expected: NullableInteger,
    records_done: NullableInteger,
    percent: NullableInteger,
    records_per_second: NullableInteger,
    seconds_left: described(
      NullableInteger,
      'An estimate; null if there is nothing to estimate it from, while the hub waits for a platform, and for a pull of less than 30 s',
    ),
    waiting: Type.Union([PullWait, Type.Null()]),
  }),
  counts: PullCounts,
  begun: PullBegun,
  failure: Type.Union([PullFailure, Type.Null()]),
})

export const PullTask = Type.Object({
  platform_name: Type.String(),
  platform_title: Type.String(),
  record_type: Type.String(),
  module_name: Type.String(),
  state: PullTaskState,
  total: NullableInteger,
  expected: described(
    NullableInteger,
    '`total`, or the number of records of the module in the hub',
  ),
  ...PullCounts.properties,
  error: NullableString,
  warnings: Type.Array(Type.String()),
  mode: Type.Union([ReadMode, Type.Null()], {
    description:
      '`full` read all records, `not_modified` received a 304 response, `digest` compared sums and read only the buckets that differed; null before the end of the task',
  }),
  full_because: Type.Union([FullBecause, Type.Null()], {
    description: 'Why all records were read; null if they were not',
  }),
  digest: Type.Union([DigestResult, Type.Null()], {
    description: 'Null in the other modes, and for a task that did not succeed',
  }),
  started_at: NullableTimestamp,
  finished_at: NullableTimestamp,
  waiting_since: described(
    NullableTimestamp,
    'Since when the hub waits for a response of the platform, if longer than 1 s',
  ),
})

/** The result of a pull for one platform; `state` summarises its modules. */
export const PlatformPull = Type.Object({
  pull_id: Type.Integer(),
  trigger: PullTrigger,
  state: OneOf(...PULL_TASK_STATES, 'partial'),
  started_at: NullableTimestamp,
  finished_at: NullableTimestamp,
  modules: Type.Integer(),
  modules_read: Type.Integer(),
  counts: PullCounts,
  begun: PullBegun,
  error: NullableString,
})

const PullOutcome = OneOf('failed', 'changed', 'new_rejections', 'newly_not_listed', 'reverted')

/** The filters of `GET /api/v1/pulls`. */
export const PullFilter = Type.Object({
  platform: Type.Optional(
    described(RequestText(), 'Pulls with a module of the platform of this name, read or not'),
  ),
  trigger: Type.Optional(PullTrigger),
  outcome: Type.Optional(
    described(
      PullOutcome,
      'Ended pulls that could not read all modules (`failed`), that changed records (`changed`: new, updated or missing ones), in which rejections or unlisted records began (see `begun`), or of which a revert took something back and was not taken back itself (`reverted`)',
    ),
  ),
  since: Type.Optional(described(RequestText(), 'Pulls requested at this time or later')),
  until: Type.Optional(described(RequestText(), 'Pulls requested at this time or earlier')),
})

export const PlatformPullPage = Type.Object({
  success: Type.Literal(true),
  pulls: Type.Array(PlatformPull),
  next_cursor: NullableString,
})

/** A finished pull of one platform in the dashboard snapshot. */
export const RecentPull = Type.Object({
  pull_id: Type.Integer(),
  state: PlatformPull.properties.state,
  rejected: Type.Integer(),
  not_listed: Type.Integer(),
  finished_at: NullableTimestamp,
})

const mode = Type.Optional(
  described(
    PullMode,
    '`full` reads everything again: no module is requested with the ETag or Last-Modified of its last response. `digest` compares the digest of each module that offers one now, also if that is not due. `auto` by default',
  ),
)

/** The body of `POST /api/v1/pulls`. */
export const PullRequestBody = ClosedObject({ mode })

/** The body of `POST /api/v1/platforms/{id}/pull`: the modules; all if it is missing. */
export const PullScopeRequest = ClosedObject({
  record_types: Type.Optional(Type.Array(RequestText(), { minItems: 1, maxItems: 10_000 })),
  mode,
})

/** The schedule of pulls. `pattern` is a cron pattern; null if the schedule is off. */
export const Schedule = Type.Object({
  pattern: NullableString,
  paused: Type.Boolean(),
  paused_since: NullableTimestamp,
  paused_by: NullableString,
  next_run_at: NullableTimestamp,
})

export const StartPullResponse = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  pull: Pull,
})

/** An error with the running pull. */
export const PullRunningResponse = Type.Object({ ...ErrorResponse.properties, pull: Pull })

export type PullTrigger = Static<typeof PullTrigger>
export type PullMode = Static<typeof PullMode>
export type ReadMode = Static<typeof ReadMode>
export type FullBecause = Static<typeof FullBecause>
export type DigestResult = Static<typeof DigestResult>
export type PullOutcome = Static<typeof PullOutcome>
export type PullState = Static<typeof PullState>
export type PullTaskState = Static<typeof PullTaskState>
export type PullCounts = Static<typeof PullCounts>
export type Schedule = Static<typeof Schedule>
export type Pull = Static<typeof Pull>
export type PullTask = Static<typeof PullTask>
export type RecentPull = Static<typeof RecentPull>
export type PlatformPull = Static<typeof PlatformPull>
