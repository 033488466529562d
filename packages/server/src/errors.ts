/** Every error that the hub returns to a caller: its code, its HTTP status, and a message that says what to do. */
type CatalogueEntry = { status: number; message: string }

/** Returns the entries of errors with the same status. */
function withStatus<Code extends string>(
  status: number,
  messages: Record<Code, string>,
): Record<Code, CatalogueEntry>
function withStatus(status: number, messages: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(messages).map(([code, message]) => [code, { status, message }]),
  )
}

const CATALOGUE = {
  // Requests
  ...withStatus(400, {
    invalid_json: 'The request body is not valid JSON: {reason}.',
    invalid_request: 'The request is not valid: {reason}.',
  }),
  ...withStatus(404, { not_found: 'No such {what}.' }),
  ...withStatus(405, {
    method_not_allowed: 'This path does not accept {method}. Allowed methods: {allowed}.',
  }),
  ...withStatus(413, {
    body_too_large:
      'The request body is larger than the limit of {limit} bytes. Send less data per request.',
  }),
  ...withStatus(415, {
    unsupported_media_type:
      'Send the body as uncompressed JSON with the header Content-Type: application/json.',
  }),
  ...withStatus(429, { too_many_requests: 'Too many requests. Try again in {seconds} s.' }),
  ...withStatus(500, {
    internal_error: "Internal error. The hub's log has the details under this request_id.",
  }),

  // Records
  ...withStatus(409, {
    cursor_beyond:
      'The cursor is ahead of this hub, which may have been restored from a backup. Start again without a cursor.',
    list_changed:
      'Since this list was begun, a part of it has been removed, or its fields have other types. Start again without a cursor.',
    view_name_taken: 'You already have a view named "{name}". Choose another name.',
    too_many_views: 'You already have {max} saved views. Delete one that is no longer used.',
  }),
  ...withStatus(410, { history_not_stored: 'The history starts at {since}. Choose a later time.' }),
  ...withStatus(422, {
    sort_too_slow:
      'Sorting by {sort} takes too long without an index. Add it to the indexed fields of the module, or narrow the list with filters.',
  }),

  // Receiver
  ...withStatus(401, {
    api_key_invalid: 'The API key is missing or invalid, or the platform is inactive.',
  }),
  ...withStatus(409, {
    pull_not_running: 'The pull that read this record has ended.',
    revert_not_running: 'The revert is not running.',
    revert_already_running:
      'Another revert is queued or running. Start this one when it has ended.',
    revert_not_possible: 'This is not possible: {reason}.',
    record_changed: 'The record has changed since the revert was decided.',
    held: 'An operator has taken back what this push contains, so the record was left as it is. To store it, replay it; if that is rejected, lift the holds of its record first.',
  }),
  ...withStatus(410, {
    record_erased:
      'This record was erased, and the hub no longer accepts it. Do not send it again.',
  }),
  ...withStatus(422, {
    module_not_in_pull:
      'Pull {pull_id} has {what}. Choose one of its modules, which GET /api/v1/pulls/{pull_id} lists, or leave platform and record_type out for all of them.',
    module_not_registered: 'The module "{record_type}" is not registered for this platform.',
    invalid_record: 'Invalid record: {reason}.',
    duplicate_reference: 'Duplicate reference number; the first one was kept.',
    drift_rejected: 'The record does not match the manifest of its module: {reason}.',
    too_many_keys:
      'The record would have more keys than HUB_MAX_RECORD_KEYS allows, with those that are stored. Send the whole record with POST.',
    record_not_storable: 'The database rejected this record.',
  }),

  // The hub and its database
  ...withStatus(500, {
    no_database:
      'There is no database at {path}. Start the hub first, or set HUB_DATA_DIR to its data folder.',
    newer_schema:
      'A newer version of Recordhub has migrated this database ({migrations}). Start that version, or restore a backup from before the upgrade.',
    older_schema:
      'The database has the schema of an older version ({migrations} is missing). Start the hub of this version, which migrates it.',
    upgrade_needs_space:
      'The upgrade needs {needed} of free space on the disk of {path}, for a backup and a copy of the database, but only {available} are free. Nothing was changed. Free the space, or start the previous version.',
    upgrade_rehearsal_failed:
      'The upgrade failed on a copy of the database: {reason}. The database itself is unchanged. Start the previous version, and report this error.',
    database_rejected: 'DATABASE_URL: {reason}.',
    data_folder_unusable: 'HUB_DATA_DIR: cannot use the folder {path} ({reason}).',
    data_folder_in_use:
      'Another hub is running on {path}. Stop it first, or set another HUB_DATA_DIR.',
    secret_wrong:
      'HUB_SECRET is not the secret that the keys in this database are encrypted with. Set the right one; to change the secret, run: recordhub secret rotate.',
    secret_in_use:
      'Another process of the hub is using this database. Stop all processes of the hub before you change its secret.',
    database_damaged:
      'The database {path} is damaged, so the hub does not start: {reason}. recordhub doctor lists the damage. Check the disk, then restore a backup with recordhub restore --force <file>.',
    database_unchecked:
      'The database {path} must be checked first: {reason}. Start the hub, which checks it, or restore a backup.',
  }),
  ...withStatus(503, {
    busy: 'The hub is overloaded. Try again in {seconds} s.',
    starting: 'The hub is starting. Try again in {seconds} s.',
    shutting_down: 'The hub is shutting down. Try again in {seconds} s.',
    storage_unavailable: 'The storage of the hub is unavailable. Try again in {seconds} s.',
    disk_full:
      "The disk of the hub's database is full. Try again in {seconds} s. The hub continues as soon as its administrator has freed space.",
    held_pushes_full:
      'The hub has no room for more pushes of this platform that contain what its operators have taken back. Try again in {seconds} s. An operator must replay or delete those that it keeps, or lift their holds.',
    storage_failed:
      "The hub can no longer use its database and is stopping. Try again in {seconds} s. The hub's log has the details for its administrator.",
  }),

  // Replays
  ...withStatus(409, {
    already_replayed:
      'This rejected push has already been replayed. The result (replay_outcome and record_id) is in GET /api/v1/rejected-pushes/<id>.',
    module_being_pulled:
      'A pull is reading this module and may have read a newer state of the record. Replay it again when the pull has ended.',
  }),
  ...withStatus(422, {
    key_was_removed:
      'The hub removed a key from this body before storing it. Replace the removed key in the body with a value before you replay it.',
  }),

  // Operators and programs
  ...withStatus(400, {
    too_many_attempts_request_new_code: 'Too many wrong codes. Sign in again.',
    challenge_not_found: 'The sign-in with a passkey has expired. Start again.',
    sign_in_failed: 'The sign-in failed: {reason}',
  }),
  ...withStatus(401, {
    metrics_token_invalid: 'Send the token of HUB_METRICS_TOKEN: Authorization: Bearer <token>.',
    not_signed_in: 'Sign in, or send a token: Authorization: Bearer rht_….',
    invalid_email_or_password: 'The e-mail address or the password is wrong.',
    invalid_code: 'The code is wrong. Wait for the next one and try again.',
    invalid_backup_code: 'The recovery code is wrong or already used.',
    code_used: 'This code has already been used. Sign in again with the next one.',
    invalid_two_factor_cookie: 'Sign in with the password first.',
    passkey_not_found: 'Unknown passkey. It may have been removed.',
    authentication_failed: 'The passkey was not accepted. Try again.',
    user_not_verified:
      'The device did not verify its user. Set up a PIN, fingerprint or face recognition on it.',
  }),
  ...withStatus(403, {
    origin_not_allowed:
      'The request came from a page of another site, {origin}. If operators open the hub at that address, for example through a tunnel or a proxy, set HUB_PUBLIC_URL to it and restart the hub.',
    forbidden: 'Requires the role {role}.',
    out_of_scope: 'The token is restricted to the scope {scope}. Use another token.',
    scope_required: 'This requires a token with the scope {scope}, or the session of an operator.',
    password_wrong: 'The password is wrong.',
    setup_link_invalid:
      'This setup link is no longer valid. While there is no operator, recordhub setup-link prints the valid one.',
    operator_missing:
      'There is no operator yet. Create the first one with the setup link, which the hub writes to its log when it starts, and recordhub setup-link prints.',
    operator_disabled: 'This account is disabled. Contact an admin of the hub.',
    invalid_origin:
      'The sign-in came from {origin}, which is not the address of the hub. If operators open the hub at that address, for example through a tunnel or a proxy, set HUB_PUBLIC_URL to it and restart the hub.',
    missing_or_null_origin:
      'The browser did not send the origin of the sign-in. Sign in on the sign-in page of the hub.',
    operators_only: 'Only a signed-in operator can do this. A token has no account.',
    second_factor_required:
      'This hub requires more than a password. Set up an authenticator app or a passkey in the dashboard first.',
    second_factor_unused:
      'This hub requires more than a password. Sign out, and sign in with your second factor, passkey or single sign-on.',
    invitation_invalid: 'This invitation is no longer valid. Ask an admin for a new one.',
    session_not_fresh:
      'This requires a sign-in within the last 15 minutes. Sign out and sign in again.',
  }),
  ...withStatus(409, {
    token_name_taken: 'You already have a token named "{name}". Choose another name.',
    too_many_tokens: 'You already have {max} tokens. Revoke one that is no longer used.',
    operator_exists: 'The first operator already exists. Sign in instead.',
    last_second_factor:
      'This hub requires more than a password, and this is your last second factor. Set up another one first.',
    own_second_factor_missing:
      'Only an admin with a second factor can require one of everyone. Set up an authenticator app or a passkey for your own account first.',
    last_admin: 'This is the last admin. Give another operator the role admin first.',
  }),
  ...withStatus(419, {
    session_or_token_invalid:
      'The session has ended or the CSRF token is invalid. Reload the page, or sign in again.',
  }),
  ...withStatus(422, {
    code_wrong: 'The code is wrong or no longer valid.',
    password_rejected: 'Choose another password: {reason}.',
    sign_in_setting_rejected: 'The sign-in method could not be changed.',
    invalid_operator: 'Invalid operator: {reason}.',
  }),
  ...withStatus(502, {
    sign_on_issuer_wrong:
      'The single sign-on provider names the issuer {found}, but HUB_OIDC_ISSUER is {expected}. Correct the setting, or use another sign-in method.',
  }),
  ...withStatus(503, {
    sign_on_unavailable:
      'The single sign-on provider does not respond. Try again later, or use another sign-in method.',
  }),

  // Platforms
  ...withStatus(409, {
    platform_name_differs:
      'The platform calls itself "{got}", not "{expected}". Check that the base URL belongs to the right platform. If the platform was renamed, accept its new name in its settings.',
    platform_already_registered: 'A platform named "{platform_name}" is already registered.',
    module_registered:
      'The module "{record_type}" is registered, so the next pull would store its records again. Unregister it first.',
    removal_under_way:
      'The records of the module "{record_type}" are being deleted. Register the module again when the deletion is complete.',
    platform_inactive: 'The platform is inactive. Activate it first.',
  }),
  ...withStatus(422, {
    source_key_invalid:
      'The source API key cannot be sent in a header. It must be printable ASCII without leading or trailing spaces.',
    source_key_required:
      'The stored source API key is not sent to {origin}, because it was entered for another scheme, host or port. Send source_api_key, too.',
    source_url_invalid: 'The base URL is not valid: {reason}.',
    platform_address_rejected: 'The hub is not allowed to call {address}: {reason}.',
    module_unknown: 'The platform\'s manifest has no module "{record_type}".',
    name_differs: 'To confirm this action, which cannot be undone, enter the exact {what}.',
  }),
  ...withStatus(502, {
    platform_unreachable:
      'The platform cannot be reached ({reason}). Check the base URL, and that the platform is running and reachable from the hub.',
    platform_certificate_invalid:
      "The platform's TLS certificate is not trusted ({reason}). Renew it, or add its certificate authority to NODE_EXTRA_CA_CERTS.",
    platform_broke_off:
      "The connection closed before the platform's response from {path} was complete ({reason}). Check the logs of the platform and of any proxy in front of it.",
    platform_page_rejected:
      "The hub cannot follow the next page of the platform's response at {path}: {reason}. Check the Link headers that the platform sends.",
    platform_ignores_prefix:
      'The platform ignores the parameter prefix of {path}: its response contains a record that was not requested, or no record and no "prefix". The hub reads all records instead.',
    platform_redirected:
      'The platform responded with a redirect to {location}. The hub does not follow redirects, which could leak the key. Enter the final address as the base URL.',
    platform_rejected_key:
      'The platform rejected the source API key (HTTP {status}). Check that it is the key that the platform expects in X-PLATFORM-API-KEY.',
    platform_path_missing:
      'The platform has no endpoint at {path} (HTTP 404). Check the base URL, and that the endpoint is deployed.',
    platform_failed:
      "The platform responded with HTTP {status} at {path}. Check the platform's logs.",
    platform_not_json:
      'The platform responded with {got} instead of JSON at {path}. This is often a sign-in page, an error page or the warning page of a tunnel. Check the base URL.',
    platform_response_invalid:
      "The platform's response at {path} does not match the specification: {reason}. The platform owner must fix the endpoint.",
    no_record_stored: 'No record was stored: {reason}',
    platform_reports_failure:
      'The platform reported a failure at {path} ("success": {value}{quoted}). Only "success": true is a success. Check the platform\'s logs.',
    platform_response_too_large:
      "The platform's response at {path} is larger than the limit of {limit} bytes. The platform owner must make it smaller.",
  }),
  ...withStatus(503, {
    platform_busy:
      'The platform responded with HTTP {status} at {path} and asked the hub to wait {seconds} s, which is longer than this pull waits. A later pull tries again.',
    platform_throttled:
      'The platform responded with HTTP 429 at {path}: too many requests. Ask the platform owner to allow the hub more requests.',
  }),
  ...withStatus(504, {
    platform_timed_out:
      'The platform did not respond in time ({reason}). Check its load and its logs.',
  }),

  // Pulls
  ...withStatus(409, {
    pulled_no_more:
      'The platform was deactivated or the module unregistered during the pull. The records stored so far remain.',
    pull_over: 'The pull has already ended: {state}.',
    rejections_changed:
      'The last pull rejected other records for this reason. Look at them before you accept them.',
    missing_review_closed: 'This review is closed: {state}.',
    pull_already_running:
      'A pull is already running. It continues; you do not need to start another.',
  }),

  // Settings
  ...withStatus(409, {
    setting_fixed:
      '{name} is set by a flag or a variable of the hub. Change it there, or delete it there and restart the hub to set it here.',
  }),

  // Alerts
  ...withStatus(409, {
    mail_not_set_up:
      'Mail is not configured. Set HUB_SMTP_URL and HUB_ALERT_FROM, and recipients in HUB_ALERT_TO or under Settings, Mail; each operator can also choose the mails under Settings, Account.',
  }),
  ...withStatus(502, { mail_failed: 'The mail could not be sent: {reason}.' }),

  // Backups
  ...withStatus(409, {
    backup_in_progress: 'A backup or a restore drill is already running. Wait until it ends.',
    restore_would_overwrite:
      'There is already data in {path}. Pass --force to replace it; a copy of it is kept.',
    restore_hub_running:
      'A hub is running on {path}. Stop every process of it before you restore a backup.',
  }),
  ...withStatus(422, {
    backup_invalid: 'This file cannot be used as a backup: {reason}.',
    backup_unsupported:
      'A newer version of Recordhub wrote this backup ({reason}). Restore it with that version.',
    backup_damaged: 'The backup is damaged: {reason}. Use another backup.',
    backup_passphrase_missing:
      'The backup is encrypted. Pass its passphrase in RECORDHUB_BACKUP_PASSPHRASE, or in a file named by HUB_BACKUP_PASSPHRASE_FILE.',
    backup_passphrase_wrong: 'The passphrase of the backup is wrong.',
    backup_other_engine:
      'The backup is of a database on {backup}, but this hub uses {hub}. Set DATABASE_URL to a database of that engine.',
    backup_secret_wrong:
      'The keys in this backup need the hub secret with the fingerprint {needed}, but {given}. Set HUB_SECRET to that secret, or copy its file recordhub.secret to HUB_DATA_DIR.',
  }),
  ...withStatus(500, {
    backup_failed: 'The backup failed: {reason}. No backup was written.',
    restore_failed: 'The restore failed: {reason}. Nothing was changed.',
  }),
} satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof CATALOGUE
export const ERROR_CODES: Readonly<Record<ErrorCode, CatalogueEntry>> = CATALOGUE

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(CATALOGUE, text)
}

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
  suggestedBaseUrl?: string | undefined
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
  /** The base URL of a platform with which the request might succeed. */
  readonly suggestedBaseUrl: string | undefined

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
    this.suggestedBaseUrl = options.suggestedBaseUrl
  }

  /** Creates an error with a more specific message than the catalogue's. */
  static withMessage(code: ErrorCode, message: string, options: HubErrorOptions = {}): HubError {
    const error = new HubError(code, {}, options)
    error.message = message
    return error
  }
}

const STORAGE_RETRY_SECONDS = 5
/** Only an operator makes room. */
const HELD_RETRY_SECONDS = 60

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
  const reason = code === 'disk_full' ? 'the disk is full' : messageOf(cause)
  return HubError.withMessage(code, `The database ${path} cannot be used: ${reason}.`)
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
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

/** Creates the error for a held push that cannot be kept, and so is not acknowledged. */
export function heldPushesFull(): HubError {
  const seconds = HELD_RETRY_SECONDS
  return new HubError('held_pushes_full', { seconds }, { retryAfterSeconds: seconds })
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
