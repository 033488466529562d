/**
 * What a disk contains after a power cut. Pure: changes in, files out.
 *
 * - Content: what was written to a file before a completed sync of it began is there. Of everything later, any subset
 *   may be there: each sector has its synced content or that of any later write, independently of other sectors, and the
 *   size is the synced one or any later one. A sector is written wholly or not at all, but may have only 512 bytes. A
 *   truncation happens wholly or not at all, and before later changes: file systems free the blocks, they write no zeros.
 * - Names (created, deleted, renamed, linked): see {@link FileSystem}.
 */
import type { Random } from '../../runner/random.ts'
import type { DiskChange, Inode } from './disk-trace.ts'

/**
 * - `journaled` (ext4, XFS): names change in their order, so a power cut undoes only the last changes. A sync of a file
 *   or folder includes the changes of its names, and so all earlier ones.
 * - `posix` promises less: only a sync of a folder includes its names. The others survive in any combination, and
 *   what a file was extended by may contain anything.
 */
export type FileSystem = 'journaled' | 'posix'

/** The content of files by their paths. */
export type Files = ReadonlyMap<string, Buffer>

/** A file or folder before the first change; `bytes` is null for a folder. The recorded folder is ''. */
export type InitialFile = { path: string; inode: Inode; bytes: Buffer | null }

export type Disk = {
  apply: (change: DiskChange) => void
  /** What is on the disk if the power fails now. The random values choose what survives. */
  cutPower: (random: Random) => Files
  /** What programs see. */
  current: () => Files
}

type Write = { at: number; bytes: Buffer }
type ContentChange = Write | { size: number }

type Node = {
  isFolder: boolean
  synced: Image
  /** The changes of the content since the last sync, in their order. */
  changes: ContentChange[]
}

type Names = Map<string, Node>
type NameChange = { node: Node; folders: readonly Node[]; apply: (names: Names) => void }
type SyncChange = Extract<DiskChange, { thread: number }>
type RunningSync = { node: Node; contentChanges: number; names: ReadonlySet<NameChange> }

/** @param options `ignoresSync`: the disk confirms a sync without doing it. */
export function createDisk(
  fileSystem: FileSystem,
  initial: readonly InitialFile[],
  { ignoresSync = false } = {},
): Disk {
  /** The latest file of each inode; the number is used again after a file is deleted. */
  const nodes = new Map<Inode, Node>()
  const syncedNames: Names = new Map()
  const names: Names = new Map()
  let nameChanges: NameChange[] = []
  const running = new Map<number, RunningSync>()

  function createNode(inode: Inode, isFolder: boolean, bytes: Buffer = Buffer.alloc(0)): Node {
    const node = { isFolder, synced: new Image(Buffer.from(bytes)), changes: [] }
    nodes.set(inode, node)
    return node
  }

  for (const { path, inode, bytes } of initial) {
    const node = createNode(inode, bytes === null, bytes ?? undefined)
    names.set(path, node)
    syncedNames.set(path, node)
  }

  function changeNames(node: Node, paths: string[], apply: NameChange['apply']): void {
    const folders = paths
      .map((path) => names.get(folderOf(path)))
      .filter((one) => one !== undefined)
    nameChanges.push({ node, folders, apply })
    apply(names)
  }

  function namesInSync(node: Node): ReadonlySet<NameChange> {
    const isIn = ({ folders }: NameChange) => folders.includes(node)
    if (fileSystem === 'posix') return new Set(nameChanges.filter(isIn))
    const last = nameChanges.findLastIndex((change) => change.node === node || isIn(change))
    return new Set(nameChanges.slice(0, last + 1))
  }

  function nodeAt(path: string): Node {
    const node = names.get(path)
    if (!node) throw new Error(`${path} was changed, but never created`)
    return node
  }

  function changeSync({ kind, inode, thread }: SyncChange): void {
    if (kind === 'sync begins') {
      const node = nodes.get(inode)
      if (!node) return
      const contentChanges = node.changes.length
      running.set(thread, { node, contentChanges, names: namesInSync(node) })
      return
    }
    const sync = running.get(thread)
    running.delete(thread)
    if (sync && !ignoresSync) endSync(sync)
  }

  function endSync({ node, contentChanges, names: included }: RunningSync): void {
    for (const change of node.changes.splice(0, contentChanges)) node.synced.apply(change)
    // Other syncs of the file have begun with these changes, too.
    for (const other of running.values()) {
      if (other.node === node) {
        other.contentChanges = Math.max(0, other.contentChanges - contentChanges)
      }
    }
    for (const change of nameChanges) if (included.has(change)) change.apply(syncedNames)
    nameChanges = nameChanges.filter((change) => !included.has(change))
  }

  function survivingNames(random: Random): NameChange[] {
    if (fileSystem === 'journaled') return nameChanges.slice(0, below(random, nameChanges.length))
    const share = random()
    return nameChanges.filter(() => random() < share)
  }

  return {
    apply(change) {
      if (change.kind === 'create') {
        const { path } = change
        const node = createNode(change.inode, change.isFolder)
        changeNames(node, [path], (all) => all.set(path, node))
      } else if (change.kind === 'write' || change.kind === 'truncate') {
        nodes.get(change.inode)?.changes.push(change)
      } else if ('thread' in change) {
        changeSync(change)
      } else if (change.kind === 'delete') {
        const { path } = change
        const node = nodeAt(path)
        changeNames(node, [path], (all) => unlink(all, path, node))
      } else {
        const { kind, path, to } = change
        const node = nodeAt(path)
        changeNames(node, [path, to], (all) => {
          if (kind === 'rename') unlink(all, path, node)
          all.set(to, node)
        })
      }
    },
    cutPower(random) {
      const named = new Map(syncedNames)
      for (const change of survivingNames(random)) change.apply(named)
      return readFiles(named, (node) => cutContent(node, fileSystem, random))
    },
    current: () =>
      readFiles(names, ({ synced, changes }) => {
        const image = synced.copy()
        for (const change of changes) image.apply(change)
        return image
      }),
  }
}

