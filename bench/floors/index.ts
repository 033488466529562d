/** The floor of the text index: `node index.ts <records>` adds all of them to it. */
import { measure } from './measure.ts'
import { openFloorStore } from './open-store.ts'

const expected = Number(process.argv[2])
const store = await openFloorStore()
await measure(async () => {
  const indexed = await store.indexAll()
  if (indexed !== expected) throw new Error(`${indexed} of ${expected} records were indexed`)
})
await store.close()
