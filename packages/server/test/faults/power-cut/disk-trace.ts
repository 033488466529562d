/** Records what a process changes in a folder, with `record-disk.c`, and reads the record. */
import { appendFileSync, readFileSync } from 'node:fs'
import { compileShim } from '../../helpers/process/compile-shim.ts'

/** A file or folder, whatever its names are. */
export type Inode = bigint

/** A change of the disk. Paths are relative to the recorded folder, which is ''. */
export type DiskChange =
  | { kind: 'create'; inode: Inode; path: string; isFolder: boolean }
  | { kind: 'delete'; path: string }
  | { kind: 'rename' | 'link'; path: string; to: string }
  | { kind: 'write'; inode: Inode; at: number; bytes: Buffer }
  | { kind: 'truncate'; inode: Inode; size: number }
  /** A sync covers what precedes its beginning, and is complete at its end. A thread runs one at a time. */
  | { kind: 'sync begins' | 'sync ends'; inode: Inode; thread: number }

/** What a process did, in the order in which it happened. A response is recorded immediately before it is sent. */
export type TraceEntry = DiskChange | { kind: 'response'; head: string }

/** The environment of a process whose changes of a folder are appended to a trace. */
export function recordDisk(folder: string, trace: string): Record<string, string> {
  const library = compileShim(new URL('record-disk.c', import.meta.url))
  return { LD_PRELOAD: library, RECORD_FOLDER: folder, RECORD_TO: trace }
}

const HEAD_BYTES = 33

/** Records that a process has ended, as the response to a request with this id. */
export function appendResponse(trace: string, requestId: string): void {
  const data = Buffer.from(`X-Request-Id: ${requestId}`)
  const head = Buffer.alloc(HEAD_BYTES)
  head.write('s')
  head.writeUInt32LE(data.length, 29)
  appendFileSync(trace, Buffer.concat([head, data]))
}

/** @throws Error if the process did something with a file that cannot be reconstructed. */
export function readTrace(path: string): TraceEntry[] {
  const bytes = readFileSync(path)
  const entries: TraceEntry[] = []
  const paths = new Map<Inode, string>()
  for (let start = 0; start < bytes.length; ) {
    const kind = String.fromCharCode(bytes.readUInt8(start))
    const inode = bytes.readBigUInt64LE(start + 1)
    const number = Number(bytes.readBigUInt64LE(start + 9))
    const pathAt = start + HEAD_BYTES
    const dataAt = pathAt + bytes.readUInt32LE(start + 25)
    const end = dataAt + bytes.readUInt32LE(start + 29)
    const path = bytes.toString('utf8', pathAt, dataAt)
    const data = bytes.subarray(dataAt, end)
    start = end
    if (kind === 'c' || kind === 'd') {
      paths.set(inode, path)
      entries.push({ kind: 'create', inode, path, isFolder: kind === 'd' })
    } else if (kind === 'u') entries.push({ kind: 'delete', path })
    else if (kind === 'r') entries.push({ kind: 'rename', path, to: data.toString() })
    else if (kind === 'l') entries.push({ kind: 'link', path, to: data.toString() })
    else if (kind === 'w') entries.push({ kind: 'write', inode, at: number, bytes: data })
    else if (kind === 't') entries.push({ kind: 'truncate', inode, size: number })
    else if (kind === 'b') entries.push({ kind: 'sync begins', inode, thread: number })
    else if (kind === 'e') entries.push({ kind: 'sync ends', inode, thread: number })
    else if (kind === 's') entries.push({ kind: 'response', head: data.toString('latin1') })
    else if (kind === 'm') assertIndexOfLog(paths.get(inode) ?? '')
    else throw new Error(`The process called ${path}, which is not recorded`)
  }
  return entries
}

/** SQLite changes the index of its log through memory, and builds it again after a power cut. */
function assertIndexOfLog(path: string): void {
  if (!path.endsWith('-shm')) throw new Error(`The process writes ${path} through memory`)
}

/** The id of the request that a response belongs to; '' if it is not in the headers. */
export function requestIdOf(head: string): string {
  return /^x-request-id: *(.+?)\r?$/im.exec(head)?.[1] ?? ''
}
