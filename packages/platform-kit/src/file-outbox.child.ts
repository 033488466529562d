/** Another process with an outbox, for tests: keeps one push, or as many as there is room for. */
import process from 'node:process'
import { createFileOutbox } from './file-outbox.ts'

const [path = '', work] = process.argv.slice(2)
const box = createFileOutbox(path)
await box.load()

async function keep(id: string, body: string): Promise<boolean> {
  const occurredAt = new Date().toISOString()
  return box.keep({ id, method: 'POST', recordKey: id, occurredAt, body }).then(
    () => true,
    () => false,
  )
}

if (work === 'fill') {
  const ids = Array.from({ length: 40 }, (_, number) => `fill-${number}`)
  const kept: string[] = []
  // Several at a time, so that lines before the one that does not fit are refused with it.
  for (let at = 0; at < ids.length; at += 2) {
    const batch = ids.slice(at, at + 2)
    // Smaller and smaller: what is refused is followed by what fits.
    const body = JSON.stringify('x'.repeat(20_000 - at * 450))
    const results = await Promise.all(batch.map((id) => keep(id, body)))
    kept.push(...batch.filter((_, index) => results[index]))
  }
  // The first is written alone, and the others together: one that fits is refused with one that does not.
  const sizes = { alone: 1, fits: 1, huge: 200_000 }
  await Promise.all(
    Object.entries(sizes).map(async ([id, size]) => {
      if (await keep(id, JSON.stringify('x'.repeat(size)))) kept.push(id)
    }),
  )
  process.send?.({ kept, refused: ids.length + 3 - kept.length })
  await box.close()
  process.disconnect?.()
} else {
  await keep('of the child', '{}')
  process.send?.('ready')
  setInterval(() => undefined, 1000)
}
