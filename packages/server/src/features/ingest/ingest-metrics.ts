/** The metrics of pushes and commits. */
import type { JsonText } from '../../domain/record/json-text.ts'
import type { MetricsRegistry } from '../../lib/metrics/registry.ts'
import type { WriteOutcome } from '../../storage/port/record-store.ts'

type Accepted = Exclude<WriteOutcome['outcome'], 'rejected'>

const OUTCOMES = [
  ...(['created', 'updated', 'unchanged', 'stale', 'held'] satisfies Accepted[]),
  // The content was rejected; all following outcomes are errors before or after its validation.
  'rejected',
  'unauthorized',
  'unreadable',
  'throttled',
  'busy',
  'unavailable',
  'failed',
] as const
type PushOutcome = (typeof OUTCOMES)[number]

/** The outcomes of error codes; a push with another 4xx error is rejected. */
const OUTCOME_OF_CODE: Readonly<Record<string, PushOutcome>> = {
  api_key_invalid: 'unauthorized',
  invalid_json: 'unreadable',
  unsupported_media_type: 'unreadable',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unreadable',
  FST_ERR_CTP_BODY_TOO_LARGE: 'unreadable',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'unreadable',
  too_many_requests: 'throttled',
  held_pushes_full: 'rejected',
  busy: 'busy',
  storage_unavailable: 'unavailable',
  disk_full: 'unavailable',
  storage_failed: 'unavailable',
  starting: 'unavailable',
  shutting_down: 'unavailable',
}

export type PushMetrics = {
  /** Counts a push that was acknowledged. @param seconds since its headers were read. */
  countAccepted: (outcome: Accepted, seconds: number) => void
  countError: (error: { code?: string; status?: number }) => void
}

/** Pushes take from half a millisecond to seconds, while the disk or a pull delays a commit. */
const PUSH_SECONDS = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05],
  ...[0.1, 0.25, 0.5, 1, 2.5, 5, 10],
]

export function createPushMetrics(registry: MetricsRegistry): PushMetrics {
  const pushes = registry.counters({
    name: 'recordhub_pushes_total',
    help: 'Pushes by outcome. rejected: the content is not valid; unreadable: not JSON, or too large; unauthorized: invalid hub API key; throttled: more than HUB_RATE_LIMIT; busy: too many pushes are in progress; unavailable: the database cannot be written; failed: internal error.',
    label: 'outcome',
    values: OUTCOMES,
  })
  const duration = registry.histogram({
    name: 'recordhub_push_duration_seconds',
    help: 'Time from the headers of an accepted push until it is on disk.',
    bounds: PUSH_SECONDS,
  })
  return {
    countAccepted(outcome, seconds) {
      pushes[outcome].add()
      duration.observe(seconds)
    },
    countError({ code = '', status = 500 }) {
      pushes[OUTCOME_OF_CODE[code] ?? (status < 500 ? 'rejected' : 'failed')].add()
    },
  }
}

const COMMIT_KINDS = ['push', 'pull', 'replay', 'revert'] as const
export type CommitKind = (typeof COMMIT_KINDS)[number]

type CommitMetrics = {
  countCommit: (kind: CommitKind, commit: { records: number; seconds: number }) => void
  /** Nothing of the batch is stored. */
  countFailure: (kind: CommitKind) => void
}

export function createCommitMetrics(registry: MetricsRegistry): CommitMetrics {
  const seconds = registry.histograms({
    name: 'recordhub_commit_duration_seconds',
    help: 'Duration of the commits of records, with the wait for the write lock.',
    ...{ label: 'kind', values: COMMIT_KINDS },
    bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  })
  const records = registry.histograms({
    name: 'recordhub_commit_records',
    help: 'Records per commit.',
    ...{ label: 'kind', values: COMMIT_KINDS },
    bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
  })
  const failures = registry.counters({
    name: 'recordhub_commit_failures_total',
    help: 'Commits of records that failed. Nothing of such a batch is stored.',
    ...{ label: 'kind', values: COMMIT_KINDS },
  })
  return {
    countCommit(kind, commit) {
      seconds[kind].observe(commit.seconds)
      records[kind].observe(commit.records)
    },
    countFailure: (kind) => failures[kind].add(),
  }
}

/** Reports the queue of pushes. `pending` are the waiting pushes and those of the commit in progress. */
export function collectQueueMetrics(
  registry: MetricsRegistry,
  listPending: () => readonly { content: { data: JsonText } }[],
): void {
  registry.collect(() => {
    const pending = listPending()
    const bytes = pending.reduce((sum, { content }) => sum + Buffer.byteLength(content.data), 0)
    return [
      {
        ...{ name: 'recordhub_push_queue_pushes', type: 'gauge' },
        help: 'Pushes that wait for their commit, or are being committed.',
        samples: [{ value: pending.length }],
      },
      {
        ...{ name: 'recordhub_push_queue_bytes', type: 'gauge' },
        help: 'Size of the data of these pushes.',
        samples: [{ value: bytes }],
      },
    ]
  })
}
