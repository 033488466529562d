import type { TokenScope } from '@recordhub/protocol'
import { isRole, type Role } from '../domain/auth/caller.ts'

/**
 * The callers of a route: `anyone`; a `platform` with its hub API key, which the receiver checks; a `scraper` with the
 * token of HUB_METRICS_TOKEN, which the route checks; or an operator or program with at least a role. The hub does not
 * start if a route is not in the table.
 */
export type Access = 'anyone' | 'platform' | 'scraper' | Role

/** Whether a route requires an authenticated operator or program. */
export function requiresCaller(access: Access | undefined): access is Role {
  return access !== undefined && isRole(access)
}

/** The keys of a route in the tables. HEAD has the same entry as GET. */
export function routeKeysOf(route: { method: string | string[]; url: string }): string[] {
  return [route.method].flat().map((method) => `${method === 'HEAD' ? 'GET' : method} ${route.url}`)
}

/**
 * Where a second factor is mandatory (HUB_REQUIRE_SECOND_FACTOR), the routes that are open in a session without one:
 * for all operators, or only for those who have no second factor and set one up.
 */
export const OPEN_WITHOUT_SECOND_FACTOR: Readonly<Record<string, 'all' | 'set_up'>> = {
  'GET /dashboard': 'all',
  'GET /dashboard/*': 'all',
  'GET /api/v1/session': 'all',
  'GET /api/v1/account': 'all',
  'POST /api/auth/sign-out': 'all',
  'POST /api/v1/account/second-factor': 'set_up',
  'POST /api/v1/account/second-factor/confirm': 'set_up',
  'POST /api/v1/account/passkeys/options': 'set_up',
  'POST /api/v1/account/passkeys': 'set_up',
}

/** The routes that a token with a scope may call. Those that reveal a key, give access or start a revert require the scope. */
export const SCOPES: Readonly<Record<TokenScope, readonly string[]>> = {
  alerts: ['GET /api/v1/alerts', 'GET /api/v1/alerts/events', 'GET /api/v1/alerts/feed'],
  hub_keys: [
    'GET /api/v1/platforms',
    'GET /api/v1/platforms/:id',
    'GET /api/v1/modules',
    'POST /api/v1/platforms/:id/hub-key/reveal',
    'POST /api/v1/platforms/:id/hub-key/rotate',
    'DELETE /api/v1/platforms/:id/hub-key/previous',
  ],
  access: [
    'GET /api/v1/tokens',
    'POST /api/v1/tokens',
    'DELETE /api/v1/tokens/:id',
    'GET /api/v1/operators',
    'PATCH /api/v1/operators/:id',
    'DELETE /api/v1/operators/:id',
    'DELETE /api/v1/operators/:id/second-factor',
    'GET /api/v1/invitations',
    'POST /api/v1/invitations',
    'DELETE /api/v1/invitations/:id',
    'GET /api/v1/settings',
    'PATCH /api/v1/settings',
  ],
  reverts: [
    'GET /api/v1/platforms',
    'GET /api/v1/pulls',
    'POST /api/v1/reverts',
    'GET /api/v1/reverts',
    'GET /api/v1/reverts/:id',
    'GET /api/v1/reverts/:id/records',
    'GET /api/v1/reverts/:id/records/export',
    'POST /api/v1/reverts/:id/start',
    'POST /api/v1/reverts/:id/cancel',
  ],
}

/**
 * The routes that also accept a token as the password of HTTP Basic, because feed readers cannot send other headers. Their
 * tokens are not accepted in the URL, which would appear in logs and in the history of browsers.
 */
export const BASIC_ROUTES: readonly string[] = ['/api/v1/alerts/feed']

