import type { ApiToken, Operator, OperatorSession } from '@recordhub/protocol'
import type { Dialect } from 'kysely'
import type { NewAuditEntry } from '../../domain/activity/activity.ts'
import type { Role } from '../../domain/auth/caller.ts'

/** A token that holds, and whose it is: null where nobody's. */
type HeldToken = { token: ApiToken; operator_id: string | null }

type NewToken = {
  name: string
  role: Role
  token_hash: string
  hint: string
  expires_at: string | null
  /** Whose it is: it ends with this operator's account. Null for that of nobody. */
  operator_id: string | null
  created_by: string
}

type StoredSession = Omit<OperatorSession, 'current'>

/** `last_admin`: nobody would be left who may do everything. */
export type OperatorChange = 'changed' | 'unknown' | 'last_admin'

/** The database that Better Auth keeps operators and sessions in. */
export type AuthDatabase = { dialect: Dialect; type: 'sqlite' | 'postgres' }

export interface OperatorStore {
  /** Shares the engine's write queue, so that no push can slip into a transaction of its. */
  readonly authDatabase: AuthDatabase

  /** Whether there is any operator, disabled ones included. */
  hasOperators(): Promise<boolean>

  /** All of them, by e-mail. */
  listOperators(): Promise<Operator[]>

  /** Null where there is none. */
  readOperator(id: string): Promise<Operator | null>

  /**
   * Changes role or admission. With another role end all sessions, so that the next one begins with it, and
   * the tokens above it; with a disabled operator all sessions and tokens. Of several changes at once none takes the last admin.
   */
  changeOperator(
    id: string,
    change: { role?: Role; disabled?: boolean },
    audit: NewAuditEntry,
  ): Promise<OperatorChange>

  /** Removes an operator with sessions, passkeys and second factor; the tokens are revoked. */
  removeOperator(id: string, audit: NewAuditEntry): Promise<OperatorChange>

  /** Sets a password (its hash), also where there was none, and ends all sessions. False where there is no such operator. */
  setPassword(id: string, passwordHash: string, audit: NewAuditEntry): Promise<boolean>

  /**
   * Takes the second factor and the passkeys away, for somebody who has lost them, and ends all sessions.
   * False where there were none.
   */
  removeSecondFactor(id: string, audit: NewAuditEntry): Promise<boolean>

  /**
   * Notes that a code of a second factor (its hash, all of one length) was taken. False where it is among the
   * five that were taken last: a code holds once, also after the next one.
   */
  takeCode(operatorId: string, codeHash: string): Promise<boolean>

  /** Notes that an operator is at work, and in which session. */
  noteSeen(id: string, sessionId: string, at: string): Promise<void>

  /** Notes that a session counts as one that came by more than a password from now on. */
  strengthenSession(sessionId: string): Promise<void>

  /** Those that have not run out, the latest first. */
  listSessions(operatorId: string): Promise<StoredSession[]>

  /** Drops sessions that have run out by `at`, or in which nobody has done anything since `seenBefore`. */
  dropEndedSessions(ended: { at: string; seenBefore: string }): Promise<void>

  /** Ends one session of an operator. False where there is none with this id. */
  endSession(operatorId: string, sessionId: string, audit: NewAuditEntry): Promise<boolean>

  /** Ends all sessions of an operator but one. @returns how many. */
  endSessions(
    operatorId: string,
    exceptSessionId: string | null,
    audit: NewAuditEntry,
  ): Promise<number>

  /**
   * Claims something that one caller at a time may do. A claim that is not released, since its process
   * died, runs out after `seconds`.
   * @returns true for exactly one caller, however many ask at once.
   */
  claim(name: string, seconds: number): Promise<boolean>

  /** Gives a claim back before it runs out. One that nobody holds is no error. */
  releaseClaim(name: string): Promise<void>

  /** @throws HubError `forbidden` where its operator is gone, disabled, or may not do as much by now. */
  createToken(token: NewToken, audit: NewAuditEntry): Promise<ApiToken>

  /** Those that are not revoked, the latest first; of one operator, or all. */
  listTokens(operatorId: string | null): Promise<ApiToken[]>

  /** Revokes a token, of one operator or anybody's. Null where there is none. */
  revokeToken(
    tokenId: number,
    operatorId: string | null,
    audit: (token: ApiToken) => NewAuditEntry,
  ): Promise<ApiToken | null>

  /** The token with this hash; null where it is unknown, revoked or expired. Notes its use, at most once a minute. */
  findToken(tokenHash: string, at: string): Promise<HeldToken | null>
}
