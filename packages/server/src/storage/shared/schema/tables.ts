/** The tables as Kysely sees them: the same names and columns on every engine. */
import type {
  ActivityLevel,
  AlertKind,
  DriftPolicy,
  ErasureMode,
  HistoryEntry,
  MissingReviewState,
  PlatformStatus,
  PullState,
  PullTaskState,
  PullTrigger,
} from '@recordhub/protocol'
import type { Generated } from 'kysely'
import type {
  ApiTokensTable,
  GuessesTable,
  OperatorAccountsTable,
  OperatorInvitationsTable,
  OperatorPasskeysTable,
  OperatorSecondFactorsTable,
  OperatorSessionsTable,
  OperatorsTable,
  OperatorVerificationsTable,
} from './operator-tables.ts'
import type { PushAddressesTable, PushErrorsTable, RejectedPushesTable } from './push-tables.ts'

export type Tables = {
  secrets: SecretsTable
  platforms: PlatformsTable
  modules: ModulesTable
  hub_keys: HubKeysTable
  records: RecordsTable
  record_history: RecordHistoryTable
  record_deletions: RecordDeletionsTable
  sql_views: SqlViewsTable
  hourly_counters: HourlyCountersTable
  module_counters: ModuleCountersTable
  pulls: PullsTable
  pull_tasks: PullTasksTable
  missing_reviews: MissingReviewsTable
  missing_suspects: MissingSuspectsTable
  manifest_changes: ManifestChangesTable
  module_drift: ModuleDriftTable
  activity: ActivityTable
  audit: AuditTable
  rejected_pushes: RejectedPushesTable
  rejected_push_pulls: RejectedPushPullsTable
  operators: OperatorsTable
  operator_sessions: OperatorSessionsTable
  operator_accounts: OperatorAccountsTable
  operator_passkeys: OperatorPasskeysTable
  operator_second_factors: OperatorSecondFactorsTable
  operator_verifications: OperatorVerificationsTable
  operator_invitations: OperatorInvitationsTable
  api_tokens: ApiTokensTable
  claims: ClaimsTable
  guesses: GuessesTable
  switches: SwitchesTable
  search_feed: SearchFeedTable
  indexed_fields: IndexedFieldsTable
  record_index: RecordIndexTable
  saved_views: SavedViewsTable
  alerts: AlertsTable
  push_errors: PushErrorsTable
  push_addresses: PushAddressesTable
  retention: RetentionTable
  tombstones: TombstonesTable
  removals: RemovalsTable
}

type SecretsTable = {
  secret_id: Generated<number>
  purpose: string
  sealed: string
  created_at: string
}

type PlatformsTable = {
  platform_id: Generated<number>
  platform_name: string
  display_title: string
  platform_description: string
  source_base_url: string
  source_key_secret_id: number
  status: PlatformStatus
  manifest_fetched_at: string
  manifest_asked_at: Generated<string | null>
  last_pulled_at: string | null
  last_error: string | null
  rejected_bytes: Generated<number>
  failures_in_row: Generated<number>
  failed_at: string | null
  failing_since: string | null
  recovered_at: Generated<string | null>
  removed_at: Generated<string | null>
  created_at: string
  updated_at: string
}

export type ModulesTable = {
  module_id: Generated<number>
  platform_id: number
  record_type: string
  module_name: string
  description: string
  fields: string
  position: number
  registered_at: string | null
  last_read_mark: Generated<number | null>
  last_read_requested_at: Generated<string | null>
  last_read_finished_at: Generated<string | null>
  last_trouble: Generated<string | null>
  failures_in_row: Generated<number>
  failing_since: Generated<string | null>
  /** The last answer whose validators are kept; all null where none is. */
  kept_etag: Generated<string | null>
  kept_last_modified: Generated<string | null>
  kept_read_tag: Generated<string | null>
  kept_records: Generated<number | null>
  kept_pushes: Generated<number | null>
  kept_missing_members: Generated<string | null>
  added_at: string | null
  removed_at: Generated<string | null>
  removed_fields: Generated<string>
  drift_policy: Generated<DriftPolicy>
  drift_since: Generated<string | null>
  complete_at: Generated<string | null>
  complete_pushes: Generated<number | null>
  last_read_records: Generated<number | null>
  last_read_doubts: Generated<string>
}

type HubKeysTable = {
  hub_key_id: Generated<number>
  platform_id: number
  key_hash: string
  hint: string
  secret_id: number
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
}

type RecordsTable = {
  record_id: Generated<number>
  platform_id: number
  module_id: number
  reference_number: string
  full_name: string
  data: string
  source_hash: string | null
  incomplete: number
  missing_since: string | null
  field_clocks: string | null
  pushed_seq: number
  pushed_at: string | null
  pulled_at: string | null
  change_seq: number
  created_at: string
  updated_at: string
}

