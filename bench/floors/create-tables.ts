/** Creates the tables of the hub in the database of the environment. */
import { openStorage } from '../../packages/server/src/storage/open.ts'
import { DATABASE } from './store.ts'

const warn = (message: string) => void process.stderr.write(`${message}\n`)
const storage = await openStorage({ ...DATABASE, asHub: true, timeZone: 'UTC', warn })
await storage.close()
