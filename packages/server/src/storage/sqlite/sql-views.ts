import { quoteName, textLiteral, type ViewDialect } from '../shared/platforms/sql-views.ts'

/** Views on SQLite stand among the tables; numbers stay numbers, which a comparison there needs. */
export const viewDialect: ViewDialect = {
  qualify: quoteName,
  keyValue(key) {
    const path = textLiteral(`$.${JSON.stringify(key)}`)
    // SQLite would give 1 and 0.
    return `CASE json_type(r.data, ${path}) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
      ELSE r.data ->> ${path} END`
  },
  preparations: [],
}