function readFiles(names: Names, read: (node: Node) => Image): Files {
  const files = new Map<string, Buffer>()
  for (const [path, node] of names) {
    if (!node.isFolder && hasFolders(names, path)) files.set(path, read(node).toBuffer())
  }
  return files
}

/** The name may belong to a later file by now. */
function unlink(names: Names, path: string, node: Node): void {
  if (names.get(path) === node) names.delete(path)
}

function hasFolders(names: Names, path: string): boolean {
  const folder = folderOf(path)
  return names.get(folder)?.isFolder === true && (folder === '' || hasFolders(names, folder))
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** A whole number from 0 to `limit`. */
function below(random: Random, limit: number): number {
  return Math.floor(random() * (limit + 1))
}

function cutContent({ synced, changes }: Node, fileSystem: FileSystem, random: Random): Image {
  const image = synced.copy()
  if (changes.length === 0) return image
  const kind = below(random, 3)
  // Nothing, everything, or everything up to a moment in which a write was interrupted.
  if (kind === 0) return image
  if (kind === 1 || kind === 2) {
    const whole = kind === 1 ? changes.length : below(random, changes.length)
    for (const change of changes.slice(0, whole)) image.apply(change)
    const torn = changes[whole]
    if (torn && 'bytes' in torn) {
      const sectors = Math.floor(torn.bytes.length / SECTORS[0])
      const bytes = torn.bytes.subarray(0, below(random, sectors) * SECTORS[0])
      if (bytes.length > 0) image.apply({ at: torn.at, bytes })
    }
    return image
  }
  return cutSectors(image, changes, fileSystem, random)
}

const SECTORS = [512, 4096] as const

/** A file system shortens a file at once: nothing of a later change is there without it. */
function cutSectors(
  image: Image,
  changes: readonly ContentChange[],
  fileSystem: FileSystem,
  random: Random,
): Image {
  let truncations = below(random, changes.filter((change) => 'size' in change).length)
  let writes: Write[] = []
  for (const change of changes) {
    if ('bytes' in change) {
      writes.push(change)
      continue
    }
    cutWrites(image, writes, fileSystem, random)
    if (truncations === 0) return image
    truncations -= 1
    writes = []
    image.apply(change)
  }
  cutWrites(image, writes, fileSystem, random)
  return image
}

/** Each sector has its former content, or that after any of the writes. */
function cutWrites(
  image: Image,
  writes: readonly Write[],
  fileSystem: FileSystem,
  random: Random,
): void {
  const sector = SECTORS[below(random, 1)] ?? SECTORS[0]
  const sizes = [image.size]
  const written = writes.map((write) => {
    const end = write.at + write.bytes.length
    sizes.push(Math.max(sizes.at(-1) ?? 0, end))
    return { write, first: Math.floor(write.at / sector), end: Math.ceil(end / sector) }
  })
  const counts = new Map<number, number>()
  for (const { first, end } of written) {
    for (let at = first; at < end; at += 1) counts.set(at, (counts.get(at) ?? 0) + 1)
  }
  const share = random()
  const surviving = new Map<number, number>()
  for (const [at, count] of counts) {
    surviving.set(at, random() < share ? count : below(random, count))
  }
  const size = sizes[below(random, sizes.length - 1)] ?? 0
  const filling = fileSystem === 'posix' ? below(random, 255) : 0
  image.extend(sizes.at(-1) ?? 0, filling)
  for (const { write, first, end } of written) {
    for (let at = first; at < end; at += 1) {
      const remaining = surviving.get(at) ?? 0
      if (remaining === 0) continue
      surviving.set(at, remaining - 1)
      image.applyWithin(write, at * sector, (at + 1) * sector)
    }
  }
  image.apply({ size })
}

/** The content of a file, which grows in place. */
class Image {
  size: number
  #bytes: Buffer

  /** @param bytes are changed. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.size = bytes.length
  }

  copy(): Image {
    return new Image(Buffer.from(this.toBuffer()))
  }

  toBuffer(): Buffer {
    return this.#bytes.subarray(0, this.size)
  }

  apply(change: ContentChange): void {
    if ('bytes' in change) {
      this.extend(change.at + change.bytes.length)
      change.bytes.copy(this.#bytes, change.at)
    } else {
      this.extend(change.size)
      this.#bytes.fill(0, change.size, this.size)
      this.size = change.size
    }
  }

  /** Applies the part of a write that is between two positions, which the file has. */
  applyWithin({ at, bytes }: Write, from: number, to: number): void {
    const part = bytes.subarray(Math.max(0, from - at), Math.max(0, to - at))
    part.copy(this.#bytes, Math.max(from, at))
  }

  extend(size: number, filling = 0): void {
    if (size <= this.size) return
    if (size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length))
      this.toBuffer().copy(larger)
      this.#bytes = larger
    }
    this.#bytes.fill(filling, this.size, size)
    this.size = size
  }
}
