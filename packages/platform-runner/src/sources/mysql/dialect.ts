import { type Dialect, ESCAPE } from '../dialect.ts'
import type { Column } from '../source.ts'

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
const asText = (expression: string) => `CONVERT(CAST(${expression} AS CHAR) USING utf8mb4)`

/** How a parameter, which is a text, is compared with a column; null for texts. */
function castOf({ kind }: Column): string | null {
  if (kind === 'datetime' || kind === 'instant') return 'DATETIME(6)'
  if (kind === 'number') return 'DECIMAL(65,10)'
  return kind === 'date' ? 'DATE' : null
}

export const mysqlDialect: Dialect = {
  quote,
  // Variables, since a `?` in the text of a query of the owner's is none of ours.
  parameter: (number) => `@recordhub_${number}`,
  value: ({ name }) => quote(name),
  contains: ({ name }, parameter) =>
    `${asText(quote(name))} COLLATE utf8mb4_unicode_ci LIKE ${parameter} ESCAPE '${ESCAPE}'`,
  key: ({ name }) => `${asText(quote(name))} COLLATE utf8mb4_bin`,
  mark: (column) =>
    castOf(column) ? quote(column.name) : `${asText(quote(column.name))} COLLATE utf8mb4_bin`,
  markText: ({ name }) => `CAST(${quote(name)} AS CHAR)`,
  markOf: (parameter, column) => {
    const cast = castOf(column)
    return cast ? `CAST(${parameter} AS ${cast})` : `${asText(parameter)} COLLATE utf8mb4_bin`
  },
  latestMark: ({ kind }) => {
    if (kind === 'instant') return 'NOW(6)'
    // Whatever zone its clock is in; the connection's is UTC.
    return kind === 'datetime' ? 'NOW(6) + INTERVAL 14 HOUR' : null
  },
  sum: ({ name }) => `SUM(CRC32(CAST(${quote(name)} AS CHAR)))`,
}
