import { type RawBuilder, sql } from 'kysely'

/** A subquery that gives these ids, however many, under one text. */
export function idList(ids: number[]): RawBuilder<number> {
  return sql<number>`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
}
