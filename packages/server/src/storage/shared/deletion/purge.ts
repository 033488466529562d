/**
 * What is deleted leaves the database's files some time after its rows. That this is still to be done is noted
 * in the transaction that deletes, so that a process which is killed leaves it to the next one.
 */
import type { Databases, Executor } from '../schema/databases.ts'

/** Where it is noted, with the number of the last deletion. */
const OWED = 'purge'

/** @param changeSeq the number of the deletion, whose transaction this is. */
export async function owePurge(db: Executor, changeSeq: number): Promise<void> {
  await db
    .insertInto('search_feed')
    .values({ name: OWED, position: changeSeq })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ position: changeSeq }))
    .execute()
}

/** Has deleted bytes leave the files, where that is owed. @returns whether it was. */
export type PayPurge = () => Promise<boolean>

/** One at a time: who comes second finds that nothing is owed any more, or that something is again. */
export function createPayPurge(
  { reader, writer }: Databases,
  purge: () => Promise<void>,
): PayPurge {
  let last: Promise<unknown> = Promise.resolve()

  async function pay(): Promise<boolean> {
    const owed = await reader
      .selectFrom('search_feed')
      .select('position')
      .where('name', '=', OWED)
      .executeTakeFirst()
    if (!owed) return false
    await purge()
    await writer
      .deleteFrom('search_feed')
      .where('name', '=', OWED)
      .where('position', '=', owed.position)
      .execute()
    return true
  }

  return () => {
    const mine = last.then(pay)
    last = mine.catch(() => undefined)
    return mine
  }
}
