/** The statements of a digest, and the condition for reads of some prefixes. */
import type { Dialect, DigestDialect } from './dialect.ts'
import type { DigestColumns, DigestRowsRequest, ReferenceColumns } from './source.ts'

/** The kinds whose text in a reference is that of the database. */
const REFERENCE_KINDS = new Set(['text', 'number'])

export function supportsDigest(
  { reference, version }: DigestColumns,
  { digest }: Pick<Dialect, 'digest'>,
): boolean {
  if (!digest || digest.text(version) === null) return false
  return reference.every(
    (part) =>
      typeof part === 'string' || (REFERENCE_KINDS.has(part.kind) && digest.text(part) !== null),
  )
}

/** Each row has a prefix, the number of records, the sum, and the number of those without a version. */
export function digestStatement(
  { columns, digits, prefixes }: DigestRowsRequest,
  from: string,
  dialect: Dialect,
): { sql: string; parameters: string[] } {
  const { text, md5, number, concat, separator } = requireDigest(dialect)
  const hashed = hashReference(columns.reference, dialect)
  const version = text(columns.version) ?? ''
  const part = number(md5(concat([hashed.reference, separator, version])))
  const where = prefixes ? ` WHERE ${matchesPrefix('bucket', prefixes)}` : ''
  return {
    sql: `SELECT left(bucket, ${digits}), count(*), sum(part), sum(no_version) FROM (
      SELECT ${hashed.md5} AS bucket, ${part} AS part,
        CASE WHEN length(${version}) > 0 THEN 0 ELSE 1 END AS no_version
      FROM ${from} WHERE ${hashed.exists}
    ) AS hashed${where} GROUP BY left(bucket, ${digits})`,
    parameters: hashed.parameters,
  }
}

/** The condition for rows whose reference has one of the prefixes. */
export function selectionOf(
  { reference, prefixes }: { reference: ReferenceColumns; prefixes: readonly string[] },
  dialect: Dialect,
): { condition: string; parameters: string[] } {
  const { md5, exists, parameters } = hashReference(reference, dialect)
  return { condition: `${exists} AND (${matchesPrefix(md5, prefixes)})`, parameters }
}

/** @property exists the condition that all columns of the reference have a text, as in the list. */
function hashReference(columns: ReferenceColumns, dialect: Dialect) {
  const { text, concat, md5, parameterText } = requireDigest(dialect)
  const parameters: string[] = []
  const exists: string[] = []
  const texts = columns.map((part) => {
    if (typeof part === 'string') {
      return parameterText(dialect.parameter(parameters.push(part)))
    }
    const expression = text(part) ?? ''
    exists.push(`length(${expression}) > 0`)
    return expression
  })
  const reference = concat(texts)
  return { reference, md5: md5(reference), exists: exists.join(' AND '), parameters }
}

function matchesPrefix(hex: string, prefixes: readonly string[]): string {
  return prefixes
    .map((prefix) => {
      if (!/^[0-9a-f]+$/.test(prefix)) throw new Error('A prefix is not of hex digits.')
      return `${hex} LIKE '${prefix}%'`
    })
    .join(' OR ')
}

function requireDigest({ digest }: Dialect): DigestDialect {
  if (!digest) throw new Error('The database computes no digest.')
  return digest
}
