/** Every error that the hub returns to a caller: its code, its HTTP status, and a message that says what to do. */
type CatalogueEntry = { status: number; message: string }

const CATALOGUE = {
  // Requests
  invalid_json: { status: 400, message: 'The request body is not valid JSON: {reason}.' },
  invalid_request: { status: 400, message: 'The request is not valid: {reason}.' },
  not_found: { status: 404, message: 'No such {what}.' },
  method_not_allowed: {
    status: 405,
    message: 'This path does not accept {method}. Allowed methods: {allowed}.',
  },
  body_too_large: {
    status: 413,
    message:
      'The request body is larger than the limit of {limit} bytes. Send less data per request.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'Send the body as uncompressed JSON with the header Content-Type: application/json.',
  },
  too_many_requests: { status: 429, message: 'Too many requests. Try again in {seconds} s.' },
  internal_error: {
    status: 500,
    message: "Internal error. The hub's log has the details under this request_id.",
  },

  // Records
  history_not_stored: {
    status: 410,
    message: 'The history starts at {since}. Choose a later time.',
  },
  cursor_beyond: {
    status: 409,
    message:
      'The cursor is ahead of this hub, which may have been restored from a backup. Start again without a cursor.',
  },

  list_changed: {
    status: 409,
    message:
      'Since this list was begun, a part of it has been removed, or its fields have other types. Start again without a cursor.',
  },

  // Receiver
  api_key_invalid: {
    status: 401,
    message: 'The API key is missing or invalid, or the platform is inactive.',
  },
  module_not_registered: {
    status: 422,
    message: 'The module "{record_type}" is not registered for this platform.',
  },
  invalid_record: { status: 422, message: 'Invalid record: {reason}.' },
  duplicate_reference: {
    status: 422,
    message: 'Duplicate reference number; the first one was kept.',
  },
  drift_rejected: {
    status: 422,
    message: 'The record does not match the manifest of its module: {reason}.',
  },
  record_erased: {
    status: 410,
    message: 'This record was erased, and the hub no longer accepts it. Do not send it again.',
  },
  too_many_keys: {
    status: 422,
    message:
      'The record would have more keys than HUB_MAX_RECORD_KEYS allows, with those that are stored. Send the whole record with POST.',
  },
  record_not_storable: { status: 422, message: 'The database rejected this record.' },
  pull_not_running: { status: 409, message: 'The pull that read this record has ended.' },
  sort_too_slow: {
    status: 422,
    message:
      'Sorting by {sort} takes too long without an index. Add it to the indexed fields of the module, or narrow the list with filters.',
  },
  view_name_taken: {
    status: 409,
    message: 'You already have a view named "{name}". Choose another name.',
  },
  busy: { status: 503, message: 'The hub is overloaded. Try again in {seconds} s.' },
  no_database: {
    status: 500,
    message:
      'There is no database at {path}. Start the hub first, or set HUB_DATA_DIR to its data folder.',
  },
  newer_schema: {
    status: 500,
    message:
      'A newer version of Recordhub has migrated this database ({migrations}). Start that version, or restore a backup from before the upgrade.',
  },
  older_schema: {
    status: 500,
    message:
      'The database has the schema of an older version ({migrations} is missing). Start the hub of this version, which migrates it.',
  },
  upgrade_needs_space: {
    status: 500,
    message:
      'The upgrade needs {needed} of free space on the disk of {path}, for a backup and a copy of the database, but only {available} are free. Nothing was changed. Free the space, or start the previous version.',
  },
  upgrade_rehearsal_failed: {
    status: 500,
    message:
      'The upgrade failed on a copy of the database: {reason}. The database itself is unchanged. Start the previous version, and report this error.',
  },
  database_rejected: { status: 500, message: 'DATABASE_URL: {reason}.' },
  data_folder_unusable: {
    status: 500,
    message: 'HUB_DATA_DIR: cannot use the folder {path} ({reason}).',
  },
  data_folder_in_use: {
    status: 500,
    message: 'Another hub is running on {path}. Stop it first, or set another HUB_DATA_DIR.',
  },
  secret_wrong: {
    status: 500,
    message:
      'HUB_SECRET is not the secret that the keys in this database are encrypted with. Set the right one; to change the secret, run: recordhub secret rotate.',
  },
  secret_in_use: {
    status: 500,
    message:
      'Another process of the hub is using this database. Stop all processes of the hub before you change its secret.',
  },
  starting: { status: 503, message: 'The hub is starting. Try again in {seconds} s.' },
  shutting_down: { status: 503, message: 'The hub is shutting down. Try again in {seconds} s.' },
  storage_unavailable: {
    status: 503,
    message: 'The storage of the hub is unavailable. Try again in {seconds} s.',
  },
  disk_full: {
    status: 503,
    message:
      "The disk of the hub's database is full. Try again in {seconds} s. The hub continues as soon as its administrator has freed space.",
  },
  storage_failed: {
    status: 503,
    message:
      "The hub can no longer use its database and is stopping. Try again in {seconds} s. The hub's log has the details for its administrator.",
  },
  database_damaged: {
    status: 500,
    message:
      'The database {path} is damaged, so the hub does not start: {reason}. recordhub doctor lists the damage. Check the disk, then restore a backup with recordhub restore --force <file>.',
  },
  database_unchecked: {
    status: 500,
    message:
      'The database {path} must be checked first: {reason}. Start the hub, which checks it, or restore a backup.',
  },

  // Replays
  already_replayed: {
    status: 409,
    message:
      'This rejected push has already been replayed. The result (replay_outcome and record_id) is in GET /api/v1/rejected-pushes/<id>.',
  },
  module_being_pulled: {
    status: 409,
    message:
      'A pull is reading this module and may have read a newer state of the record. Replay it again when the pull has ended.',
  },
  key_was_removed: {
    status: 422,
    message:
      'The hub removed a key from this body before storing it. Replace the removed key in the body with a value before you replay it.',
  },

  // Operators and programs
  metrics_token_invalid: {
    status: 401,
    message: 'Send the token of HUB_METRICS_TOKEN: Authorization: Bearer <token>.',
  },
  not_signed_in: { status: 401, message: 'Sign in, or send a token: Authorization: Bearer rht_….' },
  session_or_token_invalid: {
    status: 419,
    message:
      'The session has ended or the CSRF token is invalid. Reload the page, or sign in again.',
  },
  origin_not_allowed: {
    status: 403,
    message:
      'The request came from a page of another site, {origin}. If operators open the hub at that address, for example through a tunnel or a proxy, set HUB_PUBLIC_URL to it and restart the hub.',
  },
  forbidden: { status: 403, message: 'Requires the role {role}.' },
  out_of_scope: {
    status: 403,
    message: 'The token is restricted to the scope {scope}. Use another token.',
  },
  scope_required: {
    status: 403,
    message: 'This requires a token with the scope {scope}, or the session of an operator.',
  },
  token_name_taken: {
    status: 409,
    message: 'You already have a token named "{name}". Choose another name.',
  },
  too_many_views: {
    status: 409,
    message: 'You already have {max} saved views. Delete one that is no longer used.',
  },
  too_many_tokens: {
    status: 409,
    message: 'You already have {max} tokens. Revoke one that is no longer used.',
  },
  password_wrong: { status: 403, message: 'The password is wrong.' },
  setup_link_invalid: {
    status: 403,
    message:
      'This setup link is no longer valid. The hub writes a new one to its log when it starts without an operator.',
  },
  operator_exists: { status: 409, message: 'The first operator already exists. Sign in instead.' },
  operator_missing: {
    status: 403,
    message:
      'There is no operator yet. Create the first one with the setup link, which the hub writes to its log when it starts.',
  },
  invalid_email_or_password: {
    status: 401,
    message: 'The e-mail address or the password is wrong.',
  },
  operator_disabled: {
    status: 403,
    message: 'This account is disabled. Contact an admin of the hub.',
  },
  invalid_code: { status: 401, message: 'The code is wrong. Wait for the next one and try again.' },
  invalid_backup_code: { status: 401, message: 'The recovery code is wrong or already used.' },
  code_used: {
    status: 401,
    message: 'This code has already been used. Sign in again with the next one.',
  },
  invalid_two_factor_cookie: { status: 401, message: 'Sign in with the password first.' },
  too_many_attempts_request_new_code: {
    status: 400,
    message: 'Too many wrong codes. Sign in again.',
  },
  passkey_not_found: { status: 401, message: 'Unknown passkey. It may have been removed.' },
  challenge_not_found: {
    status: 400,
    message: 'The sign-in with a passkey has expired. Start again.',
  },
  authentication_failed: { status: 401, message: 'The passkey was not accepted. Try again.' },
  user_not_verified: {
    status: 401,
    message:
      'The device did not verify its user. Set up a PIN, fingerprint or face recognition on it.',
  },
  invalid_origin: {
    status: 403,
    message:
      'The sign-in came from {origin}, which is not the address of the hub. If operators open the hub at that address, for example through a tunnel or a proxy, set HUB_PUBLIC_URL to it and restart the hub.',
  },
  missing_or_null_origin: {
    status: 403,
    message:
      'The browser did not send the origin of the sign-in. Sign in on the sign-in page of the hub.',
  },
  sign_in_failed: { status: 400, message: 'The sign-in failed: {reason}' },
  operators_only: {
    status: 403,
    message: 'Only a signed-in operator can do this. A token has no account.',
  },
  second_factor_required: {
    status: 403,
    message:
      'This hub requires more than a password. Set up an authenticator app or a passkey in the dashboard first.',
  },
  second_factor_unused: {
    status: 403,
    message:
      'This hub requires more than a password. Sign out, and sign in with your second factor, passkey or single sign-on.',
  },
  last_second_factor: {
    status: 409,
    message:
      'This hub requires more than a password, and this is your last second factor. Set up another one first.',
  },
  last_admin: {
    status: 409,
    message: 'This is the last admin. Give another operator the role admin first.',
  },
  invitation_invalid: {
    status: 403,
    message: 'This invitation is no longer valid. Ask an admin for a new one.',
  },
  code_wrong: { status: 422, message: 'The code is wrong or no longer valid.' },
  session_not_fresh: {
    status: 403,
    message: 'This requires a sign-in within the last 15 minutes. Sign out and sign in again.',
  },
  sign_on_unavailable: {
    status: 503,
    message:
      'The single sign-on provider does not respond. Try again later, or use another sign-in method.',
  },
  sign_on_issuer_wrong: {
    status: 502,
    message:
      'The single sign-on provider names the issuer {found}, but HUB_OIDC_ISSUER is {expected}. Correct the setting, or use another sign-in method.',
  },
  password_rejected: { status: 422, message: 'Choose another password: {reason}.' },
  sign_in_setting_rejected: { status: 422, message: 'The sign-in method could not be changed.' },
  invalid_operator: { status: 422, message: 'Invalid operator: {reason}.' },

  // Platforms
  source_key_invalid: {
    status: 422,
    message:
      'The source API key cannot be sent in a header. It must be printable ASCII without leading or trailing spaces.',
  },
  source_key_required: {
    status: 422,
    message:
      'The stored source API key is not sent to {origin}, because it was entered for another scheme, host or port. Send source_api_key, too.',
  },
  source_url_invalid: { status: 422, message: 'The base URL is not valid: {reason}.' },
  platform_address_rejected: {
    status: 422,
    message: 'The hub is not allowed to call {address}: {reason}.',
  },
  platform_unreachable: {
    status: 502,
    message:
      'The platform cannot be reached ({reason}). Check the base URL, and that the platform is running and reachable from the hub.',
  },
  platform_certificate_invalid: {
    status: 502,
    message:
      "The platform's TLS certificate is not trusted ({reason}). Renew it, or add its certificate authority to NODE_EXTRA_CA_CERTS.",
  },
  platform_broke_off: {
    status: 502,
    message:
      "The connection closed before the platform's response from {path} was complete ({reason}). Check the logs of the platform and of any proxy in front of it.",
  },
  platform_timed_out: {
    status: 504,
    message: 'The platform did not respond in time ({reason}). Check its load and its logs.',
  },
  platform_busy: {
    status: 503,
    message:
      'The platform responded with HTTP {status} at {path} and asked the hub to wait {seconds} s, which is longer than this pull waits. A later pull tries again.',
  },
  platform_throttled: {
    status: 503,
    message:
      'The platform responded with HTTP 429 at {path}: too many requests. Ask the platform owner to allow the hub more requests.',
  },
  platform_page_rejected: {
    status: 502,
    message:
      "The hub cannot follow the next page of the platform's response at {path}: {reason}. Check the Link headers that the platform sends.",
  },
  platform_redirected: {
    status: 502,
    message:
      'The platform responded with a redirect to {location}. The hub does not follow redirects, which could leak the key. Enter the final address as the base URL.',
  },
  platform_rejected_key: {
    status: 502,
    message:
      'The platform rejected the source API key (HTTP {status}). Check that it is the key that the platform expects in X-PLATFORM-API-KEY.',
  },
  platform_path_missing: {
    status: 502,
    message:
      'The platform has no endpoint at {path} (HTTP 404). Check the base URL, and that the endpoint is deployed.',
  },
  platform_failed: {
    status: 502,
    message: "The platform responded with HTTP {status} at {path}. Check the platform's logs.",
  },
  platform_not_json: {
    status: 502,
    message:
      'The platform responded with {got} instead of JSON at {path}. This is often a sign-in page, an error page or the warning page of a tunnel. Check the base URL.',
  },
  platform_response_invalid: {
    status: 502,
    message:
      "The platform's response at {path} does not match the specification: {reason}. The platform owner must fix the endpoint.",
  },
  no_record_stored: { status: 502, message: 'No record was stored: {reason}' },
  platform_reports_failure: {
    status: 502,
    message:
      'The platform reported a failure at {path} ("success": {value}{quoted}). Only "success": true is a success. Check the platform\'s logs.',
  },
  platform_response_too_large: {
    status: 502,
    message:
      "The platform's response at {path} is larger than the limit of {limit} bytes. The platform owner must make it smaller.",
  },
  platform_name_differs: {
    status: 409,
    message:
      'The platform calls itself "{got}", not "{expected}". Check that the base URL belongs to the right platform. If the platform was renamed, accept its new name in its settings.',
  },
  platform_already_registered: {
    status: 409,
    message: 'A platform named "{platform_name}" is already registered.',
  },
  module_unknown: {
    status: 422,
    message: 'The platform\'s manifest has no module "{record_type}".',
  },

  module_registered: {
    status: 409,
    message:
      'The module "{record_type}" is registered, so the next pull would store its records again. Unregister it first.',
  },
  removal_under_way: {
    status: 409,
    message:
      'The records of the module "{record_type}" are being deleted. Register the module again when the deletion is complete.',
  },
  name_differs: {
    status: 422,
    message: 'To confirm this action, which cannot be undone, enter the exact {what}.',
  },

  platform_inactive: { status: 409, message: 'The platform is inactive. Activate it first.' },

  // Pulls
  pulled_no_more: {
    status: 409,
    message:
      'The platform was deactivated or the module unregistered during the pull. The records stored so far remain.',
  },
  pull_over: { status: 409, message: 'The pull has already ended: {state}.' },
  rejections_changed: {
    status: 409,
    message:
      'The last pull rejected other records for this reason. Look at them before you accept them.',
  },
  missing_review_closed: { status: 409, message: 'This review is closed: {state}.' },
  pull_already_running: {
    status: 409,
    message: 'A pull is already running. It continues; you do not need to start another.',
  },

  // Alerts
  mail_not_set_up: {
    status: 409,
    message: 'Mail is not configured. Set HUB_SMTP_URL, HUB_ALERT_FROM and HUB_ALERT_TO.',
  },
  mail_failed: { status: 502, message: 'The mail could not be sent: {reason}.' },

  // Backups
  backup_failed: {
    status: 500,
    message: 'The backup failed: {reason}. No backup was written.',
  },
  backup_invalid: { status: 422, message: 'This file cannot be used as a backup: {reason}.' },
  backup_unsupported: {
    status: 422,
    message:
      'A newer version of Recordhub wrote this backup ({reason}). Restore it with that version.',
  },
  backup_damaged: {
    status: 422,
    message: 'The backup is damaged: {reason}. Use another backup.',
  },
  backup_passphrase_missing: {
    status: 422,
    message:
      'The backup is encrypted. Pass its passphrase in RECORDHUB_BACKUP_PASSPHRASE, or in a file named by HUB_BACKUP_PASSPHRASE_FILE.',
  },
  backup_passphrase_wrong: {
    status: 422,
    message: 'The passphrase of the backup is wrong.',
  },
  backup_other_engine: {
    status: 422,
    message:
      'The backup is of a database on {backup}, but this hub uses {hub}. Set DATABASE_URL to a database of that engine.',
  },
  backup_secret_wrong: {
    status: 422,
    message:
      'The keys in this backup need the hub secret with the fingerprint {needed}, but {given}. Set HUB_SECRET to that secret, or copy its file recordhub.secret to HUB_DATA_DIR.',
  },
  backup_in_progress: {
    status: 409,
    message: 'A backup or a restore drill is already running. Wait until it ends.',
  },
  restore_would_overwrite: {
    status: 409,
    message: 'There is already data in {path}. Pass --force to replace it; a copy of it is kept.',
  },
  restore_hub_running: {
    status: 409,
    message: 'A hub is running on {path}. Stop every process of it before you restore a backup.',
  },
  restore_failed: { status: 500, message: 'The restore failed: {reason}. Nothing was changed.' },
} satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof CATALOGUE
export const ERROR_CODES: Readonly<Record<ErrorCode, CatalogueEntry>> = CATALOGUE

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(CATALOGUE, text)
}

