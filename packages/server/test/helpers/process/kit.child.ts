/** The process of `kit.ts`: changes its records repeatedly and pushes each change through an outbox. */
import process from 'node:process'
import { createPushClient } from '@recordhub/platform-kit'
import { createFileOutbox } from '@recordhub/platform-kit/file-outbox'
import { KIT_RECORDS, type KitSettings } from './kit.ts'

type Settings = KitSettings & { turns: Record<string, number> }

const { hubUrl, hubApiKey, outbox, name, turns }: Settings = JSON.parse(process.argv[2] ?? '')
const client = createPushClient({
  hubUrl,
  hubApiKey,
  outbox: createFileOutbox(outbox),
  timeoutMs: 5000,
})
/** The number of changes that it may still make. */
let left = 0
let isOver = false
let wake = Promise.withResolvers<void>()
process.on('message', (message: { more: number } | 'drain') => {
  if (message === 'drain') isOver = true
  else left += message.more
  wake.resolve()
  wake = Promise.withResolvers()
})
process.on('disconnect', () => process.exit())

/** Round 1 creates the record; each later round also changes its own field. */
async function keepChanging(number: number): Promise<void> {
  const reference = `${name}-${number}`
  for (let turn = (turns[reference] ?? 0) + 1; await mayGoOn(); turn += 1) {
    const data = { turn, [`field_${turn % 5}`]: turn }
    const names = { record_type: 'case', reference_number: reference }
    if (turn === 1) {
      await client.created({ ...names, module_name: 'Cases', full_name: reference, data })
    } else await client.updated(names, { data })
    process.send?.({ reference, turn })
  }
}

async function mayGoOn(): Promise<boolean> {
  while (left === 0 && !isOver) await wake.promise
  left -= 1
  return !isOver
}

await client.ready()
await Promise.all(Array.from({ length: KIT_RECORDS }, (_, number) => keepChanging(number)))
await client.idle()
process.send?.('drained')