type RecordHistoryTable = {
  platform_id: number
  record_id: number
  change_seq: number
  at: string
  source: HistoryEntry['source']
  changes: string
  pull_id: number | null
  request_id: string | null
}

type RecordDeletionsTable = {
  change_seq: number
  record_id: number
  platform_id: number
  module_id: number
  platform_name: string
  record_type: string
  at: string
}

type SqlViewsTable = { view_name: string; definition: string }

export type HourlyCountersTable = {
  day: string
  hour: string
  platform_id: number
  node: string
  received_post: number
  received_patch: number
  received_pull: number
  created: number
  updated: number
  unchanged: number
  stale: number
  rejected: number
}

type ModuleCountersTable = {
  platform_id: number
  module_id: number
  node: string
  records: number
  last_received_at: string | null
  pushes: Generated<number>
}

type PullsTable = {
  pull_id: Generated<number>
  trigger: PullTrigger
  state: PullState
  requested_by: string | null
  requested_at: string
  started_at: string | null
  finished_at: string | null
  lease_owner: string | null
  lease_until: string | null
  renewed_at: string | null
}

type PullTasksTable = {
  pull_id: number
  task_number: number
  platform_id: number
  module_id: number
  state: PullTaskState
  total: number | null
  expected: number | null
  received: Generated<number>
  created: Generated<number>
  updated: Generated<number>
  unchanged: Generated<number>
  stale: Generated<number>
  rejected: Generated<number>
  missing: Generated<number>
  error: string | null
  warnings: Generated<string>
  started_at: string | null
  finished_at: string | null
}

type MissingReviewsTable = {
  missing_review_id: Generated<number>
  platform_id: number
  module_id: number
  state: MissingReviewState
  missing: number
  records: number
  fingerprint: string
  /** A JSON list of the records that would be marked. */
  record_ids: string
  pull_id: number
  at: string
  answered_at: string | null
  answered_by: string | null
  closed_at: string | null
}

type MissingSuspectsTable = { module_id: number; platform_id: number; record_ids: string }

type ManifestChangesTable = {
  manifest_change_id: Generated<number>
  platform_id: number
  at: string
  changes: string
}

type ModuleDriftTable = {
  platform_id: number
  module_id: number
  node: string
  kind: 'unknown' | 'absent'
  key: string
  count: number
  first_at: string
  last_at: string
}

export type ActivityTable = {
  activity_id: Generated<number>
  at: string
  level: ActivityLevel
  kind: string
  platform_id: number | null
  platform_name: string | null
  record_id: number | null
  actor: string | null
  message: string
  details: string
}

export type AuditTable = {
  audit_id: Generated<number>
  at: string
  actor: string
  action: string
  target: string | null
  address: string | null
  details: string
}

type RejectedPushPullsTable = Record<'rejected_push_id' | 'first_pull_id' | 'last_pull_id', number>
type SwitchesTable = { name: string; since: string; actor: string }

type ClaimsTable = { name: string; until: string }

type SearchFeedTable = { name: string; position: number }

type IndexedFieldsTable = {
  field_id: Generated<number>
  platform_id: number
  module_id: number
  field_key: string
  is_numeric: number
  /** The records changed up to here are in it, of those that were there when it was chosen: `build_to`. */
  built_seq: number
  build_to: number
  is_leaving: number
}

type RecordIndexTable = {
  platform_id: number
  field_id: number
  record_id: number
  sort_key: string | null
}

export type SavedViewsTable = {
  view_id: Generated<number>
  name: string
  query: string
  owner: string
  is_shared: number
  created_at: string
  updated_at: string
}

export type AlertsTable = {
  alert_id: Generated<number>
  kind: AlertKind
  subject: string
  platform_id: number | null
  platform_name: string | null
  message: string
  raised_at: string
  resolved_at: string | null
  acknowledged_at: string | null
  acknowledged_by: string | null
  raise_mailed_at: string | null
  resolve_mailed_at: string | null
}

type RetentionTable = { noun: string; kept_since: string }

type TombstonesTable = {
  tombstone_id: Generated<number>
  reference_hash: string
  platform_name: string
  record_type: string
  mode: ErasureMode
  record_id: number
  at: string
  actor: string
}

type RemovalsTable = {
  removal_id: Generated<number>
  platform_id: number
  module_id: number | null
  platform_name: string
  record_type: string | null
  records: number
  removed: Generated<number>
  requested_by: string
  requested_at: string
  finished_at: string | null
}
