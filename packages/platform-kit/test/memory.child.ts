/** A platform with as many records as its argument says. */
import { createServer } from 'node:http'
import process from 'node:process'
import { createPlatformHandler } from '../src/handler.ts'
import { toNodeListener } from '../src/node.ts'

const RECORDS = Number(process.argv[2])

const handler = createPlatformHandler({
  name: 'large',
  title: 'Large',
  sourceKey: 'a source key of 24 chars',
  modules: [
    {
      name: 'Many',
      recordType: 'many',
      fields: [{ key: 'note' }],
      *records() {
        for (let number = 0; number < RECORDS; number += 1) {
          const data = { number, note: 'x'.repeat(100) }
          yield { reference_number: `R-${number}`, full_name: `Number ${number}`, data }
        }
      },
    },
  ],
})
const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.send?.(address.port)
})
process.on('message', () => process.send?.(process.resourceUsage().maxRSS))
process.on('disconnect', () => process.exit())
