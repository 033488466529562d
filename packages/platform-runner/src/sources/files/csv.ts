import { Readable } from 'node:stream'
import { type Options, parse } from 'csv-parse'
import type { Origin } from '../../settings/settings.ts'
import { type Row, SourceMisconfigured } from '../source.ts'
import { MAX_LINE_CHARACTERS, readText } from './read-text.ts'

/** A file and its format; null for a delimiter to be detected, or for UTF-8. */
export type CsvFile = { path: string } & Pick<
  Extract<Origin, { kind: 'file' }>,
  'delimiter' | 'encoding'
>

const DELIMITERS = [',', ';', '\t', '|']

const OPTIONS = {
  // A short line lacks its last cells; a long one is an error with its line number.
  relax_column_count_less: true,
  skip_empty_lines: true,
  max_record_size: MAX_LINE_CHARACTERS,
} satisfies Options

/** The names of the columns, from the first line. */
export async function readHeader(file: CsvFile): Promise<string[]> {
  for await (const cells of records(file, { to: 1 })) return namesIn(cells)
  throw toEmptyError(file)
}

/**
 * The cells of the given columns of each line; an empty cell is null.
 * @throws SourceMisconfigured if the file no longer has one of the columns, which would look like empty cells.
 */
export async function* readCsv(file: CsvFile, names: readonly string[]): AsyncGenerator<Row> {
  let indexes: number[] | null = null
  for await (const cells of records(file, {})) {
    if (indexes) yield indexes.map((index) => cells[index] || null)
    else indexes = findIndexes(names, namesIn(cells), file)
  }
  if (!indexes) throw toEmptyError(file)
}

const namesIn = (cells: readonly string[]) => cells.map((name) => name.trim())

function findIndexes(names: readonly string[], header: readonly string[], { path }: CsvFile) {
  const missing = names.find((name) => !header.includes(name))
  if (missing !== undefined)
    throw new SourceMisconfigured(`${path} no longer has the column "${missing}"`)
  return names.map((name) => header.indexOf(name))
}

function toEmptyError({ path }: CsvFile): SourceMisconfigured {
  return new SourceMisconfigured(`${path} is empty: the first line must contain the column names`)
}

async function* records(file: CsvFile, options: Options): AsyncGenerator<string[]> {
  const { path, encoding } = file
  const detected = await detectFormat(file)
  const delimiter = file.delimiter ?? detected.delimiter
  const text = Readable.from(readText(path, encoding))
  const parser = parse({ ...OPTIONS, ...options, ...detected, delimiter })
  text.on('error', (error) => parser.destroy(error))
  try {
    for await (const record of text.pipe(parser)) yield record
  } catch (error) {
    if (error instanceof SourceMisconfigured) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new SourceMisconfigured(`${path}: ${message}`)
  } finally {
    text.destroy()
  }
}

/**
 * Detects the delimiter, which is the most frequent one in the first line outside of quotes, and the line ending. A first
 * line `sep=;`, as Excel writes it, states the delimiter and is followed by the column names.
 */
async function detectFormat({ path, encoding }: CsvFile) {
  let head = ''
  for await (head of readText(path, encoding)) break
  const [, stated = null] = /^"?sep=([^\w\r\n"])"?\r?[\r\n]/i.exec(head) ?? []
  const bare = head.replaceAll(/"[^"]*"/g, 'quoted')
  const line = bare.split(/[\r\n]/).find((one) => one !== '') ?? ''
  const counts = DELIMITERS.map((one) => line.split(one).length)
  return {
    delimiter: stated ?? DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',',
    from_line: stated === null ? 1 : 2,
    // Both, since a file may be concatenated from several systems. Otherwise "\r" is part of a cell.
    record_delimiter: bare.includes('\r') && !bare.includes('\n') ? ['\r'] : ['\r\n', '\n'],
  }
}
