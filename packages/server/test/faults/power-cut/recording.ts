/** What a process did with a folder, and what its clients were told meanwhile. Can be saved, to repeat a power cut. */
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InitialFile } from './disk-model.ts'
import { readTrace, requestIdOf, type TraceEntry } from './disk-trace.ts'

/** What a client was told, or has requested without receiving a response. */
export type Fact =
  | { kind: 'pushed'; reference: string; data: Record<string, unknown>; recordId: number | null }
  | { kind: 'patched'; reference: string; key: string }
  | { kind: 'erased'; reference: string }
  /** A platform was registered with this source API key, or removed. */
  | { kind: 'registered' | 'removed'; platform: string; sourceKey: string }
  /** A pull has succeeded: the records of its platform have at least this version. */
  | { kind: 'pulled'; pullId: number; version: number }
  /** The change feed has returned the changes up to this number. */
  | { kind: 'followed'; position: number }
  | { kind: 'backup'; file: string }

export type Told = Fact & {
  /** The response that told it; null if there was none. */
  requestId: string | null
  /** The response that the client received last before it sent the request; null for none. */
  after: string | null
}

export type Recording = { initial: InitialFile[]; entries: TraceEntry[]; told: Told[] }

/** The files of a folder. They count as synced. */
export function listInitialFiles(folder: string): InitialFile[] {
  const paths = ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
  return paths.map((path) => {
    const full = join(folder, path)
    const { ino: inode } = statSync(full, { bigint: true })
    const bytes = statSync(full).isDirectory() ? null : readFileSync(full)
    return { path, inode, bytes }
  })
}

/** Saves a recording in a folder, from which `loadRecording` reads it. */
export function saveRecording(folder: string, { initial, told }: Recording, trace: string): void {
  cpSync(trace, join(folder, 'trace'))
  const files = initial.map(({ path, inode, bytes }) => ({
    ...{ path, inode: String(inode) },
    bytes: bytes?.toString('base64') ?? null,
  }))
  writeFileSync(join(folder, 'recording.json'), JSON.stringify({ initial: files, told }))
}

export function loadRecording(folder: string): Recording {
  const { initial, told }: SavedRecording = JSON.parse(
    readFileSync(join(folder, 'recording.json'), 'utf8'),
  )
  const files = initial.map(({ path, inode, bytes }) => ({
    ...{ path, inode: BigInt(inode) },
    bytes: bytes === null ? null : Buffer.from(bytes, 'base64'),
  }))
  return { initial: files, entries: readTrace(join(folder, 'trace')), told }
}

type SavedRecording = {
  initial: { path: string; inode: string; bytes: string | null }[]
  told: Told[]
}

/** What was known at a moment of a recording. */
export type Knowledge = {
  /** What clients had been told: it must hold after a power cut. */
  told: Told[]
  /** What they had been told or may have asked for: nothing else may have happened. */
  possible: Told[]
}

/** @param position how many entries of the trace have happened. */
export function knowledgeOf({ entries, told }: Recording, position: number): Knowledge {
  const responses = new Set(
    entries
      .slice(0, position)
      .map((entry) => (entry.kind === 'response' ? requestIdOf(entry.head) : '')),
  )
  return {
    told: told.filter(({ requestId }) => requestId !== null && responses.has(requestId)),
    possible: told.filter(({ after }) => after === null || responses.has(after)),
  }
}
