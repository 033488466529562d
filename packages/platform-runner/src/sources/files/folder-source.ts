/** A folder of CSV, NDJSON and JSON files, each read from the beginning for each request. */
import { type Stats, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { extname, resolve, sep } from 'node:path'
import { textOf } from '../../records/kind.ts'
import type { Origin } from '../../settings/settings.ts'
import {
  type Candidate,
  type Column,
  type Row,
  type Source,
  SourceMisconfigured,
  SourceUnavailable,
} from '../source.ts'
import { type CsvFile, readCsv, readHeader } from './csv.ts'
import { describeObjects, readJsonList, readNdjson } from './json-files.ts'
import { detectEncoding } from './read-text.ts'

const KINDS: Record<string, OpenFile['kind']> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
}

export function openFolder(folder: string): Source {
  function open(origin: Origin): OpenFile {
    if (origin.kind !== 'file') throw new Error('The origin must be a file.')
    const path = resolve(folder, origin.file)
    if (!path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) {
      throw new SourceMisconfigured(`${origin.file} is not in ${folder}`)
    }
    const kind = KINDS[extname(path).toLowerCase()]
    if (!kind)
      throw new SourceMisconfigured(
        `${origin.file} does not end in any of ${Object.keys(KINDS).join(', ')}`,
      )
    return { ...origin, path, kind, stats: readStats(path) }
  }

  async function* rows({ origin, columns, find, signal }: Parameters<Source['rows']>[0]) {
    const before = open(origin)
    let left = find?.limit ?? Number.POSITIVE_INFINITY
    const names = columns.map((column) => column.name)
    const searched = find?.columns.map((column) => columns.indexOf(column)) ?? []
    for await (const row of readRows(origin, names)) {
      signal.throwIfAborted()
      if (find && !matches(row, searched, find.text)) continue
      if (left === 0) return
      left -= 1
      yield row
    }
    const after = readStats(before.path)
    const isSame = after.mtimeMs === before.stats.mtimeMs && after.size === before.stats.size
    // A file that replaced it under the same name has another inode, so the old file was read completely.
    if (after.ino === before.stats.ino && !isSame) {
      throw new SourceUnavailable(`${before.path} changed while it was read`)
    }
  }

  function readRows(origin: Origin, names: string[]): AsyncIterable<Row> {
    const file = open(origin)
    return file.kind === 'csv' ? readCsv(file, names) : toRows(readObjects(file), names)
  }

  async function toCandidate(file: string): Promise<Candidate> {
    // Reading the file reports the error.
    const encoding = await detectEncoding(resolve(folder, file)).catch(() => null)
    return {
      origin: { kind: 'file', file, delimiter: null, encoding },
      name: file.slice(0, -extname(file).length),
      comment: null,
      key: [],
    }
  }

  return {
    title: `the files in ${folder}`,
    rows,
    changes: null,
    digest: null,
    warnings: async () => [],
    async candidates() {
      const files = await readdir(folder).catch((error: Error) => {
        throw new SourceUnavailable(error.message)
      })
      const names = files
        .filter((file) => KINDS[extname(file).toLowerCase()] && extname(file) !== '.txt')
        .toSorted()
      const found: Candidate[] = []
      for (const name of names) found.push(await toCandidate(name))
      return found
    },
    async describe(origin): Promise<Column[]> {
      const file = open(origin)
      if (file.kind !== 'csv') return describeObjects(readObjects(file))
      const names = await readHeader(file)
      return names.map((name) => ({
        name,
        kind: 'text',
        type: 'text',
        comment: name,
        required: false,
      }))
    },
    async version(origin) {
      const { stats } = open(origin)
      return `${stats.mtimeMs} ${stats.size} ${stats.ino}`
    },
  }
}

function readStats(path: string): Stats {
  try {
    return statSync(path)
  } catch (error) {
    throw new SourceUnavailable(error instanceof Error ? error.message : String(error))
  }
}

type OpenFile = CsvFile & { kind: 'csv' | 'ndjson' | 'json'; stats: Stats }

function readObjects({ path, encoding, kind, stats }: OpenFile) {
  return kind === 'json' ? readJsonList(path, encoding, stats.size) : readNdjson(path, encoding)
}

async function* toRows(
  objects: AsyncIterable<Record<string, Row[number]>>,
  names: string[],
): AsyncGenerator<Row> {
  for await (const object of objects) {
    yield names.map((name) => (Object.hasOwn(object, name) ? (object[name] ?? null) : null))
  }
}

function matches(row: Row, indexes: readonly number[], text: string): boolean {
  const pattern = text.toLowerCase()
  return indexes.some((index) =>
    textOf(row[index] ?? null)
      ?.toLowerCase()
      .includes(pattern),
  )
}
