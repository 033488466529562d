/** Actions that an operator confirms with the password, and a token needs a scope for. */
import type { TokenScope } from '@recordhub/protocol'

/** The scopes of tokens that may reveal a key or give access. Only an operator can give them, with the password. */
export const CONFIRMED_SCOPES = ['hub_keys', 'access'] as const satisfies readonly TokenScope[]

/** An action that reveals a key or gives access. */
export type ConfirmedAction = {
  /** As in the audit log; a rejected attempt is recorded as `<action>_rejected`. */
  action: string
  target: string | null
  /** The scope that a token needs for it. */
  scope: (typeof CONFIRMED_SCOPES)[number]
  /** As the operator entered it; undefined for none. */
  password: string | undefined
}
