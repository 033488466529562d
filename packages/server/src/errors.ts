/** Each error that a caller of the hub can meet: its code, its HTTP status, and words that help. */
type CatalogueEntry = { status: number; message: string }

const CATALOGUE = {
  // Requests
  invalid_json: { status: 400, message: 'The body is not valid JSON: {reason}.' },
  invalid_request: { status: 400, message: 'The request is not valid: {reason}.' },
  not_found: { status: 404, message: 'There is no {what} here.' },
  method_not_allowed: {
    status: 405,
    message: 'This address does not take {method}. It takes: {allowed}.',
  },
  body_too_large: {
    status: 413,
    message: 'The body is larger than the {limit} bytes that are allowed.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'Send the body as JSON, uncompressed, with the header Content-Type: application/json.',
  },
  too_many_requests: { status: 429, message: 'Too many requests. Try again in {seconds} s.' },
  internal_error: {
    status: 500,
    message: 'Something went wrong in the hub. The log has more under this request id.',
  },

  // Records
  history_not_kept: {
    status: 410,
    message: 'The history is kept since {since} only. What was before is not known any more.',
  },
  cursor_beyond: {
    status: 409,
    message:
      'The cursor is ahead of this hub, which may have been restored from a backup. Begin again without it.',
  },

  // Receiver
  api_key_invalid: {
    status: 401,
    message: 'The API key is missing, invalid, or the platform is inactive.',
  },
  module_not_registered: {
    status: 422,
    message: 'The module "{record_type}" is not registered for this platform.',
  },
  invalid_record: { status: 422, message: 'The record was not accepted: {reason}.' },
  duplicate_reference: {
    status: 422,
    message: 'Duplicate reference number; the first one was kept.',
  },
  drift_rejected: {
    status: 422,
    message: "The record does not go with its module's manifest: {reason}.",
  },
  record_erased: {
    status: 410,
    message:
      'This record was erased, and the hub takes it no more. There is no use in sending it again.',
  },
  record_not_storable: { status: 422, message: 'The database refused this record.' },
  pull_not_running: { status: 409, message: 'The pull that read this record is over.' },
  sort_too_slow: {
    status: 422,
    message:
      'Sorting by {sort} takes too long here: no index has it. Choose it as an indexed field of the module, or narrow the list.',
  },
  view_name_taken: { status: 409, message: 'You have a view named "{name}" already.' },
  busy: {
    status: 503,
    message: 'The hub has more to write than it can at the moment. Try again in {seconds} s.',
  },
  no_database: {
    status: 500,
    message:
      'There is no database at {path}. Start the hub first, or name its folder with HUB_DATA_DIR.',
  },
  newer_schema: {
    status: 500,
    message:
      'A newer version of Recordhub has migrated this database ({migrations}). Start that version, or restore a backup from before the upgrade.',
  },
  database_refused: { status: 500, message: 'DATABASE_URL: {reason}.' },
  data_folder_unusable: {
    status: 500,
    message: 'HUB_DATA_DIR: the folder {path} cannot be used ({reason}).',
  },
  data_folder_in_use: {
    status: 500,
    message: 'Another hub is running on {path}. Stop it first, or set another HUB_DATA_DIR.',
  },
  secret_wrong: {
    status: 500,
    message:
      'HUB_SECRET is not the one that the keys in this database are sealed with. Where it was changed: recordhub secret rotate.',
  },
  secret_in_use: {
    status: 500,
    message:
      'Another process of the hub is at work on this database. Stop every hub before its secret is changed.',
  },
  starting: { status: 503, message: 'The hub is starting. Try again in {seconds} s.' },
  shutting_down: { status: 503, message: 'The hub is shutting down. Try again in {seconds} s.' },
  storage_unavailable: {
    status: 503,
    message: 'The hub cannot store anything at the moment. Try again in {seconds} s.',
  },

  // Replays
  already_replayed: {
    status: 409,
    message: 'This has been replayed already; it says what came of it.',
  },
  key_was_removed: {
    status: 422,
    message:
      'A key was removed from this body when it was kept. Replay it with a body that has its place filled.',
  },

  // Operators and programs
  not_signed_in: { status: 401, message: 'Sign in, or send a token: Authorization: Bearer rht_….' },
  session_or_token_invalid: {
    status: 419,
    message:
      'The session has ended or the CSRF token is wrong. Sign in again, or load the page anew.',
  },
  origin_not_allowed: {
    status: 403,
    message:
      'The request came from the page of another site, {origin}. If operators reach the hub at that address, e.g. through a tunnel or a proxy, set HUB_PUBLIC_URL to it and restart the hub.',
  },
  forbidden: { status: 403, message: 'This takes the role {role}.' },
  password_wrong: { status: 403, message: 'The password is wrong.' },
  setup_link_invalid: {
    status: 403,
    message:
      'This link is not valid any more. The hub prints a new one when it starts without an operator.',
  },
  operator_exists: { status: 409, message: 'There is an operator already. Sign in instead.' },
  operator_missing: {
    status: 403,
    message:
      'There is no operator yet. Create the first one with the setup link, which the hub writes to its log when it starts.',
  },
  invalid_email_or_password: { status: 401, message: 'The e-mail or the password is wrong.' },
  operator_disabled: {
    status: 403,
    message: 'This account is disabled. Ask an admin of the hub.',
  },
  invalid_code: { status: 401, message: 'The code is wrong. Wait for the next one and try again.' },
  invalid_backup_code: {
    status: 401,
    message: 'The recovery code is wrong, or was used already.',
  },
  code_used: {
    status: 401,
    message: 'This code was used already. Sign in again with the next one.',
  },
  invalid_two_factor_cookie: { status: 401, message: 'Sign in with the password first.' },
  too_many_attempts_request_new_code: {
    status: 400,
    message: 'Too many wrong codes. Sign in again.',
  },
  passkey_not_found: {
    status: 401,
    message: 'The hub does not know this passkey. It may have been removed.',
  },
  challenge_not_found: {
    status: 400,
    message: 'The request for a passkey has expired. Start signing in again.',
  },
  authentication_failed: { status: 401, message: 'The passkey was not accepted. Try again.' },
  user_not_verified: {
    status: 401,
    message: 'The device did not check who is using it. Set a PIN, fingerprint or face on it.',
  },
  invalid_origin: {
    status: 403,
    message:
      'The sign-in came from {origin}, which the hub does not know as its own address. If operators reach the hub there, e.g. through a tunnel or a proxy, set HUB_PUBLIC_URL to that address and restart the hub.',
  },
  missing_or_null_origin: {
    status: 403,
    message:
      'The browser did not say which page the sign-in came from. Open the sign-in page itself.',
  },
  sign_in_failed: { status: 400, message: 'The sign-in was not accepted: {reason}' },
  operators_only: {
    status: 403,
    message: 'This is for operators who are signed in; a token has no account.',
  },
  second_factor_required: {
    status: 403,
    message:
      'This hub takes more than a password. Set up the code of an authenticator app or a passkey first; the dashboard leads through it.',
  },
  second_factor_unused: {
    status: 403,
    message:
      'This hub takes more than a password. Sign out, and sign in with the second factor, passkey or single sign-on that you have.',
  },
  last_second_factor: {
    status: 409,
    message:
      'This hub takes more than a password, and this is your last second factor. Set up another one first.',
  },
  last_admin: {
    status: 409,
    message: 'This is the last admin. Make somebody else an admin first.',
  },
  invitation_invalid: {
    status: 403,
    message: 'This invitation is not valid any more. Ask for a new one.',
  },
  code_wrong: { status: 422, message: 'The code is wrong, or not valid any more.' },
  session_not_fresh: {
    status: 403,
    message: 'Sign out and in again first: this takes a sign-in of the last 15 minutes.',
  },
  sign_on_unavailable: {
    status: 503,
    message:
      'The provider of single sign-on does not answer. Try again in a moment, or sign in another way.',
  },
  sign_on_issuer_wrong: {
    status: 502,
    message:
      'The provider of single sign-on is refused: it says that its issuer is {found}, where HUB_OIDC_ISSUER has {expected}. Sign in another way, or have the setting put right.',
  },
  password_refused: { status: 422, message: 'Choose another password: {reason}.' },
  sign_in_setting_refused: {
    status: 422,
    message: 'This way of signing in could not be changed.',
  },
  invalid_operator: { status: 422, message: 'The operator was not accepted: {reason}.' },

  // Platforms
  source_key_invalid: {
    status: 422,
    message:
      'The source API key cannot be sent in a header: it must be printable ASCII without spaces at its ends.',
  },
  source_url_invalid: { status: 422, message: 'The base URL is not usable: {reason}.' },
  platform_address_refused: { status: 422, message: 'The hub does not call {address}: {reason}.' },
  platform_unreachable: {
    status: 502,
    message:
      'The platform cannot be reached ({reason}). Check the base URL, and that the platform is running and open to the hub.',
  },
  platform_certificate_invalid: {
    status: 502,
    message:
      "The platform's TLS certificate is not trusted ({reason}). Have it renewed, or give the hub its authority in NODE_EXTRA_CA_CERTS.",
  },
  platform_broke_off: {
    status: 502,
    message:
      'The platform broke off its answer at {path} ({reason}). Its logs, or those of a proxy before it, say why.',
  },
  platform_timed_out: {
    status: 504,
    message: 'The platform did not answer in time ({reason}). Check its load and its logs.',
  },
  platform_busy: {
    status: 503,
    message:
      'The platform answered HTTP {status} at {path} and asks to be left alone for {seconds} s, which is longer than this pull waits. A later pull asks again.',
  },
  platform_throttled: {
    status: 503,
    message:
      'The platform answered HTTP 429 at {path}: for the moment it takes no more calls. Its owner has to let the hub call it more often.',
  },
  platform_page_refused: {
    status: 502,
    message:
      "The platform's answer at {path} goes on where the hub does not follow: {reason}. Check the Link headers that it sends.",
  },
  platform_redirected: {
    status: 502,
    message:
      'The platform answered with a redirect to {location}. The hub does not follow it, since the key must not travel: enter the final address as the base URL.',
  },
  platform_refused_key: {
    status: 502,
    message:
      'The platform refused the source API key (HTTP {status}). Check that the key is the one the platform expects in X-PLATFORM-API-KEY.',
  },
  platform_path_missing: {
    status: 502,
    message:
      'The platform has nothing at {path} (HTTP 404). Check the base URL, and that the endpoint is deployed.',
  },
  platform_failed: {
    status: 502,
    message: 'The platform answered HTTP {status} at {path}. Its logs say why.',
  },
  platform_not_json: {
    status: 502,
    message:
      "The platform answered with {got} instead of JSON at {path}. Often this is a sign-in or error page, or a tunnel's warning page: check the base URL.",
  },
  platform_answer_invalid: {
    status: 502,
    message:
      "The platform's answer at {path} is not as agreed: {reason}. Its owner has to mend the endpoint.",
  },
  platform_reports_failure: {
    status: 502,
    message:
      'The platform itself says at {path} that it failed ("success": false{words}). Its logs say why.',
  },
  platform_answer_too_large: {
    status: 502,
    message:
      "The platform's answer at {path} is larger than the {limit} bytes that are allowed. Its owner has to make it smaller.",
  },
  platform_name_differs: {
    status: 409,
    message:
      'The platform calls itself "{got}", not "{expected}". Check that the base URL belongs to the right platform.',
  },
  platform_already_registered: {
    status: 409,
    message: 'A platform named "{platform_name}" is registered already.',
  },
  module_unknown: {
    status: 422,
    message: 'The platform\'s manifest has no module "{record_type}".',
  },

  module_registered: {
    status: 409,
    message:
      'The module "{record_type}" is registered, and its records come again with the next pull. Unregister it first.',
  },
  removal_under_way: {
    status: 409,
    message:
      'The records of the module "{record_type}" are being deleted. Register it again when they are gone.',
  },
  name_differs: {
    status: 422,
    message: 'To confirm what cannot be undone, repeat the {what} exactly.',
  },

  platform_inactive: {
    status: 409,
    message: 'The platform is switched off. Switch it on first.',
  },

  // Pulls
  pulled_no_more: {
    status: 409,
    message:
      'The platform was switched off, or the module is not received any more, while it was read. What was stored stays.',
  },
  pull_over: { status: 409, message: 'The pull is over already: {state}.' },
  missing_review_closed: {
    status: 409,
    message: 'There is nothing left to answer here: the question is {state}.',
  },
  pull_already_running: {
    status: 409,
    message: 'A pull is already running. It goes on; there is no need to start another.',
  },

  // Alerts
  mail_not_set_up: {
    status: 409,
    message: 'No mail is set up. Set HUB_SMTP_URL, HUB_ALERT_FROM and HUB_ALERT_TO.',
  },
  mail_failed: { status: 502, message: 'The mail could not be sent: {reason}.' },
} satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof CATALOGUE
export const ERROR_CODES: Readonly<Record<ErrorCode, CatalogueEntry>> = CATALOGUE

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(CATALOGUE, text)
}

