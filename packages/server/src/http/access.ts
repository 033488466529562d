import type { Role } from '../domain/caller.ts'

/**
 * Who may call what: `anyone`; a `platform` with its hub API key, which the receiver checks; or an
 * operator or program with at least a role. A route that is not in this table does not start.
 */
export type Access = 'anyone' | 'platform' | Role

export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /': 'anyone',
  'GET /healthz': 'anyone',
  'GET /readyz': 'anyone',
  'GET /assets/*': 'anyone',
  'GET /api/openapi.json': 'anyone',

  'POST /api/webhook/receive': 'platform',
  'PATCH /api/webhook/receive': 'platform',
  'GET /api/webhook/check': 'platform',

  'GET /sign-in': 'anyone',
  'GET /setup': 'anyone',
  'GET /invitation': 'anyone',
  'POST /setup': 'anyone',
  'POST /api/auth/sign-in/email': 'anyone',
  'POST /api/auth/sign-out': 'viewer',
  'GET /api/v1/session': 'viewer',

  'GET /dashboard': 'viewer',
  'GET /dashboard/*': 'viewer',
  'GET /dashboard/realtime': 'viewer',
  'POST /dashboard/pull-all-existing-records': 'operator',
  'POST /dashboard/auto-sync': 'anyone',

  'POST /api/v1/platforms/probe': 'operator',
  'POST /api/v1/platforms': 'operator',
  'GET /api/v1/platforms': 'viewer',
  'GET /api/v1/platforms/:id': 'viewer',
  'PATCH /api/v1/platforms/:id': 'operator',
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
  'GET /api/v1/search': 'viewer',
  'GET /api/v1/search/status': 'viewer',

  'GET /api/v1/views': 'viewer',
  'POST /api/v1/views': 'viewer',
  'PATCH /api/v1/views/:id': 'viewer',
  'DELETE /api/v1/views/:id': 'viewer',

  'GET /api/v1/records': 'viewer',
  'GET /api/v1/records/export': 'viewer',
  'GET /api/v1/records/:record_id': 'viewer',
  'GET /api/v1/records/:record_id/history': 'viewer',
  'GET /api/v1/records/:record_id/fields': 'viewer',
  'GET /api/v1/changes': 'viewer',
  'GET /api/v1/records/:record_id/erasure': 'admin',
  'POST /api/v1/records/:record_id/erase': 'admin',
  'GET /api/v1/tombstones': 'admin',
  'DELETE /api/v1/tombstones/:id': 'admin',

  'POST /api/v1/pulls': 'operator',
  'GET /api/v1/pulls': 'viewer',
  'GET /api/v1/pulls/:id': 'viewer',
  'POST /api/v1/pulls/:id/cancel': 'operator',
  'POST /api/v1/platforms/:id/pull': 'operator',

  'GET /api/v1/schedule': 'viewer',
  'PATCH /api/v1/schedule': 'operator',

  'GET /api/v1/missing-reviews': 'viewer',
  'POST /api/v1/missing-reviews/:id/approve': 'operator',
  'POST /api/v1/missing-reviews/:id/dismiss': 'operator',

  'GET /api/v1/alerts': 'viewer',
  'POST /api/v1/alerts/:id/acknowledge': 'operator',
  'POST /api/v1/alerts/test-mail': 'admin',

  'GET /api/v1/activity': 'viewer',
  'GET /api/v1/rejected-pushes': 'viewer',
  'GET /api/v1/rejected-pushes/groups': 'viewer',
  'GET /api/v1/rejected-pushes/:id': 'viewer',
  'POST /api/v1/rejected-pushes/replay': 'operator',
  'POST /api/v1/rejected-pushes/:id/replay': 'operator',
  'DELETE /api/v1/rejected-pushes': 'operator',
  'DELETE /api/v1/rejected-pushes/:id': 'operator',
}
