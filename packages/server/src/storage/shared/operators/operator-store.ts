import { randomUUID } from 'node:crypto'
import type { Operator } from '@recordhub/protocol'
import { sql } from 'kysely'
import { ROLES, type Role } from '../../../domain/auth/caller.ts'
import type { AuthDatabase, NewStoredOperator, OperatorStore } from '../../port/operator-store.ts'
import { insertAudit } from '../activity/activity-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { deleteRows, findRow, listRows, updateRows } from '../schema/rows.ts'
import { createApiTokens, revokeTokens } from './api-tokens.ts'
import { acceptInvitation, reopenInvitation, withdrawInvitationsOf } from './invitation-store.ts'

/** The provider id of passwords in Better Auth. */
const CREDENTIAL = 'credential'
/** Number of stored hashes of used codes. While a used code is valid, at most four other codes can be. */
const MAX_USED_CODES = 5

export function createOperatorStore(
  databases: Databases,
  authDatabase: AuthDatabase,
): OperatorStore {
  const { reader, writer, transact, clock } = databases
  return {
    authDatabase,
    ...createOperatorSessions(databases),
    ...createApiTokens(databases),

    listOperators: () => findOperators(reader, nowText(clock), null),

    readOperator: async (id) => (await findOperators(reader, nowText(clock), id))[0] ?? null,

    createOperator: (operator, invitationId) =>
      transact([], async (db, at) => {
        if (invitationId !== null && !(await acceptInvitation(db, invitationId, at))) {
          return 'invitation_invalid'
        }
        if (await insertOperator(db, operator, at)) return 'created'
        if (invitationId !== null) await reopenInvitation(db, invitationId)
        return 'email_taken'
      }),

    createFirstOperator: (operator) =>
      transact(['operators'], async (db, at) => {
        if (await isAnyOperator(db)) return 'operator_exists'
        return (await insertOperator(db, operator, at)) ? 'created' : 'operator_exists'
      }),

    changeOperator: (id, { role, disabled }, audit) =>
      transact(['operators'], async (db, at) => {
        const found = await findRole(db, id)
        if (!found) return 'unknown'
        const isStillAdmin =
          (role ?? found.role) === 'admin' && !(disabled ?? found.disabled_at !== null)
        if (!isStillAdmin && (await isLastAdmin(db, id))) return 'last_admin'
        if (role !== undefined) {
          await db.updateTable('operators').set({ role }).where('id', '=', id).execute()
          await revokeTokensOf(db, id, at, rolesAbove(role))
          if (role !== found.role) await endSessions(db, id)
        }
        // A sign-in that was in progress when the operator was disabled may have created a session.
        if (disabled === false && found.disabled_at !== null) await endSessions(db, id)
        if (disabled !== undefined) {
          const disabled_at = disabled ? at : null
          await db.updateTable('operators').set({ disabled_at }).where('id', '=', id).execute()
        }
        if (disabled) {
          await endSessions(db, id)
          await revokeTokensOf(db, id, at, ROLES)
        }
        if (!isStillAdmin) await withdrawInvitationsOf(db, id)
        await insertAudit(db, at, audit)
        return 'changed'
      }),

    changeAccount: (id, { name, alert_mails }, audit) =>
      transact([], async (db, at) => {
        const columns = {
          ...(name === undefined ? {} : { name }),
          ...(alert_mails === undefined
            ? {}
            : { alert_mails: sql<boolean>`${sql.lit(alert_mails)}` }),
        }
        if ((await updateRows(db, 'operators', { id }, columns)) === 0) return null
        await insertAudit(db, at, audit)
        return (await findOperators(db, at, id))[0] ?? null
      }),

    async listAlertRecipients() {
      const rows = await reader
        .selectFrom('operators')
        .select('email')
        .where('alert_mails', '=', sql<boolean>`true`)
        .where('disabled_at', 'is', null)
        .orderBy('email')
        .execute()
      return rows.map(({ email }) => email)
    },

    removeOperator: (id, audit) =>
      transact(['operators'], async (db, at) => {
        if (!(await findRole(db, id))) return 'unknown'
        if (await isLastAdmin(db, id)) return 'last_admin'
        await revokeTokensOf(db, id, at, ROLES)
        await withdrawInvitationsOf(db, id)
        await db.deleteFrom('operators').where('id', '=', id).execute()
        await insertAudit(db, at, audit)
        return 'changed'
      }),

    setPassword: (id, password, audit) =>
      transact(['operators'], async (db, at) => {
        if (!(await findRole(db, id))) return false
        const account = { operator_id: id, provider_id: CREDENTIAL }
        const columns = { password, updated_at: at }
        const changed = await updateRows(db, 'operator_accounts', account, columns)
        if (changed === 0) await insertPassword(db, id, password, at)
        await endSessions(db, id)
        await insertAudit(db, at, audit)
        return true
      }),

    removeSecondFactor: (id, audit) =>
      transact([], async (db, at) => {
        const factors = db.deleteFrom('operator_second_factors').where('operator_id', '=', id)
        const passkeys = db.deleteFrom('operator_passkeys').where('operator_id', '=', id)
        const removed = [
          ...(await factors.returning('operator_id').execute()),
          ...(await passkeys.returning('operator_id').execute()),
        ]
        if (removed.length === 0) return false
        const disabled = { two_factor_enabled: sql<boolean>`false` }
        await db.updateTable('operators').set(disabled).where('id', '=', id).execute()
        await endSessions(db, id)
        await insertAudit(db, at, audit)
        return true
      }),

    async consumeCode(operatorId, codeHash) {
      const before = sql<string>`coalesce(used_codes, '')`
      const maxLength = MAX_USED_CODES * (codeHash.length + 1)
      const updated = await writer
        .updateTable('operator_second_factors')
        .set({ used_codes: sql<string>`substr(${`${codeHash} `} || ${before}, 1, ${maxLength})` })
        .where('operator_id', '=', operatorId)
        .where(sql<string>`replace(${before}, ${codeHash}, '')`, '=', before)
        .returning('operator_id')
        .executeTakeFirst()
      return updated !== undefined
    },

    touchSession: (id, sessionId, at) =>
      transact([], async (db) => {
        await db.updateTable('operators').set({ last_seen_at: at }).where('id', '=', id).execute()
        const seen = db.updateTable('operator_sessions').set({ updated_at: at })
        await seen.where('id', '=', sessionId).execute()
      }),

    hasOperators: () => isAnyOperator(reader),
  }
}

