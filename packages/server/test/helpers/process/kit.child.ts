/** The process that `kit.ts` starts: changes its records repeatedly and pushes each change through an outbox. */
import process from 'node:process'
import { createPushClient } from '@recordhub/platform-kit'
import { createFileOutbox } from '@recordhub/platform-kit/file-outbox'
import { KIT_RECORDS, type KitSettings } from './kit.ts'

type Settings = KitSettings & { versions: Record<string, number> }

const { hubUrl, hubApiKey, outbox, name, versions }: Settings = JSON.parse(process.argv[2] ?? '')
const client = createPushClient({
  hubUrl,
  hubApiKey,
  outbox: createFileOutbox(outbox),
  timeoutMs: 5000,
})
/** The number of changes that it is still allowed to make. */
let remaining = 0
let isDraining = false
let wake = Promise.withResolvers<void>()
process.on('message', (message: { more: number } | 'drain') => {
  if (message === 'drain') isDraining = true
  else remaining += message.more
  wake.resolve()
  wake = Promise.withResolvers()
})
process.on('disconnect', () => process.exit())

/** Version 1 creates the record. Each later version sets `turn` to its number and one more field. */
async function changeRecord(number: number): Promise<void> {
  const reference = `${name}-${number}`
  for (let version = (versions[reference] ?? 0) + 1; await waitForPermit(); version += 1) {
    const data = { turn: version, [`field_${version % 5}`]: version }
    const names = { record_type: 'case', reference_number: reference }
    if (version === 1) {
      await client.created({ ...names, module_name: 'Cases', full_name: reference, data })
    } else await client.updated(names, { data })
    process.send?.({ reference, version })
  }
}

/** Waits until another change is allowed. @returns false if the changes end. */
async function waitForPermit(): Promise<boolean> {
  while (remaining === 0 && !isDraining) await wake.promise
  remaining -= 1
  return !isDraining
}

await client.ready()
await Promise.all(Array.from({ length: KIT_RECORDS }, (_, number) => changeRecord(number)))
await client.idle()
process.send?.('drained')
