/** Cuts the power at many moments of a recording, and opens what is left. */
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Comparison } from '../../helpers/process/ledger.ts'
import { createRandom, type Random } from '../../runner/random.ts'
import { compareStored, countPushes, openAfterCut, type Stored, writeFiles } from './check-cut.ts'
import { createDisk, type FileSystem, type Files } from './disk-model.ts'
import type { TraceEntry } from './disk-trace.ts'
import { knowledgeOf, type Recording } from './recording.ts'

export type Cut = {
  number: number
  /** How many entries of the trace have happened. */
  position: number
  fileSystem: FileSystem
  /** Selects what survives. */
  random: Random
}

/** The sum of what was acknowledged before the cuts, what was lost of it, and what each failed cut found. */
export type CutSummary = Comparison & { failures: { cut: Cut; reason: string }[] }

/**
 * Selects moments: many immediately after a response, when most of the data must be there, and many after a change of a
 * name, when most can go wrong.
 */
export function selectCuts({ entries }: Recording, seed: number, count: number): Cut[] {
  const random = createRandom(seed)
  const after = (isIt: (kind: TraceEntry['kind']) => boolean) =>
    entries.flatMap(({ kind }, at) => (isIt(kind) ? [at + 1] : []))
  const moments = [
    entries.map((_, at) => at + 1),
    after((kind) => kind === 'response'),
    after((kind) => NAME_CHANGES.has(kind)),
  ]
  const select = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]
  return Array.from({ length: count }, (_, number) => ({
    number,
    position: select(select(moments.filter(({ length }) => length > 0)) ?? []) ?? 0,
    fileSystem: random() < 0.7 ? 'journaled' : 'posix',
    random: createRandom(Math.floor(random() * 2 ** 32)),
  }))
}

const NAME_CHANGES: ReadonlySet<TraceEntry['kind']> = new Set([
  ...(['create', 'delete', 'rename', 'link'] as const),
])

/**
 * Reconstructs the disk after each cut, opens it as a hub does, and compares it with what clients were told. Equal disks are
 * opened once.
 */
export async function checkCuts(
  recording: Recording,
  cuts: readonly Cut[],
  { ignoresSync = false, open = openAfterCut } = {},
): Promise<CutSummary> {
  const summary: CutSummary = { acknowledged: 0, lost: 0, duplicated: 0, failures: [] }
  const opened = new Map<string, Stored | Error>()
  for (const { cut, files } of reconstruct(recording, cuts, { ignoresSync })) {
    const hash = hashFiles(files)
    const stored = opened.get(hash) ?? (await openFiles(files, open))
    opened.set(hash, stored)
    const reason = compare(stored, cut)
    if (reason !== null) summary.failures.push({ cut, reason })
  }
  return summary

  function compare(stored: Stored | Error, { position }: Cut): string | null {
    const knowledge = knowledgeOf(recording, position)
    if (stored instanceof Error) {
      summary.lost += countPushes(knowledge)
      summary.acknowledged += countPushes(knowledge)
      return `the hub does not start: ${stored.message}`
    }
    try {
      const { lost, acknowledged, duplicated } = compareStored(stored, knowledge)
      summary.acknowledged += acknowledged
      summary.lost += lost.length
      summary.duplicated += duplicated
      return lost.length + duplicated === 0
        ? null
        : `lost: ${lost.join(', ')}; duplicated: ${duplicated}`
    } catch (error) {
      return messageOf(error)
    }
  }
}

/** @yields the cuts in the order of their positions. */
export function* reconstruct(
  { initial, entries }: Recording,
  cuts: readonly Cut[],
  options: { ignoresSync?: boolean } = {},
): Generator<{ cut: Cut; files: Files }> {
  const disks = {
    journaled: createDisk('journaled', initial, options),
    posix: createDisk('posix', initial, options),
  }
  let position = 0
  for (const cut of cuts.toSorted((one, other) => one.position - other.position)) {
    for (const entry of entries.slice(position, cut.position)) {
      if (entry.kind === 'response') continue
      disks.journaled.apply(entry)
      disks.posix.apply(entry)
    }
    position = cut.position
    yield { cut, files: disks[cut.fileSystem].cutPower(cut.random) }
  }
}

async function openFiles(files: Files, open: typeof openAfterCut): Promise<Stored | Error> {
  const folder = mkdtempSync(join(MEMORY, 'recordhub-power-cut-'))
  try {
    writeFiles(folder, files)
    return await open(folder)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A folder in memory, if there is one: the hubs that open the result need no durable disk. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

function hashFiles(files: Files): string {
  const hash = createHash('sha1')
  for (const [path, bytes] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}
