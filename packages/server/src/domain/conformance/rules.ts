/** Every rule by which a platform is judged, by its name. */
import { ERROR_CODES, type ErrorCode } from '../../errors.ts'
import { connectionHint } from '../platform/connection-hints.ts'
import { ANSWER_RULES } from './answer-rules.ts'
import { MANIFEST_RULES } from './manifest-rules.ts'
import { PUSH_RULES } from './push-rules.ts'
import { RECORD_RULES } from './record-rules.ts'
import { error, type Rule } from './rule.ts'

const OWN_RULES = { ...ANSWER_RULES, ...MANIFEST_RULES, ...RECORD_RULES, ...PUSH_RULES }

export type OwnRuleId = keyof typeof OWN_RULES
/** A rule of its own, or what a call came to in the words of the errors. */
export type RuleId = OwnRuleId | ErrorCode

export const RULES: Readonly<Record<OwnRuleId, Rule>> = OWN_RULES

/** The rule of this name; of an error what its code says everywhere. */
export function ruleOf(id: RuleId): Rule {
  return isOwnRule(id) ? RULES[id] : error('4', ERROR_CODES[id].message, connectionHint(id))
}

function isOwnRule(id: RuleId): id is OwnRuleId {
  return Object.hasOwn(RULES, id)
}
