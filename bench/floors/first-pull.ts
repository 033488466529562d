/** The floor of a first pull: `node first-pull.ts <url of the document>` scans, hashes and inserts its records. */
import { measure } from './measure.ts'
import { openFloorStore } from './open-store.ts'
import { readDocument, readRecords } from './read-records.ts'

const [url = ''] = process.argv.slice(2)
const store = await openFloorStore()
await measure(() => readDocument(url, async (chunks) => store.insert(readRecords(chunks))))
await store.close()
