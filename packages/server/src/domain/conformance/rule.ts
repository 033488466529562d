/** What the hub takes all the same is a warning at most; what is only to be known is a note. */
export type Rule = {
  severity: 'error' | 'warning' | 'note'
  /** Of the specification. */
  section: string
  /** Words with `{places}`. */
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