async function isAnyOperator(db: Executor): Promise<boolean> {
  const row = await db.selectFrom('operators').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

/** Inserts an operator with a password. Returns false if another one has the e-mail address. */
async function insertOperator(
  db: Executor,
  { password_hash, ...operator }: NewStoredOperator,
  at: string,
): Promise<boolean> {
  const times = { created_at: at, updated_at: at }
  const created = await db
    .insertInto('operators')
    .values({ id: randomUUID(), ...operator, email_verified: sql<boolean>`true`, ...times })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!created) return false
  await insertPassword(db, created.id, password_hash, at)
  return true
}

async function insertPassword(
  db: Executor,
  operator_id: string,
  password: string,
  at: string,
): Promise<void> {
  const account = { id: randomUUID(), operator_id, account_id: operator_id }
  const times = { created_at: at, updated_at: at }
  await db
    .insertInto('operator_accounts')
    .values({ ...account, provider_id: CREDENTIAL, password, ...times })
    .execute()
}

async function endSessions(db: Executor, operatorId: string): Promise<void> {
  await db.deleteFrom('operator_sessions').where('operator_id', '=', operatorId).execute()
}

const rolesAbove = (role: Role) => ROLES.slice(ROLES.indexOf(role) + 1)

function findRole(db: Executor, id: string) {
  return findRow(db, 'operators', { id }, ['role', 'disabled_at'])
}

/** Whether the operator is the only admin who is not disabled. */
async function isLastAdmin(db: Executor, id: string): Promise<boolean> {
  const admins = await listRows(db, 'operators', { role: 'admin', disabled_at: null }, ['id'])
  return admins.length === 1 && admins[0]?.id === id
}

