import type {
  ApiToken,
  Invitation,
  Operator,
  OperatorSession,
  TokenScope,
} from '@recordhub/protocol'
import type { Dialect } from 'kysely'
import type { NewAuditEntry } from '../../domain/activity/activity.ts'
import type { Creator, Role } from '../../domain/auth/caller.ts'
import type { AttemptCount } from '../../domain/auth/login-throttle.ts'
import type { ChangeLog } from './platform-store.ts'

/** A token that is neither revoked nor expired, and its operator: null for a token of the command line. */
type ValidToken = { token: ApiToken; operator_id: string | null }

type NewToken = {
  name: string
  role: Role
  /** Null: the token may do everything that its role allows. */
  scope: TokenScope | null
  token_hash: string
  hint: string
  expires_at: string | null
  created_by: string
} & Creator

/** Maximum number of tokens of an operator that are not revoked. */
export const MAX_TOKENS = 50

export type NewStoredOperator = { email: string; name: string; role: Role; password_hash: string }

/** `email_taken`: another operator has the e-mail address. `invitation_invalid`: it was accepted, withdrawn or has expired. */
type OperatorCreation = 'created' | 'email_taken' | 'invitation_invalid'

type StoredSession = Omit<OperatorSession, 'current'>

/** `last_admin`: the change would leave no admin. */
export type OperatorChange = 'changed' | 'unknown' | 'last_admin'

/** The database in which Better Auth stores operators and sessions. */
export type AuthDatabase = { dialect: Dialect; type: 'sqlite' | 'postgres' }

export interface OperatorStore {
  /** Uses the write queue of the engine, so that no push becomes part of a transaction of Better Auth. */
  readonly authDatabase: AuthDatabase

  /** Whether any operator exists, including disabled ones. */
  hasOperators(): Promise<boolean>

  /** Lists all operators by e-mail address. */
  listOperators(): Promise<Operator[]>

  /** Returns null if the operator does not exist. */
  readOperator(id: string): Promise<Operator | null>

  /**
   * Creates an operator who signs in with e-mail address and password, completely or not at all.
   * @param invitationId the invitation that is accepted with it; null for none. Of several concurrent calls for one
   *   invitation, one creates an operator.
   */
  createOperator(
    operator: NewStoredOperator,
    invitationId: number | null,
  ): Promise<OperatorCreation>

  /**
   * Creates the operator if none exists, completely or not at all. Of several concurrent calls on all processes, one
   * creates an operator.
   */
  createFirstOperator(operator: NewStoredOperator): Promise<'created' | 'operator_exists'>

  /**
   * Changes the role of an operator, or disables or enables the account. A new role ends all sessions, so that every
   * session has it, and revokes the tokens whose role is higher. Disabling ends all sessions and revokes all
   * tokens. The open invitations of an operator who is no longer an active admin are deleted, and so are those of revoked
   * tokens. Concurrent changes cannot leave the hub without an admin.
   */
  changeOperator(
    id: string,
    change: { role?: Role; disabled?: boolean },
    audit: NewAuditEntry,
  ): Promise<OperatorChange>

  /** Changes what operators set themselves. @returns null if the operator does not exist. */
  changeAccount(
    id: string,
    change: { name?: string; alert_mails?: boolean },
    audit: NewAuditEntry,
  ): Promise<Operator | null>

  /** The e-mail addresses of the operators who get the mails about alerts, without disabled ones. */
  listAlertRecipients(): Promise<string[]>

  /** Deletes an operator with sessions, passkeys, second factor and open invitations, and revokes the tokens. */
  removeOperator(id: string, audit: NewAuditEntry): Promise<OperatorChange>

  /**
   * Sets a password by its hash, also for an operator without one, and ends all sessions.
   * @returns false if the operator does not exist.
   */
  setPassword(id: string, passwordHash: string, audit: NewAuditEntry): Promise<boolean>

  /**
   * Deletes the second factor and the passkeys of an operator who has lost them, and ends all sessions.
   * @returns false if there were none.
   */
  removeSecondFactor(id: string, audit: NewAuditEntry): Promise<boolean>

  /**
   * Records that a code of a second factor was used. All hashes have the same length.
   * @returns false if the code is among the last five used codes: a code can be used once, also after a newer one was.
   */
  consumeCode(operatorId: string, codeHash: string): Promise<boolean>

  /** Records when an operator was last active, and in which session. */
  touchSession(id: string, sessionId: string, at: string): Promise<void>

  /** Records that the operator of a session has authenticated with more than a password. */
  markSessionStrong(sessionId: string): Promise<void>

  /** Lists the sessions that have not expired, the most recently used first. */
  listSessions(operatorId: string): Promise<StoredSession[]>

  /** Deletes sessions that have expired by `at` or were last used before `seenBefore`. */
  deleteEndedSessions(ended: { at: string; seenBefore: string }): Promise<void>

