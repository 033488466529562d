import { DIGEST_RULES } from './digest-rules.ts'
import { MANIFEST_RULES } from './manifest-rules.ts'
import { PUSH_RULES } from './push-rules.ts'
import { RECORD_RULES } from './record-rules.ts'
import { RESPONSE_RULES } from './response-rules.ts'
import type { Rule } from './rule.ts'

const ALL_RULES = {
  ...RESPONSE_RULES,
  ...MANIFEST_RULES,
  ...RECORD_RULES,
  ...DIGEST_RULES,
  ...PUSH_RULES,
}

export type RuleId = keyof typeof ALL_RULES

/** All rules of the checker, by id. Failed requests are reported under their error code instead. */
export const RULES: Readonly<Record<RuleId, Rule>> = ALL_RULES
