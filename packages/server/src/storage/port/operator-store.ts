import type { Dialect } from 'kysely'
import type { NewAuditEntry } from '../../domain/activity.ts'
import type { Role } from '../../domain/caller.ts'

export type ApiToken = {
  token_id: number
  name: string
  role: Role
  hint: string
  created_at: string
  expires_at: string | null
  last_used_at: string | null
}

/** The database that Better Auth keeps operators and sessions in. */
export type AuthDatabase = { dialect: Dialect; type: 'sqlite' | 'postgres' }

export interface OperatorStore {
  /** Shares the engine's write queue, so that no push can slip into a transaction of its. */
  readonly authDatabase: AuthDatabase

  hasOperators(): Promise<boolean>

  /**
   * Claims something that one caller at a time may do. A claim that is not released, since its process
   * died, runs out after `seconds`.
   * @returns true for exactly one caller, however many ask at once.
   */
  claim(name: string, seconds: number): Promise<boolean>

  releaseClaim(name: string): Promise<void>

  createToken(
    token: {
      name: string
      role: Role
      token_hash: string
      hint: string
      expires_at: string | null
    },
    audit: NewAuditEntry,
  ): Promise<ApiToken>

  /** The token with this hash; null where it is unknown, revoked or expired. Notes its use, at most once a minute. */
  findToken(tokenHash: string, at: string): Promise<ApiToken | null>
}
