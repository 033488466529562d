/** Names on the wire that the specification fixes (sections 4 and 5). */
export const HUB_KEY_HEADER = 'X-API-KEY'
export const SOURCE_KEY_HEADER = 'X-PLATFORM-API-KEY'
export const CSRF_HEADER = 'X-CSRF-TOKEN'
/** Marks requests of an unattended page, which do not extend the session. */
export const UNATTENDED_HEADER = 'X-Unattended'

export const RECEIVER_PATH = '/api/webhook/receive'
export const RECEIVER_CHECK_PATH = '/api/webhook/check'
export const RECEIVER_GUIDE_PATH = '/api/webhook/guide'

/** The dashboard requests a snapshot at this interval (specification 4.1, 8). */
export const POLLING_INTERVAL_SECONDS = 10

export const CONNECTION_TYPE = 'dynamic_api'

/** A reference number is compared byte by byte, so its limit is in UTF-8 bytes. */
export const MAX_REFERENCE_BYTES = 512

/** A record type is part of URLs and of index keys. */
export const MAX_RECORD_TYPE_BYTES = 512

/** Maximum length of the `full_name` of a record and of the `module_name` of a push, in code points. */
export const MAX_NAME_LENGTH = 65_536

/** Limits of an operator's password, in characters. */
export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 256

/** Maximum nesting of a pushed body or a pulled element; the body itself is level 1. */
export const MAX_JSON_DEPTH = 64

/** Maximum length of a number in a record as JSON text. Reading longer ones takes too long. */
export const MAX_NUMBER_LENGTH = 1000

/** Maximum number of fields per module with an index for sorting and filtering. */
export const MAX_INDEXED_FIELDS = 5

/** The languages of the integration guide's examples: the name of each in URLs, and its heading in the guide. */
export const GUIDE_LANGUAGES = {
  curl: 'cURL',
  php: 'PHP',
  laravel: 'PHP / Laravel',
  kit: 'Node.js with the kit',
  node: 'Node / Express',
  python: 'Python / FastAPI',
  csharp: 'C# / ASP.NET',
  java: 'Java / Spring',
} as const

export type GuideLanguage = keyof typeof GUIDE_LANGUAGES

export const DEFAULT_GUIDE_LANGUAGE: GuideLanguage = 'curl'

export function isGuideLanguage(text: string): text is GuideLanguage {
  return Object.hasOwn(GUIDE_LANGUAGES, text)
}

/**
 * Every action of the audit log, in the groups that it is filtered by. `<action>_rejected`: the operator did not confirm it
 * with the right password.
 */
export const AUDIT_ACTIONS = {
  keys: [
    'hub_key.reveal',
    'hub_key.reveal_rejected',
    'hub_key.rotate',
    'hub_key.rotate_rejected',
    'hub_key.end_previous',
    'token.create',
    'token.create_rejected',
    'token.revoke',
    'token.revoke_all',
    'secret.rotate',
  ],
  sign_in: [
    'session.begin',
    'session.reject',
    'session.sign_out',
    'session.end',
    'session.end_others',
    'session.end_all',
    'account.change',
    'account.change_password',
    'account.reset_password',
    'second_factor.enable',
    'second_factor.disable',
    'second_factor.recovery_codes',
    'second_factor.reset',
    'second_factor.reset_rejected',
    'passkey.create',
    'passkey.remove',
  ],
  records: [
    'record.erase',
    'record.anonymise',
    'record.erase_again',
    'tombstone.delete',
    'records.export',
    'rejected_push.replay',
    'rejected_push.replay_all',
    'rejected_push.repair',
    'rejected_push.dismiss',
    'rejected_push.accepted',
    'rejected_push.reopened',
    'missing_review.approved',
    'missing_review.dismissed',
    'revert.plan',
    'revert.start',
    'revert.start_rejected',
    'revert.cancel',
    'revert.succeeded',
    'revert.failed',
    'revert.export',
    'holds.lift',
    'view.created',
    'view.changed',
    'view.deleted',
  ],
  platforms: [
    'platform.probe',
    'platform.register',
    'platform.change_source',
    'platform.change_modules',
    'platform.activated',
    'platform.deactivated',
    'platform.rename',
    'platform.remove',
    'manifest.refresh',
    'module.delete_records',
    'module.drift_policy',
    'module.indexed_fields',
  ],
  pulls: ['pull.start', 'pull.cancel', 'schedule.paused', 'schedule.resumed'],
  operators: [
    'operator.create_first',
    'operator.create',
    'operator.invite',
    'operator.invite_rejected',
    'operator.withdraw_invitation',
    'operator.change',
    'operator.change_rejected',
    'operator.remove',
  ],
  hub: [
    'inbox.acknowledge',
    'inbox.snooze',
    'inbox.reopen',
    'alert.acknowledged',
    'alert.test_mail',
    'settings.changed',
    'settings.changed_rejected',
    'backup.start',
    'backup.download',
    'backup.drill',
    'activity.export',
    'audit.export',
    'doctor.repair',
  ],
} as const

export type AuditGroup = keyof typeof AUDIT_ACTIONS
export type AuditAction = (typeof AUDIT_ACTIONS)[AuditGroup][number]

type ConfirmedOf<Action> = Action extends `${infer Confirmed}_rejected` ? Confirmed : never
/** What an operator confirms with the password. */
export type ConfirmedAuditAction = ConfirmedOf<AuditAction>