/** The body of an error response: its code is always one of the catalogue. */
export type ErrorBody = {
  success: false
  code: ErrorCode
  message: string
  request_id: string
  errors?: FieldErrors
}

/** Which members of a request are wrong, and why: `{"data": ["must be an object"]}`. */
export type FieldErrors = Record<string, string[]>

type HubErrorOptions = {
  errors?: FieldErrors | undefined
  retryAfterSeconds?: number | undefined
  concernsPlatform?: boolean | undefined
  cause?: unknown
}

/** An error whose code and words are meant for the caller. Anything else is an internal error. */
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
    super(wordsFor(code, params), options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'HubError'
    this.code = code
    this.status = ERROR_CODES[code].status
    this.errors = options.errors
    this.retryAfterSeconds = options.retryAfterSeconds
    this.concernsPlatform = options.concernsPlatform ?? false
  }

  /** An error with words of its own, where they say more than the catalogue's. */
  static withMessage(code: ErrorCode, message: string, options: HubErrorOptions = {}): HubError {
    const error = new HubError(code, {}, options)
    error.message = message
    return error
  }
}

/** The storage cannot be used at the moment. */
export function storageUnavailable(cause?: unknown): HubError {
  const seconds = 5
  return new HubError('storage_unavailable', { seconds }, { retryAfterSeconds: seconds, cause })
}

/** @param seconds after which the caller may try again. */
export function tooManyRequests(seconds: number): HubError {
  return new HubError('too_many_requests', { seconds }, { retryAfterSeconds: seconds })
}

/** The message of a code with its `{places}` filled in. */
export function wordsFor(code: ErrorCode, params: Record<string, string | number> = {}): string {
  return ERROR_CODES[code].message.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : place,
  )
}