async function revokeTokensOf(
  db: Executor,
  operatorId: string,
  at: string,
  roles: readonly Role[],
): Promise<void> {
  if (roles.length === 0) return
  await revokeTokens(db, at, (tokens) =>
    tokens.and([tokens('operator_id', '=', operatorId), tokens('role', 'in', roles)]),
  )
}

async function findOperators(db: Executor, at: string, id: string | null): Promise<Operator[]> {
  let select = db
    .selectFrom('operators')
    .select(['id', 'email', 'name', 'role', 'created_at', 'disabled_at', 'last_seen_at'])
    .select(['two_factor_enabled', 'alert_mails'])
    .select((eb) => [
      eb
        .selectFrom('operator_passkeys')
        .whereRef('operator_id', '=', 'operators.id')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('passkeys'),
      eb
        .selectFrom('operator_sessions')
        .whereRef('operator_id', '=', 'operators.id')
        .where('expires_at', '>', at)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('sessions'),
      eb
        .selectFrom('operator_accounts')
        .whereRef('operator_id', '=', 'operators.id')
        .where('provider_id', '=', CREDENTIAL)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('passwords'),
      eb
        .selectFrom('operator_accounts')
        .whereRef('operator_id', '=', 'operators.id')
        .where('provider_id', '<>', CREDENTIAL)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('single_sign_ons'),
    ])
    .orderBy('email')
  if (id !== null) select = select.where('id', '=', id)
  const rows = await select.execute()
  return rows.map(({ two_factor_enabled, passwords, single_sign_ons, created_at, ...row }) => ({
    ...row,
    created_at: new Date(created_at).toISOString(),
    passkeys: Number(row.passkeys),
    sessions: Number(row.sessions),
    second_factor: Boolean(two_factor_enabled),
    alert_mails: Boolean(row.alert_mails),
    has_password: Number(passwords) > 0,
    single_sign_on: Number(single_sign_ons) > 0,
  }))
}

/** The sessions of operators, which Better Auth creates. */
function createOperatorSessions(
  databases: Databases,
): Pick<
  OperatorStore,
  'markSessionStrong' | 'listSessions' | 'deleteEndedSessions' | 'endSession' | 'endSessions'
> {
  const { reader, writer, transact, clock } = databases
  return {
    async markSessionStrong(sessionId) {
      const strong = sql<boolean>`true`
      await updateRows(writer, 'operator_sessions', { id: sessionId }, { strong })
    },

    async listSessions(operatorId) {
      const rows = await reader
        .selectFrom('operator_sessions')
        .select(['id', 'created_at', 'updated_at', 'expires_at', 'ip_address', 'user_agent'])
        .where('operator_id', '=', operatorId)
        .where('expires_at', '>', nowText(clock))
        .orderBy('updated_at', 'desc')
        .orderBy('id')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        created_at: new Date(row.created_at).toISOString(),
        last_seen_at: new Date(row.updated_at).toISOString(),
        expires_at: new Date(row.expires_at).toISOString(),
        address: row.ip_address || null,
        user_agent: row.user_agent || null,
      }))
    },

    async deleteEndedSessions({ at, seenBefore }) {
      await writer
        .deleteFrom('operator_sessions')
        .where((eb) => eb.or([eb('expires_at', '<=', at), eb('updated_at', '<', seenBefore)]))
        .execute()
    },

    endSession: (operatorId, sessionId, audit) =>
      transact([], async (db, at) => {
        const session = { operator_id: operatorId, id: sessionId }
        if ((await deleteRows(db, 'operator_sessions', session)) === 0) return false
        await insertAudit(db, at, audit)
        return true
      }),

    endSessions: (operatorId, exceptSessionId, audit) =>
      transact([], async (db, at) => {
        let ending = db.deleteFrom('operator_sessions').where('operator_id', '=', operatorId)
        if (exceptSessionId !== null) ending = ending.where('id', '<>', exceptSessionId)
        const ended = await ending.returning('id').execute()
        await insertAudit(db, at, audit)
        return ended.length
      }),
  }
}
