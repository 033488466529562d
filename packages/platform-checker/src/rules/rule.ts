/** Headings of `docs/platform-guide`. */
export type GuideHeading =
  | 'The two keys'
  | 'The endpoints'
  | 'Ping'
  | 'Manifest'
  | 'Records'
  | 'The ETag'
  | 'The digest (optional)'
  | 'Search (optional)'
  | 'Pushing changes'
  | 'Errors of your endpoints'
  | 'Responses to a push'
  | 'The conformance check'

/** A rule that the checker validates. The hub accepts data that breaks a rule of severity `warning` or `note`. */
export type Rule = {
  severity: 'error' | 'warning' | 'note'
  /** The heading in the integration guide that has what the rule checks. */
  section: GuideHeading
  /** The message, with `{placeholders}`. */
  message: string
  advice: string
}

export function error(section: GuideHeading, message: string, advice: string): Rule {
  return { severity: 'error', section, message, advice }
}

export function warning(section: GuideHeading, message: string, advice: string): Rule {
  return { severity: 'warning', section, message, advice }
}

export function note(section: GuideHeading, message: string, advice: string): Rule {
  return { severity: 'note', section, message, advice }
}
