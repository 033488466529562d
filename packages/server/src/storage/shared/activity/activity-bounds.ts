import type { Executor } from '../schema/databases.ts'

/** Times follow the numbers of lines but for transactions side by side and clocks that are set. */
const MARGIN_MS = 10 * 60_000
/** So many numbers are looked through as soon as a better bound is found. */
const NEAR = 1000

/**
 * The numbers between which every line of a time stands: `lowest` to `highest`, both included. The times rise
 * with the numbers, so they are found by halving. Where there are no lines `highest` is below `lowest`.
 */
export async function findActivityBounds(
  db: Executor,
  time: { since?: string | null; until?: string | null },
): Promise<{ lowest: number; highest: number }> {
  const ends = await db
    .selectFrom('activity')
    .select((eb) => [
      eb
        .selectFrom('activity as first')
        .select('first.activity_id')
        .orderBy('first.activity_id')
        .limit(1)
        .as('lowest'),
      'activity_id as highest',
    ])
    .orderBy('activity_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!ends) return { lowest: 1, highest: 0 }
  const all = { lowest: Number(ends.lowest), highest: ends.highest }
  const { since, until } = time
  const { before } = since ? await halve(db, all, shift(since, -MARGIN_MS)) : { before: 0 }
  const { from } = until ? await halve(db, all, shift(until, MARGIN_MS)) : { from: all.highest }
  return { lowest: Math.max(all.lowest, before), highest: from }
}

/** The lines up to `before` came before a time (but for the margin), those beyond `from` not. */
async function halve(
  db: Executor,
  { lowest, highest }: { lowest: number; highest: number },
  time: string,
): Promise<{ before: number; from: number }> {
  let before = lowest - 1
  let from = highest
  while (from - before > NEAR) {
    const middle = Math.floor((before + from) / 2)
    const line = await db
      .selectFrom('activity')
      .select(['activity_id', 'at'])
      .where('activity_id', '>=', middle)
      .orderBy('activity_id')
      .limit(1)
      .executeTakeFirst()
    if (line && line.at < time) before = line.activity_id
    else from = middle
  }
  return { before, from }
}

/** Years have four digits, so that times sort as text. */
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

function shift(time: string, ms: number): string {
  return new Date(Math.min(Date.parse(time) + ms, LATEST)).toISOString()
}