export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /': 'anyone',
  'GET /healthz': 'anyone',
  'GET /readyz': 'anyone',
  'GET /metrics': 'scraper',
  'GET /assets/*': 'anyone',
  'GET /downloads/*': 'anyone',
  'GET /api/openapi.json': 'anyone',
  'GET /docs': 'anyone',
  'GET /docs/scalar.js': 'anyone',

  'POST /api/webhook/receive': 'platform',
  'PATCH /api/webhook/receive': 'platform',
  'GET /api/webhook/check': 'platform',
  'GET /api/webhook/guide': 'platform',

  'GET /sign-in': 'anyone',
  'GET /setup': 'anyone',
  'GET /invitation': 'anyone',
  'POST /setup': 'anyone',
  'POST /setup/backup': 'anyone',
  'POST /api/auth/sign-in/email': 'anyone',
  'POST /api/auth/two-factor/verify-totp': 'anyone',
  'POST /api/auth/two-factor/verify-backup-code': 'anyone',
  'GET /api/auth/passkey/generate-authenticate-options': 'anyone',
  'POST /api/auth/passkey/verify-authentication': 'anyone',
  'POST /api/auth/sign-in/social': 'anyone',
  'GET /api/auth/callback/oidc': 'anyone',
  'GET /api/v1/sign-in-options': 'anyone',
  'POST /api/v1/invitation': 'anyone',
  'POST /invitation': 'anyone',
  'POST /api/auth/sign-out': 'viewer',
  'GET /api/v1/session': 'viewer',

  'GET /api/v1/account': 'viewer',
  'PATCH /api/v1/account': 'viewer',
  'POST /api/v1/account/password': 'viewer',
  'GET /api/v1/account/sessions': 'viewer',
  'DELETE /api/v1/account/sessions': 'viewer',
  'DELETE /api/v1/account/sessions/:session_id': 'viewer',
  'POST /api/v1/account/second-factor': 'viewer',
  'POST /api/v1/account/second-factor/confirm': 'viewer',
  'POST /api/v1/account/second-factor/recovery-codes': 'viewer',
  'DELETE /api/v1/account/second-factor': 'viewer',
  'GET /api/v1/account/passkeys': 'viewer',
  'POST /api/v1/account/passkeys/options': 'viewer',
  'POST /api/v1/account/passkeys': 'viewer',
  'DELETE /api/v1/account/passkeys/:id': 'viewer',

  'GET /api/v1/operators': 'admin',
  'GET /api/v1/operators/names': 'viewer',
  'PATCH /api/v1/operators/:id': 'admin',
  'DELETE /api/v1/operators/:id': 'admin',
  'DELETE /api/v1/operators/:id/second-factor': 'admin',
  'GET /api/v1/operators/:id/sessions': 'admin',
  'DELETE /api/v1/operators/:id/sessions': 'admin',
  'DELETE /api/v1/operators/:id/sessions/:session_id': 'admin',
  'GET /api/v1/invitations': 'admin',
  'POST /api/v1/invitations': 'admin',
  'DELETE /api/v1/invitations/:id': 'admin',
  'GET /api/v1/single-sign-on': 'admin',

  'GET /api/v1/tokens': 'viewer',
  'POST /api/v1/tokens': 'viewer',
  'DELETE /api/v1/tokens/:id': 'viewer',

  'GET /api/v1/audit': 'admin',
  'GET /api/v1/audit/export': 'admin',
  'GET /api/v1/about': 'viewer',
  'GET /api/v1/settings': 'viewer',
  'PATCH /api/v1/settings': 'admin',

  'GET /dashboard': 'viewer',
  'GET /dashboard/*': 'viewer',
  'GET /dashboard/realtime': 'viewer',
  'GET /dashboard/events': 'viewer',
  'POST /dashboard/pull-all-existing-records': 'operator',
  'POST /dashboard/auto-sync': 'anyone',

  'POST /api/v1/platforms/probe': 'operator',
  'POST /api/v1/platforms': 'operator',
  'GET /api/v1/platforms': 'viewer',
  'GET /api/v1/modules': 'viewer',
  'GET /api/v1/platforms/:id': 'viewer',
  'PATCH /api/v1/platforms/:id': 'operator',
  'POST /api/v1/platforms/:id/rename': 'operator',
  'POST /api/v1/platforms/:id/test': 'operator',
  'POST /api/v1/platforms/conformance': 'operator',
  'POST /api/v1/platforms/:id/conformance': 'operator',
  'POST /api/v1/platforms/:id/hub-key/reveal': 'operator',
  'POST /api/v1/platforms/:id/hub-key/rotate': 'operator',
  'DELETE /api/v1/platforms/:id/hub-key/previous': 'operator',
  'GET /api/v1/platforms/:id/instructions': 'viewer',
  'GET /api/v1/guide': 'viewer',
  'GET /api/v1/platforms/:id/removal': 'operator',
  'DELETE /api/v1/platforms/:id': 'operator',
  'GET /api/v1/platforms/:id/modules/:record_type/records': 'operator',
  'DELETE /api/v1/platforms/:id/modules/:record_type/records': 'operator',
  'GET /api/v1/removals': 'operator',

  'POST /api/v1/platforms/:id/manifest/refresh': 'operator',
  'GET /api/v1/platforms/:id/drift': 'viewer',
  'PATCH /api/v1/platforms/:id/modules/:record_type': 'operator',
  'GET /api/v1/completeness': 'viewer',

  'GET /api/v1/platforms/:id/modules/:record_type/indexed-fields': 'viewer',
  'PUT /api/v1/platforms/:id/modules/:record_type/indexed-fields': 'operator',
  'GET /api/v1/platforms/:id/modules/:record_type/fields': 'viewer',
  'GET /api/v1/search': 'viewer',
  'GET /api/v1/search/status': 'viewer',

  'GET /api/v1/views': 'viewer',
  'POST /api/v1/views': 'viewer',
  'PATCH /api/v1/views/:id': 'viewer',
  'DELETE /api/v1/views/:id': 'viewer',

  'GET /api/v1/records': 'viewer',
  'GET /api/v1/records/export': 'viewer',
  'GET /api/v1/records/facets': 'viewer',
  'GET /api/v1/records/:record_id': 'viewer',
  'GET /api/v1/records/:record_id/history': 'viewer',
  'GET /api/v1/records/:record_id/fields': 'viewer',
  'GET /api/v1/changes': 'viewer',
  'GET /api/v1/records/:record_id/erasure': 'admin',
  'POST /api/v1/records/:record_id/erase': 'admin',
  'GET /api/v1/tombstones': 'admin',
  'DELETE /api/v1/tombstones/:id': 'admin',

  'POST /api/v1/reverts': 'operator',
  'GET /api/v1/reverts': 'operator',
  'GET /api/v1/reverts/:id': 'operator',
  'GET /api/v1/reverts/:id/records': 'operator',
  'GET /api/v1/reverts/:id/records/export': 'operator',
  'POST /api/v1/reverts/:id/start': 'operator',
  'POST /api/v1/reverts/:id/cancel': 'operator',
  'DELETE /api/v1/reverts/:id/holds': 'operator',
  'GET /api/v1/holds': 'viewer',
  'DELETE /api/v1/records/:record_id/holds': 'operator',

  'POST /api/v1/pulls': 'operator',
  'GET /api/v1/pulls': 'viewer',
  'GET /api/v1/pulls/:id': 'viewer',
  'POST /api/v1/pulls/:id/cancel': 'operator',
  'GET /api/v1/platforms/:id/pulls': 'viewer',
  'POST /api/v1/platforms/:id/pull': 'operator',

  'GET /api/v1/statistics': 'viewer',
  'GET /api/v1/statistics/minutes': 'viewer',

  'GET /api/v1/schedule': 'viewer',
  'PATCH /api/v1/schedule': 'operator',

  'GET /api/v1/inbox': 'viewer',
  'POST /api/v1/inbox/put-aside': 'operator',
  'POST /api/v1/inbox/reopen': 'operator',

  'GET /api/v1/missing-reviews': 'viewer',
  'GET /api/v1/missing-reviews/:id': 'viewer',
  'POST /api/v1/missing-reviews/:id/approve': 'operator',
  'POST /api/v1/missing-reviews/:id/dismiss': 'operator',

  'GET /api/v1/alerts': 'viewer',
  'GET /api/v1/alerts/events': 'viewer',
  'GET /api/v1/alerts/feed': 'viewer',
  'POST /api/v1/alerts/:id/acknowledge': 'operator',
  'POST /api/v1/alerts/test-mail': 'admin',

  'GET /api/v1/backups': 'admin',
  'POST /api/v1/backups': 'admin',
  'GET /api/v1/backups/:file': 'admin',
  'POST /api/v1/backups/:file/drill': 'admin',

  'GET /api/v1/activity': 'viewer',
  'GET /api/v1/activity/export': 'viewer',
  'GET /api/v1/push-errors': 'viewer',
  'GET /api/v1/requests': 'viewer',
  'GET /api/v1/requests/counts': 'viewer',
  'GET /api/v1/requests/:id': 'viewer',
  'GET /api/v1/rejected-pushes': 'viewer',
  'GET /api/v1/rejected-pushes/groups': 'viewer',
  'GET /api/v1/rejected-pushes/:id': 'viewer',
  'POST /api/v1/rejected-pushes/groups/accept': 'operator',
  'POST /api/v1/rejected-pushes/groups/reopen': 'operator',
  'POST /api/v1/rejected-pushes/replay': 'operator',
  'POST /api/v1/rejected-pushes/repair/preview': 'operator',
  'POST /api/v1/rejected-pushes/repair': 'operator',
  'POST /api/v1/rejected-pushes/:id/replay': 'operator',
  'DELETE /api/v1/rejected-pushes': 'operator',
  'DELETE /api/v1/rejected-pushes/:id': 'operator',
}
