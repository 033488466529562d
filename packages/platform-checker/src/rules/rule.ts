/** A rule that the checker validates. The hub accepts data that breaks a rule of severity `warning` or `note`. */
export type Rule = {
  severity: 'error' | 'warning' | 'note'
  /** The section of the specification. */
  section: string
  /** The message, with `{placeholders}`. */
  message: string
  advice: string
}

export function error(section: string, message: string, advice: string): Rule {
  return { severity: 'error', section, message, advice }
}

export function warning(section: string, message: string, advice: string): Rule {
  return { severity: 'warning', section, message, advice }
}

export function note(section: string, message: string, advice: string): Rule {
  return { severity: 'note', section, message, advice }
}