/** The body of an error response. */
export type ErrorBody = {
  success: false
  code: ErrorCode
  message: string
  request_id: string
  errors?: FieldErrors
}

/** The reasons for each invalid member of a request: `{"data": ["must be an object"]}`. */
export type FieldErrors = Record<string, string[]>

type HubErrorOptions = {
  errors?: FieldErrors | undefined
  retryAfterSeconds?: number | undefined
  concernsPlatform?: boolean | undefined
  cause?: unknown
}

/** An error whose code and message are meant for the caller. Any other error is an internal error. */
export class HubError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly errors: FieldErrors | undefined
  readonly retryAfterSeconds: number | undefined
  /** Whether a failed request concerns the whole platform, as `domain/pull/retry.ts` decides. */
  readonly concernsPlatform: boolean

  constructor(
    code: ErrorCode,
    params: Record<string, string | number> = {},
    options: HubErrorOptions = {},
  ) {
    super(formatMessage(code, params), options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'HubError'
    this.code = code
    this.status = ERROR_CODES[code].status
    this.errors = options.errors
    this.retryAfterSeconds = options.retryAfterSeconds
    this.concernsPlatform = options.concernsPlatform ?? false
  }

  /** Creates an error with a more specific message than the catalogue's. */
  static withMessage(code: ErrorCode, message: string, options: HubErrorOptions = {}): HubError {
    const error = new HubError(code, {}, options)
    error.message = message
    return error
  }
}

