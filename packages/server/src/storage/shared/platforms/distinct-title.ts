import { sql } from 'kysely'

/**
 * The title of a platform as people read it: with its name in parentheses if another platform has the same title.
 * @param platform the alias of the platform in the query.
 * @param name the column with the name. A removed platform no longer has its name, so it has only its title by default.
 */
export function distinctTitleSql(platform: string, name: string | null = null): string {
  const isPresent = name === null ? `${platform}.removed_at IS NULL AND ` : ''
  return `CASE WHEN ${isPresent}EXISTS (SELECT 1 FROM platforms AS other
    WHERE other.display_title = ${platform}.display_title AND other.platform_id <> ${platform}.platform_id
      AND other.removed_at IS NULL)
    THEN ${platform}.display_title || ' (' || ${name ?? `${platform}.platform_name`} || ')'
    ELSE ${platform}.display_title END`
}

/** `distinctTitleSql` as an expression of Kysely. */
export function distinctTitle(...args: Parameters<typeof distinctTitleSql>) {
  return sql<string>`${sql.raw(distinctTitleSql(...args))}`
}
