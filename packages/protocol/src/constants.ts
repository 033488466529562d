/** Names on the wire that the specification fixes (sections 4 and 5). */
export const HUB_KEY_HEADER = 'X-API-KEY'
export const SOURCE_KEY_HEADER = 'X-PLATFORM-API-KEY'
export const CSRF_HEADER = 'X-CSRF-TOKEN'
/** The page says by it that nobody is at work, so that what it asks for keeps no session alive. */
export const UNATTENDED_HEADER = 'X-Unattended'

export const RECEIVER_PATH = '/api/webhook/receive'
export const RECEIVER_CHECK_PATH = '/api/webhook/check'

/** The dashboard asks for a snapshot this often, and never more often (specification 4.1, 8). */
export const POLLING_INTERVAL_SECONDS = 10

export const CONNECTION_TYPE = 'dynamic_api'

/** A reference is compared byte by byte, so its limit is in bytes of UTF-8 too. */
export const MAX_REFERENCE_BYTES = 512

/** It stands in addresses and in the keys of indexes. */
export const MAX_RECORD_TYPE_BYTES = 512

/** Characters of an operator's password. */
export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 256

/** Levels of nesting that a pushed body or a pulled element may have; the body itself is level 1. */
export const MAX_JSON_DEPTH = 64

/** Fields of a module that lists are sorted and filtered by quickly. */
export const MAX_INDEXED_FIELDS = 5

/** The languages of the integration guide's examples: the word of each in a URL, and its heading in the guide. */
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