const STORAGE_RETRY_SECONDS = 5

/** Creates the error for a storage that is temporarily unavailable. */
export function storageUnavailable(cause?: unknown): HubError {
  return storageError('storage_unavailable', cause)
}

/** Creates the error for a storage that cannot store anything until there is free space. */
export function diskFull(cause: unknown): HubError {
  return storageError('disk_full', cause)
}

/** Creates the error for a storage that this process no longer uses, because its disk has failed or it is damaged. */
export function storageFailed(cause?: unknown): HubError {
  return storageError('storage_failed', cause)
}

/**
 * Adds the path of the database to an error for the administrator, such as at the start: the disk is full, or the file
 * cannot be used. Responses to clients do not contain the path.
 */
export function nameDatabase(error: unknown, path: string): unknown {
  if (!isStorageUnavailable(error) || error.cause === undefined) return error
  const { code, cause } = error
  const reason = code === 'disk_full' ? 'the disk is full' : describeCause(cause)
  return HubError.withMessage(code, `The database ${path} cannot be used: ${reason}.`)
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function storageError(
  code: 'storage_unavailable' | 'disk_full' | 'storage_failed',
  cause: unknown,
): HubError {
  const seconds = STORAGE_RETRY_SECONDS
  return new HubError(code, { seconds }, { retryAfterSeconds: seconds, cause })
}

/** Whether the storage is unavailable or its disk is full, so that the same work can succeed later. */
export function isStorageUnavailable(error: unknown): error is HubError {
  return error instanceof HubError && ['storage_unavailable', 'disk_full'].includes(error.code)
}

/** @param seconds the time after which the caller may try again. */
export function tooManyRequests(seconds: number): HubError {
  return new HubError('too_many_requests', { seconds }, { retryAfterSeconds: seconds })
}

/** @param seconds the time after which the caller may try again. */
export function busy(seconds: number): HubError {
  return new HubError('busy', { seconds }, { retryAfterSeconds: seconds })
}

/** Creates the error for an invalid member of a request, such as `since must be an RFC 3339 date-time`. */
export function invalidMember(name: string, issue: string): HubError {
  return new HubError(
    'invalid_request',
    { reason: `${name} ${issue}` },
    { errors: { [name]: [issue] } },
  )
}

/**
 * Returns a parsed member of a request.
 * @throws HubError `invalid_request` if it is null, which is how parsers report an invalid text.
 */
export function requireMember<Value>(value: Value | null, name: string, rule: string): Value {
  if (value === null) throw invalidMember(name, rule)
  return value
}

/** Returns what was found. @throws HubError `not_found` for null, undefined and false. */
export function found<Value>(what: string, value: Value | null | undefined | false): Value {
  if (value === null || value === undefined || value === false) {
    throw new HubError('not_found', { what })
  }
  return value
}

/** Formats the message of a code, with its `{placeholders}` replaced by the parameters. */
export function formatMessage(
  code: ErrorCode,
  params: Record<string, string | number> = {},
): string {
  return ERROR_CODES[code].message.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : placeholder,
  )
}
