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
