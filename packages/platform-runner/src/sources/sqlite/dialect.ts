import { type Dialect, ESCAPE } from '../dialect.ts'

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
/** The letter of its class before it: a number and a text are not the same. */
const NUMBER = 'n'

export const sqliteDialect: Dialect = {
  quote,
  parameter: (number) => `?${number}`,
  value: ({ name }) => quote(name),
  contains: ({ name }, parameter) =>
    `CAST(${quote(name)} AS TEXT) LIKE ${parameter} ESCAPE '${ESCAPE}'`,
  key: ({ name }) => `CAST(${quote(name)} AS TEXT) COLLATE BINARY`,
  mark: ({ name }) => quote(name),
  markText: ({ name }) =>
    `CASE typeof(${quote(name)}) WHEN 'text' THEN 't' ELSE '${NUMBER}' END || ${quote(name)}`,
  // Not for the whole expression: of a number no affinity must make a text.
  markOf: (parameter) =>
    `(CASE substr(${parameter}, 1, 1) WHEN '${NUMBER}' THEN CAST(substr(${parameter}, 2) AS NUMERIC) ELSE substr(${parameter}, 2) END)`,
  // Numbers come before all texts.
  latestMark: () => `strftime('%Y-%m-%d %H:%M:%S', 'now', '+14 hours')`,
  sum: ({ name }) => {
    const seconds = `(julianday(${quote(name)}) - 2440587.5) * 86400`
    return `total(CASE typeof(${quote(name)}) WHEN 'text' THEN ${seconds} ELSE ${quote(name)} END)`
  },
}
