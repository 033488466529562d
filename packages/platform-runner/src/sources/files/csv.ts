import { Readable } from 'node:stream'
import { type Options, parse } from 'csv-parse'
import type { Origin } from '../../settings/settings.ts'
import { type Row, SourceFault } from '../source.ts'
import { MOST_CHARACTERS, readText } from './read-text.ts'

/** A file, and how it is written; null where that is to be found out, or is UTF-8. */
export type CsvFile = { path: string } & Pick<
  Extract<Origin, { kind: 'file' }>,
  'delimiter' | 'encoding'
>

const DELIMITERS = [',', ';', '\t', '|']

const OPTIONS = {
  // A short line lacks its last cells; a long one is a mistake, which names its line.
  relax_column_count_less: true,
  skip_empty_lines: true,
  max_record_size: MOST_CHARACTERS,
} satisfies Options

/** The names of the columns, which the first line holds. */
export async function readHeader(file: CsvFile): Promise<string[]> {
  for await (const cells of records(file, { to: 1 })) return namesIn(cells)
  throw isEmpty(file)
}

/**
 * The cells of some columns of each line; an empty cell is null.
 * @throws SourceFault where the file no longer has one of them: it would seem to hold nothing.
 */
export async function* readCsv(file: CsvFile, names: readonly string[]): AsyncGenerator<Row> {
  let places: number[] | null = null
  for await (const cells of records(file, {})) {
    if (places) yield places.map((place) => cells[place] || null)
    else places = findPlaces(names, namesIn(cells), file)
  }
  if (!places) throw isEmpty(file)
}

const namesIn = (cells: readonly string[]) => cells.map((name) => name.trim())

function findPlaces(names: readonly string[], header: readonly string[], { path }: CsvFile) {
  const missing = names.find((name) => !header.includes(name))
  if (missing !== undefined) throw new SourceFault(`${path} has no column "${missing}" any more`)
  return names.map((name) => header.indexOf(name))
}

function isEmpty({ path }: CsvFile): SourceFault {
  return new SourceFault(`${path} is empty: the first line has to name the columns`)
}

async function* records(file: CsvFile, options: Options): AsyncGenerator<string[]> {
  const { path, encoding } = file
  const guessed = await guessFormat(file)
  const delimiter = file.delimiter ?? guessed.delimiter
  const text = Readable.from(readText(path, encoding))
  const parser = parse({ ...OPTIONS, ...options, ...guessed, delimiter })
  text.on('error', (error) => parser.destroy(error))
  try {
    for await (const record of text.pipe(parser)) yield record
  } catch (error) {
    if (error instanceof SourceFault) throw error
    const words = error instanceof Error ? error.message : String(error)
    throw new SourceFault(`${path}: ${words}`)
  } finally {
    text.destroy()
  }
}

/**
 * The delimiter that the first line has most of, outside of quotes, and what ends lines. Excel's first line `sep=;`
 * states the delimiter, and the names of the columns follow it.
 */
async function guessFormat({ path, encoding }: CsvFile) {
  let head = ''
  for await (head of readText(path, encoding)) break
  const [, stated = null] = /^"?sep=([^\w\r\n"])"?\r?[\r\n]/i.exec(head) ?? []
  const bare = head.replaceAll(/"[^"]*"/g, 'quoted')
  const line = bare.split(/[\r\n]/).find((one) => one !== '') ?? ''
  const counts = DELIMITERS.map((one) => line.split(one).length)
  return {
    delimiter: stated ?? DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',',
    from_line: stated === null ? 1 : 2,
    // Both: parts of a file may come from elsewhere. Beside them "\r" is part of a cell.
    record_delimiter: /^[^\n]*\r[^\n]*$/.test(bare) ? ['\r'] : ['\r\n', '\n'],
  }
}
