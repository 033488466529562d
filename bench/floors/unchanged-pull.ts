/** The floor of an unchanged pull: `node unchanged-pull.ts <url>` hashes the records and looks up their fingerprints. */
import { measure } from './measure.ts'
import { openFloorStore } from './open-store.ts'
import { hashRecords, readDocument } from './read-records.ts'

const [url = ''] = process.argv.slice(2)
const store = await openFloorStore()
await measure(() =>
  readDocument(url, async (chunks) => {
    const hashed = hashRecords(chunks)
    const stored = await store.findFingerprints(hashed.map((one) => one.reference_number))
    if (hashed.some(({ fingerprint }, at) => fingerprint !== stored[at]))
      throw new Error('A record has changed')
  }),
)
await store.close()
