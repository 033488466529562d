import { readFileSync } from 'node:fs'
import { createPushClient } from '@recordhub/platform-kit'
import { createFileOutbox } from '@recordhub/platform-kit/file-outbox'

const hub = createPushClient({
  hubUrl: process.env.HUB_URL ?? 'https://hub.example.org',
  hubApiKey: process.env.HUB_API_KEY,
  outbox: createFileOutbox('outbox'),
  onStored: (push, stored) => console.log(`${push.method} of ${push.recordKey}:`, stored.outcome),
  onRejected: (push, { message }) => {
    console.error(`${push.method} of ${push.recordKey}:`, message)
    process.exitCode = 1
  },
})
// Sends what an earlier run left in the outbox first.
await hub.ready()

// node push.mjs POST record.json PATCH change.json
const pushes = process.argv.slice(2)
for (let at = 0; at + 1 < pushes.length; at += 2) {
  const record = JSON.parse(readFileSync(pushes[at + 1], 'utf8'))
  if (pushes[at] === 'POST') await hub.created(record)
  else await hub.updated(record, { data: record.data })
}

await hub.idle()
await hub.close()
