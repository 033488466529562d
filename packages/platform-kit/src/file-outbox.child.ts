/** A process with an outbox, for tests: enqueues one push, or as many as the disk has space for. */
import process from 'node:process'
import { createFileOutbox } from './file-outbox.ts'

const [path = '', work] = process.argv.slice(2)
const box = createFileOutbox(path)
await box.load()

async function enqueue(id: string, body: string): Promise<boolean> {
  const occurredAt = new Date().toISOString()
  return box.enqueue({ id, method: 'POST', recordKey: id, occurredAt, body }).then(
    () => true,
    () => false,
  )
}

if (work === 'fill') {
  const ids = Array.from({ length: 40 }, (_, number) => `fill-${number}`)
  const enqueued: string[] = []
  // Two at a time, so that a push that fits is rejected together with one that does not.
  for (let at = 0; at < ids.length; at += 2) {
    const batch = ids.slice(at, at + 2)
    // The bodies get smaller, so that pushes that fit follow rejected ones.
    const body = JSON.stringify('x'.repeat(20_000 - at * 450))
    const results = await Promise.all(batch.map((id) => enqueue(id, body)))
    enqueued.push(...batch.filter((_, index) => results[index]))
  }
  // The first is written alone and the others together: the one that fits is rejected with the one that does not.
  const sizes = { alone: 1, fits: 1, huge: 200_000 }
  await Promise.all(
    Object.entries(sizes).map(async ([id, size]) => {
      if (await enqueue(id, JSON.stringify('x'.repeat(size)))) enqueued.push(id)
    }),
  )
  process.send?.({ enqueued, rejected: ids.length + 3 - enqueued.length })
  await box.close()
  process.disconnect?.()
} else {
  await enqueue('of the child', '{}')
  process.send?.('ready')
  setInterval(() => undefined, 1000)
}
