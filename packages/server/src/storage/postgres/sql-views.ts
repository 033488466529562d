import { quoteName, textLiteral, type ViewDialect } from '../shared/platforms/sql-views.ts'

const SCHEMA = 'recordhub_views'

/** Views on PostgreSQL stand in a schema of their own, which a role may read that may read nothing else. */
export const viewDialect: ViewDialect = {
  qualify: (viewName) => `${SCHEMA}.${quoteName(viewName)}`,
  // As the copy has it.
  keyValue: (key) =>
    `r.data_copy ->> ${textLiteral(key.toWellFormed().replaceAll('\u0000', '\ufffd'))}`,
  preparations: [
    // Whoever reads a view for long must not hold up the hub.
    `SET LOCAL lock_timeout = '5s'`,
    `CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`,
  ],
}