  /** Ends one session of an operator. @returns false if the operator has no session with this id. */
  endSession(operatorId: string, sessionId: string, audit: NewAuditEntry): Promise<boolean>

  /** Ends all sessions of an operator except one. @returns the number of ended sessions. */
  endSessions(
    operatorId: string,
    exceptSessionId: string | null,
    audit: NewAuditEntry,
  ): Promise<number>

  /**
   * @throws HubError `forbidden` if its operator was removed, is disabled, or has a lower role by now, or the token that
   *   creates it was revoked; `token_name_taken` if the operator has a token of this name; `too_many_tokens` if the
   *   operator has {@link MAX_TOKENS}.
   */
  createToken(token: NewToken, audit: (token: ApiToken) => NewAuditEntry): Promise<ApiToken>

  /** Lists the tokens that are not revoked, newest first, of one operator or of all. */
  listTokens(operatorId: string | null): Promise<ApiToken[]>

  /**
   * Revokes a token of one operator, or of any, with the tokens that it created and the open invitations of all of them.
   * @returns null if the token does not exist or is revoked already.
   */
  revokeToken(
    tokenId: number,
    operatorId: string | null,
    audit: (token: ApiToken) => NewAuditEntry,
  ): Promise<ApiToken | null>

  /** Revokes all tokens of an operator, as {@link revokeToken} does. @returns their number. */
  revokeTokens(operatorId: string, audit: (revoked: number) => NewAuditEntry): Promise<number>

  /**
   * Finds the token with this hash and records its use, at most once a minute.
   * @returns null if it is unknown, revoked or expired.
   */
  findToken(tokenHash: string, at: string): Promise<ValidToken | null>
}

/** The value of a setting as text, as an environment variable would have it, and the admin who set it. */
export type StoredSetting = { name: string; value: string; changed_at: string; changed_by: string }

/** Null for a setting that is not stored. */
export type SettingChange = { name: string; before: string | null; after: string | null }

/** The settings that admins have changed in the hub. They apply where no flag and no variable sets them. */
export interface SettingStore {
  /** Returns the stored settings by name. */
  listSettings(): Promise<StoredSetting[]>

  /**
   * Stores values, and deletes those that are null, all or nothing. A setting that has the value already keeps its time and
   * its author; if that is so for all of them, nothing is logged.
   * @param log receives what changes.
   * @returns all stored settings, as `listSettings` does.
   */
  changeSettings(
    values: Readonly<Record<string, string | null>>,
    actor: string,
    log: (changes: SettingChange[]) => ChangeLog,
  ): Promise<StoredSetting[]>
}

export interface InvitationStore {
  /**
   * Saves an invitation. It replaces an earlier one for the same e-mail address.
   * @throws HubError `forbidden` if the operator who invites is no longer an active admin, or the token was revoked.
   */
  createInvitation(
    invitation: {
      email: string
      role: Role
      token_hash: string
      invited_by: string
      expires_at: string
    } & Creator,
    audit: NewAuditEntry,
  ): Promise<Invitation>

  /** Returns invitations that were not accepted, newest first, including expired ones. */
  listInvitations(): Promise<Invitation[]>

  /** Returns the open invitation with a token; null if it was accepted, has expired or was withdrawn. */
  findInvitation(tokenHash: string, at: string): Promise<Invitation | null>

  /** Returns the open invitation for an e-mail address. */
  findInvitationOf(email: string, at: string): Promise<Invitation | null>

  /** Accepts an invitation. Returns true for only one of several concurrent calls. */
  acceptInvitation(id: number, at: string): Promise<boolean>

  /** Deletes an invitation that was not accepted. Returns null if there is none. */
  withdrawInvitation(
    id: number,
    audit: (invitation: Invitation) => NewAuditEntry,
  ): Promise<Invitation | null>
}

/** Maximum number of subjects with stored counts. The subject stored first is deleted first. */
export const MAX_THROTTLED_SUBJECTS = 20_000

export interface LoginThrottleStore {
  /**
   * Counts an attempt for each subject, unless `decide` returns the seconds that the caller must wait: then nothing is
   * written. A subject is a hash of an account or address, neither of which is stored. Concurrent attempts are counted
   * one after another, on all processes.
   * @returns the counts that include this attempt, or the seconds.
   */
  countAttempt(
    subjects: readonly string[],
    at: string,
    decide: (counts: ReadonlyMap<string, AttemptCount>) => number,
  ): Promise<
    | { outcome: 'counted'; counts: ReadonlyMap<string, AttemptCount> }
    | { outcome: 'wait'; seconds: number }
  >

  /** Removes all attempts of the subjects in `reset`, and one attempt of each subject in `refund`. */
  refundAttempt(subjects: { reset: readonly string[]; refund: readonly string[] }): Promise<void>
}
