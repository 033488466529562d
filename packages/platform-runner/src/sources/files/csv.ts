import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { type Options, parse } from 'csv-parse'
import { type Row, SourceFault } from '../source.ts'

const DELIMITERS = [',', ';', '\t', '|']
const HEAD_BYTES = 64 * 1024

const OPTIONS = {
  bom: true,
  // A short line lacks its last cells; a long one is a mistake, which names its line.
  relax_column_count_less: true,
  skip_empty_lines: true,
  max_record_size: 16 * 1024 * 1024,
} as const

/** The names of the columns, which the first line holds. */
export async function readHeader(path: string, delimiter: string | null): Promise<string[]> {
  for await (const names of records(path, delimiter, { to: 1 }))
    return names.map((name) => name.trim())
  throw new SourceFault(`${path} is empty: the first line has to name the columns`)
}

/** The cells of some columns of each line; an empty cell is null. */
export async function* readCsv(
  path: string,
  delimiter: string | null,
  names: readonly string[],
): AsyncGenerator<Row> {
  let places: number[] | null = null
  for await (const cells of records(path, delimiter, {})) {
    if (!places) {
      const header = cells.map((name) => name.trim())
      places = names.map((name) => header.indexOf(name))
    } else yield places.map((place) => cells[place] || null)
  }
}

async function* records(
  path: string,
  delimiter: string | null,
  options: Options,
): AsyncGenerator<string[]> {
  const stream = createReadStream(path)
  const parser = parse({
    ...OPTIONS,
    ...options,
    delimiter: delimiter ?? (await guessDelimiter(path)),
  })
  stream.on('error', (error) => parser.destroy(error))
  try {
    for await (const record of stream.pipe(parser)) yield record
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    throw new SourceFault(`${path}: ${words}`)
  } finally {
    stream.destroy()
  }
}

/** The one that the first line has most of, outside of quotes. */
async function guessDelimiter(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES) })
    const head = buffer.toString('utf8', 0, bytesRead).replaceAll(/"[^"]*"/g, '')
    const line = head.split(/\r?\n/).find((one) => one.trim() !== '') ?? ''
    const counts = DELIMITERS.map((one) => line.split(one).length)
    return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
  } finally {
    await file.close()
  }
}
